import * as path from "node:path";

import type { AssemblyRecord, ClassRecord, ErrorRecord, ListRecord, TestRecord } from "./testRecords";
import { runLines } from "./testProcess";

/** What `dap-dotnet test --list` says of one project. */
export interface Listed {
    readonly assemblies: ListedAssembly[];
    readonly errors: ErrorRecord[];
}

export interface ListedAssembly {
    readonly assembly: AssemblyRecord;
    readonly tests: TestRecord[];
    readonly classes: ClassRecord[];
}

/** Asks for the tests of projects that are built, by the projects' files. Rejects when the adapter cannot be run. */
export async function listTests(program: string, projects: readonly string[]): Promise<Map<string, Listed>> {
    const records: ListRecord[] = [];
    const args = ["test", "--list", "--json", ...projects];
    const cwd = path.dirname(projects[0] ?? ".");
    const ended = await runLines(program, args, cwd, (record) => records.push(record as unknown as ListRecord));
    if (ended.code === null || ended.code > 1) {
        throw new Error(`${program} test --list failed: ${ended.errors || `exit code ${ended.code ?? "unknown"}`}`);
    }
    return byProject(projects, records);
}

/** The lines of a list by the project that they are about. */
export function byProject(projects: readonly string[], records: readonly ListRecord[]): Map<string, Listed> {
    const all = new Map<string, Listed>(projects.map((file) => [file, { assemblies: [], errors: [] }]));
    const byPath = new Map<string, ListedAssembly>();
    for (const record of records) {
        if (record.kind === "error") {
            all.get(record.path ?? "")?.errors.push(record);
        } else if (record.kind === "testAssembly") {
            const listed = { assembly: record, tests: [], classes: [] };
            byPath.set(record.path, listed);
            all.get(record.project ?? "")?.assemblies.push(listed);
        } else if (record.kind === "testClass") {
            byPath.get(record.assembly)?.classes.push(record);
        } else {
            byPath.get(record.assembly)?.tests.push(record);
        }
    }
    return all;
}
