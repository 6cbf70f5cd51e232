import * as path from "node:path";
import * as vscode from "vscode";

import { setUpAgain, showProblem, useCarriedAdapter } from "./adapter";
import { AdapterFactory } from "./adapterFactory";
import { AsyncMethodsView } from "./asyncMethodsView";
import { BuildProblems } from "./buildProblems";
import { CallStackFrames } from "./callStackFrames";
import { DebugLensProvider } from "./codeLens";
import { ATTACH, DEBUG_TYPE, WORKSPACE_TYPE } from "./configurations";
import { ConfigurationProvider, debugProject } from "./configurationProvider";
import { attachToContainer } from "./containerPicker";
import { openCoreDump } from "./coreDumps";
import { EditedSources } from "./editedSources";
import { explainBreakpoint } from "./explainBreakpoint";
import { FOREIGN_TYPES, ForeignTypeProvider } from "./foreignTypes";
import { INLINE_LANGUAGES, InlineValues } from "./inlineValues";
import { loadSymbols } from "./loadSymbols";
import { NativeCodeView } from "./nativeCodeView";
import { pickProcess } from "./processPicker";
import { Progress } from "./progress";
import { Situations } from "./situations";
import { Starter } from "./starter";
import { StartStatus } from "./startStatus";
import { runDoctor, StartFailures } from "./startFailures";
import { TestExplorer } from "./testExplorer";
import { UnseenExceptions } from "./unseenExceptions";
import { showWaitingThreads } from "./waitingThreads";
import { projectAround } from "./workspaceProjects";

export function activate(context: vscode.ExtensionContext): void {
    const { debug, commands, languages } = vscode;
    useCarriedAdapter(context);
    const problems = new BuildProblems();
    const asyncMethods = new AsyncMethodsView();
    const frames = new CallStackFrames();
    const nativeCode = new NativeCodeView(frames);
    const situations = new Situations();
    const starter = new Starter(context.workspaceState, situations);
    const tests = new TestExplorer(problems);
    const configurations = new ConfigurationProvider(starter);
    context.subscriptions.push(
        situations,
        starter,
        tests,
        new StartStatus(starter, situations),
        debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory()),
        problems,
        asyncMethods,
        frames,
        nativeCode,
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, asyncMethods),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, problems),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new StartFailures()),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new Progress()),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new UnseenExceptions()),
        debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, new EditedSources()),
        debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations),
        debug.registerDebugConfigurationProvider(WORKSPACE_TYPE, configurations),
        debug.registerDebugConfigurationProvider(
            DEBUG_TYPE,
            configurations,
            vscode.DebugConfigurationProviderTriggerKind.Dynamic,
        ),
        ...FOREIGN_TYPES.map((type) => debug.registerDebugConfigurationProvider(type, new ForeignTypeProvider(type))),
        ...INLINE_LANGUAGES.map((language) => languages.registerInlineValuesProvider(language, new InlineValues(language))),
        languages.registerCodeLensProvider(
            ["csharp", "fsharp", "vb"].map((language) => ({ language, scheme: "file" })),
            new DebugLensProvider(tests),
        ),
        commands.registerCommand("dap-dotnet.pickProcess", () => pickProcess()),
        commands.registerCommand("dap-dotnet.attach", () => debug.startDebugging(undefined, { ...ATTACH })),
        commands.registerCommand("dap-dotnet.attachToContainer", attachToContainer),
        commands.registerCommand("dap-dotnet.debugProject", debugProjectOf),
        ...[false, true].flatMap((isDebug) => {
            const name = `dap-dotnet.${isDebug ? "debug" : "run"}`;
            return [
                commands.registerCommand(`${name}Test`, (item: vscode.TestItem) => tests.start(item, isDebug)),
                commands.registerCommand(`${name}UnbuiltTests`, (file: string, filter: string) =>
                    tests.startUnbuilt(file, filter, isDebug),
                ),
            ];
        }),
        commands.registerCommand("dap-dotnet.start", () => starter.start(false)),
        commands.registerCommand("dap-dotnet.startWithoutDebugging", () => starter.start(true)),
        commands.registerCommand("dap-dotnet.chooseStart", () => starter.change()),
        commands.registerCommand("dap-dotnet.explainBreakpoint", explainBreakpoint),
        commands.registerCommand("dap-dotnet.showWaitingThreads", showWaitingThreads),
        commands.registerCommand("dap-dotnet.showNativeCode", (_place: unknown, context: unknown) =>
            nativeCode.show(context),
        ),
        commands.registerCommand("dap-dotnet.openCoreDump", openCoreDump),
        commands.registerCommand("dap-dotnet.loadSymbols", (_place: unknown, context: unknown) =>
            loadSymbols(frames, context),
        ),
        commands.registerCommand("dap-dotnet.doctor", () => runDoctor()),
        commands.registerCommand("dap-dotnet.setUp", setUpAgain),
    );
}

/** Debugs the project that is named, or that the named file, or else the one in the editor, belongs to. */
async function debugProjectOf(chosen?: vscode.Uri): Promise<void> {
    try {
        const file = (chosen ?? vscode.window.activeTextEditor?.document.uri)?.fsPath;
        const project = file === undefined ? undefined : await projectAround(file);
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
