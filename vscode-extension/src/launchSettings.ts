/** A profile of Properties/launchSettings.json that `dotnet run` would take. */
export interface LaunchProfile {
    readonly name: string;
    readonly launchBrowser: boolean;
    /** The page to begin with: an address, or a path at the program's own; empty: that address itself. */
    readonly launchUrl: string;
    /** The addresses that it listens at, separated by semicolons; empty: those of the program. */
    readonly applicationUrl: string;
}

/** The profiles that start the project, in the file's order; none when the text cannot be read. */
export function launchProfiles(text: string): LaunchProfile[] {
    const profiles = memberOf(parseRelaxed(text), "profiles");
    if (typeof profiles !== "object" || profiles === null) {
        return [];
    }
    return Object.entries(profiles as Record<string, unknown>)
        .filter(([, profile]) => memberOf(profile, "commandName") === "Project")
        .map(([name, profile]) => ({
            name,
            launchBrowser: memberOf(profile, "launchBrowser") === true,
            launchUrl: textOf(profile, "launchUrl"),
            applicationUrl: textOf(profile, "applicationUrl"),
        }));
}

function textOf(profile: unknown, name: string): string {
    const value = memberOf(profile, name);
    return typeof value === "string" ? value : "";
}

function memberOf(value: unknown, name: string): unknown {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** JSON as .NET reads these files: comments and commas at the end are allowed, and a byte order mark may come first. */
function parseRelaxed(text: string): unknown {
    const string = String.raw`"(?:[^"\\]|\\.)*"`;
    const withoutComments = text
        .replace(/^\uFEFF/, "")
        .replace(new RegExp(`(${string})|/\\*[\\s\\S]*?\\*/|//[^\\n]*`, "g"), (_whole, kept?: string) => kept ?? "");
    const withoutCommas = withoutComments.replace(
        new RegExp(`(${string})|,(?=\\s*[}\\]])`, "g"),
        (_whole, kept?: string) => kept ?? "",
    );
    try {
        return JSON.parse(withoutCommas);
    } catch {
        return undefined;
    }
}
