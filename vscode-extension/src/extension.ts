import * as path from "node:path";
import * as vscode from "vscode";

import { setUpAgain, showProblem, useCarriedAdapter } from "./adapter";
import { AdapterFactory } from "./adapterFactory";
import { AsyncMethodsView } from "./asyncMethodsView";
import { BuildProblems } from "./buildProblems";
import { DebugLensProvider } from "./codeLens";
import { ATTACH, DEBUG_TYPE } from "./configurations";
import { ConfigurationProvider, debugProject, debugTests } from "./configurationProvider";
import { EditedSources } from "./editedSources";
import { explainBreakpoint } from "./explainBreakpoint";
import { FOREIGN_TYPES, ForeignTypeProvider } from "./foreignTypes";
import { INLINE_LANGUAGES, InlineValues } from "./inlineValues";
import { NativeCodeView } from "./nativeCodeView";
import { pickProcess } from "./processPicker";
import { isProjectFile, projectOf } from "./projects";
import { runDoctor, StartFailures } from "./startFailures";
import { UnseenExceptions } from "./unseenExceptions";
import { showWaitingThreads } from "./waitingThreads";
import { findProjects, readProject } from "./workspaceProjects";

export function activate(context: vscode.ExtensionContext): void {
    const { debug, commands, languages } = vscode;
    useCarriedAdapter(context);
    const problems = new BuildProblems();
    const asyncMethods = new AsyncMethodsView();
    const nativeCode = new NativeCodeView();
    const configurations = new ConfigurationProvider(context.workspaceState);
    context.subscriptions.push(
        debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory()),
        problems,
        asyncMethods,
        nativeCode,
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, asyncMethods),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, problems),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new StartFailures()),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new UnseenExceptions()),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new EditedSources()),
        debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations),
        debug.registerDebugConfigurationProvider(
            DEBUG_TYPE,
            configurations,
            vscode.DebugConfigurationProviderTriggerKind.Dynamic,
        ),
        ...FOREIGN_TYPES.map((type) => debug.registerDebugConfigurationProvider(type, new ForeignTypeProvider(type))),
        ...INLINE_LANGUAGES.map((language) => languages.registerInlineValuesProvider(language, new InlineValues(language))),
        languages.registerCodeLensProvider({ language: "csharp", scheme: "file" }, new DebugLensProvider()),
        commands.registerCommand("dap-dotnet.pickProcess", () => pickProcess()),
        commands.registerCommand("dap-dotnet.attach", () => debug.startDebugging(undefined, { ...ATTACH })),
        commands.registerCommand("dap-dotnet.debugProject", debugProjectOf),
        commands.registerCommand("dap-dotnet.debugTests", async (file: vscode.Uri, filter: string, what: string) =>
            debugTests(await readProject(file.fsPath), filter, what),
        ),
        commands.registerCommand("dap-dotnet.explainBreakpoint", explainBreakpoint),
        commands.registerCommand("dap-dotnet.showWaitingThreads", showWaitingThreads),
        commands.registerCommand("dap-dotnet.showNativeCode", (_place: unknown, context: unknown) =>
            nativeCode.show(context),
        ),
        commands.registerCommand("dap-dotnet.doctor", () => runDoctor()),
        commands.registerCommand("dap-dotnet.setUp", setUpAgain),
    );
}

/** Debugs the project that is named, or that the named file, or else the one in the editor, belongs to. */
async function debugProjectOf(chosen?: vscode.Uri): Promise<void> {
    try {
        const file = (chosen ?? vscode.window.activeTextEditor?.document.uri)?.fsPath;
        const project = file === undefined ? undefined : await projectFor(file);
        if (project === undefined) {
            void vscode.window.showErrorMessage(
                `${file === undefined ? "What is open" : path.basename(file)} belongs to no .NET project of this workspace.`,
            );
            return;
        }
        await debugProject(project);
    } catch (error) {
        showProblem(error);
    }
}

async function projectFor(file: string): Promise<Awaited<ReturnType<typeof readProject>> | undefined> {
    return isProjectFile(file) ? readProject(file) : projectOf(file, await findProjects());
}
