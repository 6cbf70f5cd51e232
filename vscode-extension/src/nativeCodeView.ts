import * as vscode from "vscode";

import type { CallStackFrames } from "./callStackFrames";
import { asRecord } from "./failedStart";
import { currentLine, decoderCommand, listingName } from "./nativeCode";

const SCHEME = "dap-dotnet-native-code";

/** Read-only documents with the code of the processor that frames execute. */
export class NativeCodeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly listings = new Map<string, string>();
    private shown = 0;
    private readonly parts: vscode.Disposable[] = [
        vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
        vscode.workspace.onDidCloseTextDocument(({ uri }) => this.listings.delete(uri.toString())),
    ];

    constructor(private readonly frames: CallStackFrames) {}

    provideTextDocumentContent(uri: vscode.Uri): string {
        // The editor opens its documents again with its window, when the program is long gone.
        return this.listings.get(uri.toString()) ?? "This code is gone. Show it again when the program is stopped.";
    }

    /** Show the code of the frame whose menu was opened; without one, of that which is chosen in the call stack. */
    async show(context: unknown): Promise<void> {
        try {
            const chosen = await this.frames.chosen(context);
            if (chosen === undefined) {
                return;
            }
            const { session, frameId } = chosen;
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
