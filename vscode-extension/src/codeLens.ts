import * as vscode from "vscode";

import { settings } from "./adapter";
import { entryPointLine } from "./entryPoints";
import { projectOf } from "./projects";
import { findProjects } from "./workspaceProjects";

/** Extensions that put a "Debug" above Main themselves. */
const OTHERS = ["ms-dotnettools.csharp", "ms-dotnettools.csdevkit", "muhammad-sammy.csharp"];

/** "Debug" above Main, or above the first statement of a program without one. */
export class DebugLensProvider implements vscode.CodeLensProvider {
    async provideCodeLenses(
        document: vscode.TextDocument,
        token: vscode.CancellationToken,
    ): Promise<vscode.CodeLens[]> {
        const folder = vscode.workspace.getWorkspaceFolder(document.uri);
        const isWanted = settings(folder).get<boolean>("codeLens", true);
        if (!isWanted || OTHERS.some((id) => vscode.extensions.getExtension(id) !== undefined)) {
            return [];
        }
        const line = entryPointLine(document.getText(), document.fileName.split(/[\\/]/).at(-1) ?? "");
        if (line === undefined) {
            return [];
        }
        const project = projectOf(document.fileName, await findProjects(folder, token));
        if (project === undefined || project.kind === "library") {
            return [];
        }
        const command = {
            title: "$(debug-alt) Debug",
            command: "dap-dotnet.debugProject",
            arguments: [vscode.Uri.file(project.file)],
        };
        return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)];
    }
}
