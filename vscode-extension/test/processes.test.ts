import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { type DotnetProcess, inOrder, listProcesses, parseProcesses, programName } from "../src/processes";

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
    assert.deepEqual(
        (await listProcesses(file)).map(({ pid }) => pid),
        [42],
    );
});

test("what the adapter says when it fails is passed on", async () => {
    const pipe = { command: "/bin/sh", args: ["-c", `echo '${LINE}'`], cwd: "/", env: {} };
    assert.deepEqual(
        (await listProcesses(pipe)).map(({ pid }) => pid),
        [42],
    );
    await assert.rejects(listProcesses(adapter("echo no luck >&2; exit 3")), /ps --json failed: no luck/);
});

function running(pid: number, ...commandLine: string[]): DotnetProcess {
    return { pid, runtimeVersion: "8.0.31", commandLine };
}

test("a process is called by its assembly, or by its executable", () => {
    assert.equal(programName(running(1, "/usr/bin/dotnet", "exec", "/w/App.dll", "x.dll")), "App");
    assert.equal(programName(running(1, "/w/App", "x.dll")), "App");
    assert.equal(programName(running(1)), "(unknown)");
});

test("the workspace's processes come first, the SDK's last, newer ones before older", () => {
    const processes = [
        running(9, "/sdk/Roslyn/bincore/VBCSCompiler"),
        running(1, "/opt/Service"),
        running(2, "dotnet", "/w/App.dll"),
        running(3, "/w/App"),
        running(4, "/w-other/App"),
        running(8, "/sdk/dotnet", "/sdk/MSBuild.dll"),
    ];
    assert.deepEqual(
        inOrder(processes, ["/w"]).map(({ pid }) => pid),
        [3, 2, 4, 1, 9, 8],
    );
});
