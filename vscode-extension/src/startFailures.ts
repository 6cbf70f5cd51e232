import * as path from "node:path";
import * as vscode from "vscode";

import { locateAdapter, showEnd, showProblem } from "./adapter";
import { asRecord, failedStart, type FailedStart, isStarted, remediesOf, type Remedy } from "./failedStart";
import { APPLIED_PIPE } from "./pipeTransport";
import { pickProcess } from "./processPicker";
import { isProjectFile } from "./projects";

const TITLES: Record<Remedy, string> = {
    showProblems: "Show Problems",
    showConsole: "Show Output",
    openProject: "Open Project",
    getDotnet: "Get .NET",
    pickProcess: "Pick a Process",
    openConfiguration: "Open launch.json",
    doctor: "Run Doctor",
};

/**
 * Shows why a session could not start as a notification with buttons that help, instead of VS Code's window without
 * them.
 */
export class StartFailures implements vscode.DebugAdapterTrackerFactory {
    /** How many notifications of failed builds are open. */
    private failedBuilds = 0;

    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        let hasAnswered = false;
        let isEnding = false;
        return {
            onExit: (code) => {
                if (hasAnswered && !isEnding && code !== 0) {
                    void showDeath(session, code ? `ended unexpectedly with exit code ${code}` : "was killed");
                }
                // Without a code it was ended by a signal: nobody waits for it any more.
                if (!hasAnswered && code && session.configuration[APPLIED_PIPE] === undefined) {
                    void showEnd(session.workspaceFolder);
                }
            },
            onWillReceiveMessage: (message: unknown) => {
                isEnding ||= ["disconnect", "terminate"].includes(String(asRecord(message)["command"]));
            },
            onDidSendMessage: (message: unknown) => {
                hasAnswered = true;
                isEnding ||= asRecord(message)["event"] === "terminated";
                const failure = failedStart(message);
                if (failure !== undefined) {
                    asRecord(asRecord(asRecord(message)["body"])["error"])["showUser"] = false; // we do
                    if (failure.code !== "CANCELLED") {
                        void this.show(session, failure);
                    }
                } else if (this.failedBuilds > 0 && isStarted(message)) {
                    // No notification can be closed by itself: they all leave the screen, and stay under the bell.
                    void vscode.commands.executeCommand("notifications.hideToasts");
                }
            },
        };
    }

    private async show(session: vscode.DebugSession, failure: FailedStart): Promise<void> {
        const isBuild = failure.code === "BUILD_FAILED" ? 1 : 0;
        this.failedBuilds += isBuild;
        try {
            await show(session, failure);
        } finally {
            this.failedBuilds -= isBuild;
        }
    }
}

/** Says that the debugger died under a session. */
async function showDeath(session: vscode.DebugSession, how: string): Promise<void> {
    const { configuration, workspaceFolder } = session;
    const isLaunch = configuration.request === "launch";
    const what = isLaunch ? "and the program with it" : "and the program goes on without it";
    const again = isLaunch ? "Start Again" : "Attach Again";
    const button = await vscode.window.showErrorMessage(
        `The debugger ${how}, ${what}.`,
        again,
        TITLES.doctor,
    );
    if (button === again) {
        await vscode.debug.startDebugging(workspaceFolder, configuration);
    } else if (button === TITLES.doctor) {
        await runDoctor(workspaceFolder);
    }
}

async function show(session: vscode.DebugSession, failure: FailedStart): Promise<void> {
    const hasFile =
        vscode.workspace
            .getConfiguration("launch", session.workspaceFolder?.uri ?? null)
            .get<unknown[]>("configurations", []).length > 0;
    const project = projectFileOf(session.configuration);
    const remedies = remediesOf(failure).filter(
        (remedy) => (remedy !== "openConfiguration" || hasFile) && (remedy !== "openProject" || project !== undefined),
    );
    const button = await vscode.window.showErrorMessage(failure.text, ...remedies.map((remedy) => TITLES[remedy]));
    const chosen = remedies.find((remedy) => TITLES[remedy] === button);
    if (chosen === "pickProcess") {
        const processId = await pickProcess(session.workspaceFolder);
        if (processId !== undefined) {
            const { processName: _name, ...rest } = session.configuration;
            await vscode.debug.startDebugging(session.workspaceFolder, {
                ...rest,
                processId,
            } as vscode.DebugConfiguration);
        }
    } else if (chosen === "showProblems") {
        await vscode.commands.executeCommand("workbench.actions.view.problems");
    } else if (chosen === "openProject" && project !== undefined) {
        await vscode.window.showTextDocument(vscode.Uri.file(project));
    } else if (chosen === "getDotnet") {
        await vscode.env.openExternal(vscode.Uri.parse("https://dotnet.microsoft.com/download"));
    } else if (chosen === "showConsole") {
        await vscode.commands.executeCommand("workbench.debug.action.focusRepl");
    } else if (chosen === "openConfiguration") {
        await vscode.commands.executeCommand("workbench.action.debug.configure");
    } else if (chosen === "doctor") {
        await runDoctor(session.workspaceFolder);
    }
}

/** The project file that a configuration names; undefined where it names anything else. */
function projectFileOf(configuration: vscode.DebugConfiguration): string | undefined {
    return ["testProject", "program", "projectPath"]
        .map((name) => configuration[name] as unknown)
        .find((value): value is string => typeof value === "string" && isProjectFile(value) && path.isAbsolute(value));
}

/** Runs `dap-dotnet doctor` in a terminal. */
export async function runDoctor(folder?: vscode.WorkspaceFolder): Promise<void> {
    try {
        const adapter = await locateAdapter(folder);
        const terminal = vscode.window.createTerminal("dap-dotnet doctor");
        terminal.show();
        terminal.sendText(`${process.platform === "win32" ? "& " : ""}"${adapter}" doctor`);
    } catch (error) {
        showProblem(error);
    }
}
