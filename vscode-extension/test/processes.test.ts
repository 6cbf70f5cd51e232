import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { listProcesses, parseProcesses } from "../src/processes";
import { programsOf } from "../src/programs";

const LINE = '{"kind": "process", "pid": 42, "runtimeVersion": "8.0.31", "commandLine": ["dotnet", "a b.dll"]}';

/** A stand-in for the adapter: a shell script with this body. */
function adapter(body: string): string {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "dap-dotnet-test-")), "dap-dotnet");
    fs.writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return file;
}

test("each line is a process", () => {
    const unknown = '{"kind": "process", "pid": 7, "runtimeVersion": null}';
    assert.deepEqual(parseProcesses(`${LINE}\n${unknown}\n\n`), [
        { pid: 42, runtimeVersion: "8.0.31", commandLine: ["dotnet", "a b.dll"] },
        { pid: 7, runtimeVersion: undefined, commandLine: [] },
    ]);
});

test("a line that is no process is quoted in the error", () => {
    assert.throws(() => parseProcesses("usage: dap-dotnet"), /something other than a process: usage: dap-dotnet/);
    assert.throws(() => parseProcesses('{"pid": "x"}'), /something other than a process/);
});

test("the adapter is asked with ps --json", async () => {
    const file = adapter(`[ "$*" = "ps --json" ] && echo '${LINE}'`);
    assert.deepEqual((await listProcesses(file)).map(({ pid }) => pid), [42]);
});

test("what the adapter says when it fails is passed on", async () => {
    await assert.rejects(listProcesses(adapter("echo no luck >&2; exit 3")), /ps --json failed: no luck/);
});

test("programs are found by their runtime configurations", () => {
    const files = [
        "/w/bin/Debug/net8.0/App.runtimeconfig.json",
        "/w/bin/Debug/net10.0/App.runtimeconfig.json",
        "/w/obj/bin/Debug/App.runtimeconfig.json",
        "/w/bin/Debug/net8.0/testhost.runtimeconfig.json",
    ];
    assert.deepEqual(programsOf(files), [
        { name: "App (net10.0)", dll: "/w/bin/Debug/net10.0/App.dll" },
        { name: "App (net8.0)", dll: "/w/bin/Debug/net8.0/App.dll" },
    ]);
});
