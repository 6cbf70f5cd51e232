import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import type { ProjectFacts } from "./configurations";
import { launchProfiles } from "./launchSettings";
import { parseProject, PROJECT_EXTENSIONS, type Project, readsConsole } from "./projects";

const LEFT_OUT = "**/{bin,obj,node_modules,.git,.venv}/**";
const MOST_PROJECTS = 200;
const MOST_SOURCES = 50;

/** The projects of a folder, or of the whole workspace, by their paths. */
export async function findProjects(
    folder?: vscode.WorkspaceFolder,
    token?: vscode.CancellationToken,
): Promise<Project[]> {
    const pattern = `**/*{${PROJECT_EXTENSIONS.join(",")}}`;
    const include = folder === undefined ? pattern : new vscode.RelativePattern(folder, pattern);
    const files = await vscode.workspace.findFiles(include, LEFT_OUT, MOST_PROJECTS, token);
    const read = files.map(async ({ fsPath }) => parseProject(fsPath, await textOf(fsPath)));
    return (await Promise.all(read)).sort((left, right) => left.file.localeCompare(right.file));
}

/** Reads a project file. */
export async function readProject(file: string): Promise<Project> {
    return parseProject(file, await textOf(file));
}

/** What decides how a project is started. */
export async function factsOf(project: Project): Promise<ProjectFacts> {
    const folder = path.dirname(project.file);
    const profiles = launchProfiles(await textOf(path.join(folder, "Properties", "launchSettings.json")));
    return { project, profiles, readsConsole: project.kind === "program" && (await someSourceReadsConsole(folder)) };
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
