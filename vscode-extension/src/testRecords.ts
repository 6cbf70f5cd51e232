import { asRecord } from "./failedStart";

/** A test as `dap-dotnet test --list --json` writes it. */
export interface TestRecord {
    readonly kind: "test";
    readonly id: string;
    readonly name: string;
    readonly namespace: string;
    readonly class: string;
    readonly method: string;
    readonly framework: string;
    readonly targetFramework: string;
    readonly assembly: string;
    readonly file: string | null;
    /** From 1, as the column. */
    readonly line: number | null;
    readonly column: number | null;
    readonly endLine: number | null;
    readonly endColumn: number | null;
    /** What selects it alone; null where it cannot be selected as `dotnet test --filter` does. */
    readonly filter: string | null;
    readonly hasRows: boolean;
    readonly skip: string | null;
}

export interface ClassRecord {
    readonly kind: "testClass";
    readonly name: string;
    readonly file: string;
    readonly line: number;
    readonly assembly: string;
}

export interface AssemblyRecord {
    readonly kind: "testAssembly";
    readonly path: string;
    readonly project: string | null;
    readonly targetFramework: string;
    /** Whether it is a program, which tells what became of its tests in its output only. */
    readonly runsItself: boolean;
}

export interface ErrorRecord {
    readonly kind: "error";
    readonly code: string;
    readonly message: string;
    /** The project or the assembly that it is about, in a list. */
    readonly path?: string;
}

export type ListRecord = TestRecord | ClassRecord | AssemblyRecord | ErrorRecord;

/** A test that begins, or a row of one. */
export interface TestStarted {
    readonly kind: "testStarted";
    readonly id: string;
    readonly displayName: string;
    readonly assembly: string;
}

/** What became of a test, or of a row of one. */
export interface TestResult {
    readonly kind: "testResult";
    readonly id: string;
    readonly displayName: string;
    readonly assembly: string;
    readonly outcome: "passed" | "failed" | "skipped" | "none";
    readonly durationMs: number;
    readonly message?: string;
    readonly stackTrace?: string;
    readonly file?: string;
    readonly line?: number;
    readonly expected?: string;
    readonly actual?: string;
    readonly output?: string;
    readonly errorOutput?: string;
}

/** The end of a run. */
export interface TestRunEnd {
    readonly kind: "testRun";
    readonly error?: string;
    readonly unfinished: readonly string[];
}

/** A line of a build, or of what tests write. */
export interface OutputRecord {
    readonly kind: "output";
    readonly output: string;
}

export type RunRecord = TestStarted | TestResult | TestRunEnd | OutputRecord | ErrorRecord;

const OWN_EVENT = "dap-dotnet/";
const OF_RUNS = new Set(["testStarted", "testResult", "testRun", "output"]);

/** A line of the adapter's; undefined for what is none, such as what the Python of another version prints. */
export function parseLine(line: string): Record<string, unknown> | undefined {
    try {
        const record = asRecord(JSON.parse(line) as unknown);
        return typeof record["kind"] === "string" ? record : undefined;
    } catch {
        return undefined;
    }
}

/** The record in a message of a debug session, where it is an event of a run of tests. */
export function recordOfEvent(message: unknown): RunRecord | undefined {
    const { type, event, body } = asRecord(message);
    const kind = String(event).replace(OWN_EVENT, "");
    return type === "event" && OF_RUNS.has(kind) ? ({ ...asRecord(body), kind } as RunRecord) : undefined;
}

/** What a row of a test is called, where it is one: its data. */
export function rowName(result: { readonly id: string; readonly displayName: string }, method: string): string | undefined {
    const { id, displayName } = result;
    if (displayName === id || displayName === method) {
        return undefined;
    }
    const own = [id, method].find((name) => displayName.startsWith(name));
    const rest = own === undefined ? displayName : displayName.slice(own.length).trim();
    return rest === "" ? undefined : rest;
}

/** What selects these tests, of all those of an assembly; undefined: all of them, and no filter is needed. */
export function filterOf(chosen: readonly TestRecord[], all: readonly TestRecord[]): string | undefined {
    return chosen.length === all.length ? undefined : chosen.map((test) => test.filter).join("|");
}

/** What selects one row of a test, where its framework can do that; else the whole test. */
export function filterOfRow(test: TestRecord, displayName: string): string | null {
    if (!test.framework.startsWith("xunit") || test.filter === null) {
        return test.filter;
    }
    return `(${test.filter}&DisplayName=${displayName.replace(/[\\()&|=!~]/g, "\\$&")})`;
}

/** Of a class, its name without what it is nested in; generic ones without the number of their parameters. */
export function simpleName(className: string): string {
    return className.replaceAll("+", ".");
}
