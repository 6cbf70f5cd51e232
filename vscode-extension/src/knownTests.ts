import * as path from "node:path";
import * as vscode from "vscode";

import { adapterAtHand, locateAdapter, showProblem } from "./adapter";
import { isWithin, type Project, runnableFrameworks } from "./projects";
import { type Listed, listTests } from "./testDiscovery";
import { filterOf, filterOfRow, type TestRecord } from "./testRecords";
import type { Chosen } from "./testRuns";
import { fill, idOfTest, isUnder, rowOf, TestGroup } from "./testTree";
import { findProjects } from "./workspaceProjects";

const BUILT = "**/{bin,artifacts}/**/*.dll";
const PROJECTS = "**/{*.csproj,*.fsproj,*.vbproj}";
const SETTLED_MS = 300;
const NOT_BUILT = "not built yet";

/** The tests of the workspace's projects, as what is built has them, and the tree that shows them. */
export class KnownTests implements vscode.Disposable {
    private groups: TestGroup[] = [];
    private readonly changed = new vscode.EventEmitter<void>();
    /** Other tests are known, or they are elsewhere. */
    readonly onDidChange = this.changed.event;
    private readonly subscriptions: vscode.Disposable[];
    private readonly stale = new Set<string>();
    private timer: NodeJS.Timeout | undefined;
    private refreshing: Promise<void> = Promise.resolve();
    private others: readonly Project[] = [];
    /** Whether tests were looked for. */
    hasLooked = false;

    constructor(private readonly controller: vscode.TestController) {
        const dlls = vscode.workspace.createFileSystemWatcher(BUILT);
        const projects = vscode.workspace.createFileSystemWatcher(PROJECTS);
        const all = (): void => this.lookAgain(...this.groups.map(({ project }) => project.file), "");
        this.subscriptions = [
            this.changed,
            dlls,
            projects,
            ...[dlls.onDidCreate, dlls.onDidChange, dlls.onDidDelete].map((event) => event((uri) => this.built(uri.fsPath))),
            ...[projects.onDidCreate, projects.onDidChange, projects.onDidDelete].map((event) => event(all)),
            vscode.workspace.onDidChangeWorkspaceFolders(all),
        ];
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.subscriptions.forEach((each) => each.dispose());
    }

    groupOf(assembly: string): TestGroup | undefined {
        return this.groups.find((group) => group.assembly === assembly);
    }

    /** Those of a project: one for each target framework. */
    groupsOf(file: string): TestGroup[] {
        return this.groups.filter(({ project }) => project.file === file);
    }

    /** The tests and classes of a source that are known, and whether its project is built. */
    itemsIn(file: string, project: string): { readonly items: vscode.TestItem[]; readonly isBuilt: boolean } {
        const groups = this.groupsOf(project).filter(({ assembly }) => assembly !== undefined);
        const items: vscode.TestItem[] = [];
        const seen = new Set<string>();
        const visit = (item: vscode.TestItem): void => {
            const isRow = rowOf(item) !== undefined;
            if (!isRow && item.uri?.fsPath === file && item.range !== undefined && !seen.has(item.id)) {
                seen.add(item.id);
                items.push(item);
            }
            item.children.forEach(visit);
        };
        groups.forEach((group) => visit(group.root));
        return { items, isBuilt: groups.length > 0 };
    }

    /** A test or a class in each target framework that its project is built for. */
    sameInEachFramework(item: vscode.TestItem): vscode.TestItem[] {
        const own = this.groups.find(({ root }) => isUnder(item, root));
        const groups = own === undefined ? [] : this.groupsOf(own.project.file);
        return groups.length < 2 ? [item] : groups.flatMap((group) => group.find(item.id) ?? []);
    }

    /** What is to be run, by project and target framework. */
    chosen(include: readonly vscode.TestItem[] | undefined, exclude: readonly vscode.TestItem[] | undefined): Chosen[] {
        const left = new Set(exclude ?? []);
        const isLeft = (item: vscode.TestItem | undefined): boolean =>
            item !== undefined && (left.has(item) || isLeft(item.parent));
        return this.groups.flatMap((group) => {
            const asked = (include ?? [group.root]).filter((item) => isUnder(item, group.root) || isUnder(group.root, item));
            if (asked.length === 0 || isLeft(group.root)) {
                return [];
            }
            if (group.assembly === undefined) {
                return [{ group, items: [group.root], filter: undefined, isAll: true }];
            }
            const tops = asked.map((item) => (isUnder(group.root, item) ? group.root : item));
            const [only] = tops;
            const row = tops.length === 1 && only !== undefined ? rowOf(only) : undefined;
            const tests = new Map<string, TestRecord>();
            tops.flatMap((item) => group.under(item)).forEach((test) => tests.set(test.id, test));
            const items = [...tests.keys()]
                .map((id) => group.items.get(id))
                .filter((item): item is vscode.TestItem => item !== undefined && !isLeft(item));
            const chosen = items.flatMap((item) => tests.get(idOfTest(item) ?? "") ?? []);
            const isAll = chosen.length === group.records.size;
            if (row !== undefined && chosen[0] !== undefined) {
                return [{ group, items, filter: filterOfRow(chosen[0], row) ?? undefined, isAll }];
            }
            return [{ group, items, filter: filterOf(chosen, [...group.records.values()]), isAll }];
        });
    }

    /** Whether what a file says may change what a project's tests do: its own files and those of what is no test. */
    concerns(file: string, { project }: TestGroup): boolean {
        const isOf = (each: Project): boolean => isWithin(file, path.dirname(each.file));
        return isOf(project) || this.others.some(isOf);
    }

    /** Looks at all projects. `mayAsk`: the adapter may be set up for it, and is missed if there is none. */
    async refreshAll(mayAsk: boolean): Promise<void> {
        const all = await findProjects();
        const projects = all.filter(({ kind }) => kind === "test");
        this.others = all.filter(({ kind }) => kind !== "test");
        const known = new Set(projects.map(({ file }) => file));
        this.groups = this.groups.filter(({ project }) => known.has(project.file));
        this.controller.items.replace([...this.controller.items].map(([, item]) => item).filter(({ id }) => known.has(id)));
        await this.refresh(projects, mayAsk);
    }

    /** Looks at some. */
    refresh(projects: readonly Project[], mayAsk: boolean): Promise<void> {
        this.refreshing = this.refreshing.then(() => this.list(projects, mayAsk)).catch(showProblem);
        return this.refreshing;
    }

    private async list(projects: readonly Project[], mayAsk: boolean): Promise<void> {
        const adapter = projects.length === 0 || mayAsk ? undefined : adapterAtHand();
        if (projects.length === 0 || (!mayAsk && adapter === undefined)) {
            return;
        }
        this.hasLooked = true;
        const listed = await listTests(adapter ?? (await locateAdapter()), projects.map(({ file }) => file));
        for (const project of projects) {
            this.show(project, listed.get(project.file) ?? { assemblies: [], errors: [] });
        }
        this.changed.fire();
    }

    private show(project: Project, listed: Listed): void {
        const { controller } = this;
        const before = this.groupsOf(project.file);
        const root =
            controller.items.get(project.file) ??
            controller.createTestItem(project.file, project.name, vscode.Uri.file(project.file));
        const built = new Map(listed.assemblies.map((each) => [each.assembly.targetFramework, each]));
        const error = listed.errors.find(({ code }) => code !== "NOT_BUILT")?.message;
        const frameworks = [...new Set([...runnableFrameworks(project), ...built.keys()])];
        const isSplit = frameworks.length > 1;
        const groups = (isSplit ? frameworks : [""]).map((framework) => {
            const item = isSplit ? controller.createTestItem(`framework:${framework}`, framework) : root;
            const found = isSplit ? built.get(framework) : listed.assemblies[0];
            item.description = found === undefined && error === undefined ? NOT_BUILT : "";
            const { path: file, runsItself = false } = found?.assembly ?? {};
            const group = new TestGroup(project, framework, file, runsItself, item);
            fill(controller, group, found?.tests ?? [], found?.classes ?? [], before.find((each) => each.assembly === file));
            return group;
        });
        if (isSplit) {
            root.description = "";
            root.children.replace(groups.map((group) => group.root));
        }
        if (error !== undefined || root.error !== undefined) {
            root.error = error;
        }
        controller.items.add(root);
        this.groups = [...this.groups.filter((group) => group.project.file !== project.file), ...groups];
    }

    /** A file of a build has changed: that of a project with tests, or another one. */
    private built(file: string): void {
        const name = path.basename(file, ".dll");
        const assemblies = this.groups.filter(
            ({ project, assembly }) =>
                assembly === file || project.name === name || (assembly !== undefined && path.basename(assembly) === `${name}.dll`),
        );
        this.lookAgain(...assemblies.map(({ project }) => project.file));
    }

    private lookAgain(...files: string[]): void {
        files.forEach((file) => this.stale.add(file));
        if (files.length === 0) {
            return;
        }
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            const projects = this.groups.map(({ project }) => project).filter(({ file }) => this.stale.has(file));
            const isAll = this.stale.has("");
            this.stale.clear();
            void (isAll ? this.refreshAll(false) : this.refresh([...new Set(projects)], false));
        }, SETTLED_MS);
    }
}
