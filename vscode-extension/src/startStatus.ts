import * as vscode from "vscode";

import { type Choice, choose } from "./choices";
import type { Situations } from "./situations";
import type { Starter } from "./starter";

const SETTLED_MS = 150;

/**
 * Shows in the status bar what F5 starts, where there are several things to start and no launch.json says which, and
 * tells VS Code whether F5 is ours.
 */
export class StartStatus implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem("dap-dotnet.start", vscode.StatusBarAlignment.Left, 20);
    private readonly subscriptions: vscode.Disposable[];
    private timer: NodeJS.Timeout | undefined;

    constructor(
        private readonly starter: Starter,
        situations: Situations,
    ) {
        const later = (): void => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => void this.show(), SETTLED_MS);
        };
        this.item.name = "What F5 starts (.NET)";
        this.item.command = "dap-dotnet.chooseStart";
        this.subscriptions = [
            this.item,
            starter.onDidChange(later),
            situations.onDidChange(later),
            vscode.window.onDidChangeActiveTextEditor(later),
            vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("launch") && later()),
        ];
        later();
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.subscriptions.forEach((each) => each.dispose());
    }

    private async show(): Promise<void> {
        const situation = await this.starter.situation();
        await vscode.commands.executeCommand("setContext", "dap-dotnet.hasProjects", situation.projects.length > 0);
        const text = hasConfigurations() || situation.startables.length < 2 ? undefined : textOf(choose(situation));
        if (text === undefined) {
            this.item.hide();
            return;
        }
        this.item.text = `$(debug-alt) ${text}`;
        this.item.tooltip = "What F5 starts; click to change it";
        this.item.show();
    }
}

/** What the status bar shows for a choice; undefined for nothing. */
function textOf(choice: Choice): string | undefined {
    if ("start" in choice) {
        return choice.start.name.replace(/^\.NET: /, "");
    }
    return "ask" in choice ? "Choose what F5 starts" : undefined;
}

/** Whether a launch.json, or another place for its contents, says what F5 starts. */
function hasConfigurations(): boolean {
    const folders = vscode.workspace.workspaceFolders ?? [undefined];
    return folders.some((folder) => {
        const launch = vscode.workspace.getConfiguration("launch", folder?.uri ?? null);
        return [...launch.get<unknown[]>("configurations", []), ...launch.get<unknown[]>("compounds", [])].length > 0;
    });
}
