import * as assert from "node:assert/strict";
import { test } from "node:test";

import { findPython, NoPythonError, type PythonSurroundings } from "../src/pythons";

/** A machine where each file prints what it is given for; links are named by what they lead to. */
function machine(
    pythons: Record<string, string>,
    changes: Partial<PythonSurroundings> = {},
): PythonSurroundings & { tried: string[] } {
    const tried: string[] = [];
    return {
        pythonPath: "",
        releases: ["3.10", "3.11", "3.12"],
        osRelease: 'NAME="Debian"\nID=debian\n',
        env: { PATH: "/usr/bin:/opt/tools" },
        platform: "linux",
        home: "/home/me",
        isExecutable: (file) => file in pythons,
        list: (folder) => (folder.endsWith("uv/python") ? ["cpython-3.11-linux"] : []),
        real: (file) => pythons[file]?.split("\n")[2] ?? file,
        run: (file) => {
            tried.push(file);
            return Promise.resolve(`${pythons[file] ?? ""}\n`);
        },
        tried,
        ...changes,
    };
}

const python = (release: string, base: string, implementation = "cpython"): string =>
    [release, implementation, base].join("\n");

async function refusal(surroundings: PythonSurroundings): Promise<NoPythonError> {
    const error: unknown = await findPython(surroundings).then(
        (found) => assert.fail(`found ${found}`),
        (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof NoPythonError, String(error));
    return error;
}

test("the system's Python comes first, and its base is taken", async () => {
    const here = machine({
        "/opt/tools/python3": python("3.12", "/opt/python3.12"),
        "/usr/bin/python3": python("3.11", "/usr/bin/python3.11"),
    });
    assert.equal(await findPython(here), "/usr/bin/python3.11");
    assert.deepEqual(here.tried, ["/usr/bin/python3"]);
});

test("a Python that is too old or too new, is no CPython or lacks a module is passed over", async () => {
    const here = machine({
        "/usr/bin/python3": python("3.9", "/usr/bin/python3.9"),
        "/usr/bin/python3.12": "3.12",
        "/usr/local/bin/python3": python("3.12", "/usr/local/bin/python3.12t", "cpython-free-threaded"),
        "/opt/tools/python3": python("3.13", "/opt/tools/python3.13"),
        "/opt/tools/python3.11": python("3.11", "/opt/tools/pypy", "pypy"),
        "/opt/tools/python3.10": python("3.10", "/opt/tools/python3.10"),
    });
    assert.equal(await findPython(here), "/opt/tools/python3.10");
});

test("a Python that PATH lacks is found where its installer puts it", async () => {
    const uv = "/home/me/.local/share/uv/python/cpython-3.11-linux/bin/python3";
    assert.equal(await findPython(machine({ [uv]: python("3.11", uv) }, { env: {} })), uv);
});

test("the setting counts alone", async () => {
    const pythons = { "/usr/bin/python3": python("3.11", "/usr/bin/python3.11"), "/my/python": python("3.9", "/my/python") };
    const error = await refusal(machine(pythons, { pythonPath: "/my/python" }));
    assert.match(error.message, /needs Python 3\.10 to 3\.12, but \/my\/python is Python 3\.9 and .* dap-dotnet\.python/);
    assert.equal(error.installCommand, undefined);
    const other = { ...pythons, "/my/python": python("3.10", "/my/python") };
    assert.equal(await findPython(machine(other, { pythonPath: "/my/python" })), "/my/python");
});

test("without any Python, the system's own command installs one", async () => {
    const error = await refusal(machine({}));
    assert.match(error.message, /runs on Python 3\.10 to 3\.12, and no Python was found/);
    assert.equal(error.installCommand, "sudo apt-get update && sudo apt-get install -y python3");
    const unknown = await refusal(machine({}, { osRelease: "ID=mine" }));
    assert.equal(unknown.installCommand, undefined);
});

test("an old Python is named, and what is beside it can be installed where the system has that", async () => {
    const old = { "/usr/bin/python3": python("3.9", "/usr/bin/python3.9") };
    const rhel = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n';
    const error = await refusal(machine(old, { osRelease: rhel }));
    assert.match(error.message, /has none of them \(\/usr\/bin\/python3 is Python 3\.9\)/);
    assert.equal(error.installCommand, "sudo dnf install -y python3.12");
    assert.equal((await refusal(machine(old))).installCommand, undefined);
});
