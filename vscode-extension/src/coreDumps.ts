import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";
import { asRecord } from "./failedStart";

interface DumpType extends vscode.QuickPickItem {
    readonly dumpType: string;
}

const DUMP_TYPES: readonly DumpType[] = [
    { dumpType: "heap", label: "Heap", detail: "Everything that the program has made; about the size of its memory." },
    { dumpType: "full", label: "Full", detail: "The libraries as well, for tools that need them." },
    { dumpType: "mini", label: "Mini", detail: "Stacks, numbers and the exception, in a few MB; of objects little." },
    { dumpType: "triage", label: "Triage", detail: "As Mini, without paths and other things that may be private." },
];
const OPEN = "Open";

/** Opens a core dump that the user chooses, or the one whose menu was opened, as a session that stands still. */
export async function openCoreDump(chosen?: vscode.Uri): Promise<void> {
    const options = { title: "Open a core dump of a .NET program", openLabel: "Open" };
    const file = chosen ?? (await vscode.window.showOpenDialog(options))?.[0];
    if (file !== undefined) {
        await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(file), {
            name: path.basename(file.fsPath),
            type: DEBUG_TYPE,
            request: "launch",
            coreDumpPath: file.fsPath,
        });
    }
}

/** Saves a core dump of the program that is debugged, in a file that the user names. */
export async function saveCoreDump(): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== DEBUG_TYPE) {
        void vscode.window.showInformationMessage("No program is being debugged with dap-dotnet.");
        return;
    }
    const chosen = await vscode.window.showQuickPick(DUMP_TYPES, {
        title: "Save a core dump of the program",
        placeHolder: "What is to be in it? It may have passwords and other secrets of the program.",
    });
    if (chosen === undefined) {
        return;
    }
    const file = await vscode.window.showSaveDialog({
        title: "Save the core dump",
        defaultUri: vscode.Uri.file(path.join(folderOf(session), `${nameOf(session)}.${moment()}.dmp`)),
    });
    if (file === undefined) {
        return;
    }
    try {
        // The dialog has asked whether a file that is there is to be replaced.
        await vscode.workspace.fs.delete(file).then(undefined, () => undefined);
        const progress = { location: vscode.ProgressLocation.Notification, title: "Saving the core dump…" };
        const answer = await vscode.window.withProgress(progress, () =>
            Promise.resolve(
                session.customRequest("dap-dotnet/saveDump", { path: file.fsPath, dumpType: chosen.dumpType }),
            ),
        );
        await offer(asRecord(answer));
    } catch (error) {
        void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
}

/** Tells of a dump that an exception has made. */
export function offerSavedDump({ event, body }: vscode.DebugSessionCustomEvent): void {
    if (event === "dap-dotnet/dumpSaved") {
        void offer(asRecord(body));
    }
}

async function offer(saved: Record<string, unknown>): Promise<void> {
    const file = vscode.Uri.file(String(saved["path"]));
    const size = `${(Number(saved["bytes"]) / 1e6).toFixed(1)} MB`;
    const what = saved["exception"] === undefined ? "" : ` of ${String(saved["exception"]).split("\n")[0]}`;
    const text = `Saved a core dump${what}: ${file.fsPath} (${size})`;
    if ((await vscode.window.showInformationMessage(text, OPEN)) === OPEN) {
        await openCoreDump(file);
    }
}

function folderOf(session: vscode.DebugSession): string {
    return (session.workspaceFolder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? os.homedir();
}

function nameOf(session: vscode.DebugSession): string {
    return session.name.replace(/^\W+/, "").replace(/[^\w.-]+/g, "_") || "program";
}

/** As 20261128-025959, by the local clock. */
function moment(): string {
    const now = new Date();
    const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
    return local.slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
}
