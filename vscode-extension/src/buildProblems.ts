import * as vscode from "vscode";

import { type BuildProblem, buildProblem } from "./buildProblem";
import { asRecord } from "./failedStart";

/** Puts what a build before a launch complains of into the Problems view, until the next launch. */
export class BuildProblems implements vscode.DebugAdapterTrackerFactory, vscode.Disposable {
    private readonly shown = vscode.languages.createDiagnosticCollection("dotnet build");

    createDebugAdapterTracker(): vscode.DebugAdapterTracker {
        let isStarting = false;
        return {
            onWillReceiveMessage: (message: unknown) => {
                if (asRecord(message)["command"] === "launch") {
                    isStarting = true;
                    this.shown.clear();
                }
            },
            onDidSendMessage: (message: unknown) => {
                if (!isStarting) {
                    return;
                }
                this.take(message);
                isStarting = asRecord(message)["command"] !== "launch";
            },
        };
    }

    /** Forgets those of the last build. */
    clear(): void {
        this.shown.clear();
    }

    /** Shows the problem in a message of the adapter, if one is in it. */
    take(message: unknown): void {
        const problem = buildProblem(message);
        if (problem !== undefined) {
            this.add(problem);
        }
    }

    dispose(): void {
        this.shown.dispose();
    }

    private add(problem: BuildProblem): void {
        const start = new vscode.Position(Math.max(problem.line - 1, 0), Math.max(problem.column - 1, 0));
        const { Error, Warning } = vscode.DiagnosticSeverity;
        const severity = problem.isError ? Error : Warning;
        const diagnostic = new vscode.Diagnostic(new vscode.Range(start, start), problem.text, severity);
        diagnostic.code = problem.code;
        diagnostic.source = "dotnet build";
        const file = vscode.Uri.file(problem.path);
        this.shown.set(file, [...(this.shown.get(file) ?? []), diagnostic]);
    }
}
