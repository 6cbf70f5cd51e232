import * as vscode from "vscode";

import { asRecord } from "./failedStart";

const DELAY_MS = 500;

/**
 * Shows the progress that the adapter tells of, in place of VS Code, which goes on showing it when the adapter is killed
 * before the session has begun.
 */
export class Progress implements vscode.DebugAdapterTrackerFactory {
    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        const shown = new Map<string, Shown>();
        const endAll = (): void => [...shown.keys()].forEach(end);
        const end = (id: string): void => {
            shown.get(id)?.end();
            shown.delete(id);
        };
        return {
            onDidSendMessage: (message: unknown) => {
                const event = asRecord(message);
                if (event["type"] !== "event" || !String(event["event"]).startsWith("progress")) {
                    return;
                }
                const { progressId, title, message: text, cancellable } = asRecord(event["body"]);
                const id = String(progressId);
                if (event["event"] === "progressStart") {
                    const cancel = cancellable === true ? () => session.customRequest("cancel", { progressId }) : undefined;
                    shown.set(id, new Shown(String(title), text, cancel));
                } else if (event["event"] === "progressUpdate") {
                    shown.get(id)?.report(text);
                } else {
                    end(id);
                }
                event["event"] = `dap-dotnet/${String(event["event"])}`;
            },
            onWillStopSession: endAll,
            onExit: endAll,
        };
    }
}

/** One that is shown once it has lasted for a moment. */
class Shown {
    private progress: vscode.Progress<{ message: string }> | undefined;
    private readonly timer: NodeJS.Timeout;
    private finish: () => void = () => undefined;

    constructor(
        title: string,
        private text: unknown,
        cancel: (() => Thenable<unknown>) | undefined,
    ) {
        const options = { location: vscode.ProgressLocation.Notification, title, cancellable: cancel !== undefined };
        const show = (): void =>
            void vscode.window.withProgress(options, (progress, token) => {
                this.progress = progress;
                this.report(this.text);
                token.onCancellationRequested(() => void cancel?.().then(undefined, () => undefined)); // it may have ended
                return new Promise<void>((resolve) => (this.finish = resolve));
            });
        this.timer = setTimeout(show, DELAY_MS);
    }

    report(text: unknown): void {
        this.text = text;
        if (typeof text === "string" && text !== "") {
            this.progress?.report({ message: text });
        }
    }

    end(): void {
        clearTimeout(this.timer);
        this.finish();
    }
}
