import * as assert from "node:assert/strict";
import { test } from "node:test";

import { buildProblem } from "../src/buildProblem";

function output(text: string, place: object = { source: { path: "/w/Program.cs" }, line: 3, column: 5 }) {
    return { type: "event", event: "output", body: { category: "stderr", output: text, ...place } };
}

test("an error of a build is found with its place, code and text", () => {
    assert.deepEqual(buildProblem(output("/w/Program.cs(3,5): error CS1002: ; expected\n")), {
        path: "/w/Program.cs",
        line: 3,
        column: 5,
        isError: true,
        code: "CS1002",
        text: "; expected",
    });
    const warning = buildProblem(
        output("/w/Program.cs(3): warning : look here\n", { source: { path: "/w/P.cs" }, line: 3 }),
    );
    assert.deepEqual([warning?.isError, warning?.code, warning?.text, warning?.column], [false, "", "look here", 1]);
});

test("other output is no problem", () => {
    for (const message of [output("plain\n"), output("x: error CS1: y\n", {}), { type: "response" }, null]) {
        assert.equal(buildProblem(message), undefined);
    }
});
