import * as vscode from "vscode";

import { locateAdapter, showEnd, showProblem } from "./adapter";
import { asRecord, failedStart, type FailedStart, isStarted, remediesOf, type Remedy } from "./failedStart";
import { APPLIED_PIPE } from "./pipeTransport";
import { pickProcess } from "./processPicker";

const TITLES: Record<Remedy, string> = {
    showProblems: "Show Problems",
    showConsole: "Show Output",
    pickProcess: "Pick a Process",
    openConfiguration: "Open launch.json",
    doctor: "Run Doctor",
};

/**
 * Shows why a session could not start as a notification with buttons that help, instead of VS Code's window without
 * them.
 */
export class StartFailures implements vscode.DebugAdapterTrackerFactory {
    /** How many notifications of failed builds are open. */
    private failedBuilds = 0;

    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        let hasAnswered = false;
        return {
            onExit: (code) => {
                // Without a code it was ended by a signal: nobody waits for it any more.
                if (!hasAnswered && code && session.configuration[APPLIED_PIPE] === undefined) {
                    void showEnd(session.workspaceFolder);
                }
            },
            onDidSendMessage: (message: unknown) => {
                hasAnswered = true;
                const failure = failedStart(message);
                if (failure !== undefined) {
                    asRecord(asRecord(asRecord(message)["body"])["error"])["showUser"] = false; // we do
                    if (failure.code !== "CANCELLED") {
                        void this.show(session, failure);
                    }
                } else if (this.failedBuilds > 0 && isStarted(message)) {
                    // No notification can be closed by itself: they all leave the screen, and stay under the bell.
                    void vscode.commands.executeCommand("notifications.hideToasts");
                }
            },
        };
    }

    private async show(session: vscode.DebugSession, failure: FailedStart): Promise<void> {
        const isBuild = failure.code === "BUILD_FAILED" ? 1 : 0;
        this.failedBuilds += isBuild;
        try {
            await show(session, failure);
        } finally {
            this.failedBuilds -= isBuild;
        }
    }
}

async function show(session: vscode.DebugSession, failure: FailedStart): Promise<void> {
    const hasFile =
        vscode.workspace
            .getConfiguration("launch", session.workspaceFolder?.uri ?? null)
            .get<unknown[]>("configurations", []).length > 0;
    const remedies = remediesOf(failure).filter((remedy) => remedy !== "openConfiguration" || hasFile);
    const button = await vscode.window.showErrorMessage(failure.text, ...remedies.map((remedy) => TITLES[remedy]));
    const chosen = remedies.find((remedy) => TITLES[remedy] === button);
    if (chosen === "pickProcess") {
        const processId = await pickProcess(session.workspaceFolder);
        if (processId !== undefined) {
            const { processName: _name, ...rest } = session.configuration;
            await vscode.debug.startDebugging(session.workspaceFolder, {
                ...rest,
                processId,
            } as vscode.DebugConfiguration);
        }
    } else if (chosen === "showProblems") {
        await vscode.commands.executeCommand("workbench.actions.view.problems");
    } else if (chosen === "showConsole") {
        await vscode.commands.executeCommand("workbench.debug.action.focusRepl");
    } else if (chosen === "openConfiguration") {
        await vscode.commands.executeCommand("workbench.action.debug.configure");
    } else if (chosen === "doctor") {
        await runDoctor(session.workspaceFolder);
    }
}

/** Runs `dap-dotnet doctor` in a terminal. */
export async function runDoctor(folder?: vscode.WorkspaceFolder): Promise<void> {
    try {
        const adapter = await locateAdapter(folder);
        const terminal = vscode.window.createTerminal("dap-dotnet doctor");
        terminal.show();
        terminal.sendText(`${process.platform === "win32" ? "& " : ""}"${adapter}" doctor`);
    } catch (error) {
        showProblem(error);
    }
}
