import * as vscode from "vscode";

import { editNotice } from "./editNotice";

const RESTART = "Restart";

/** Tells at a stop in a source that was edited since that the program runs the code of before, with a button. */
export class EditedSources implements vscode.DebugAdapterTrackerFactory {
    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        return {
            onDidSendMessage: (message: unknown) => {
                const notice = editNotice(message);
                if (notice !== undefined) {
                    void offerRestart(session, notice);
                }
            },
        };
    }
}

async function offerRestart(session: vscode.DebugSession, notice: string): Promise<void> {
    if ((await vscode.window.showWarningMessage(notice, RESTART)) === RESTART) {
        // The editor's own restart saves what is not saved yet, and builds the project.
        await vscode.commands.executeCommand("workbench.action.debug.restart", undefined, { sessionId: session.id });
    }
}
