import { asRecord } from "./failedStart";

/** An error or a warning of a build, as the adapter sends it: a line of output with a place in a source. */
export interface BuildProblem {
    readonly path: string;
    /** From 1, as the column. */
    readonly line: number;
    readonly column: number;
    readonly isError: boolean;
    /** Such as CS1002; empty when it has none. */
    readonly code: string;
    readonly text: string;
}

/** The problem in a message of the adapter; undefined when the message is anything else. */
export function buildProblem(message: unknown): BuildProblem | undefined {
    const { type, event, body } = asRecord(message);
    const { output, source, line, column } = asRecord(body);
    const { path } = asRecord(source);
    if (type !== "event" || event !== "output" || typeof path !== "string" || typeof line !== "number") {
        return undefined;
    }
    const found = /: (error|warning)(?: (\w+))?\s?: (.*?)\s*$/s.exec(String(output));
    if (found === null) {
        return undefined;
    }
    const [, severity, code = "", text = ""] = found;
    return { path, line, column: typeof column === "number" ? column : 1, isError: severity === "error", code, text };
}
