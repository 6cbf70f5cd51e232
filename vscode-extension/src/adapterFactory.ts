import * as vscode from "vscode";

import { locateAdapter, settings } from "./adapter";
import { APPLIED_PIPE, pipeCommand } from "./pipeTransport";

/** Starts the adapter, with a log where the settings ask for one, through the pipe of the configuration where it has one. */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
    async createDebugAdapterDescriptor(session: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor> {
        const log = settings(session.workspaceFolder).get<string>("logFile", "").trim();
        const pipe = pipeCommand(session.configuration[APPLIED_PIPE], [], process.platform);
        if (pipe !== undefined) {
            const { command, args, env } = pipe;
            const folder = pipe.cwd ?? session.workspaceFolder?.uri.fsPath;
            return new vscode.DebugAdapterExecutable(
                command,
                [...args],
                folder === undefined ? { env: { ...env } } : { env: { ...env }, cwd: folder },
            );
        }
        // Started in the workspace, which is where a program runs whose configuration does not say.
        const cwd = session.workspaceFolder?.uri.fsPath;
        const options = cwd === undefined ? {} : { cwd };
        return new vscode.DebugAdapterExecutable(
            await locateAdapter(session.workspaceFolder),
            log === "" ? [] : ["--log", log],
            options,
        );
    }
}
