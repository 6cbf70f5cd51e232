import * as path from "node:path";

/**
 * The program that a build has made, from what `dotnet build` wrote: the line `NAME -> /path/NAME.dll` of the project,
 * the last one when it has several. Undefined when there is none.
 */
export function builtProgram(output: string, projectFile: string): string | undefined {
    const name = path.basename(projectFile, path.extname(projectFile));
    let found: string | undefined;
    for (const line of output.split(/\r?\n/)) {
        const match = /^\s*(.+?) -> (.+\.(?:dll|exe))\s*$/.exec(line);
        if (match?.[1] === name) {
            found = match[2];
        }
    }
    return found;
}

/** The first errors of a build, each once, without the project's name at the end. */
export function buildErrors(output: string, count: number): string[] {
    const lines = output.split(/\r?\n/).filter((line) => /: error [A-Z]+\d+\s*:/.test(line));
    const short = lines.map((line) => line.trim().replace(/\s*\[[^\]]*\]$/, ""));
    return [...new Set(short)].slice(0, count);
}
