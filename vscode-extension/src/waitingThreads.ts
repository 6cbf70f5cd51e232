import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";
import { asRecord } from "./failedStart";

/** Shows what threads wait for, who has it, and deadlocks. */
export async function showWaitingThreads(): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== DEBUG_TYPE) {
        void vscode.window.showInformationMessage("Start debugging first, and pause the program.");
        return;
    }
    try {
        const { text } = asRecord(await session.customRequest("dap-dotnet/waiting", {}));
        await vscode.window.showInformationMessage("What the threads wait for", {
            modal: true,
            detail: String(text),
        });
    } catch (error) {
        const pause = "Pause";
        const message = error instanceof Error ? error.message : String(error);
        if ((await vscode.window.showErrorMessage(message, pause)) === pause) {
            await vscode.commands.executeCommand("workbench.action.debug.pause");
        }
    }
}
