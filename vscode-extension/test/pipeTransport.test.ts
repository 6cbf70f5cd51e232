import * as assert from "node:assert/strict";
import { test } from "node:test";

import { pipeCommand, withFolder } from "../src/pipeTransport";

const DOCKER = { pipeProgram: "docker", pipeArgs: ["exec", "-i", "my app"], debuggerPath: "/vsdbg/vsdbg", quoteArgs: false };

test("the debugger's command follows the arguments of the pipe", () => {
    assert.deepEqual(pipeCommand(DOCKER, ["--log", "a b"], "linux"), {
        command: "docker",
        args: ["exec", "-i", "my app", "dap-dotnet", "--log", "a b"],
        cwd: undefined,
        env: {},
    });
});

test("a debugger of ours keeps its path", () => {
    const own = { ...DOCKER, debuggerPath: "/opt/venv/bin/dap-dotnet" };
    assert.equal(pipeCommand(own, [], "linux")?.args[3], "/opt/venv/bin/dap-dotnet");
    assert.equal(pipeCommand({ pipeProgram: "ssh" }, [], "linux")?.args[0], "dap-dotnet");
    assert.equal(pipeCommand({ pipeProgram: "ssh", debuggerPath: "~/vsdbg/vsdbg" }, [], "linux")?.args[0], "dap-dotnet");
});

test("an argument may say where the command goes, quoted for a shell", () => {
    const shell = { pipeProgram: "bash", pipeArgs: ["-c", "ssh host ${debuggerCommand}"] };
    assert.deepEqual(pipeCommand(shell, ["ps", "it's"], "linux")?.args, ["-c", "ssh host dap-dotnet ps 'it'\\''s'"]);
    assert.deepEqual(pipeCommand({ ...shell, quoteArgs: false }, ["a b"], "linux")?.args[1], "ssh host dap-dotnet a b");
});

test("arguments may be one string", () => {
    const ssh = { pipeProgram: "ssh", pipeArgs: `-o "Log Level=ERROR" me@host 'x y'z` };
    assert.deepEqual(pipeCommand(ssh, [], "linux")?.args, ["-o", "Log Level=ERROR", "me@host", "x yz", "dap-dotnet"]);
});

test("an operating system may have its own", () => {
    const both = { ...DOCKER, pipeCwd: "/", pipeEnv: { A: 1 }, windows: { pipeProgram: "plink.exe" } };
    assert.equal(pipeCommand(both, [], "win32")?.command, "plink.exe");
    assert.deepEqual(pipeCommand(both, [], "linux"), {
        command: "docker",
        args: ["exec", "-i", "my app", "dap-dotnet"],
        cwd: "/",
        env: { A: "1" },
    });
});

test("without a program there is no pipe", () => {
    for (const transport of [undefined, null, {}, [], "docker", { pipeProgram: " " }, { pipeProgram: 5 }]) {
        assert.equal(pipeCommand(transport, [], "linux"), undefined);
    }
});

test("the workspace's folder is known before other variables", () => {
    const transport = { pipeCwd: "${workspaceRoot}", pipeArgs: ["${workspaceFolder}/run", "${env:HOST}"], quoteArgs: true };
    assert.deepEqual(withFolder(transport, "/a $& b"), {
        pipeCwd: "/a $& b",
        pipeArgs: ["/a $& b/run", "${env:HOST}"],
        quoteArgs: true,
    });
    assert.equal(withFolder(undefined, "/"), undefined);
});
