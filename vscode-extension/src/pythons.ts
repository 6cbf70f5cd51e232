import * as path from "node:path";

import { foldersOnPath, type Surroundings } from "./adapterLocation";

/** What the search for Python depends on; injected, so that it can be tested. */
export interface PythonSurroundings extends Pick<Surroundings, "env" | "platform" | "home" | "isExecutable"> {
    /** The setting `dap-dotnet.python`; empty when it is not set. */
    readonly pythonPath: string;
    /** The releases that the carried wheels are for, such as "3.11", the oldest first. */
    readonly releases: readonly string[];
    /** The text of /etc/os-release; empty without one. */
    readonly osRelease: string;
    /** The names in a folder; none when it cannot be read. */
    list(folder: string): string[];
    /** The file without symbolic links; the file itself when it cannot be read. */
    real(file: string): string;
    /** The standard output of `PYTHON -I -c CODE`; empty when it does not start, fails or takes too long. */
    run(python: string, code: string): Promise<string>;
}

/** No Python here can run the debugger; the message says what there is. */
export class NoPythonError extends Error {
    override readonly name = "NoPythonError";

    /** `installCommand` is a shell's line that would install one; undefined when none is known. */
    constructor(
        message: string,
        readonly installCommand: string | undefined,
    ) {
        super(message);
    }
}

/** In words that Python 2 understands too. The last line comes only from one that has what we need. */
const PROBE = `
import sys
print("%d.%d" % sys.version_info[:2])
import ctypes, fcntl, os, sysconfig, venv, zlib
print(sys.implementation.name + ("-free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))
print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))
`;

/**
 * The first Python that can run the debugger, itself rather than a virtual environment or a link that an update of the
 * system turns elsewhere. Throws NoPythonError.
 */
export async function findPython(surroundings: PythonSurroundings): Promise<string> {
    const { releases, pythonPath } = surroundings;
    const range = `Python ${releases[0]} to ${releases.at(-1)}`;
    const unsuitable: string[] = [];
    for (const file of pythonPath === "" ? candidates(surroundings) : [pythonPath]) {
        const [release, implementation, base] = (await surroundings.run(file, PROBE)).trim().split(/\r?\n/);
        if (release && base && implementation === "cpython" && releases.includes(release)) {
            return base;
        }
        unsuitable.push(`${file} ${whyNot(release, implementation, releases)}`);
    }
    if (pythonPath !== "") {
        throw new NoPythonError(
            `The debugger needs ${range}, but ${unsuitable[0]} and is what the setting dap-dotnet.python names.`,
            undefined,
        );
    }
    const shown = unsuitable.slice(0, 3).join("; ");
    throw new NoPythonError(
        unsuitable.length === 0
            ? `The debugger runs on ${range}, and no Python was found on this machine.`
            : `The debugger runs on ${range}, and this machine has none of them (${shown}).`,
        installCommand(surroundings.osRelease, unsuitable.length > 0),
    );
}

function whyNot(release: string | undefined, implementation: string | undefined, releases: readonly string[]): string {
    if (!release) {
        return "does not start";
    }
    if (!releases.includes(release)) {
        return `is Python ${release}`;
    }
    return implementation === undefined ? "lacks a part of its standard library" : `is ${implementation}`;
}

/** The programs that may be a suitable Python, each once; the system's first, which outlives those of projects. */
function candidates({ env, platform, home, releases, isExecutable, list, real }: PythonSurroundings): string[] {
    const below = (folder: string): string[] => list(folder).map((name) => path.join(folder, name, "bin"));
    const folders = [
        "/usr/bin",
        "/usr/local/bin",
        ...foldersOnPath(env, platform),
        path.join(home, ".local", "bin"),
        ...below(path.join(home, ".local", "share", "uv", "python")),
        ...below(path.join(home, ".pyenv", "versions")),
        ...["miniconda3", "miniforge3", "anaconda3"].map((name) => path.join(home, name, "bin")),
        "/opt/conda/bin",
        "/home/linuxbrew/.linuxbrew/bin",
    ];
    const names = ["python3", ...[...releases].reverse().map((release) => `python${release}`)];
    const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name))).filter(isExecutable);
    return [...new Map(files.map((file) => [real(file), file] as const).reverse()).values()].reverse();
}

/** By the system's family; `another`: the plain package is there already and is too old or too new. */
const COMMANDS: readonly [family: RegExp, plain: string, another: string | undefined][] = [
    [/\b(debian|ubuntu)\b/, "sudo apt-get update && sudo apt-get install -y python3", undefined],
    [/\b(fedora|rhel|centos)\b/, "sudo dnf install -y python3", "sudo dnf install -y python3.12"],
    [/\b(suse|opensuse|sles)\b/, "sudo zypper install -y python3", "sudo zypper install -y python312"],
    [/\barch\b/, "sudo pacman -S --noconfirm python", undefined],
];

function installCommand(osRelease: string, another: boolean): string | undefined {
    const family = [...osRelease.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].map(([, value]) => value).join(" ");
    const [, plain, other] = COMMANDS.find(([pattern]) => pattern.test(family)) ?? [];
    return another ? other : plain;
}
