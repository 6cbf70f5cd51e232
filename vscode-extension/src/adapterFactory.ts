import * as vscode from "vscode";

import { locateAdapter, settings } from "./adapter";

/** Starts the adapter, with a log where the settings ask for one. */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
    createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
        const log = settings(session.workspaceFolder).get<string>("logFile", "").trim();
        // Started in the workspace, which is where a program runs whose configuration does not say.
        const cwd = session.workspaceFolder?.uri.fsPath;
        const options = cwd === undefined ? {} : { cwd };
        return new vscode.DebugAdapterExecutable(
            locateAdapter(session.workspaceFolder),
            log === "" ? [] : ["--log", log],
            options,
        );
    }
}
