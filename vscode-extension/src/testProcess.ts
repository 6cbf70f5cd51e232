import { spawn } from "node:child_process";
import * as readline from "node:readline";

import { parseLine } from "./testRecords";

/** How a run of the adapter's program ended. */
export interface Ended {
    /** null: a signal ended it. */
    readonly code: number | null;
    readonly errors: string;
}

/** Runs the adapter's program and hands each line of JSON on. `cancel` is called with what interrupts it. */
export function runLines(
    program: string,
    args: readonly string[],
    cwd: string,
    onLine: (record: Record<string, unknown>) => void,
    cancel: (stop: () => void) => void = () => undefined,
): Promise<Ended> {
    return new Promise((resolve, reject) => {
        const child = spawn(program, [...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
        let errors = "";
        child.on("error", reject);
        child.stderr.setEncoding("utf-8").on("data", (text: string) => (errors += text));
        const lines = readline.createInterface({ input: child.stdout });
        lines.on("line", (line) => {
            const record = parseLine(line);
            if (record !== undefined) {
                onLine(record);
            }
        });
        let code: number | null = null;
        const closed = new Promise<void>((done) => lines.on("close", done));
        child.on("close", (exitCode) => {
            code = exitCode;
            void closed.then(() => resolve({ code, errors: errors.trim() }));
        });
        cancel(() => child.kill("SIGINT"));
    });
}
