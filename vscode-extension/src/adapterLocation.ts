import * as path from "node:path";

/** What the search for the adapter depends on; injected, so that it can be tested without VS Code. */
export interface Surroundings {
    /** The setting `dap-dotnet.adapterPath`; empty when it is not set. */
    readonly adapterPath: string;
    /** Absolute paths of the workspace's folders, the one being debugged first. */
    readonly folders: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly platform: NodeJS.Platform;
    isExecutable(file: string): boolean;
}

/** The adapter was not found; the message says where it was looked for and what to do. */
export class AdapterNotFoundError extends Error {
    override readonly name = "AdapterNotFoundError";
}

/** The absolute path of the `dap-dotnet` program: the setting, then the workspace's virtual environment, then PATH. */
export function findAdapter(surroundings: Surroundings): string {
    if (surroundings.adapterPath.trim() !== "") {
        const named = expand(surroundings.adapterPath.trim(), surroundings);
        if (!surroundings.isExecutable(named)) {
            throw new AdapterNotFoundError(
                `The setting dap-dotnet.adapterPath names ${named}, which is not a program. ` +
                    "Correct it, or clear it to use the workspace's .venv or PATH.",
            );
        }
        return named;
    }
    const tried = [...inVirtualEnvironments(surroundings), ...onPath(surroundings)];
    const found = tried.find((file) => surroundings.isExecutable(file));
    if (found === undefined) {
        const folders = surroundings.folders.map((folder) => path.join(folder, ".venv")).join(", ");
        throw new AdapterNotFoundError(
            `dap-dotnet was not found ${folders === "" ? "" : `in ${folders} nor `}on PATH. ` +
                'Install it with "pip install" and the path of its wheel or its sources, or set dap-dotnet.adapterPath to it.',
        );
    }
    return found;
}

function inVirtualEnvironments(surroundings: Surroundings): string[] {
    const programs = surroundings.platform === "win32" ? "Scripts" : "bin";
    return surroundings.folders.map((folder) => path.join(folder, ".venv", programs, programName(surroundings)));
}

function onPath(surroundings: Surroundings): string[] {
    const windows = surroundings.platform === "win32";
    const value = surroundings.env["PATH"] ?? (windows ? surroundings.env["Path"] : undefined) ?? "";
    return value
        .split(windows ? ";" : ":")
        .filter((folder) => path.isAbsolute(folder))
        .map((folder) => path.join(folder, programName(surroundings)));
}

function programName(surroundings: Surroundings): string {
    return surroundings.platform === "win32" ? "dap-dotnet.exe" : "dap-dotnet";
}

/**
 * Replaces `~`, `${workspaceFolder}` and `${env:NAME}`, which VS Code leaves alone in settings; relative paths start at
 * the first folder.
 */
function expand(text: string, surroundings: Surroundings): string {
    const folder = surroundings.folders[0] ?? "";
    const home = surroundings.env["HOME"] ?? surroundings.env["USERPROFILE"] ?? "";
    const expanded = text
        .replace(/^~(?=$|[\\/])/, () => home)
        .replaceAll("${workspaceFolder}", folder)
        .replace(/\$\{env:([^}]+)\}/g, (_whole, name: string) => surroundings.env[name] ?? "");
    return path.isAbsolute(expanded) ? expanded : path.join(folder, expanded);
}
