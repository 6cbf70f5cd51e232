import * as vscode from "vscode";

import { failedStart } from "./failedStart";
import { recordOfEvent, type RunRecord } from "./testRecords";

/** Where a configuration says which run of the editor's it belongs to. */
const RUN = "__testRun";

interface Waiting {
    readonly take: (record: RunRecord) => void;
    readonly ended: () => void;
}

/** Runs tests in debug sessions, and sees what sessions tell of tests. */
export class TestSessions implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
    private readonly waiting = new Map<string, Waiting>();
    private readonly subscription: vscode.Disposable;
    private count = 0;

    /** `begin` is called for sessions that were started elsewhere, such as with F5, when they first tell of a test. */
    constructor(private readonly begin: (session: vscode.DebugSession) => Waiting) {
        this.subscription = vscode.debug.onDidTerminateDebugSession((session) => this.terminated(session));
    }

    dispose(): void {
        this.subscription.dispose();
    }

    /** Debugs as configured until the session ends; false when it was not started. */
    async debug(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
        take: (record: RunRecord) => void,
        token: vscode.CancellationToken,
    ): Promise<boolean> {
        const run = String(++this.count);
        let ended: () => void = () => undefined;
        const end = new Promise<void>((resolve) => (ended = resolve));
        this.waiting.set(run, { take, ended });
        const start = vscode.debug.onDidStartDebugSession((session) => {
            if (session.configuration[RUN] === run) {
                token.onCancellationRequested(() => vscode.debug.stopDebugging(session));
            }
        });
        try {
            if (!(await vscode.debug.startDebugging(folder, { ...configuration, [RUN]: run }))) {
                return false;
            }
            await end;
            return true;
        } finally {
            start.dispose();
            this.waiting.delete(run);
        }
    }

    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        const run: unknown = session.configuration[RUN];
        let waiting = this.waiting.get(String(run));
        return {
            onDidSendMessage: (message: unknown) => {
                const record = recordOfEvent(message);
                const isOfTest = record !== undefined && record.kind !== "output";
                if (waiting === undefined && isOfTest) {
                    waiting = this.begin(session);
                    this.waiting.set(session.id, waiting);
                }
                if (record !== undefined) {
                    waiting?.take(record);
                }
                const failure = failedStart(message);
                if (failure !== undefined) {
                    waiting?.take({ kind: "error", code: failure.code, message: failure.text });
                }
            },
            onExit: () => this.terminated(session),
        };
    }

    private terminated(session: vscode.DebugSession): void {
        const run: unknown = session.configuration[RUN];
        for (const key of [String(run), session.id]) {
            const waiting = this.waiting.get(key);
            this.waiting.delete(key);
            waiting?.ended();
        }
    }
}
