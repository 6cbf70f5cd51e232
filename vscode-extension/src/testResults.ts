import * as vscode from "vscode";

import { type RunRecord, rowName, type TestResult, type TestStarted, type TestRunEnd } from "./testRecords";
import { addRow, idOfTest, type TestGroup } from "./testTree";

/** Finds the tests of an assembly as they are known now: a build in the middle of a run makes them anew. */
export type FindGroup = (assembly: string) => TestGroup | undefined;

/** Hands what the adapter tells of one project's tests on to a run of the editor's. */
export class TestResults {
    private readonly told = new Set<string>();
    /** Of tests that are not known, as before the first build. */
    private unknown: (TestStarted | TestResult)[] = [];
    private end_: TestRunEnd | undefined;
    private failure: string | undefined;
    private assembly = "";

    /** `chosen` are the tests that were asked for; of a project that is not built, the project. */
    constructor(
        private readonly controller: vscode.TestController,
        private readonly run: vscode.TestRun,
        private readonly find: FindGroup,
        private readonly chosen: readonly vscode.TestItem[],
    ) {}

    take(record: RunRecord): void {
        switch (record.kind) {
            case "output":
                this.run.appendOutput(crlf(record.output));
                break;
            case "error":
                this.failure = record.message;
                this.run.appendOutput(`${crlf(record.message)}\r\n`);
                break;
            case "testRun":
                this.end_ = record;
                break;
            default:
                this.assembly = record.assembly;
                if (!this.show(record)) {
                    this.unknown.push(record);
                }
        }
    }

    /** Whether results came of tests that nobody knew. */
    get hasUnknown(): boolean {
        return this.unknown.length > 0;
    }

    /** Whether the project could be built and run. */
    get hasFailed(): boolean {
        return this.failure !== undefined || this.end_?.error !== undefined;
    }

    /** Shows again what could not be shown before. */
    again(): void {
        this.unknown = this.unknown.filter((record) => !this.show(record));
    }

    /** Says of the tests without a result why they have none; `why` where the adapter has not said it. */
    end(why: string | undefined): void {
        const failure = this.failure ?? this.end_?.error;
        const unfinished = this.end_?.error === undefined ? [] : this.end_.unfinished;
        const culprits = unfinished.flatMap((id) => this.find(this.assembly)?.items.get(id) ?? []);
        if (culprits.length > 0) {
            // The others did not run, or have their results.
            culprits.forEach((item) => this.run.errored(item, new vscode.TestMessage(failure ?? "")));
            return;
        }
        for (const item of this.chosen) {
            const id = idOfTest(item);
            // Of a project that was not built, only that it could not be.
            const reason = id === undefined ? failure : (failure ?? why);
            if (reason !== undefined && !this.told.has(id ?? "")) {
                this.run.errored(item, new vscode.TestMessage(reason));
            }
        }
    }

    /** False where the test is not known. */
    private show(record: TestStarted | TestResult): boolean {
        const group = this.find(record.assembly);
        const test = group?.items.get(record.id);
        const method = group?.records.get(record.id)?.method;
        if (test === undefined || method === undefined) {
            return false;
        }
        const row = rowName(record, method);
        const hasRows = group?.records.get(record.id)?.hasRows === true;
        const item = row === undefined || !hasRows ? test : addRow(this.controller, test, record.displayName, row);
        if (record.kind === "testStarted") {
            this.run.started(item);
            return true;
        }
        this.told.add(record.id);
        for (const text of [record.output, record.errorOutput]) {
            if (text !== undefined) {
                this.run.appendOutput(crlf(text), undefined, item);
            }
        }
        if (record.outcome === "passed") {
            this.run.passed(item, record.durationMs);
        } else if (record.outcome === "failed") {
            this.run.failed(item, messageOf(record), record.durationMs);
        } else {
            this.run.skipped(item);
        }
        return true;
    }
}

function messageOf(result: TestResult): vscode.TestMessage {
    const { expected, actual, file, line } = result;
    const text = [result.message ?? "The test failed.", result.stackTrace].filter(Boolean).join("\n\n");
    const message =
        expected === undefined || actual === undefined
            ? new vscode.TestMessage(text)
            : vscode.TestMessage.diff(text, expected, actual);
    if (file !== undefined && line !== undefined) {
        message.location = new vscode.Location(vscode.Uri.file(file), new vscode.Position(line - 1, 0));
    }
    return message;
}

function crlf(text: string): string {
    return text.replace(/\r?\n/g, "\r\n");
}
