import * as assert from "node:assert/strict";
import { test } from "node:test";

import { AdapterNotFoundError, findAdapter, type Surroundings } from "../src/adapterLocation";

function surroundings(programs: string[], changes: Partial<Surroundings> = {}): Surroundings {
    return {
        adapterPath: "",
        folders: ["/w/one", "/w/two"],
        env: { PATH: "/usr/bin:relative:/opt/bin", HOME: "/home/me", TOOLS: "/tools" },
        platform: "linux",
        isExecutable: (file) => programs.includes(file),
        ...changes,
    };
}

test("the setting comes first", () => {
    const programs = ["/set/dap-dotnet", "/w/one/.venv/bin/dap-dotnet"];
    assert.equal(findAdapter(surroundings(programs, { adapterPath: "/set/dap-dotnet" })), "/set/dap-dotnet");
});

test("the setting may hold variables", () => {
    const expected = {
        "~/bin/dap-dotnet": "/home/me/bin/dap-dotnet",
        "${workspaceFolder}/x/dap-dotnet": "/w/one/x/dap-dotnet",
        "${env:TOOLS}/dap-dotnet": "/tools/dap-dotnet",
        "env/bin/dap-dotnet": "/w/one/env/bin/dap-dotnet",
    };
    for (const [adapterPath, file] of Object.entries(expected)) {
        assert.equal(findAdapter(surroundings([file], { adapterPath })), file);
    }
});

test("a setting that names no program is an error, whatever else there is", () => {
    const around = surroundings(["/usr/bin/dap-dotnet"], { adapterPath: "/gone/dap-dotnet" });
    assert.throws(() => findAdapter(around), /adapterPath names \/gone\/dap-dotnet/);
});

test("a virtual environment of any folder comes before PATH", () => {
    const programs = ["/usr/bin/dap-dotnet", "/w/two/.venv/bin/dap-dotnet"];
    assert.equal(findAdapter(surroundings(programs)), "/w/two/.venv/bin/dap-dotnet");
});

test("PATH comes last, without its relative folders", () => {
    assert.equal(findAdapter(surroundings(["relative/dap-dotnet", "/opt/bin/dap-dotnet"])), "/opt/bin/dap-dotnet");
});

test("its absence says where it was looked for and what to do", () => {
    assert.throws(
        () => findAdapter(surroundings([])),
        (error: unknown) =>
            error instanceof AdapterNotFoundError &&
            /not found in \/w\/one\/\.venv, \/w\/two\/\.venv nor on PATH/.test(error.message) &&
            /"pip install" and the path of its wheel/.test(error.message),
    );
});
