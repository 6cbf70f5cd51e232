import * as assert from "node:assert/strict";
import { test } from "node:test";

import { AsyncMethods } from "../src/asyncMethods";

const method = (id: number, awaits: number[], awaitedBy: number[], more: object = {}): object => ({
    id,
    name: `M${id}`,
    state: "waiting",
    awaits,
    awaitedBy,
    line: 0,
    column: 0,
    ...more,
});

const named = (methods: AsyncMethods): unknown[] => {
    const tree = (one: ReturnType<AsyncMethods["roots"]>[number]): unknown => [
        one.name,
        ...methods.awaitedBy(one).map(tree),
    ];
    return methods.roots().map(tree);
};

test("methods are trees of who awaits whom", () => {
    const tasks = [method(1, [2, 3], []), method(2, [], [1]), method(3, [], [1, 4]), method(4, [3], [])];
    const methods = new AsyncMethods({ tasks, total: 4, isComplete: true });
    assert.deepEqual(named(methods), [
        ["M1", ["M2"], ["M3"]],
        ["M4", ["M3"]],
    ]);
    assert.equal(methods.remark, undefined);
});

test("a ring that nobody else awaits has a root", () => {
    const tasks = [method(1, [2], [2]), method(2, [1], [1])];
    const methods = new AsyncMethods({ tasks, total: 2, isComplete: true });
    assert.deepEqual(
        methods.roots().map((root) => root.name),
        ["M1"],
    );
});

test("a method says what it does and where", () => {
    const source = { path: "/src/Cart.cs" };
    const tasks = [
        method(1, [], [], { waitsFor: "Task.Delay", source, line: 5, column: 9 }),
        method(2, [], [], { state: "ready", source, line: 0 }),
        method(3, [], [], { state: "running" }),
        method(4, [], []),
    ];
    const roots = new AsyncMethods({ tasks, total: 4, isComplete: true }).roots();
    assert.deepEqual(
        roots.map(({ doing, place }) => [doing, place]),
        [
            ["awaits Task.Delay", { path: "/src/Cart.cs", line: 5, column: 9 }],
            ["can go on", undefined],
            ["runs", undefined],
            ["waits", undefined],
        ],
    );
});

test("what is not told is said", () => {
    assert.equal(new AsyncMethods({ tasks: [], total: 0, isComplete: true }).remark, "No async method is suspended.");
    assert.equal(new AsyncMethods(undefined).remark, "No async method is suspended.");
    assert.match(new AsyncMethods({ tasks: [method(1, [], [])], total: 7, isComplete: true }).remark ?? "", /not all/);
    assert.match(new AsyncMethods({ tasks: [method(1, [], [])], total: 1, isComplete: false }).remark ?? "", /not all/);
});

test("methods that await one which is not in the list are roots", () => {
    const methods = new AsyncMethods({ tasks: [method(1, [99], [98])], total: 1, isComplete: true });
    assert.deepEqual(named(methods), [["M1"]]);
});
