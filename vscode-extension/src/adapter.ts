import * as fs from "node:fs";
import * as vscode from "vscode";

import { AdapterNotFoundError, findAdapter } from "./adapterLocation";
import { installLine } from "./installLine";

/** The extension's settings as they hold for a folder. */
export function settings(folder?: vscode.WorkspaceFolder): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration("dap-dotnet", folder?.uri ?? null);
}

/** Absolute paths of the workspace's folders on this machine, `first` before the others. */
export function folderPaths(first?: vscode.WorkspaceFolder): string[] {
    const all = vscode.workspace.workspaceFolders ?? [];
    const ordered = first === undefined ? all : [first, ...all.filter((other) => other !== first)];
    return ordered.filter((each) => each.uri.scheme === "file").map((each) => each.uri.fsPath);
}

/** The `dap-dotnet` program. Throws AdapterNotFoundError. */
export function locateAdapter(folder?: vscode.WorkspaceFolder): string {
    return findAdapter({
        adapterPath: settings(folder).get<string>("adapterPath", ""),
        folders: folderPaths(folder),
        env: process.env,
        platform: process.platform,
        isExecutable,
    });
}

export function isExecutable(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

const INSTALL = "Install…";
const OPEN_SETTINGS = "Open Settings";

/** Shows an error; when the adapter is missing, with buttons that help. Does not wait for the user. */
export function showProblem(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const buttons = error instanceof AdapterNotFoundError ? [INSTALL, OPEN_SETTINGS] : [];
    void vscode.window.showErrorMessage(message, ...buttons).then((button) => {
        if (button === INSTALL) {
            void installAdapter();
        } else if (button === OPEN_SETTINGS) {
            void vscode.commands.executeCommand("workbench.action.openSettings", "dap-dotnet.adapterPath");
        }
    });
}

/** Asks for the wheel or the sources, and installs them in a terminal, where the user sees what happens. */
export async function installAdapter(): Promise<void> {
    const [folder] = folderPaths();
    if (folder === undefined) {
        void vscode.window.showErrorMessage(
            "Open a folder first: dap-dotnet is installed into its virtual environment, .venv.",
        );
        return;
    }
    const picked = await vscode.window.showOpenDialog({
        title: "The wheel of dap-dotnet (.whl), or the folder of its sources",
        openLabel: "Install",
        canSelectFiles: true,
        canSelectFolders: true,
        filters: { Wheel: ["whl"], All: ["*"] },
    });
    const [source] = picked ?? [];
    if (source !== undefined) {
        const terminal = vscode.window.createTerminal({ name: "Install dap-dotnet", cwd: folder });
        terminal.show();
        terminal.sendText(installLine(source.fsPath, process.platform));
    }
}
