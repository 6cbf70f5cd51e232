import * as vscode from "vscode";

import { chosenFrame } from "./chosenFrame";
import { DEBUG_TYPE } from "./configurations";
import { asRecord } from "./failedStart";

/** Finds the frames that the menus of the call stack are about. */
export class CallStackFrames implements vscode.Disposable {
    private readonly sessions = new Map<string, vscode.DebugSession>();
    private readonly parts: vscode.Disposable[] = [
        vscode.debug.onDidStartDebugSession((session) => this.sessions.set(session.id, session)),
        vscode.debug.onDidTerminateDebugSession((session) => this.sessions.delete(session.id)),
    ];

    /**
     * The frame whose menu was opened; without one, that which is chosen in the call stack: its id is undefined where the
     * editor does not tell. Undefined, and the user was told so, when no program of ours is being debugged.
     */
    async chosen(context: unknown): Promise<{ session: vscode.DebugSession; frameId: number | undefined } | undefined> {
        const place = chosenFrame(context);
        const session = place === undefined ? vscode.debug.activeDebugSession : this.sessions.get(place.sessionId);
        if (session?.type !== DEBUG_TYPE) {
            void vscode.window.showInformationMessage("Start debugging first, and pause the program.");
            return undefined;
        }
        if (place === undefined) {
            return { session, frameId: chosenInCallStack(session) };
        }
        const { threadId, index } = place;
        const answer: unknown = await session.customRequest("stackTrace", { threadId, startFrame: index, levels: 1 });
        const frames = asRecord(answer)["stackFrames"];
        const frameId: unknown = Array.isArray(frames) ? asRecord(frames[0])["id"] : undefined;
        if (typeof frameId !== "number") {
            throw new Error("The frame is no longer on the stack: the program has gone on.");
        }
        return { session, frameId };
    }

    dispose(): void {
        vscode.Disposable.from(...this.parts).dispose();
    }
}

/** The id of the frame that is chosen in the call stack; undefined also where the editor (before 1.90) does not tell. */
function chosenInCallStack(session: vscode.DebugSession): number | undefined {
    const item = asRecord(asRecord(vscode.debug)["activeStackItem"]);
    const { frameId } = item;
    return asRecord(item["session"])["id"] === session.id && typeof frameId === "number" ? frameId : undefined;
}
