import * as assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

import {
    type Carried,
    environmentIn,
    programIn,
    readCarried,
    setUp,
    SetUpCancelled,
    SetUpError,
    type Watcher,
} from "../src/ownAdapter";

const SCRIPT = path.join(__dirname, "..", "..", "set_up_adapter.py");
/** In place of pip: says that it began, then waits for the file `go` where there is a file `wait`, and "installs". */
const FAKE_PIP = `
import os, sys, time
from pathlib import Path
here = Path(sys.argv[sys.argv.index("--find-links") + 1])
with (here / "began").open("a") as began:
    began.write("x")
if (here / "refuse").exists():
    sys.exit((here / "refuse").read_text())
while (here / "wait").exists() and not (here / "go").exists():
    time.sleep(0.01)
script = Path(sys.prefix, "bin", "dap-dotnet")
script.write_text("import sys; print('adapter', *sys.argv[1:])")
`;

const python = spawnSync("python3", ["-I", "-c", "import os, sys; print(os.path.realpath(sys.executable))"], {
    encoding: "utf8",
}).stdout.trim();

interface Machine {
    readonly carried: Carried;
    readonly home: string;
    readonly environment: string;
    readonly lines: string[];
    began(): number;
    put(name: string, text?: string): void;
    make(changes?: Partial<Watcher>): Promise<string>;
}

function machine(t: TestContext): Machine {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "own adapter's "));
    t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
    const wheels = path.join(folder, "carried");
    fs.mkdirSync(path.join(wheels, "pip-0-py3-none-any.whl", "pip"), { recursive: true });
    const contents = { requirement: "dap-dotnet==0", pythons: ["3.11"], glibc: "2.17", key: "0123" };
    fs.writeFileSync(path.join(wheels, "contents.json"), JSON.stringify(contents));
    fs.writeFileSync(path.join(wheels, "pip-0-py3-none-any.whl", "pip", "__main__.py"), FAKE_PIP);
    const carried = readCarried(folder);
    assert.ok(carried);
    const home = path.join(folder, "storage");
    const environment = environmentIn(home, carried);
    const lines: string[] = [];
    return {
        carried,
        home,
        environment,
        lines,
        began: () => {
            const file = path.join(wheels, "began");
            return fs.existsSync(file) ? fs.readFileSync(file, "utf8").length : 0;
        },
        put: (name, text = "") => fs.writeFileSync(path.join(wheels, name), text),
        make: (changes = {}) =>
            setUp(python, SCRIPT, carried, environment, {
                log: (line) => lines.push(line),
                report: () => undefined,
                signal: new AbortController().signal,
                ...changes,
            }),
    };
}

async function until(condition: () => boolean, what: string): Promise<void> {
    for (const end = Date.now() + 20_000; !condition(); await delay(10)) {
        assert.ok(Date.now() < end, `${what} in 20 s`);
    }
}

function answers(program: string): void {
    assert.equal(spawnSync(program, ["ps"], { encoding: "utf8" }).stdout, "adapter ps\n");
}

test("a package without wheels carries nothing", () => {
    assert.equal(readCarried(os.tmpdir()), undefined);
});

test("the environment is made once, with its steps told", async (t) => {
    const here = machine(t);
    assert.equal(programIn(here.environment), undefined);
    const steps: string[] = [];
    const program = await here.make({ report: (step) => steps.push(step) });
    answers(program);
    assert.equal(programIn(here.environment), program);
    assert.deepEqual(steps, ["Making an environment for it", "Installing it"]);
    await here.make();
    assert.equal(here.began(), 1);
});

test("what the user's own programs need does not reach it", async (t) => {
    const here = machine(t);
    const program = await here.make();
    fs.writeFileSync(path.join(here.environment, "bin", "dap-dotnet"), "import sys; print(sys.flags.isolated)");
    assert.equal(spawnSync(program, { encoding: "utf8", env: { PYTHONPATH: "/nonsense" } }).stdout, "1\n");
});

test("two windows at once: one makes it, the other waits", async (t) => {
    const here = machine(t);
    here.put("wait");
    const first = here.make();
    await until(() => here.began() === 1, "no pip");
    const steps: string[] = [];
    const second = here.make({ report: (step) => steps.push(step) });
    await until(() => steps.length > 0, "no word of the second");
    assert.match(steps[0] ?? "", /another window/);
    here.put("go");
    assert.equal(await second, await first);
    assert.equal(here.began(), 1);
});

test("ended in the middle, it says so, and the next one begins again", async (t) => {
    const here = machine(t);
    here.put("wait");
    const making = here.make();
    making.catch(() => undefined);
    await until(() => here.began() === 1, "no pip");
    const found = spawnSync("pgrep", ["-f", "--", `^${python} -I ${SCRIPT} ${here.carried.folder} `], { encoding: "utf8" });
    const [pid] = found.stdout.trim().split("\n").map(Number);
    assert.ok(pid, "the script runs");
    process.kill(pid, "SIGKILL"); // it alone: its pip lives on, and is waited for
    await assert.rejects(making, (error) => error instanceof SetUpError && /ended by SIGKILL/.test(error.message));
    assert.equal(programIn(here.environment), undefined);
    const steps: string[] = [];
    const next = here.make({ report: (step) => steps.push(step) });
    await until(() => steps.length > 0, "no word of the next");
    assert.match(steps[0] ?? "", /another window/);
    here.put("go");
    answers(await next);
    assert.equal(here.began(), 2);
});

test("cancelled, nothing is left running, and the next one begins again", async (t) => {
    const here = machine(t);
    here.put("wait");
    const cancel = new AbortController();
    const making = here.make({ signal: cancel.signal });
    making.catch(() => undefined);
    await until(() => here.began() === 1, "no pip");
    cancel.abort();
    await assert.rejects(making, SetUpCancelled);
    here.put("go");
    answers(await here.make());
    assert.ok(!here.lines.some((line) => line.includes("another window")));
});

test("a Python that has been removed since makes it anew", async (t) => {
    const here = machine(t);
    await here.make();
    fs.rmSync(path.join(here.environment, "bin", "python"));
    fs.symlinkSync("/removed/python3", path.join(here.environment, "bin", "python"));
    assert.equal(programIn(here.environment), undefined);
    answers(await here.make());
});

test("what pip says last is the reason", async (t) => {
    const here = machine(t);
    here.put("refuse", "ERROR: No matching distribution for x");
    await assert.rejects(
        here.make(),
        (error) => error instanceof SetUpError && !error.isStorage && /ERROR: No matching dist/.test(error.message),
    );
    assert.ok(here.lines.includes("ERROR: No matching distribution for x"));
});

test("a full disk under pip and a folder that cannot be made are the storage's fault", async (t) => {
    const here = machine(t);
    here.put("refuse", "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device");
    const isStorage = (pattern: RegExp) => (error: unknown) =>
        error instanceof SetUpError && error.isStorage && pattern.test(error.message);
    await assert.rejects(here.make(), isStorage(/storage\/adapter\/0123: No space left on device/));
    fs.rmSync(here.home, { recursive: true });
    fs.writeFileSync(here.home, "a file");
    await assert.rejects(here.make(), isStorage(/cannot be set up: .*storage.*: (Not a directory|File exists)/));
});

test("a Python that does not start is named", async (t) => {
    const here = machine(t);
    const watcher = { log: () => undefined, report: () => undefined, signal: new AbortController().signal };
    await assert.rejects(
        setUp("/gone/python", SCRIPT, here.carried, here.environment, watcher),
        /\/gone\/python does not start/,
    );
});

test("a system whose C library is too old is told so", async (t) => {
    const here = machine(t);
    const contents = { requirement: "dap-dotnet==0", pythons: ["3.11"], glibc: "9.1", key: "0123" };
    here.put("contents.json", JSON.stringify(contents));
    await assert.rejects(here.make(), /needs glibc 9\.1 or later, and this system has \d/);
});

test("environments of other versions go, but not while a debugger runs in one", async (t) => {
    const here = machine(t);
    const others = ["idle", "used"].map((name) => path.join(here.home, "adapter", name));
    for (const other of others) {
        fs.mkdirSync(other, { recursive: true });
        fs.writeFileSync(`${other}.lock`, "");
    }
    const { spawn } = await import("node:child_process");
    const debuggee = spawn("sleep", ["60"], { argv0: `${others[1]}/bin/python` });
    try {
        await here.make();
    } finally {
        debuggee.kill();
    }
    assert.deepEqual(others.map((other) => fs.existsSync(other)), [false, true]);
});
