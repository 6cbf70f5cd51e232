import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { AdapterNotFoundError } from "./adapterLocation";
import { isExecutable } from "./executables";
import { type Carried, environmentIn, programIn, readCarried, setUp, SetUpCancelled } from "./ownAdapter";
import { findPython } from "./pythons";

const PYTHON_TIMEOUT_MS = 10_000;

/** The debugger that the extension's package carries, and the environment that is made for it, once. */
export class CarriedAdapter implements vscode.Disposable {
    private readonly carried: Carried | undefined;
    private readonly script: string;
    /** The extension's storage, and the folder to use when that cannot be written. */
    private readonly homes: readonly [string, string];
    private making: Promise<string> | undefined;
    private channel: vscode.OutputChannel | undefined;

    constructor(context: vscode.ExtensionContext) {
        this.carried = readCarried(context.extensionPath);
        this.script = path.join(context.extensionPath, "set_up_adapter.py");
        this.homes = [context.globalStorageUri.fsPath, path.join(os.homedir(), ".local", "share", "dap-dotnet")];
    }

    dispose(): void {
        this.channel?.dispose();
    }

    get otherHome(): string {
        return this.homes[1];
    }

    /** The program, if it has been set up. */
    find(): string | undefined {
        const { carried } = this;
        return carried && this.homes.map((home) => programIn(environmentIn(home, carried))).find(Boolean);
    }

    /** Sets it up in one of its homes, with progress; a second call waits for the first. */
    make(home: string = this.homes[0]): Promise<string> {
        this.making ??= this.makeIn(home).finally(() => (this.making = undefined));
        return this.making;
    }

    /** Sets it up anew, where it is. */
    async makeAgain(): Promise<string> {
        const { carried } = this;
        const home = carried && this.homes.find((each) => programIn(environmentIn(each, carried)));
        const program = this.making === undefined ? this.find() : undefined;
        if (program !== undefined) {
            fs.rmSync(program);
        }
        return this.make(home);
    }

    showLog(): void {
        this.log.show();
    }

    private get log(): vscode.OutputChannel {
        this.channel ??= vscode.window.createOutputChannel("dap-dotnet");
        return this.channel;
    }

    private async makeIn(home: string): Promise<string> {
        const { carried } = this;
        if (carried === undefined) {
            throw new AdapterNotFoundError(
                "dap-dotnet was not found in the workspace's .venv, on PATH, in ~/.local/bin or in ~/dap-dotnet/bin, and this " +
                    "package of the extension carries no debugger for this system. Install dap-dotnet, or set dap-dotnet.adapterPath to it.",
            );
        }
        const options = {
            location: vscode.ProgressLocation.Notification,
            title: "Setting up the .NET debugger (once)",
            cancellable: true,
        };
        return vscode.window.withProgress(options, async (progress, token) => {
            progress.report({ message: "Looking for Python" });
            const python = await findPython({
                pythonPath: vscode.workspace.getConfiguration("dap-dotnet").get<string>("python", "").trim(),
                releases: carried.pythons,
                osRelease: textOf("/etc/os-release"),
                env: process.env,
                platform: process.platform,
                home: os.homedir(),
                isExecutable,
                list: namesIn,
                real: realPath,
                run: runPython,
            });
            if (token.isCancellationRequested) {
                throw new SetUpCancelled();
            }
            const cancelled = new AbortController();
            const listening = token.onCancellationRequested(() => cancelled.abort());
            try {
                return await setUp(python, this.script, carried, environmentIn(home, carried), {
                    log: (line) => this.log.appendLine(line),
                    report: (message) => progress.report({ message }),
                    signal: cancelled.signal,
                });
            } finally {
                listening.dispose();
            }
        });
    }
}

function textOf(file: string): string {
    try {
        return fs.readFileSync(file, "utf8");
    } catch {
        return "";
    }
}

function namesIn(folder: string): string[] {
    try {
        return fs.readdirSync(folder);
    } catch {
        return [];
    }
}

function realPath(file: string): string {
    try {
        return fs.realpathSync(file);
    } catch {
        return file;
    }
}

function runPython(python: string, code: string): Promise<string> {
    return new Promise((resolve) => {
        // What it printed before it failed counts: a Python that lacks a module has said its release.
        execFile(python, ["-I", "-c", code], { timeout: PYTHON_TIMEOUT_MS }, (_error, stdout) => resolve(stdout));
    });
}
