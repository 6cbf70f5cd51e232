import * as path from "node:path";
import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";

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
