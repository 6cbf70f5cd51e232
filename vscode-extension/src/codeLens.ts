import * as vscode from "vscode";

import { settings } from "./adapter";
import { entryPointLine } from "./entryPoints";
import { type Project, projectOf } from "./projects";
import type { TestExplorer } from "./testExplorer";
import { testPlaces } from "./testMethods";
import { findProjects } from "./workspaceProjects";

/** Extensions that put a "Debug" above Main themselves. */
const OTHERS = ["ms-dotnettools.csharp", "ms-dotnettools.csdevkit", "muhammad-sammy.csharp"];

/**
 * "Debug" above Main, or above the first statement of a program without one; "Run" and "Debug" above tests and their
 * classes. Where a project is not built yet, its source says where they are.
 */
export class DebugLensProvider implements vscode.CodeLensProvider {
    readonly onDidChangeCodeLenses: vscode.Event<void>;

    constructor(private readonly tests: TestExplorer) {
        this.onDidChangeCodeLenses = tests.onDidChange;
    }

    async provideCodeLenses(
        document: vscode.TextDocument,
        token: vscode.CancellationToken,
    ): Promise<vscode.CodeLens[]> {
        const folder = vscode.workspace.getWorkspaceFolder(document.uri);
        const isWanted = settings(folder).get<boolean>("codeLens", true);
        if (!isWanted || OTHERS.some((id) => vscode.extensions.getExtension(id) !== undefined)) {
            return [];
        }
        const isCSharp = document.languageId === "csharp";
        const name = document.fileName.split(/[\\/]/).at(-1) ?? "";
        const line = isCSharp ? entryPointLine(document.getText(), name) : undefined;
        const project = projectOf(document.fileName, await findProjects(folder, token));
        if (project === undefined) {
            return [];
        }
        if (project.kind === "test") {
            return this.ofTests(document, project);
        }
        const isProgram = line !== undefined && project.kind !== "library";
        return isProgram ? [lens(line, DEBUG, "dap-dotnet.debugProject", vscode.Uri.file(project.file))] : [];
    }

    private ofTests(document: vscode.TextDocument, project: Project): vscode.CodeLens[] {
        const { items, isBuilt } = this.tests.itemsIn(document.fileName, project.file);
        if (isBuilt) {
            return items.flatMap((item) => {
                const line = aboveAttributes(document, item.range?.start.line ?? 0);
                return [lens(line, RUN, "dap-dotnet.runTest", item), lens(line, DEBUG, "dap-dotnet.debugTest", item)];
            });
        }
        const places = project.takesTestFilter && document.languageId === "csharp" ? testPlaces(document.getText()) : [];
        return places.flatMap(({ line, filter }) => [
            lens(line, RUN, "dap-dotnet.runUnbuiltTests", project.file, filter),
            lens(line, DEBUG, "dap-dotnet.debugUnbuiltTests", project.file, filter),
        ]);
    }
}

/** The line of a declaration's first attribute, where each has a line of its own, as people write them above tests. */
function aboveAttributes(document: vscode.TextDocument, line: number): number {
    let first = Math.min(line, document.lineCount - 1);
    while (first > 0 && /^\s*(\[.*\]|<.*>\s*_?)\s*$/.test(document.lineAt(first - 1).text)) {
        first -= 1;
    }
    return first;
}

const RUN = "$(run) Run";
const DEBUG = "$(debug-alt) Debug";

function lens(line: number, title: string, command: string, ...args: unknown[]): vscode.CodeLens {
    return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, arguments: args });
}
