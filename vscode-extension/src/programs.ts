import * as path from "node:path";

/** A program found in the workspace, ready to be launched. */
export interface BuiltProgram {
    readonly name: string;
    readonly dll: string;
}

/**
 * The programs whose `NAME.runtimeconfig.json` files are given: what `dotnet build` leaves beside each program's .dll.
 * Test hosts and what lies in obj/ are left out; the same program built for several frameworks is listed for each.
 */
export function programsOf(runtimeConfigurations: readonly string[]): BuiltProgram[] {
    const suffix = ".runtimeconfig.json";
    return runtimeConfigurations
        .filter((file) => file.endsWith(suffix) && !file.split(/[\\/]/).includes("obj"))
        .map((file) => ({ dll: file.slice(0, -suffix.length) + ".dll", stem: path.basename(file, suffix) }))
        .filter(({ stem }) => stem !== "testhost")
        .map(({ dll, stem }) => ({ name: `${stem} (${path.basename(path.dirname(dll))})`, dll }))
        .sort((left, right) => left.dll.localeCompare(right.dll));
}
