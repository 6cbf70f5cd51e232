import { execFile } from "node:child_process";

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

/** Asks the adapter for the .NET processes that can be debugged. */
export function listProcesses(adapter: string): Promise<DotnetProcess[]> {
    return new Promise((resolve, reject) => {
        execFile(adapter, ["ps", "--json"], { timeout: 15_000, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
            if (error !== null) {
                reject(new Error(`${adapter} ps --json failed: ${stderr.trim() || error.message}`));
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
