import * as vscode from "vscode";

import type { CallStackFrames } from "./callStackFrames";
import { asRecord } from "./failedStart";

/** The adapter names this attribute when no symbol server is to be asked. */
const NO_SERVER = "symbolOptions.searchMicrosoftSymbolServer";

/** Loads the symbols of a frame's module; the editor asks for the frames again then. */
export async function loadSymbols(frames: CallStackFrames, context: unknown): Promise<void> {
    try {
        const chosen = await frames.chosen(context);
        if (chosen?.frameId === undefined) {
            if (chosen !== undefined) {
                void vscode.window.showInformationMessage("Choose a frame in the call stack first.");
            }
            return;
        }
        const { session, frameId } = chosen;
        try {
            await load(session, { frameId });
        } catch (error) {
            const ask = "Ask Microsoft's Server";
            const message = textOf(error);
            if (!message.includes(NO_SERVER)) {
                throw error;
            }
            const detail = `${message}\n\nMicrosoft's public server has those of .NET itself.`;
            if ((await vscode.window.showWarningMessage("No symbols", { modal: true, detail }, ask)) === ask) {
                await load(session, { frameId, searchMicrosoftSymbolServer: true });
            }
        }
    } catch (error) {
        void vscode.window.showErrorMessage(textOf(error));
    }
}

async function load(session: vscode.DebugSession, what: Record<string, unknown>): Promise<void> {
    const progress = { location: vscode.ProgressLocation.Notification, title: "Loading symbols…" };
    const answer = await vscode.window.withProgress(progress, () =>
        Promise.resolve(session.customRequest("dap-dotnet/loadSymbols", what)),
    );
    const module = asRecord(asRecord(answer)["module"]);
    void vscode.window.setStatusBarMessage(`The symbols of ${String(module["name"])} are loaded.`, 5000);
}

function textOf(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}
