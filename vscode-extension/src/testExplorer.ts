import * as vscode from "vscode";

import type { BuildProblems } from "./buildProblems";
import { DEBUG_TYPE } from "./configurations";
import { KnownTests } from "./knownTests";
import type { RunRecord } from "./testRecords";
import { TestResults } from "./testResults";
import { type Chosen, TestRuns } from "./testRuns";
import { TestSessions } from "./testSessions";

/** The tests of the workspace's projects in the editor's test views: found in what is built, run and debugged from there. */
export class TestExplorer implements vscode.Disposable {
    private readonly controller = vscode.tests.createTestController("dap-dotnet", ".NET tests (dap-dotnet)");
    private readonly known = new KnownTests(this.controller);
    /** Other tests are known, or they are elsewhere. */
    readonly onDidChange = this.known.onDidChange;
    private readonly runs: TestRuns;
    private readonly subscriptions: vscode.Disposable[];
    private readonly runProfile: vscode.TestRunProfile;
    private readonly debugProfile: vscode.TestRunProfile;

    constructor(problems: BuildProblems) {
        const { controller, known } = this;
        const { Run, Debug } = vscode.TestRunProfileKind;
        const sessions = new TestSessions((session) => this.begin(session));
        this.runs = new TestRuns(controller, known, sessions, problems);
        this.runProfile = controller.createRunProfile("Run", Run, (request, token) => this.onRun(request, token), true);
        this.runProfile.supportsContinuousRun = true;
        const debug = (request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> =>
            this.runs.start(request, known.chosen(request.include, request.exclude), token, true);
        this.debugProfile = controller.createRunProfile("Debug", Debug, debug, true);
        controller.refreshHandler = () => known.refreshAll(true);
        controller.resolveHandler = async (item) => {
            if (item === undefined && !known.hasLooked) {
                await known.refreshAll(true);
            }
        };
        this.subscriptions = [
            controller,
            known,
            sessions,
            vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, sessions),
        ];
        void known.refreshAll(false);
    }

    dispose(): void {
        this.subscriptions.forEach((each) => each.dispose());
    }

    /** The tests and classes of a source that are known, and whether its project is built. */
    itemsIn(file: string, project: string): { readonly items: vscode.TestItem[]; readonly isBuilt: boolean } {
        return this.known.itemsIn(file, project);
    }

    /** Runs or debugs what an item stands for, as a lens asks for it: a run in each target framework of its project. */
    async start(item: vscode.TestItem, isDebug: boolean): Promise<void> {
        const items = isDebug ? [item] : this.known.sameInEachFramework(item);
        await this.startChosen(items, this.known.chosen(items, undefined), isDebug);
    }

    /** As `start`, of a project that is not built yet, by what the source says. */
    async startUnbuilt(file: string, filter: string, isDebug: boolean): Promise<void> {
        const groups = this.known.groupsOf(file);
        const all = groups.map((group) => ({ group, items: [group.root], filter, isAll: false }));
        await this.startChosen(groups.map(({ root }) => root), isDebug ? all.slice(0, 1) : all, isDebug);
    }

    private async startChosen(items: vscode.TestItem[], all: readonly Chosen[], isDebug: boolean): Promise<void> {
        const request = new vscode.TestRunRequest(items, undefined, isDebug ? this.debugProfile : this.runProfile);
        const source = new vscode.CancellationTokenSource();
        await this.runs.start(request, all, source.token, isDebug);
        source.dispose();
    }

    private async onRun(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
        if (request.continuous === true) {
            this.runs.startWithEachSave(request, token);
        } else {
            await this.runs.start(request, this.known.chosen(request.include, request.exclude), token, false);
        }
    }

    /** For a session that was started elsewhere. */
    private begin(session: vscode.DebugSession): { take: (record: RunRecord) => void; ended: () => void } {
        const run = this.controller.createTestRun(new vscode.TestRunRequest(), session.name);
        const results = new TestResults(this.controller, run, (assembly) => this.known.groupOf(assembly), []);
        const ended = async (): Promise<void> => {
            if (results.hasUnknown) {
                await this.known.refreshAll(true);
                results.again();
            }
            run.end();
        };
        return { take: (record) => results.take(record), ended: () => void ended() };
    }
}
