import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { locateAdapter, showProblem } from "./adapter";
import type { BuildProblems } from "./buildProblems";
import { testsOf } from "./configurations";
import type { KnownTests } from "./knownTests";
import { runLines } from "./testProcess";
import type { RunRecord } from "./testRecords";
import { TestResults } from "./testResults";
import type { TestSessions } from "./testSessions";
import type { TestGroup } from "./testTree";

/** Of a run that ended well, for a test that it has not told of. */
const NO_RESULT = "The run had no result for this test. Its name may have changed since the project was built: run it again.";
const NOT_SELECTABLE =
    "The tests of this project are a program with options of its own, so that they can be run all together only. Its output tells what became of each.";

/** Tests that are to be run: all of a group, or those under some of its items. */
export interface Chosen {
    readonly group: TestGroup;
    readonly items: readonly vscode.TestItem[];
    readonly filter: string | undefined;
    readonly isAll: boolean;
}

/** Runs and debugs tests for the editor's test views. */
export class TestRuns {
    constructor(
        private readonly controller: vscode.TestController,
        private readonly known: KnownTests,
        private readonly sessions: TestSessions,
        private readonly problems: BuildProblems,
    ) {}

    /** One run of the editor's, one project and target framework after the other. */
    async start(
        request: vscode.TestRunRequest,
        all: readonly Chosen[],
        token: vscode.CancellationToken,
        isDebug: boolean,
    ): Promise<void> {
        const run = this.controller.createTestRun(request);
        const stop = new vscode.CancellationTokenSource();
        const subscriptions = [token, run.token].map((each) => each.onCancellationRequested(() => stop.cancel()));
        try {
            all.forEach(({ items }) => items.forEach((item) => run.enqueued(item)));
            this.problems.clear();
            for (const chosen of all) {
                if (!stop.token.isCancellationRequested) {
                    await this.runGroup(run, chosen, stop.token, isDebug);
                }
            }
        } catch (error) {
            showProblem(error);
        } finally {
            run.end();
            subscriptions.forEach((each) => each.dispose());
            stop.dispose();
        }
    }

    /** A run whenever a file is saved that concerns the tests, until `token`; what still runs of the code before is ended. */
    startWithEachSave(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
        const { include, exclude, profile } = request;
        let current = new vscode.CancellationTokenSource();
        let running: Promise<void> = Promise.resolve();
        const saved = vscode.workspace.onDidSaveTextDocument(({ fileName }) => {
            if (!this.known.chosen(include, exclude).some(({ group }) => this.known.concerns(fileName, group))) {
                return;
            }
            current.cancel();
            const mine = (current = new vscode.CancellationTokenSource());
            running = running.then(async () => {
                if (!mine.token.isCancellationRequested) {
                    const each = this.known.chosen(include, exclude).filter(({ group }) => this.known.concerns(fileName, group));
                    await this.start(new vscode.TestRunRequest(include, exclude, profile), each, mine.token, false);
                }
            });
        });
        token.onCancellationRequested(() => {
            saved.dispose();
            current.cancel();
        });
    }

    private async runGroup(
        run: vscode.TestRun,
        chosen: Chosen,
        token: vscode.CancellationToken,
        isDebug: boolean,
    ): Promise<void> {
        const { group, items, filter } = chosen;
        const { project, targetFramework } = group;
        const results = new TestResults(this.controller, run, (assembly) => this.known.groupOf(assembly), items);
        if (group.runsItself && !chosen.isAll) {
            items.forEach((item) => run.errored(item, new vscode.TestMessage(NOT_SELECTABLE)));
            return;
        }
        const take = (record: RunRecord): void => {
            if (record.kind === "output") {
                this.problems.take({ type: "event", event: "output", body: record });
            }
            results.take(record);
        };
        let why: string | undefined = NO_RESULT;
        if (isDebug) {
            const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file));
            const what = items.length === 1 && items[0] !== group.root ? items[0]?.label : undefined;
            const configuration = {
                ...testsOf(project, undefined, filter, what),
                ...(targetFramework === "" ? {} : { targetFramework }),
            };
            const hasStarted = await this.sessions.debug(folder, configuration, take, token);
            why = hasStarted ? NO_RESULT : undefined;
        } else {
            why = await this.runFree(group, filter, take, token);
        }
        if (results.hasUnknown) {
            await this.known.refresh([project], true);
            results.again();
        }
        if (group.runsItself && !results.hasFailed) {
            run.passed(group.root);
        } else if (!token.isCancellationRequested) {
            results.end(why);
        }
    }

    /** Without a debugger. What to say of tests without a result, where the adapter does not say it. */
    private async runFree(
        group: TestGroup,
        filter: string | undefined,
        take: (record: RunRecord) => void,
        token: vscode.CancellationToken,
    ): Promise<string> {
        const { project, targetFramework } = group;
        const scratch = await fs.mkdtemp(path.join(os.tmpdir(), "dap-dotnet-"));
        try {
            const args = ["test", "--no-debug", "--json"];
            if (targetFramework !== "") {
                args.push("--framework", targetFramework);
            }
            if (filter !== undefined) {
                const file = path.join(scratch, "filter");
                await fs.writeFile(file, filter);
                args.push("--filter", `@${file}`);
            }
            args.push(project.file);
            const adapter = await locateAdapter(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file)));
            const onLine = (record: Record<string, unknown>): void => take(record as unknown as RunRecord);
            const { code, errors } = await runLines(adapter, args, path.dirname(project.file), onLine, (stop) =>
                token.onCancellationRequested(stop),
            );
            if (group.runsItself && code !== 0) {
                take({ kind: "error", code: "FAILED", message: `The tests ended with exit code ${String(code)}.` });
            }
            return errors === "" ? NO_RESULT : errors;
        } finally {
            await fs.rm(scratch, { recursive: true, force: true });
        }
    }
}
