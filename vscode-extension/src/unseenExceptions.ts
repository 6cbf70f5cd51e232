import * as vscode from "vscode";

import { asRecord } from "./failedStart";

/**
 * Writes an exception into the debug console where VS Code shows it nowhere: it shows one in the editor, at the frame on top that
 * has a source, and the unhandled exception of an async Main has left all of those.
 */
export class UnseenExceptions implements vscode.DebugAdapterTrackerFactory {
    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        return {
            onDidSendMessage: (message: unknown) => {
                const { event, body } = asRecord(message);
                const { reason, threadId } = asRecord(body);
                if (event === "stopped" && reason === "exception" && typeof threadId === "number") {
                    // The program may run on before it is asked: then there is nothing to tell.
                    show(session, threadId).then(undefined, () => undefined);
                }
            },
        };
    }
}

async function show(session: vscode.DebugSession, threadId: number): Promise<void> {
    const { stackFrames } = asRecord(
        await session.customRequest("stackTrace", { threadId, startFrame: 0, levels: 20 }),
    );
    const isSeen = Array.isArray(stackFrames) && stackFrames.some((frame) => isGoneTo(asRecord(frame)));
    if (!isSeen) {
        const info = asRecord(await session.customRequest("exceptionInfo", { threadId }));
        const { stackTrace } = asRecord(info["details"]);
        const lines = [info["description"] ?? "", stackTrace ?? ""];
        vscode.debug.activeDebugConsole.appendLine(lines.join("\n").trimEnd());
    }
}

/** Whether VS Code goes to a frame, and shows the exception there. */
function isGoneTo(frame: Record<string, unknown>): boolean {
    const { path, presentationHint } = asRecord(frame["source"]);
    return Boolean(path) && frame["presentationHint"] !== "subtle" && presentationHint !== "deemphasize";
}
