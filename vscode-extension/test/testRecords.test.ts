import * as assert from "node:assert/strict";
import { test } from "node:test";

import { byProject } from "../src/testDiscovery";
import { filterOf, filterOfRow, parseLine, recordOfEvent, rowName, type TestRecord } from "../src/testRecords";

function record(name: string, more: Partial<TestRecord> = {}): TestRecord {
    const id = `Ns.C.${name}`;
    return {
        kind: "test", id, name, namespace: "Ns", class: "C", method: name, framework: "xunit", targetFramework: "net10.0",
        assembly: "/bin/T.dll", file: null, line: null, column: null, endLine: null, endColumn: null,
        filter: `FullyQualifiedName=${id}`, hasRows: false, skip: null, ...more,
    };
}

test("only objects with a kind are lines of the adapter", () => {
    assert.deepEqual(parseLine('{"kind": "test", "id": "A"}'), { kind: "test", id: "A" });
    for (const line of ["", "warning: x", "[1]", '{"id": 1}', "null"]) {
        assert.equal(parseLine(line), undefined, line);
    }
});

test("events of a session on tests are records, others are not", () => {
    const body = { id: "Ns.C.M", displayName: "Ns.C.M", outcome: "passed" };
    assert.deepEqual(recordOfEvent({ type: "event", event: "dap-dotnet/testResult", body }), { ...body, kind: "testResult" });
    assert.deepEqual(recordOfEvent({ type: "event", event: "output", body: { output: "a" } }), { output: "a", kind: "output" });
    assert.equal(recordOfEvent({ type: "event", event: "stopped", body: {} }), undefined);
    assert.equal(recordOfEvent({ type: "response", command: "launch" }), undefined);
});

test("a row is called by its data", () => {
    assert.equal(rowName({ id: "Ns.C.M", displayName: "Ns.C.M(value: 1)" }, "M"), "(value: 1)");
    assert.equal(rowName({ id: "Ns.C.M", displayName: "M(1,2)" }, "M"), "(1,2)");
    assert.equal(rowName({ id: "Ns.C.M", displayName: "M (1,2)" }, "M"), "(1,2)");
    assert.equal(rowName({ id: "Ns.C.M", displayName: "adds two numbers" }, "M"), "adds two numbers");
    assert.equal(rowName({ id: "Ns.C.M", displayName: "Ns.C.M" }, "M"), undefined);
    assert.equal(rowName({ id: "Ns.C.M", displayName: "M" }, "M"), undefined);
});

test("all tests need no filter, some are joined", () => {
    const [a, b, c] = [record("A"), record("B"), record("C")];
    assert.equal(filterOf([a, b, c], [a, b, c]), undefined);
    assert.equal(filterOf([a, c], [a, b, c]), "FullyQualifiedName=Ns.C.A|FullyQualifiedName=Ns.C.C");
});

test("a row of xunit is selected by its name, others with their test", () => {
    const name = "Ns.C.A(text: \"a|b\", f: (x) => y)";
    assert.equal(
        filterOfRow(record("A"), name),
        '(FullyQualifiedName=Ns.C.A&DisplayName=Ns.C.A\\(text: "a\\|b", f: \\(x\\) \\=> y\\))',
    );
    assert.equal(filterOfRow(record("A", { framework: "nunit" }), name), "FullyQualifiedName=Ns.C.A");
});

test("a list is taken apart by project", () => {
    const assembly = { kind: "testAssembly", path: "/bin/T.dll", project: "/a/T.csproj", targetFramework: "net10.0", runsItself: false } as const;
    const place = { kind: "testClass", name: "Ns.C", file: "/a/C.cs", line: 3, assembly: "/bin/T.dll" } as const;
    const error = { kind: "error", code: "NOT_BUILT", message: "no", path: "/b/U.csproj" } as const;
    const listed = byProject(["/a/T.csproj", "/b/U.csproj"], [assembly, place, record("A"), error]);
    const first = listed.get("/a/T.csproj");
    assert.deepEqual(first?.assemblies, [{ assembly, tests: [record("A")], classes: [place] }]);
    assert.deepEqual(listed.get("/b/U.csproj"), { assemblies: [], errors: [error] });
});
