import * as path from "node:path";

/** What the search for the adapter depends on; injected, so that it can be tested without VS Code. */
export interface Surroundings {
    /** The setting `dap-dotnet.adapterPath`; empty when it is not set. */
    readonly adapterPath: string;
    /** Absolute paths of the workspace's folders, the one being debugged first. */
    readonly folders: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly platform: NodeJS.Platform;
    /** The user's home folder. */
    readonly home: string;
    isExecutable(file: string): boolean;
}

/** The adapter was not found; the message says where it was looked for and what to do. */
export class AdapterNotFoundError extends Error {
    override readonly name = "AdapterNotFoundError";
}

/**
 * The absolute path of a `dap-dotnet` that the user has installed: in the setting, then in the workspace's virtual
 * environment, on PATH, and where people install programs; an editor's PATH may lack all of these. Undefined when there is none.
 */
export function findAdapter(surroundings: Surroundings): string | undefined {
    if (surroundings.adapterPath.trim() !== "") {
        const named = expand(surroundings.adapterPath.trim(), surroundings);
        if (!surroundings.isExecutable(named)) {
            throw new AdapterNotFoundError(
                `The setting dap-dotnet.adapterPath names ${named}, which cannot be started. ` +
                    "Correct it, or clear it to use the debugger that comes with the extension.",
            );
        }
        return named;
    }
    const { folders, env, platform, home } = surroundings;
    const windows = platform === "win32";
    const program = windows ? "dap-dotnet.exe" : "dap-dotnet";
    return [
        ...folders.map((folder) => path.join(folder, ".venv", windows ? "Scripts" : "bin")),
        ...foldersOnPath(env, platform),
        path.join(home, ".local", "bin"),
        path.join(home, "dap-dotnet", windows ? "Scripts" : "bin"),
    ]
        .map((folder) => path.join(folder, program))
        .find((file) => surroundings.isExecutable(file));
}

/** The absolute folders of PATH. */
export function foldersOnPath(env: Surroundings["env"], platform: NodeJS.Platform): string[] {
    const windows = platform === "win32";
    const value = env["PATH"] ?? (windows ? env["Path"] : undefined) ?? "";
    return value.split(windows ? ";" : ":").filter((folder) => path.isAbsolute(folder));
}

/**
 * Replaces `~`, `${workspaceFolder}` and `${env:NAME}`, which VS Code leaves alone in settings; relative paths start at
 * the first folder.
 */
function expand(text: string, { folders, home, env }: Surroundings): string {
    const folder = folders[0] ?? "";
    const expanded = text
        .replace(/^~(?=$|[\\/])/, () => home)
        .replaceAll("${workspaceFolder}", folder)
        .replace(/\$\{env:([^}]+)\}/g, (_whole, name: string) => env[name] ?? "");
    return path.isAbsolute(expanded) ? expanded : path.join(folder, expanded);
}
