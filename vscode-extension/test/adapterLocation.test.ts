import * as assert from "node:assert/strict";
import { test } from "node:test";

import { AdapterNotFoundError, findAdapter, type Surroundings } from "../src/adapterLocation";

function surroundings(programs: string[], changes: Partial<Surroundings> = {}): Surroundings {
    return {
        adapterPath: "",
        folders: ["/w/one", "/w/two"],
        home: "/home/me",
        env: { PATH: "/usr/bin:relative:/opt/bin", TOOLS: "/tools" },
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
    assert.throws(
        () => findAdapter(around),
        (error) => error instanceof AdapterNotFoundError && /adapterPath names \/gone\/dap-dotnet/.test(error.message),
    );
});

test("a virtual environment of any folder comes before PATH", () => {
    const programs = ["/usr/bin/dap-dotnet", "/w/two/.venv/bin/dap-dotnet"];
    assert.equal(findAdapter(surroundings(programs)), "/w/two/.venv/bin/dap-dotnet");
});

test("PATH comes next, without its relative folders", () => {
    const programs = ["relative/dap-dotnet", "/opt/bin/dap-dotnet", "/home/me/.local/bin/dap-dotnet"];
    assert.equal(findAdapter(surroundings(programs)), "/opt/bin/dap-dotnet");
});

test("where people install programs is searched even when PATH lacks it", () => {
    const ordered = ["/home/me/.local/bin/dap-dotnet", "/home/me/dap-dotnet/bin/dap-dotnet"];
    assert.equal(findAdapter(surroundings(ordered)), ordered[0]);
    assert.equal(findAdapter(surroundings(ordered.slice(1), { env: {} })), ordered[1]);
});

test("there may be none", () => {
    assert.equal(findAdapter(surroundings(["/w/one/dap-dotnet"])), undefined);
});
