import * as path from "node:path";
import * as vscode from "vscode";

import { type OpenFile, type Remembered, type Situation, startablesOf } from "./choices";
import { fileBasedProgram, testsOf } from "./configurations";
import { isFileBasedProgram } from "./entryPoints";
import type { Project } from "./projects";
import { testPlaces } from "./testMethods";
import { factsOf, findProjects, profilesBeside, projectAround } from "./workspaceProjects";

const WATCHED = "**/{*.csproj,*.fsproj,*.vbproj,Directory.Build.props,launchSettings.json}";

type Known = Pick<Situation, "projects" | "startables">;

/** Sees what is open and what the workspace has, and remembers the latter until it changes. */
export class Situations implements vscode.Disposable {
    private known: Promise<Known> | undefined;
    private readonly changed = new vscode.EventEmitter<void>();
    /** The workspace has other projects, or others of them can be started. */
    readonly onDidChange = this.changed.event;
    private readonly subscriptions: vscode.Disposable[];

    constructor() {
        const watcher = vscode.workspace.createFileSystemWatcher(WATCHED);
        const forget = (): void => {
            this.known = undefined;
            this.changed.fire();
        };
        this.subscriptions = [
            this.changed,
            watcher,
            ...[watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete].map((event) => event(forget)),
            vscode.workspace.onDidChangeWorkspaceFolders(forget),
        ];
    }

    dispose(): void {
        this.subscriptions.forEach((each) => each.dispose());
    }

    async look(remembered: Remembered): Promise<Situation> {
        const document = documentInView();
        const [ofWorkspace, project] = await Promise.all([
            this.ofWorkspace(),
            document?.uri.scheme === "file" ? projectAround(document.fileName) : undefined,
        ]);
        const isElsewhere = project !== undefined && !ofWorkspace.projects.some(({ file }) => file === project.file);
        const elsewhere = isElsewhere ? await withStartables([project]) : { projects: [], startables: [] };
        return {
            ...(document === undefined ? {} : { open: await openFile(document, project) }),
            projects: [...ofWorkspace.projects, ...elsewhere.projects],
            startables: [...ofWorkspace.startables, ...elsewhere.startables],
            remembered,
        };
    }

    private async ofWorkspace(): Promise<Known> {
        const known = (this.known ??= findProjects().then(withStartables));
        const { projects } = await known;
        if (projects.length === 0 && this.known === known) {
            this.known = undefined; // a watcher may be late
        }
        return known;
    }
}

async function withStartables(projects: readonly Project[]): Promise<Known> {
    const startable = projects.filter((project) => project.kind !== "library");
    const lists = startable.map(async (project) => startablesOf(await factsOf(project, false)));
    return { projects, startables: (await Promise.all(lists)).flat() };
}

/** What the user looks at: output and other documents of the editor's own do not count. */
function documentInView(): vscode.TextDocument | undefined {
    const { activeTextEditor, visibleTextEditors } = vscode.window;
    return [activeTextEditor, ...visibleTextEditors]
        .map((editor) => editor?.document)
        .find((document) => document !== undefined && ["file", "untitled"].includes(document.uri.scheme));
}

async function openFile(document: vscode.TextDocument, project: Project | undefined): Promise<OpenFile> {
    const { fileName, languageId } = document;
    const isSaved = document.uri.scheme === "file";
    const source = isSaved && languageId === "csharp" ? document.getText() : undefined;
    const file = { path: fileName, isSaved, project };
    if (source !== undefined && isFileBasedProgram(source, project !== undefined)) {
        const asProgram = fileBasedProgram(fileName, source, await profilesBeside(fileName), undefined);
        return { ...file, asProgram };
    }
    if (source === undefined || project?.kind !== "test" || !project.takesTestFilter) {
        return file;
    }
    const classes = testPlaces(source).filter(({ filter }) => filter.endsWith("."));
    const filter = classes.map((each) => each.filter).join("|");
    const asTests = testsOf(project, undefined, filter, `tests of ${path.basename(fileName)}`);
    return classes.length === 0 ? file : { ...file, asTests };
}
