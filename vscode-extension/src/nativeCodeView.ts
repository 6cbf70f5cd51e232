import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";
import { asRecord } from "./failedStart";
import { chosenFrame, currentLine, decoderCommand, listingName } from "./nativeCode";

const SCHEME = "dap-dotnet-native-code";

/** Read-only documents with the code of the processor that frames execute. */
export class NativeCodeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly listings = new Map<string, string>();
    private readonly sessions = new Map<string, vscode.DebugSession>();
    private shown = 0;
    private readonly parts: vscode.Disposable[] = [
        vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
        vscode.workspace.onDidCloseTextDocument(({ uri }) => this.listings.delete(uri.toString())),
        vscode.debug.onDidStartDebugSession((session) => this.sessions.set(session.id, session)),
        vscode.debug.onDidTerminateDebugSession((session) => this.sessions.delete(session.id)),
    ];

    provideTextDocumentContent(uri: vscode.Uri): string {
        // The editor opens its documents again with its window, when the program is long gone.
        return this.listings.get(uri.toString()) ?? "This code is gone. Show it again when the program is stopped.";
    }

    /** Show the code of the frame whose menu was opened; without one, of that which is chosen in the call stack. */
    async show(context: unknown): Promise<void> {
        try {
            const found = await this.frameOf(context);
            if (found === undefined) {
                void vscode.window.showInformationMessage("Start debugging first, and pause the program.");
                return;
            }
            const { session, frameId } = found;
            const answer: unknown = await session.customRequest("evaluate", {
                expression: ".asm",
                context: "repl",
                ...(frameId === undefined ? {} : { frameId }),
            });
            await this.open(String(asRecord(answer)["result"]));
        } catch (error) {
            void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
        }
    }

    dispose(): void {
        vscode.Disposable.from(...this.parts).dispose();
    }

    private async frameOf(
        context: unknown,
    ): Promise<{ session: vscode.DebugSession; frameId: number | undefined } | undefined> {
        const chosen = chosenFrame(context);
        if (chosen === undefined) {
            const session = vscode.debug.activeDebugSession;
            return session?.type === DEBUG_TYPE ? { session, frameId: chosenInCallStack(session) } : undefined;
        }
        const session = this.sessions.get(chosen.sessionId);
        if (session?.type !== DEBUG_TYPE) {
            return undefined;
        }
        const { threadId, index } = chosen;
        const answer: unknown = await session.customRequest("stackTrace", { threadId, startFrame: index, levels: 1 });
        const frames = asRecord(answer)["stackFrames"];
        const frameId: unknown = Array.isArray(frames) ? asRecord(frames[0])["id"] : undefined;
        if (typeof frameId !== "number") {
            throw new Error("The frame is no longer on the stack: the program has gone on.");
        }
        return { session, frameId };
    }

    private async open(listing: string): Promise<void> {
        // Each showing is a document of its own: that of an earlier stop stays as it was.
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${listingName(listing)}`, query: String(++this.shown) });
        this.listings.set(uri.toString(), listing);
        const document = await vscode.workspace.openTextDocument(uri);
        const { start } = document.lineAt(currentLine(listing)).range;
        await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
        const command = decoderCommand(listing);
        if (command !== undefined) {
            void offerDecoder(command);
        }
    }
}

async function offerDecoder(command: string): Promise<void> {
    const run = "Install Capstone";
    const text = "Bytes are shown, because the debugger has no Capstone, which turns them into instructions.";
    if ((await vscode.window.showInformationMessage(text, run)) === run) {
        const terminal = vscode.window.createTerminal(run);
        terminal.show();
        terminal.sendText(command);
    }
}

/** The id of the frame that is chosen in the call stack; undefined also where the editor (before 1.90) does not tell. */
function chosenInCallStack(session: vscode.DebugSession): number | undefined {
    const item = asRecord(asRecord(vscode.debug)["activeStackItem"]);
    const { frameId } = item;
    return asRecord(item["session"])["id"] === session.id && typeof frameId === "number" ? frameId : undefined;
}
