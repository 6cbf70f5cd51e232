import * as path from "node:path";
import * as vscode from "vscode";

import { locateAdapter, settings, showProblem } from "./adapter";
import { ATTACH, type Configuration, configurationsOf } from "./configurations";
import { APPLIED_PIPE, pipeCommand, withFolder } from "./pipeTransport";
import { pickProcess } from "./processPicker";
import { PS } from "./processes";
import { isProjectFile, type Project, projectOf } from "./projects";
import type { Starter } from "./starter";
import { factsOf, findProjects, readProject } from "./workspaceProjects";

/** The first that says something counts. */
const PROGRAM_ATTRIBUTES = ["testProject", "program", "projectPath"];
const PICK_PROCESS = /^\$\{command:(pickProcess|dap-dotnet\.pickProcess|pickRemoteProcess)\}$/;

/** Makes configurations out of the workspace's projects, and makes those of launch.json ready for the adapter. */
export class ConfigurationProvider implements vscode.DebugConfigurationProvider {
    constructor(private readonly starter: Starter) {}

    /** For a new launch.json, and for the list under "Select and Start Debugging". */
    async provideDebugConfigurations(
        folder: vscode.WorkspaceFolder | undefined,
        token?: vscode.CancellationToken,
    ): Promise<vscode.DebugConfiguration[]> {
        return [...(await startable(folder, token)), ATTACH];
    }

    /**
     * Before variables are replaced: F5 without a launch.json, other debuggers' types, and the process to attach to.
     */
    async resolveDebugConfiguration(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
        token?: vscode.CancellationToken,
    ): Promise<vscode.DebugConfiguration | undefined> {
        if (!configuration.type) {
            const noDebug = configuration["noDebug"] === undefined ? {} : { noDebug: configuration["noDebug"] };
            const chosen = await this.starter.configuration(token);
            return chosen && withTerminalInView({ ...chosen, ...noDebug });
        }
        return configuration.request === "attach"
            ? withProcess(folder, configuration)
            : withTerminalInView(configuration);
    }

    /**
     * Once paths are known: finds the adapter, so that it is set up, or its problem reported, before a session begins,
     * and asks for the framework of a project that has several. The adapter builds it.
     */
    async resolveDebugConfigurationWithSubstitutedVariables(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
        token?: vscode.CancellationToken,
    ): Promise<vscode.DebugConfiguration | undefined> {
        const { pipeTransport, ...others } = withHistory(folder, configuration);
        if (pipeCommand(pipeTransport, [], process.platform) !== undefined) {
            // Projects are not on this machine: the adapter there builds them and says what it needs.
            return { ...others, [APPLIED_PIPE]: pipeTransport as unknown } as vscode.DebugConfiguration;
        }
        try {
            await locateAdapter(folder);
        } catch (error) {
            showProblem(error);
            return undefined;
        }
        const program: unknown = PROGRAM_ATTRIBUTES.map((name) => configuration[name]).find(Boolean);
        if (configuration.request !== "launch" || typeof program !== "string" || !isProjectFile(program)) {
            return withHistory(folder, configuration);
        }
        const file = path.resolve(folder?.uri.fsPath ?? "", program);
        return withFramework(file, withHistory(folder, configuration), token);
    }
}

/** The configurations of all projects that can be started; those of the file in the editor first. */
async function startable(
    folder: vscode.WorkspaceFolder | undefined,
    token: vscode.CancellationToken | undefined,
): Promise<Configuration[]> {
    const projects = (await findProjects(folder, token)).filter(({ kind }) => kind !== "library");
    const open = vscode.window.activeTextEditor?.document.uri.fsPath;
    const current = open === undefined ? undefined : projectOf(open, projects);
    const ordered = current === undefined ? projects : [current, ...projects.filter((other) => other !== current)];
    const lists = ordered.map(async (project) => configurationsOf(await factsOf(project), root(folder, project)));
    return (await Promise.all(lists)).flat();
}

function root(folder: vscode.WorkspaceFolder | undefined, project: Project): string | undefined {
    return (folder ?? vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file)))?.uri.fsPath;
}

/** Starts a project under the debugger: what its commands and code lenses do. */
export async function debugProject(project: Project): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file));
    const [first, ...others] = configurationsOf(await factsOf(project), root(folder, project));
    if (first !== undefined) {
        // Of several target frameworks the user is asked for one; the first profile is what `dotnet run` takes.
        const { targetFramework: _one, launchSettingsProfile: _first, ...any } = first;
        await vscode.debug.startDebugging(
            folder,
            others.length === 0 ? first : { ...any, name: `.NET: ${project.name}` },
        );
    }
}

/**
 * Where the program has a terminal, the debug console must not come before it: nobody would see what the program asks.
 */
function withTerminalInView(configuration: vscode.DebugConfiguration): vscode.DebugConfiguration {
    const hasTerminal = configuration["console"] === "integratedTerminal";
    return hasTerminal ? { internalConsoleOptions: "neverOpen", ...configuration } : configuration;
}

/** With the stops remembered where the user's settings say so and the configuration nothing. */
function withHistory(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
): vscode.DebugConfiguration {
    const isWanted = settings(folder).get<boolean>("history", false);
    return isWanted ? { history: true, ...configuration } : configuration;
}

/** With the framework that the user chooses, where the project has several and none is named; undefined when none is chosen. */
async function withFramework(
    file: string,
    configuration: vscode.DebugConfiguration,
    token: vscode.CancellationToken | undefined,
): Promise<vscode.DebugConfiguration | undefined> {
    const { frameworks, name } = await readProject(file);
    if (frameworks.length < 2 || configuration["targetFramework"]) {
        return configuration;
    }
    const title = `Debug ${name} for which framework?`;
    const targetFramework = await vscode.window.showQuickPick([...frameworks], { title }, token);
    return targetFramework === undefined ? undefined : { ...configuration, targetFramework };
}

/** With the process that the user picks, where the configuration names none; undefined when the user picks none. */
async function withProcess(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
): Promise<vscode.DebugConfiguration | undefined> {
    const { processId, processName } = configuration as { processId?: unknown; processName?: unknown };
    const isOpen = processId === undefined || processId === null || processId === "";
    if (!(isOpen && !processName) && !PICK_PROCESS.test(String(processId))) {
        return configuration;
    }
    // Nothing but the folder is replaced this early.
    const transport = withFolder(configuration["pipeTransport"], folder?.uri.fsPath ?? ".");
    const picked = await pickProcess(folder, pipeCommand(transport, PS, process.platform));
    return picked === undefined ? undefined : { ...configuration, processId: picked };
}
