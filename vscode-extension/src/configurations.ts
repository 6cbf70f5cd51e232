import * as path from "node:path";

import type { LaunchProfile } from "./launchSettings";
import { type Project, readsConsole } from "./projects";

export const DEBUG_TYPE = "dap-dotnet";
/** What VS Code takes for F5 where a file is open that says nothing of .NET, in a workspace that has projects. */
export const WORKSPACE_TYPE = "dap-dotnet-workspace";

/** A configuration as launch.json has it. */
export type Configuration = { name: string; type: string; request: string } & Record<string, unknown>;

export interface ProjectFacts {
    readonly project: Project;
    /** The profiles of its launchSettings.json. */
    readonly profiles: readonly LaunchProfile[];
    /** Whether a source of it reads from the console. */
    readonly readsConsole: boolean;
}

/**
 * The configurations that start a project: one for each target framework and launch profile. `folder` is the workspace's
 * folder, against which paths are written, so that they can be put into launch.json and shared; undefined without one.
 */
export function configurationsOf(facts: ProjectFacts, folder: string | undefined): Configuration[] {
    const { project } = facts;
    if (project.kind === "test") {
        return [testsOf(project, folder)];
    }
    const frameworks = project.frameworks.length > 1 ? project.frameworks : [undefined];
    const profiles = facts.profiles.length > 1 ? facts.profiles : [undefined];
    return frameworks.flatMap((framework) =>
        profiles.map((profile) => ({
            name: nameOf(project, framework, profile),
            type: DEBUG_TYPE,
            request: "launch",
            program: inWorkspace(project.file, folder),
            ...(framework === undefined ? {} : { targetFramework: framework }),
            ...(profile === undefined ? {} : { launchSettingsProfile: profile.name }),
            ...(facts.readsConsole ? { console: "integratedTerminal" } : {}),
            // Where the program writes to the debug console, its own lines are what people look for there.
            logging: { moduleLoad: false },
            ...(project.kind === "web" ? opensBrowser(profile ?? facts.profiles[0]) : {}),
        })),
    );
}

/** The configuration that starts a C# file without a project; `profiles` are those of its .run.json. */
export function fileBasedProgram(
    file: string,
    source: string,
    profiles: readonly LaunchProfile[],
    folder: string | undefined,
): Configuration {
    return {
        name: `.NET: ${path.basename(file)}`,
        type: DEBUG_TYPE,
        request: "launch",
        program: inWorkspace(file, folder),
        ...(readsConsole(source) ? { console: "integratedTerminal" } : {}),
        logging: { moduleLoad: false },
        ...opensBrowser(profiles[0]),
    };
}

/** The configuration that runs a project's tests; `filter` chooses some, which `what` names. */
export function testsOf(project: Project, folder: string | undefined, filter?: string, what?: string): Configuration {
    return {
        name: `.NET: ${what ?? `tests of ${project.name}`}`,
        type: DEBUG_TYPE,
        request: "launch",
        testProject: inWorkspace(project.file, folder),
        ...(filter === undefined ? {} : { testFilter: filter }),
        logging: { moduleLoad: false },
    };
}

function nameOf(project: Project, framework: string | undefined, profile: LaunchProfile | undefined): string {
    const chosen = [framework, profile?.name].filter((each) => each !== undefined);
    return `.NET: ${project.name}${chosen.length === 0 ? "" : ` (${chosen.join(", ")})`}`;
}

/** Has VS Code open the profile's page when the program says where it listens. */
function opensBrowser(profile: LaunchProfile | undefined): { serverReadyAction?: Record<string, string> } {
    if (profile?.launchBrowser !== true) {
        return {};
    }
    const begin = { action: "openExternally" };
    const said = "\\bNow listening on:\\s+";
    if (/^https?:/i.test(profile.launchUrl)) {
        return { serverReadyAction: { ...begin, pattern: `${said}https?://`, uriFormat: profile.launchUrl } };
    }
    const page = profile.launchUrl.replace(/^\/*(?=.)/, "/").replaceAll("%", "%%");
    // A browser cannot go to "all addresses of this machine".
    const everywhere = /^(https?):\/\/(?:\*|\+|0\.0\.0\.0|\[::\])(?=[:/;]|$)/i.exec(profile.applicationUrl);
    if (everywhere !== null) {
        const uriFormat = `${everywhere[1]}://localhost:%s${page}`;
        return { serverReadyAction: { ...begin, pattern: `${said}${everywhere[1]}://\\S+:(\\d+)`, uriFormat } };
    }
    const uriFormat: Record<string, string> = page === "" ? {} : { uriFormat: `%s${page}` };
    return { serverReadyAction: { ...begin, pattern: `${said}(https?://\\S+)`, ...uriFormat } };
}

/** Attaches to a process that the user picks. */
export const ATTACH: Configuration = {
    name: ".NET: attach to a process",
    type: DEBUG_TYPE,
    request: "attach",
    processId: "${command:pickProcess}",
};

function inWorkspace(file: string, folder: string | undefined): string {
    if (folder === undefined) {
        return file;
    }
    const relative = path.relative(folder, file);
    if (relative === "") {
        return "${workspaceFolder}";
    }
    const isOutside = relative.startsWith("..") || path.isAbsolute(relative);
    return isOutside ? file : "${workspaceFolder}/" + relative.split(path.sep).join("/");
}
