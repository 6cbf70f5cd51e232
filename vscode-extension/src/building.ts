import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import * as vscode from "vscode";

import { isExecutable, settings } from "./adapter";
import { buildErrors, builtProgram } from "./buildOutput";
import { findDotnet } from "./dotnetLocation";

const SHOW_OUTPUT = "Show Output";
const SHOW_PROBLEMS = "Show Problems";
const MOST_OUTPUT = 4 << 20;

/** A project, and the target framework that is chosen where it has several. */
export interface BuiltProject {
    readonly file: string;
    readonly framework: string | undefined;
}

/**
 * Builds a project and returns the program that came out; undefined when there is none, after the user was told why.
 * The build is a task: its errors are in the Problems view, and its end, or the token, stops it.
 */
export async function buildProgram(
    project: BuiltProject,
    folder: vscode.WorkspaceFolder | undefined,
    token?: vscode.CancellationToken,
): Promise<string | undefined> {
    const projectFile = project.file;
    const name = path.basename(projectFile, path.extname(projectFile));
    const dotnet = findDotnet({
        dotnetPath: settings(folder).get<string>("dotnetPath", ""),
        env: process.env,
        isExecutable,
    });
    if (dotnet === undefined) {
        void vscode.window
            .showErrorMessage(
                `${name} cannot be built: no .NET SDK was found through dap-dotnet.dotnetPath, DOTNET_ROOT or PATH.`,
                "Open Settings",
            )
            .then(
                (button) =>
                    button && vscode.commands.executeCommand("workbench.action.openSettings", "dap-dotnet.dotnetPath"),
            );
        return undefined;
    }
    const build = new Build(dotnet, projectFile, project.framework);
    const title = `Building ${name}`;
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    const code = await vscode.window.withProgress(options, async (_progress, cancelled) => {
        const ended = runTask(build, `build ${name}`, folder);
        const stop = [cancelled, token].map((each) => each?.onCancellationRequested(() => build.stop()));
        try {
            return await ended;
        } finally {
            stop.forEach((each) => each?.dispose());
        }
    });
    if (build.wasStopped) {
        return undefined;
    }
    const program = code === 0 ? builtProgram(build.output, projectFile) : undefined;
    if (program === undefined) {
        void showFailure(name, code === 0, build);
    }
    return program;
}

async function runTask(build: Build, name: string, folder: vscode.WorkspaceFolder | undefined): Promise<number> {
    const definition = { type: "dap-dotnet", project: build.projectFile };
    const scope = folder ?? vscode.TaskScope.Workspace;
    const execution = new vscode.CustomExecution(async () => build);
    const task = new vscode.Task(definition, scope, name, "dap-dotnet", execution, "$msCompile");
    task.group = vscode.TaskGroup.Build;
    task.presentationOptions = {
        reveal: vscode.TaskRevealKind.Silent,
        panel: vscode.TaskPanelKind.Dedicated,
        clear: true,
        showReuseMessage: false,
    };
    const closed = new Promise<number>((resolve) => build.onDidClose(resolve));
    await vscode.tasks.executeTask(task);
    return closed;
}

async function showFailure(name: string, wasBuilt: boolean, build: Build): Promise<void> {
    const [first] = buildErrors(build.output, 1);
    const folder = path.dirname(build.projectFile);
    const message = wasBuilt
        ? `The build of ${name} wrote no line "${name} -> …": name the .dll in launch.json's program.`
        : `${name} was not built${first === undefined ? "" : `: ${first.replace(folder + path.sep, "")}`}`;
    const button = await vscode.window.showErrorMessage(message, SHOW_PROBLEMS, SHOW_OUTPUT);
    if (button === SHOW_PROBLEMS) {
        await vscode.commands.executeCommand("workbench.actions.view.problems");
    } else if (button === SHOW_OUTPUT) {
        await vscode.commands.executeCommand("workbench.action.terminal.focus");
    }
}

/** `dotnet build` as the terminal of a task, whose output is kept. */
class Build implements vscode.Pseudoterminal {
    output = "";
    wasStopped = false;
    private child: ChildProcess | undefined;
    private readonly wrote = new vscode.EventEmitter<string>();
    private readonly ended = new vscode.EventEmitter<number>();
    readonly onDidWrite = this.wrote.event;
    readonly onDidClose = this.ended.event;

    constructor(
        private readonly dotnet: string,
        readonly projectFile: string,
        private readonly framework: string | undefined,
    ) {}

    open(): void {
        const chosen = this.framework === undefined ? [] : ["--framework", this.framework];
        const args = [
            "build",
            this.projectFile,
            "--nologo",
            ...chosen,
            "-p:GenerateFullPaths=true",
            "-consoleLoggerParameters:NoSummary",
        ];
        this.write(`dotnet ${args.join(" ")}\n\n`);
        // The terminal logger writes neither where the program is nor lines that the problem matcher knows.
        const env = { ...process.env, MSBUILDTERMINALLOGGER: "off", DOTNET_NOLOGO: "1" };
        this.child = spawn(this.dotnet, args, {
            cwd: path.dirname(this.projectFile),
            env,
            stdio: ["ignore", "pipe", "pipe"],
        });
        this.child.stdout?.setEncoding("utf-8").on("data", (text: string) => this.write(text));
        this.child.stderr?.setEncoding("utf-8").on("data", (text: string) => this.write(text));
        this.child.on("error", (error) => this.finish(`${error.message}\n`, 1));
        this.child.on("close", (code) => this.finish(this.wasStopped ? "The build was stopped.\n" : "", code ?? 1));
    }

    /** The terminal was closed, or the task ended. */
    close(): void {
        this.stop();
    }

    stop(): void {
        if (this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
            this.wasStopped = true;
            this.child.kill("SIGTERM");
        }
    }

    private write(text: string): void {
        this.output = (this.output + text).slice(-MOST_OUTPUT);
        this.wrote.fire(text.replace(/\r?\n/g, "\r\n"));
    }

    private finish(text: string, code: number): void {
        this.write(text);
        this.ended.fire(code);
    }
}
