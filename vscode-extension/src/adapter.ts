import * as os from "node:os";
import * as vscode from "vscode";

import { AdapterNotFoundError, findAdapter } from "./adapterLocation";
import { CarriedAdapter } from "./carriedAdapter";
import { isExecutable } from "./executables";
import { SetUpCancelled, SetUpError } from "./ownAdapter";
import { NoPythonError } from "./pythons";

let carried: CarriedAdapter;

/** Tells this module about the extension, before anything else is called here. */
export function useCarriedAdapter(context: vscode.ExtensionContext): void {
    carried = new CarriedAdapter(context);
    context.subscriptions.push(carried);
}

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

/**
 * The `dap-dotnet` program: one that the user has installed, else the one that the extension carries, which is set up
 * the first time. Throws what `showProblem` shows.
 */
export async function locateAdapter(folder?: vscode.WorkspaceFolder): Promise<string> {
    return installedAdapter(folder) ?? carried.find() ?? carried.make();
}

/** As `locateAdapter`, where nothing has to be set up or asked for it; undefined elsewhere. */
export function adapterAtHand(folder?: vscode.WorkspaceFolder): string | undefined {
    try {
        return installedAdapter(folder) ?? carried.find();
    } catch {
        return undefined; // whoever needs it says why
    }
}

function installedAdapter(folder?: vscode.WorkspaceFolder): string | undefined {
    return findAdapter({
        adapterPath: settings(folder).get<string>("adapterPath", ""),
        folders: folderPaths(folder),
        env: process.env,
        platform: process.platform,
        home: os.homedir(),
        isExecutable,
    });
}

type Remedies = readonly (readonly [title: string, apply: () => unknown])[];

function remediesOf(error: unknown): Remedies {
    if (error instanceof AdapterNotFoundError) {
        return [["Open Settings", () => openSettings("dap-dotnet.adapterPath")]];
    }
    if (error instanceof NoPythonError) {
        const { installCommand } = error;
        return [
            ...(installCommand === undefined ? [] : [["Install Python", () => runInTerminal(installCommand)] as const]),
            ["Choose Python…", choosePython],
        ];
    }
    if (error instanceof SetUpError) {
        const other = carried.otherHome;
        return [
            ...(error.isStorage ? [[`Use ${other}`, () => makeAndSay(carried.make(other))] as const] : []),
            ["Try Again", () => makeAndSay(carried.make())],
            ["Show Log", () => carried.showLog()],
        ];
    }
    return [];
}

/** Shows an error, with buttons that help where we know any. Does not wait for the user. */
export function showProblem(error: unknown): void {
    if (error instanceof SetUpCancelled) {
        return;
    }
    const message = error instanceof Error ? error.message : String(error);
    const remedies = remediesOf(error);
    void vscode.window.showErrorMessage(message, ...remedies.map(([title]) => title)).then((chosen) => {
        void remedies.find(([title]) => title === chosen)?.[1]();
    });
}

/** Says that the adapter ended before it answered, which a damaged installation does, with what may help. */
export async function showEnd(folder?: vscode.WorkspaceFolder): Promise<void> {
    const program = await locateAdapter(folder);
    const [title, apply]: Remedies[number] =
        program === carried.find()
            ? ["Set Up Again", setUpAgain]
            : ["Open Settings", () => openSettings("dap-dotnet.adapterPath")];
    const message = `${program} ended before it answered: its installation may be damaged.`;
    if ((await vscode.window.showErrorMessage(message, title)) === title) {
        void apply();
    }
}

/** Sets up the debugger that the extension carries, anew if need be. */
export function setUpAgain(): Promise<void> {
    return makeAndSay(carried.makeAgain());
}

async function makeAndSay(making: Promise<string>): Promise<void> {
    try {
        await making;
        void vscode.window.showInformationMessage("The .NET debugger is ready: press F5 in a project.");
    } catch (error) {
        showProblem(error);
    }
}

async function choosePython(): Promise<void> {
    const [file] = (await vscode.window.showOpenDialog({ title: "Python to run the debugger with" })) ?? [];
    if (file !== undefined) {
        await settings().update("python", file.fsPath, vscode.ConfigurationTarget.Global);
        await makeAndSay(carried.make());
    }
}

function runInTerminal(command: string): void {
    const terminal = vscode.window.createTerminal("Install Python");
    terminal.show();
    terminal.sendText(process.getuid?.() === 0 ? command.replaceAll("sudo ", "") : command);
}

function openSettings(name: string): void {
    void vscode.commands.executeCommand("workbench.action.openSettings", name);
}
