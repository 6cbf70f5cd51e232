import * as path from "node:path";

/** What a project file says, as far as it can be read without MSBuild. */
export interface Project {
    /** Absolute path of the .csproj, .fsproj or .vbproj file. */
    readonly file: string;
    /** The file's name without its extension: how people call the project. */
    readonly name: string;
    /** Target frameworks in the file's order; empty when the file does not name them (a Directory.Build.props may). */
    readonly frameworks: readonly string[];
    readonly kind: "program" | "web" | "test" | "library";
    /** Whether its tests can be chosen as `dotnet test --filter` does: those of xunit v3 and TUnit have options of their own. */
    readonly takesTestFilter: boolean;
}

export const PROJECT_EXTENSIONS = [".csproj", ".fsproj", ".vbproj"];

export function isProjectFile(file: string): boolean {
    return PROJECT_EXTENSIONS.includes(path.extname(file).toLowerCase());
}

/**
 * Reads a project file. Conditions are not evaluated: every value that is written counts, the last one wins.
 * `inherited` is the text of the Directory.Build.props that MSBuild imports before it; empty when there is none.
 */
export function parseProject(file: string, text: string, inherited = ""): Project {
    const xml = `${inherited}${text}`.replace(/<!--[\s\S]*?-->/g, "");
    const frameworks = property(xml, "TargetFrameworks") ?? property(xml, "TargetFramework") ?? "";
    return {
        file,
        name: path.basename(file, path.extname(file)),
        frameworks: frameworks
            .split(";")
            .map((each) => each.trim())
            .filter((each) => each !== "" && !each.includes("$(")),
        kind: kindOf(xml),
        takesTestFilter: !/\bInclude\s*=\s*"(xunit\.v3|TUnit)\b/i.test(xml),
    };
}

const TEST_PACKAGE = /\bInclude\s*=\s*"(Microsoft\.NET\.Test\.Sdk|xunit\.v3|TUnit)"/i;
const TEST_SDK = /\bSdk\s*=\s*"MSTest\.Sdk\b/i;

function kindOf(xml: string): Project["kind"] {
    const isTest = property(xml, "IsTestProject")?.toLowerCase();
    if (isTest === "true" || (isTest !== "false" && (TEST_PACKAGE.test(xml) || TEST_SDK.test(xml)))) {
        return "test";
    }
    const output = property(xml, "OutputType")?.toLowerCase();
    if (/\bSdk\s*=\s*"Microsoft\.NET\.Sdk\.Web\b/i.test(xml)) {
        return output === "library" ? "library" : "web";
    }
    // A worker service is a program without saying so.
    const isProgram =
        output === "exe" || output === "winexe" || /\bSdk\s*=\s*"Microsoft\.NET\.Sdk\.Worker\b/i.test(xml);
    return isProgram ? "program" : "library";
}

function property(xml: string, name: string): string | undefined {
    const all = [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^<]*)</${name}>`, "gi"))];
    return all.at(-1)?.[1]?.trim();
}

/** The project that a source file most likely belongs to: the one in the nearest folder above it. */
export function projectOf(source: string, projects: readonly Project[]): Project | undefined {
    return projects
        .filter((project) => isWithin(source, path.dirname(project.file)))
        .sort((left, right) => path.dirname(right.file).length - path.dirname(left.file).length)[0];
}

export function isWithin(file: string, folder: string): boolean {
    const relative = path.relative(folder, file);
    return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}

/** Those target frameworks of several that can run here: neither .NET Framework nor those of another system. */
export function runnableFrameworks({ frameworks }: Project): string[] {
    return frameworks.filter((framework) => /^(net|netcoreapp)\d+\.\d+$/i.test(framework));
}

/** Whether a source file seems to read from the console, which only a terminal can serve. */
export function readsConsole(source: string): boolean {
    return /\bConsole\s*\.\s*(Read|ReadLine|ReadKey|OpenStandardInput|In\s*\.)\b|\bstdin\b/.test(source);
}
