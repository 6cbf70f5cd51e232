import * as vscode from "vscode";

import { settings } from "./adapter";
import { DEBUG_TYPE } from "./configurations";

/** Debug types of other .NET debuggers, whose configurations we can run. */
export const FOREIGN_TYPES = ["coreclr", "netcoredbg", "dotnet"] as const;

/**
 * Takes over configurations of another debugger's type, where no extension is installed that has the type and the
 * settings allow it.
 */
export class ForeignTypeProvider implements vscode.DebugConfigurationProvider {
    constructor(private readonly type: (typeof FOREIGN_TYPES)[number]) {}

    resolveDebugConfiguration(
        folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
    ): vscode.DebugConfiguration {
        const wanted = settings(folder).get<string[]>("debugTypes", [...FOREIGN_TYPES]);
        const isOurs = configuration.type === this.type && wanted.includes(this.type) && !isClaimed(this.type);
        return isOurs ? { ...configuration, type: DEBUG_TYPE } : configuration;
    }
}

function isClaimed(type: string): boolean {
    return vscode.extensions.all.some((extension) => {
        const manifest = extension.packageJSON as { contributes?: { debuggers?: { type?: string }[] } };
        return (manifest.contributes?.debuggers ?? []).some((each) => each.type === type);
    });
}
