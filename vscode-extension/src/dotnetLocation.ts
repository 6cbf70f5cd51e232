import * as path from "node:path";

export interface DotnetSurroundings {
    /** The setting `dap-dotnet.dotnetPath`; empty when it is not set. */
    readonly dotnetPath: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    isExecutable(file: string): boolean;
}

/**
 * The `dotnet` program that builds: the setting, DOTNET_ROOT, PATH, then the usual folders. Undefined when there is
 * none.
 */
export function findDotnet(surroundings: DotnetSurroundings): string | undefined {
    const { env } = surroundings;
    const named = surroundings.dotnetPath.trim();
    if (named !== "") {
        return surroundings.isExecutable(named) ? named : undefined;
    }
    const folders = [
        env["DOTNET_ROOT"] ?? "",
        ...(env["PATH"] ?? "").split(path.delimiter),
        path.join(env["HOME"] ?? "", ".dotnet"),
        "/usr/share/dotnet",
        "/usr/lib/dotnet",
        "/usr/local/share/dotnet",
    ];
    return folders
        .filter((folder) => path.isAbsolute(folder))
        .map((folder) => path.join(folder, "dotnet"))
        .find((file) => surroundings.isExecutable(file));
}
