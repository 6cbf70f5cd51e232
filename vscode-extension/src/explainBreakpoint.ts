import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";

/**
 * Asks the adapter why the breakpoint on a line is or is not hit, or what would become of one there, and shows its
 * answer.
 */
export async function explainBreakpoint(place?: { uri: vscode.Uri; lineNumber: number }): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== DEBUG_TYPE) {
        void vscode.window.showInformationMessage(
            "Start debugging first: what becomes of a breakpoint depends on the program's modules.",
        );
        return;
    }
    // The gutter's menu gives the line (1-based); elsewhere the cursor's is meant.
    const editor = vscode.window.activeTextEditor;
    const uri = place?.uri ?? editor?.document.uri;
    const line = place?.lineNumber ?? (editor === undefined ? undefined : editor.selection.active.line + 1);
    if (uri === undefined || line === undefined) {
        void vscode.window.showInformationMessage("Put the cursor on a line of a source file first.");
        return;
    }
    try {
        const source = { path: uri.fsPath };
        const answer = (await session.customRequest("dap-dotnet/explainBreakpoint", { source, line })) as {
            text?: unknown;
        };
        const message = `Breakpoint on line ${line} of ${vscode.workspace.asRelativePath(uri)}`;
        await vscode.window.showInformationMessage(message, { modal: true, detail: String(answer.text) });
    } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
}
