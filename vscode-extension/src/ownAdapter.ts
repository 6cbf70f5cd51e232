import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";

import { isExecutable } from "./executables";

/** The wheels that the extension's package carries for this platform, and what they are for. */
export interface Carried {
    readonly folder: string;
    /** The releases of Python, such as "3.11", the oldest first. */
    readonly pythons: readonly string[];
    /** Differs when any wheel does. */
    readonly key: string;
}

/** The carried debugger could not be set up; the message says where and why. */
export class SetUpError extends Error {
    override readonly name = "SetUpError";

    /** Whether the folder is what refused, so that another may help. */
    constructor(
        message: string,
        readonly isStorage: boolean,
    ) {
        super(message);
    }
}

/** The user cancelled the set-up. */
export class SetUpCancelled extends Error {
    override readonly name = "SetUpCancelled";
}

/** What the package in a folder carries; undefined for one that carries nothing, as one without a platform. */
export function readCarried(extensionFolder: string): Carried | undefined {
    const folder = path.join(extensionFolder, "carried");
    const contents = path.join(folder, "contents.json");
    if (!fs.existsSync(contents)) {
        return undefined;
    }
    const { pythons, key } = JSON.parse(fs.readFileSync(contents, "utf8")) as Omit<Carried, "folder">;
    return { folder, pythons, key };
}

/** The environment of the carried debugger in one of the folders that are the extension's. */
export function environmentIn(home: string, carried: Carried): string {
    return path.join(home, "adapter", carried.key);
}

/** The program in an environment; undefined when it is not complete, or its Python has been removed from the system. */
export function programIn(environment: string): string | undefined {
    const program = path.join(environment, "dap-dotnet");
    return [program, path.join(environment, "bin", "python")].every(isExecutable) ? program : undefined;
}

const STORAGE = 3; // of set_up_adapter.py
const BULLET = "\u2022 ";

/** Who hears of a set-up, and may end it. */
export interface Watcher {
    /** A line for the log. */
    log(line: string): void;
    /** What it does now, for the user. */
    report(step: string): void;
    readonly signal: AbortSignal;
}

/**
 * Makes the environment with a Python, offline, and returns its program. Several at once are safe, here and in other
 * processes. Throws SetUpError, or SetUpCancelled.
 */
export async function setUp(
    python: string,
    script: string,
    carried: Carried,
    environment: string,
    watcher: Watcher,
): Promise<string> {
    if (programIn(environment) === undefined) {
        // Its Python may be gone: the program must not count as complete.
        try {
            fs.rmSync(path.join(environment, "dap-dotnet"), { force: true });
        } catch {
            // The script says what the folder refuses.
        }
    }
    watcher.log(`> ${python} -I ${script} ${carried.folder} ${environment}`);
    // A group of its own, so that what it starts ends with it.
    const child = spawn(python, ["-I", script, carried.folder, environment], {
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
    });
    const end = (): void => {
        if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
            process.kill(-child.pid, "SIGKILL");
        }
    };
    watcher.signal.addEventListener("abort", end);
    let lastWord = "";
    createInterface(child.stdout).on("line", (line) => {
        watcher.log(line);
        if (line.startsWith(BULLET)) {
            watcher.report(line.slice(BULLET.length));
        }
    });
    createInterface(child.stderr).on("line", (line) => {
        watcher.log(line);
        lastWord = line.trim() || lastWord;
    });
    try {
        const code = await new Promise<number | string>((resolve, reject) => {
            child.on("error", (error) => reject(new SetUpError(`${python} does not start: ${error.message}`, false)));
            child.on("close", (exitCode, signal) => resolve(exitCode ?? signal ?? "unknown"));
            if (watcher.signal.aborted) {
                end();
            }
        });
        if (watcher.signal.aborted) {
            throw new SetUpCancelled("The set-up of the debugger was cancelled.");
        }
        const program = programIn(environment);
        if (code === 0 && program !== undefined) {
            return program;
        }
        if (code === STORAGE) {
            throw new SetUpError(`The debugger cannot be set up: ${lastWord}.`, true);
        }
        const why = typeof code === "string" ? `the set-up was ended by ${code}` : lastWord || `exit code ${code}`;
        throw new SetUpError(`The debugger cannot be set up in ${environment}: ${why}.`, false);
    } finally {
        watcher.signal.removeEventListener("abort", end);
    }
}
