import * as vscode from "vscode";

import { folderPaths, locateAdapter, showProblem } from "./adapter";
import type { PipeCommand } from "./pipeTransport";
import { type DotnetProcess, inOrder, listProcesses, programName } from "./processes";

const REFRESH = { iconPath: new vscode.ThemeIcon("refresh"), tooltip: "List the processes again" };

/**
 * Lets the user choose a .NET process, by typing any part of its name, id or command line. The process id as text;
 * undefined when none was chosen, for whatever reason: what went wrong has been shown. `pipe` lists them elsewhere.
 */
export async function pickProcess(
    folder?: vscode.WorkspaceFolder,
    pipe?: PipeCommand,
): Promise<string | undefined> {
    const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { pid?: number }>();
    picker.title = "Attach to which .NET process?";
    picker.placeholder = "Type a part of its name, id or command line";
    picker.matchOnDescription = true;
    picker.matchOnDetail = true;
    picker.ignoreFocusOut = true;
    picker.buttons = [REFRESH];
    const chosen = new Promise<string | undefined>((resolve) => {
        picker.onDidTriggerButton(() => void fill());
        picker.onDidAccept(() => {
            const pid = picker.selectedItems[0]?.pid;
            if (pid !== undefined) {
                resolve(String(pid));
                picker.hide();
            }
        });
        picker.onDidHide(() => resolve(undefined));
    });
    picker.show();
    await fill();
    try {
        return await chosen;
    } finally {
        picker.dispose();
    }

    async function fill(): Promise<void> {
        picker.busy = true;
        try {
            const processes = inOrder(await listProcesses(pipe ?? (await locateAdapter(folder))), folderPaths(folder));
            picker.items = processes.length > 0 ? processes.map(itemOf) : [NOTHING];
        } catch (error) {
            picker.hide();
            showProblem(error);
        }
        picker.busy = false;
    }
}

const NOTHING = { label: "You have no running .NET process that can be debugged.", alwaysShow: true };

function itemOf(found: DotnetProcess): vscode.QuickPickItem & { pid: number } {
    const runtime = found.runtimeVersion === undefined ? ".NET" : `.NET ${found.runtimeVersion}`;
    return {
        pid: found.pid,
        label: programName(found),
        description: `${found.pid} · ${runtime}`,
        detail: found.commandLine.join(" "),
    };
}
