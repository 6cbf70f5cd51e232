import { execFile } from "node:child_process";
import * as path from "node:path";

import type { PipeCommand } from "./pipeTransport";

/** A line of `dap-dotnet ps --json` whose kind is "process". */
export interface DotnetProcess {
    readonly pid: number;
    /** Undefined when it could not be read. */
    readonly runtimeVersion: string | undefined;
    /** The program and its arguments; empty when they could not be read. */
    readonly commandLine: readonly string[];
}

/** Reads what `dap-dotnet ps --json` prints: one object per line. Throws an Error that quotes a line that is not. */
export function parseProcesses(output: string): DotnetProcess[] {
    return output
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map(parseProcess);
}

function parseProcess(line: string): DotnetProcess {
    let value: unknown;
    try {
        value = JSON.parse(line);
    } catch {
        value = undefined;
    }
    if (typeof value === "object" && value !== null) {
        const { pid, runtimeVersion, commandLine } = value as Record<string, unknown>;
        if (typeof pid === "number") {
            return {
                pid,
                runtimeVersion: typeof runtimeVersion === "string" ? runtimeVersion : undefined,
                commandLine: Array.isArray(commandLine) ? commandLine.map(String) : [],
            };
        }
    }
    throw new Error(`dap-dotnet ps returned something other than a process: ${line.slice(0, 200)}`);
}

/** What people call the process: its .dll when `dotnet` runs one, else its executable. */
export function programName({ commandLine }: DotnetProcess): string {
    const [executable, ...rest] = commandLine;
    if (executable === undefined) {
        return "(unknown)";
    }
    const own = path.basename(executable);
    const assembly = rest.find((argument) => argument.endsWith(".dll"));
    return own === "dotnet" && assembly !== undefined ? path.basename(assembly, ".dll") : own;
}

const OF_THE_SDK = new Set(["VBCSCompiler", "MSBuild", "csc", "dotnet"]);

/**
 * The processes in the order in which people look for them: the workspace's own first, the SDK's helpers last, the
 * newest before older.
 */
export function inOrder(processes: readonly DotnetProcess[], folders: readonly string[]): DotnetProcess[] {
    const rank = (found: DotnetProcess): number => {
        if (OF_THE_SDK.has(programName(found))) {
            return 2;
        }
        const isOwn = found.commandLine
            .slice(0, 2)
            .some((part) => folders.some((folder) => part.startsWith(folder + path.sep)));
        return isOwn ? 0 : 1;
    };
    return [...processes].sort((left, right) => rank(left) - rank(right) || right.pid - left.pid);
}

/** The adapter's arguments for `listProcesses`. */
export const PS: readonly string[] = ["ps", "--json"];

/** Asks the adapter, or the one at the other end of a pipe, for the .NET processes that can be debugged. */
export function listProcesses(adapter: string | PipeCommand): Promise<DotnetProcess[]> {
    const { command, args, cwd, env } =
        typeof adapter === "string" ? { command: adapter, args: PS, cwd: undefined, env: {} } : adapter;
    const options = { timeout: 15_000, maxBuffer: 16 << 20, cwd, env: { ...process.env, ...env } };
    return new Promise((resolve, reject) => {
        execFile(command, [...args], options, (error, stdout, stderr) => {
            if (error !== null) {
                reject(new Error(`${command} ${args.join(" ")} failed: ${stderr.trim() || error.message}`));
                return;
            }
            try {
                resolve(parseProcesses(stdout));
            } catch (problem) {
                reject(problem instanceof Error ? problem : new Error(String(problem)));
            }
        });
    });
}
