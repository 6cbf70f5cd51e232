import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { after, test } from "node:test";

import { hasDebugger, listContainers } from "../src/containers";
import { pipeCommand } from "../src/pipeTransport";

const POD = { metadata: { name: "shop-7f", namespace: "web" }, spec: { containers: [{ name: "app", image: "shop:1" }, { name: "proxy" }] } };

const folders: string[] = [];

after(() => {
    for (const folder of folders) {
        fs.rmSync(folder, { recursive: true });
    }
});

/** Engines that are scripts in a folder of their own, which is all there is on PATH. */
function engines(scripts: Record<string, string>): NodeJS.ProcessEnv {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "engines-"));
    folders.push(folder);
    for (const [name, script] of Object.entries(scripts)) {
        fs.writeFileSync(path.join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    return { PATH: folder };
}

test("the containers of every engine are listed, with how to reach them", async () => {
    const env = engines({
        docker: "printf 'a1\\tshop\\tshop:latest\\nb2\\tdb\\tpostgres\\n'",
        kubectl: `echo '${JSON.stringify({ items: [POD] })}'`,
    });
    const { containers, problems } = await listContainers(env);
    assert.deepEqual(problems, []);
    assert.deepEqual(
        containers.map(({ name, image, engine }) => [name, image, engine]),
        [
            ["shop", "shop:latest", "docker"],
            ["db", "postgres", "docker"],
            ["shop-7f/app", "shop:1", "kubectl"],
            ["shop-7f/proxy", "", "kubectl"],
        ],
    );
    const commands = containers.map(({ pipeTransport }) => pipeCommand(pipeTransport, ["ps"], "linux"));
    assert.deepEqual(commands[0]?.args, ["exec", "-i", "a1", "dap-dotnet", "ps"]);
    assert.deepEqual(commands[2]?.args, ["exec", "-i", "shop-7f", "-n", "web", "-c", "app", "--", "dap-dotnet", "ps"]);
});

test("an engine that fails says why, and the others are listed", async () => {
    const env = engines({
        docker: "echo 'permission denied: /var/run/docker.sock' >&2; exit 1",
        podman: "printf 'c3\\tweb\\tweb\\n'",
        kubectl: "echo nonsense",
    });
    const { containers, problems, hasEngine } = await listContainers(env);
    assert.deepEqual(
        containers.map(({ name }) => name),
        ["web"],
    );
    assert.equal(problems[0], "docker: permission denied: /var/run/docker.sock");
    assert.match(problems[1] ?? "", /^kubectl: /);
    assert.ok(hasEngine);
});

test("without an engine there is nothing", async () => {
    assert.deepEqual(await listContainers(engines({})), { containers: [], problems: [], hasEngine: false });
});

test("a container without the debugger is told from one whose debugger fails", async () => {
    for (const [code, has] of [
        [0, true],
        [1, true],
        [126, false],
        [127, false],
    ] as const) {
        const { PATH } = engines({ docker: `exit ${String(code)}` });
        const pipe = pipeCommand({ pipeProgram: path.join(PATH ?? "", "docker") }, ["ps"], "linux");
        assert.ok(pipe);
        assert.equal(await hasDebugger(pipe), has);
    }
});
