import * as fs from "node:fs";
import * as vscode from "vscode";

import { findAdapter } from "./adapterLocation";
import { listProcesses } from "./processes";
import { programsOf } from "./programs";

const DEBUG_TYPE = "dap-dotnet";
const OPEN_SETTINGS = "Open Settings";

export function activate(context: vscode.ExtensionContext): void {
    const configurations = new ConfigurationProvider();
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory()),
        vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations),
        vscode.debug.registerDebugConfigurationProvider(
            DEBUG_TYPE,
            configurations,
            vscode.DebugConfigurationProviderTriggerKind.Dynamic,
        ),
        vscode.commands.registerCommand("dap-dotnet.pickProcess", pickProcess),
    );
}

class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
    createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
        const log = settings(session.workspaceFolder).get<string>("logFile", "").trim();
        return new vscode.DebugAdapterExecutable(locate(session.workspaceFolder), log === "" ? [] : ["--log", log]);
    }
}

class ConfigurationProvider implements vscode.DebugConfigurationProvider {
    /** Offers every program that was built under the folder's bin/Debug. */
    async provideDebugConfigurations(
        folder: vscode.WorkspaceFolder | undefined,
        token?: vscode.CancellationToken,
    ): Promise<vscode.DebugConfiguration[]> {
        const pattern = "**/bin/Debug/**/*.runtimeconfig.json";
        const include = folder === undefined ? pattern : new vscode.RelativePattern(folder, pattern);
        const files = await vscode.workspace.findFiles(include, "**/node_modules/**", 100, token);
        return programsOf(files.map((file) => file.fsPath)).map((program) => ({
            name: `.NET: ${program.name}`,
            type: DEBUG_TYPE,
            request: "launch",
            program: program.dll,
            cwd: folder?.uri.fsPath ?? "${workspaceFolder}",
        }));
    }

    /** F5 without a launch.json: debugs the one program that was built, or lets the user choose. */
    async resolveDebugConfiguration(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
        token?: vscode.CancellationToken,
    ): Promise<vscode.DebugConfiguration | undefined> {
        if (configuration.type) {
            return configuration;
        }
        const found = await this.provideDebugConfigurations(folder, token);
        if (found.length === 0) {
            await vscode.window.showErrorMessage(
                'There is no program under bin/Debug. Build one ("dotnet build"), or name it in launch.json.',
            );
            return undefined;
        }
        if (found.length === 1) {
            return found[0];
        }
        const items = found.map((each) => ({ label: each.name, description: String(each["program"]), each }));
        return (await vscode.window.showQuickPick(items, { title: "Debug which program?" }, token))?.each;
    }

    /** Looks for the adapter before VS Code starts a session, so that a missing one is reported together with what to do. */
    resolveDebugConfigurationWithSubstitutedVariables(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
    ): vscode.DebugConfiguration | undefined {
        try {
            locate(folder);
        } catch (error) {
            void showProblem(error);
            return undefined;
        }
        return configuration;
    }
}

/** Lets the user choose a .NET process; its pid as text, undefined when none was chosen (which cancels the attach). */
async function pickProcess(): Promise<string | undefined> {
    try {
        const adapter = locate(undefined);
        const processes = await listProcesses(adapter);
        if (processes.length === 0) {
            await vscode.window.showInformationMessage("You have no running .NET process that can be debugged.");
            return undefined;
        }
        const items = processes.map(({ pid, runtimeVersion, commandLine }) => ({
            label: String(pid),
            description: runtimeVersion === undefined ? ".NET" : `.NET ${runtimeVersion}`,
            detail: commandLine.join(" "),
        }));
        const options = { title: "Attach to which process?", matchOnDescription: true, matchOnDetail: true };
        return (await vscode.window.showQuickPick(items, options))?.label;
    } catch (error) {
        await showProblem(error);
        return undefined;
    }
}

function locate(folder: vscode.WorkspaceFolder | undefined): string {
    const all = vscode.workspace.workspaceFolders ?? [];
    const ordered = folder === undefined ? all : [folder, ...all.filter((other) => other !== folder)];
    return findAdapter({
        adapterPath: settings(folder).get<string>("adapterPath", ""),
        folders: ordered.filter((each) => each.uri.scheme === "file").map((each) => each.uri.fsPath),
        env: process.env,
        platform: process.platform,
        isExecutable,
    });
}

function settings(folder: vscode.WorkspaceFolder | undefined): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration("dap-dotnet", folder?.uri ?? null);
}

function isExecutable(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

async function showProblem(error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    if ((await vscode.window.showErrorMessage(message, OPEN_SETTINGS)) === OPEN_SETTINGS) {
        await vscode.commands.executeCommand("workbench.action.openSettings", "dap-dotnet");
    }
}
