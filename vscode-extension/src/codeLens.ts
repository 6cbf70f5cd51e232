import * as vscode from "vscode";

import { settings } from "./adapter";
import { entryPointLine } from "./entryPoints";
import { projectOf } from "./projects";
import { testPlaces } from "./testMethods";
import { findProjects } from "./workspaceProjects";

/** Extensions that put a "Debug" above Main themselves. */
const OTHERS = ["ms-dotnettools.csharp", "ms-dotnettools.csdevkit", "muhammad-sammy.csharp"];

/** "Debug" above Main, or above the first statement of a program without one; and above tests and their classes. */
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
        const source = document.getText();
        const line = entryPointLine(source, document.fileName.split(/[\\/]/).at(-1) ?? "");
        const tests = testPlaces(source);
        if (line === undefined && tests.length === 0) {
            return [];
        }
        const project = projectOf(document.fileName, await findProjects(folder, token));
        if (project === undefined) {
            return [];
        }
        const file = vscode.Uri.file(project.file);
        if (project.kind === "test") {
            return project.takesTestFilter
                ? tests.map((test) => lens(test.line, "dap-dotnet.debugTests", file, test.filter, test.name))
                : [];
        }
        return line === undefined || project.kind === "library" ? [] : [lens(line, "dap-dotnet.debugProject", file)];
    }
}

function lens(line: number, command: string, ...args: unknown[]): vscode.CodeLens {
    const shown = { title: "$(debug-alt) Debug", command, arguments: args };
    return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), shown);
}
