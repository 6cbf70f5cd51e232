import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import type { ProjectFacts } from "./configurations";
import { type LaunchProfile, launchProfiles } from "./launchSettings";
import { isProjectFile, parseProject, PROJECT_EXTENSIONS, type Project, readsConsole } from "./projects";

const LEFT_OUT = "**/{bin,obj,node_modules,.git,.venv}/**";
const PROPS = "Directory.Build.props";
const MOST_SOURCES = 50;

/** The projects of a folder, or of the whole workspace, by their paths. */
export async function findProjects(
    folder?: vscode.WorkspaceFolder,
    token?: vscode.CancellationToken,
): Promise<Project[]> {
    const pattern = `**/*{${PROJECT_EXTENSIONS.join(",")}}`;
    const include = folder === undefined ? pattern : new vscode.RelativePattern(folder, pattern);
    const files = await vscode.workspace.findFiles(include, LEFT_OUT, undefined, token);
    const inherited = new Map<string, Promise<string>>();
    const read = files.map(async ({ fsPath }) => readProject(fsPath, inherited));
    return (await Promise.all(read)).sort((left, right) => left.file.localeCompare(right.file));
}

/** Reads a project file. `inherited` keeps what folders hand down to projects, where several are read. */
export async function readProject(file: string, inherited = new Map<string, Promise<string>>()): Promise<Project> {
    const props = nearestProps(path.dirname(file), inherited);
    return parseProject(file, await textOf(file), await props);
}

/** The project that a file belongs to, wherever that is: the file itself, or one in the nearest folder above it. */
export async function projectAround(file: string): Promise<Project | undefined> {
    if (isProjectFile(file)) {
        return readProject(file);
    }
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
        const name = (await namesIn(folder)).filter(isProjectFile).sort()[0];
        if (name !== undefined) {
            return readProject(path.join(folder, name));
        }
        if (path.dirname(folder) === folder) {
            return undefined;
        }
    }
}

/** What decides how a project is started; whether it reads from the console is looked for on demand, in its sources. */
export async function factsOf(project: Project, withSources = true): Promise<ProjectFacts> {
    const folder = path.dirname(project.file);
    const settings = path.extname(project.file) === ".vbproj" ? "My Project" : "Properties";
    const profiles = launchProfiles(await textOf(path.join(folder, settings, "launchSettings.json")));
    const isConsole = withSources && project.kind === "program";
    return { project, profiles, readsConsole: isConsole && (await someSourceReadsConsole(folder)) };
}

/** The profiles of a C# file that is a program without a project. */
export async function profilesBeside(file: string): Promise<LaunchProfile[]> {
    return launchProfiles(await textOf(file.replace(/\.cs$/i, ".run.json")));
}

/** The text of the Directory.Build.props that MSBuild would take for a project in this folder; empty without one. */
function nearestProps(folder: string, known: Map<string, Promise<string>>): Promise<string> {
    let text = known.get(folder);
    if (text === undefined) {
        const above = path.dirname(folder);
        text = textOf(path.join(folder, PROPS)).then((own) =>
            own !== "" || above === folder ? own : nearestProps(above, known),
        );
        known.set(folder, text);
    }
    return text;
}

async function namesIn(folder: string): Promise<string[]> {
    try {
        return await fs.readdir(folder);
    } catch {
        return [];
    }
}

async function someSourceReadsConsole(folder: string): Promise<boolean> {
    const pattern = new vscode.RelativePattern(folder, "**/*.{cs,fs,vb}");
    const sources = await vscode.workspace.findFiles(pattern, LEFT_OUT, MOST_SOURCES);
    const texts = await Promise.all(sources.map(({ fsPath }) => textOf(fsPath)));
    return texts.some(readsConsole);
}

/** The text of a file; empty when it cannot be read. */
async function textOf(file: string): Promise<string> {
    try {
        return await fs.readFile(file, "utf-8");
    } catch {
        return "";
    }
}
