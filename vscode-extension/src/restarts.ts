import * as vscode from "vscode";

import { type BuiltProject, buildProgram } from "./building";

/** What a configuration was built from; the adapter passes over attributes that begin with an underscore. */
const ATTRIBUTE = "__builtFrom";

interface Remembered extends BuiltProject {
    readonly stamp: number;
}

let stamps = 0;
/** The stamps of builds that no session has used yet. */
const unused = new Set<number>();

/** The configuration, with what its program was just built from. */
export function rememberBuild(
    configuration: vscode.DebugConfiguration,
    project: BuiltProject,
): vscode.DebugConfiguration {
    const stamp = ++stamps;
    unused.add(stamp);
    return { ...configuration, [ATTRIBUTE]: { ...project, stamp } satisfies Remembered };
}

/**
 * Builds again where a session is restarted: VS Code then starts an adapter for the configuration as it was resolved, and does
 * not ask for a new one. Throws an Error when there is no program to start.
 */
export async function buildAgain(session: vscode.DebugSession): Promise<void> {
    const built = session.configuration[ATTRIBUTE] as Remembered | undefined;
    if (built === undefined || unused.delete(built.stamp)) {
        return;
    }
    if ((await buildProgram(built, session.workspaceFolder)) === undefined) {
        throw new Error("The program was not built, and is not started again.");
    }
}
