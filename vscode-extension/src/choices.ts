import { type Configuration, configurationsOf, type ProjectFacts, testsOf } from "./configurations";
import { isProjectFile, type Project } from "./projects";

/** Something that can be started, and what the user calls it. */
export interface Startable {
    readonly label: string;
    readonly project: Project;
    readonly configuration: Configuration;
    /** Whether it is what `dotnet run` takes of the project: its first profile. */
    readonly isUsual: boolean;
}

/** What F5 is to start in this workspace, as the user has chosen. */
export interface Remembered {
    /** The key of a startable. */
    readonly start?: string;
    /** Whether a file in the editor goes before that, if it belongs to a program. */
    readonly followsEditor?: boolean;
    /** Whether `start` is meant in files with tests, too. */
    readonly insteadOfTests?: boolean;
}

/** What is open, and what the workspace has. */
export interface Situation {
    /** The file in the editor; undefined without one. */
    readonly open?: OpenFile;
    /** The workspace's projects, and the one of the file in the editor, wherever that is. */
    readonly projects: readonly Project[];
    /** What can be started of them. */
    readonly startables: readonly Startable[];
    readonly remembered: Remembered;
}

export interface OpenFile {
    /** Its path; for what is not saved yet, its title. */
    readonly path: string;
    readonly isSaved: boolean;
    /** The project that it belongs to. */
    readonly project?: Project | undefined;
    /** What starts it by itself, if it is a program without a project. */
    readonly asProgram?: Configuration | undefined;
    /** Its tests, if it has some that can be chosen. */
    readonly asTests?: Configuration | undefined;
}

/** What F5 does: starts something, asks first, or says why there is nothing. */
export type Choice =
    | { readonly start: Configuration; readonly startable?: Startable }
    | { readonly ask: readonly Startable[]; readonly canFollowEditor: boolean }
    | { readonly nothing: string };

/** What can be started of a project, by paths that hold in every window. */
export function startablesOf(facts: ProjectFacts): Startable[] {
    const { project } = facts;
    const usual = facts.profiles[0]?.name;
    return project.kind === "library"
        ? []
        : configurationsOf(facts, undefined).map((configuration) => ({
              label: configuration.name.replace(/^\.NET: /, ""),
              project,
              configuration,
              isUsual: facts.profiles.length < 2 || configuration["launchSettingsProfile"] === usual,
          }));
}

/** What identifies a startable from one start of the editor to the next. */
export function keyOf({ project, configuration }: Startable): string {
    const { targetFramework, launchSettingsProfile } = configuration as { [name: string]: unknown };
    return [project.file, targetFramework, launchSettingsProfile].map((part) => part ?? "").join("|");
}

/** What F5 starts: what is open decides, and where it does not, what the user has chosen before. */
export function choose(situation: Situation): Choice {
    const { open, startables, remembered } = situation;
    if (open?.asProgram !== undefined) {
        return { start: open.asProgram };
    }
    const chosen = startables.find((each) => keyOf(each) === remembered.start);
    const project = open?.project;
    if (project?.kind === "test" && !(chosen !== undefined && remembered.insteadOfTests === true)) {
        return { start: open?.asTests ?? usualOf(startables, project)[0]?.configuration ?? testsOf(project, undefined) };
    }
    const ofOpen = project === undefined ? [] : usualOf(startables, project);
    const openGoesFirst = isProjectFile(open?.path ?? "") || remembered.followsEditor === true;
    if (ofOpen.length > 0 && openGoesFirst && chosen?.project.file !== project?.file) {
        return among(ofOpen, false);
    }
    if (chosen !== undefined) {
        return { start: chosen.configuration, startable: chosen };
    }
    const programs = startables.filter((each) => each.isUsual && each.project.kind !== "test");
    const candidates = programs.length > 0 ? programs : startables.filter((each) => each.isUsual);
    if (candidates.length === 0) {
        return { nothing: whyNothing(situation) };
    }
    const others = candidates.filter((each) => each.project.file !== project?.file);
    return among([...ofOpen, ...others], ofOpen.length > 0 && others.length > 0);
}

/** What the user can choose from, for good: programs first, then tests. */
export function choosable(startables: readonly Startable[]): Startable[] {
    const isTest = ({ project }: Startable): boolean => project.kind === "test";
    return [...startables.filter((each) => !isTest(each)), ...startables.filter(isTest)];
}

function usualOf(startables: readonly Startable[], project: Project): Startable[] {
    return startables.filter((each) => each.isUsual && each.project.file === project.file);
}

function among(startables: readonly Startable[], canFollowEditor: boolean): Choice {
    const [first, ...others] = startables;
    return first !== undefined && others.length === 0
        ? { start: first.configuration, startable: first }
        : { ask: startables, canFollowEditor };
}

function whyNothing({ open, projects }: Situation): string {
    const isCSharp = /\.cs$/i.test(open?.path ?? "");
    if (open !== undefined && !open.isSaved) {
        return `${open.path} is not saved yet: save it, as a .cs file for a C# program.`;
    }
    if (projects.length > 0) {
        const names = projects.slice(0, 3).map(({ name }) => name);
        const more = projects.length > names.length ? ` and ${projects.length - names.length} more` : "";
        const are = projects.length === 1 ? "is a class library" : "are class libraries";
        return `${names.join(", ")}${more} ${are}: there is no program and no test project here that F5 could start. A program has <OutputType>Exe</OutputType> in its project.`;
    }
    if (open !== undefined && isCSharp) {
        return `${nameOf(open.path)} belongs to no project, and has no Main or top-level statements to start.`;
    }
    return "There is no .NET project here that F5 could start. Open the folder of one, or a C# file that is a program.";
}

function nameOf(file: string): string {
    return file.split(/[\\/]/).at(-1) ?? file;
}
