import * as vscode from "vscode";

import { choosable, choose, keyOf, type Remembered, type Situation, type Startable, startablesOf } from "./choices";
import { ATTACH, type Configuration } from "./configurations";
import type { Situations } from "./situations";
import { factsOf } from "./workspaceProjects";

const MEMORY = "dap-dotnet.start";
const FOLLOW = "The program of the file in the editor";

type Item = vscode.QuickPickItem & { readonly remembers: Remembered; readonly startable?: Startable };

/** Starts what F5 starts without a launch.json, asks once where there are several, and remembers it. */
export class Starter implements vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<void>();
    /** The user has chosen something else. */
    readonly onDidChange = this.changed.event;

    constructor(
        private readonly memory: vscode.Memento,
        private readonly situations: Situations,
    ) {}

    dispose(): void {
        this.changed.dispose();
    }

    /** Starts it. Another debugger's file in the editor is left to that debugger; an empty window, to the user's choice. */
    async start(noDebug: boolean): Promise<void> {
        const language = vscode.window.activeTextEditor?.document.languageId;
        const isAnothers = language === undefined ? isEmptyWindow() && hasOtherDebuggers() : isOfAnotherDebugger(language);
        if (isAnothers) {
            await vscode.commands.executeCommand(`workbench.action.debug.${noDebug ? "run" : "start"}`);
            return;
        }
        const configuration = await this.configuration();
        if (configuration !== undefined) {
            const file = String(configuration["program"] ?? configuration["testProject"]);
            const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
            await vscode.debug.startDebugging(folder, configuration, { noDebug });
        }
    }

    /** What F5 starts; undefined when the user leaves the question open, or is told that there is nothing. */
    async configuration(token?: vscode.CancellationToken): Promise<Configuration | undefined> {
        const choice = choose(await this.situation());
        if ("nothing" in choice) {
            void showNothing(choice.nothing);
            return undefined;
        }
        if ("start" in choice) {
            return choice.startable === undefined ? choice.start : complete(choice.startable);
        }
        const items: Item[] = choice.ask.map((each) => this.item(each, { ...this.remembered, start: keyOf(each) }));
        if (choice.canFollowEditor) {
            const [first] = items as [Item, ...Item[]];
            const remembers = { ...this.remembered, followsEditor: true };
            items.splice(1, 0, { ...first, label: FOLLOW, description: `now ${first.label}`, remembers });
        }
        const title = "Start which program?";
        const placeHolder = "Remembered for this workspace; the status bar changes it";
        const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true }, token);
        if (chosen?.startable === undefined) {
            return undefined;
        }
        await this.remember(chosen.remembers);
        return complete(chosen.startable);
    }

    /** What F5 would have to choose from now. */
    async situation(): Promise<Situation> {
        return this.situations.look(this.remembered);
    }

    /** Lets the user choose what F5 starts from now on. */
    async change(): Promise<void> {
        const situation = await this.situation();
        const { open, startables } = situation;
        const choice = choose(situation);
        const now = "start" in choice && choice.startable !== undefined ? keyOf(choice.startable) : undefined;
        const hasTests = open?.project?.kind === "test";
        const items: Item[] = choosable(startables).map((each) => {
            const remembers = { start: keyOf(each), insteadOfTests: hasTests && each.project.kind !== "test" };
            const item = this.item(each, remembers);
            return keyOf(each) === now ? { ...item, description: `${item.description} (now)` } : item;
        });
        if (new Set(startables.filter(isProgram).map(({ project }) => project.file)).size > 1) {
            items.unshift({ label: FOLLOW, description: "whichever it is", remembers: { followsEditor: true } });
        }
        if (hasTests) {
            const remembers = { ...this.remembered, insteadOfTests: false };
            items.unshift({ label: "The tests of the file in the editor", remembers });
        }
        const title = "What F5 starts";
        const chosen = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
        if (chosen !== undefined) {
            await this.remember(chosen.remembers);
        }
    }

    private get remembered(): Remembered {
        return this.memory.get<Remembered>(MEMORY, {});
    }

    private async remember(remembered: Remembered): Promise<void> {
        await this.memory.update(MEMORY, remembered);
        this.changed.fire();
    }

    private item(startable: Startable, remembers: Remembered): Item & { readonly description: string } {
        const description = vscode.workspace.asRelativePath(startable.project.file);
        return { label: startable.label, description, remembers, startable };
    }
}

function isProgram({ project }: Startable): boolean {
    return project.kind !== "test";
}

/** With what only the project's sources say. */
async function complete(startable: Startable): Promise<Configuration> {
    const key = keyOf(startable);
    const all = startablesOf(await factsOf(startable.project));
    return (all.find((each) => keyOf(each) === key) ?? startable).configuration;
}

interface Manifest {
    readonly isBuiltin?: boolean;
    readonly contributes?: { readonly debuggers?: readonly { readonly languages?: readonly string[] }[] };
}

/** What the other extensions say of themselves. */
function others(): Manifest[] {
    const all = vscode.extensions.all.filter(({ id }) => id !== "dap-dotnet.dap-dotnet");
    return all.map(({ packageJSON }) => packageJSON as Manifest);
}

/** Whether another extension debugs this language. */
function isOfAnotherDebugger(language: string): boolean {
    return others().some(({ contributes }) => contributes?.debuggers?.some(({ languages }) => languages?.includes(language)));
}

/** Whether the user has other debuggers than those of the editor itself. */
function hasOtherDebuggers(): boolean {
    return others().some(({ isBuiltin, contributes }) => isBuiltin !== true && (contributes?.debuggers ?? []).length > 0);
}

function isEmptyWindow(): boolean {
    return vscode.workspace.workspaceFolders === undefined && vscode.window.visibleTextEditors.length === 0;
}

async function showNothing(text: string): Promise<void> {
    const remedies: Record<string, () => unknown> = {
        "Open Folder…": () => vscode.commands.executeCommand("vscode.openFolder"),
        "Attach to a Process": () => vscode.debug.startDebugging(undefined, { ...ATTACH, name: ".NET: attach" }),
    };
    const button = await vscode.window.showErrorMessage(text, ...Object.keys(remedies));
    await remedies[button ?? ""]?.();
}
