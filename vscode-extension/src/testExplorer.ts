import * as fs from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

import { adapterAtHand, locateAdapter, showProblem } from "./adapter";
import type { BuildProblems } from "./buildProblems";
import { DEBUG_TYPE, testsOf } from "./configurations";
import type { Project } from "./projects";
import { type Listed, listTests } from "./testDiscovery";
import { runLines } from "./testProcess";
import { filterOf, filterOfRow, type RunRecord, type TestRecord } from "./testRecords";
import { TestResults } from "./testResults";
import { TestSessions } from "./testSessions";
import { fill, idOfTest, rowOf, TestGroup } from "./testTree";
import { findProjects } from "./workspaceProjects";

const BUILT = "**/{bin,artifacts}/**/*.dll";
const PROJECTS = "**/{*.csproj,*.fsproj,*.vbproj}";
const SETTLED_MS = 300;
/** Of a run that ended well, for a test that it has not told of. */
const NO_RESULT = "The run had no result for this test. Its name may have changed since the project was built: run it again.";
const NOT_SELECTABLE =
    "The tests of this project are a program with options of its own, so that they can be run all together only. Its output tells what became of each.";

/** Tests that are to be run: all of a group, or those under some of its items. */
interface Chosen {
    readonly group: TestGroup;
    readonly items: readonly vscode.TestItem[];
    readonly filter: string | undefined;
    readonly isAll: boolean;
}

/** The tests of the workspace's projects in the editor's test views: found in what is built, run and debugged from there. */
export class TestExplorer implements vscode.Disposable {
    private readonly controller = vscode.tests.createTestController("dap-dotnet", ".NET tests (dap-dotnet)");
    private groups: TestGroup[] = [];
    private readonly sessions: TestSessions;
    private readonly subscriptions: vscode.Disposable[];
    private readonly changed = new vscode.EventEmitter<void>();
    /** Other tests are known, or they are elsewhere. */
    readonly onDidChange = this.changed.event;
    private readonly stale = new Set<string>();
    private timer: NodeJS.Timeout | undefined;
    private refreshing: Promise<void> = Promise.resolve();
    private hasLooked = false;
    private readonly runProfile: vscode.TestRunProfile;
    private readonly debugProfile: vscode.TestRunProfile;

    constructor(private readonly problems: BuildProblems) {
        const { controller } = this;
        const { Run, Debug } = vscode.TestRunProfileKind;
        this.runProfile = controller.createRunProfile("Run", Run, (request, token) => this.onRun(request, token), true);
        this.runProfile.supportsContinuousRun = true;
        const debug = (request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> =>
            this.runOnce(request, token, true);
        this.debugProfile = controller.createRunProfile("Debug", Debug, debug, true);
        controller.refreshHandler = () => this.refreshAll(true);
        controller.resolveHandler = async (item) => {
            if (item === undefined && !this.hasLooked) {
                await this.refreshAll(true);
            }
        };
        this.sessions = new TestSessions((session) => this.begin(session));
        const dlls = vscode.workspace.createFileSystemWatcher(BUILT);
        const projects = vscode.workspace.createFileSystemWatcher(PROJECTS);
        const all = (): void => this.lookAgain(...this.groups.map(({ project }) => project.file), "");
        this.subscriptions = [
            controller,
            this.sessions,
            this.changed,
            dlls,
            projects,
            ...[dlls.onDidCreate, dlls.onDidChange, dlls.onDidDelete].map((event) => event((uri) => this.built(uri.fsPath))),
            ...[projects.onDidCreate, projects.onDidChange, projects.onDidDelete].map((event) => event(all)),
            vscode.workspace.onDidChangeWorkspaceFolders(all),
            vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, this.sessions),
        ];
        void this.refreshAll(false);
    }

    dispose(): void {
        clearTimeout(this.timer);
        this.subscriptions.forEach((each) => each.dispose());
    }

    /** The tests and classes of a source that are known, and whether its project is built. */
    itemsIn(file: string, project: string): { readonly items: vscode.TestItem[]; readonly isBuilt: boolean } {
        const groups = this.groups.filter((group) => group.project.file === project && group.assembly !== undefined);
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

    /** Runs or debugs what an item stands for, as a lens asks for it. */
    async start(item: vscode.TestItem, isDebug: boolean): Promise<void> {
        const profile = isDebug ? this.debugProfile : this.runProfile;
        const source = new vscode.CancellationTokenSource();
        await this.runOnce(new vscode.TestRunRequest([item], undefined, profile), source.token, isDebug);
        source.dispose();
    }

    /** As `start`, of a project that is not built yet, by what the source says. */
    async startUnbuilt(file: string, filter: string, isDebug: boolean): Promise<void> {
        const group = this.groups.find(({ project }) => project.file === file);
        if (group === undefined) {
            return;
        }
        const request = new vscode.TestRunRequest([group.root], undefined, isDebug ? this.debugProfile : this.runProfile);
        const source = new vscode.CancellationTokenSource();
        await this.runAll(request, [{ group, items: [group.root], filter, isAll: false }], source.token, isDebug);
        source.dispose();
    }

    // what there is

    /** Looks at all projects. `mayAsk`: the adapter may be set up for it, and is missed if there is none. */
    private async refreshAll(mayAsk: boolean): Promise<void> {
        const projects = (await findProjects()).filter(({ kind }) => kind === "test");
        const known = new Set(projects.map(({ file }) => file));
        this.groups = this.groups.filter(({ project }) => known.has(project.file));
        this.controller.items.replace([...this.controller.items].map(([, item]) => item).filter(({ id }) => known.has(id)));
        await this.refresh(projects, mayAsk);
    }

    private refresh(projects: readonly Project[], mayAsk: boolean): Promise<void> {
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
        const before = this.groups.filter((group) => group.project.file === project.file);
        const root =
            controller.items.get(project.file) ??
            controller.createTestItem(project.file, project.name, vscode.Uri.file(project.file));
        const isSplit = listed.assemblies.length > 1;
        const groups = listed.assemblies.map(({ assembly, tests, classes }) => {
            const { targetFramework, path: file, runsItself } = assembly;
            const item = isSplit ? controller.createTestItem(`framework:${targetFramework}`, targetFramework) : root;
            const group = new TestGroup(project, isSplit ? targetFramework : "", file, runsItself, item);
            fill(controller, group, tests, classes, before.find((each) => each.assembly === file));
            return group;
        });
        if (isSplit) {
            root.children.replace(groups.map((group) => group.root));
        } else if (groups.length === 0) {
            root.children.replace([]);
            groups.push(new TestGroup(project, "", undefined, false, root));
        }
        const notBuilt = listed.errors.some(({ code }) => code === "NOT_BUILT");
        root.description = notBuilt ? "not built yet" : "";
        const error = listed.errors.find(({ code }) => code !== "NOT_BUILT")?.message;
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

    // what is run

    private async onRun(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
        if (request.continuous !== true) {
            await this.runOnce(request, token, false);
            return;
        }
        let running: Promise<void> = Promise.resolve();
        const saved = vscode.workspace.onDidSaveTextDocument(({ fileName }) => {
            const { include } = request;
            const isConcerned = this.chosen(include, undefined).some(({ group }) => belongsTo(fileName, group.project));
            if (isConcerned || include === undefined) {
                running = running.then(() => this.runOnce(new vscode.TestRunRequest(include, request.exclude, request.profile), token, false));
            }
        });
        token.onCancellationRequested(() => saved.dispose());
    }

    private runOnce(request: vscode.TestRunRequest, token: vscode.CancellationToken, isDebug: boolean): Promise<void> {
        return this.runAll(request, this.chosen(request.include, request.exclude), token, isDebug);
    }

    private async runAll(
        request: vscode.TestRunRequest,
        all: readonly Chosen[],
        token: vscode.CancellationToken,
        isDebug: boolean,
    ): Promise<void> {
        const run = this.controller.createTestRun(request);
        const stop = new vscode.CancellationTokenSource();
        token.onCancellationRequested(() => stop.cancel());
        run.token.onCancellationRequested(() => stop.cancel());
        try {
            all.forEach(({ items }) => items.forEach((item) => run.enqueued(item)));
            this.problems.clear();
            for (const chosen of all) {
                if (!stop.token.isCancellationRequested) {
                    await this.runGroup(run, chosen, stop.token, isDebug);
                }
            }
        } catch (error) {
            showProblem(error);
        } finally {
            run.end();
            stop.dispose();
        }
    }

    private async runGroup(
        run: vscode.TestRun,
        chosen: Chosen,
        token: vscode.CancellationToken,
        isDebug: boolean,
    ): Promise<void> {
        const { group, items, filter } = chosen;
        const { project, targetFramework } = group;
        const results = new TestResults(this.controller, run, (assembly) => this.groupOf(assembly), items);
        if (group.runsItself && !chosen.isAll) {
            items.forEach((item) => run.errored(item, new vscode.TestMessage(NOT_SELECTABLE)));
            return;
        }
        const take = (record: RunRecord): void => {
            if (record.kind === "output") {
                this.problems.take({ type: "event", event: "output", body: record });
            }
            results.take(record);
        };
        let why: string | undefined = NO_RESULT;
        if (isDebug) {
            const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file));
            const what = items.length === 1 && items[0] !== group.root ? items[0]?.label : undefined;
            const configuration = {
                ...testsOf(project, undefined, filter, what),
                ...(targetFramework === "" ? {} : { targetFramework }),
            };
            const hasStarted = await this.sessions.debug(folder, configuration, take, token);
            why = hasStarted ? NO_RESULT : undefined;
        } else {
            why = await this.runFree(group, filter, take, token);
        }
        if (results.hasUnknown) {
            await this.refresh([project], true);
            results.again();
        }
        if (group.runsItself && !results.hasFailed) {
            run.passed(group.root);
        } else if (!token.isCancellationRequested) {
            results.end(why);
        }
    }

    /** Without a debugger. What to say of tests without a result, where the adapter does not say it. */
    private async runFree(
        group: TestGroup,
        filter: string | undefined,
        take: (record: RunRecord) => void,
        token: vscode.CancellationToken,
    ): Promise<string> {
        const { project, targetFramework } = group;
        const scratch = await fs.mkdtemp(path.join(os.tmpdir(), "dap-dotnet-"));
        try {
            const args = ["test", "--no-debug", "--json"];
            if (targetFramework !== "") {
                args.push("--framework", targetFramework);
            }
            if (filter !== undefined) {
                const file = path.join(scratch, "filter");
                await fs.writeFile(file, filter);
                args.push("--filter", `@${file}`);
            }
            args.push(project.file);
            const adapter = await locateAdapter(vscode.workspace.getWorkspaceFolder(vscode.Uri.file(project.file)));
            const onLine = (record: Record<string, unknown>): void => take(record as unknown as RunRecord);
            const { code, errors } = await runLines(adapter, args, path.dirname(project.file), onLine, (stop) =>
                token.onCancellationRequested(stop),
            );
            if (group.runsItself && code !== 0) {
                take({ kind: "error", code: "FAILED", message: `The tests ended with exit code ${String(code)}.` });
            }
            return errors === "" ? NO_RESULT : errors;
        } finally {
            await fs.rm(scratch, { recursive: true, force: true });
        }
    }

    /** For a session that was started elsewhere. */
    private begin(session: vscode.DebugSession): { take: (record: RunRecord) => void; ended: () => void } {
        const run = this.controller.createTestRun(new vscode.TestRunRequest(), session.name);
        const results = new TestResults(this.controller, run, (assembly) => this.groupOf(assembly), []);
        const ended = async (): Promise<void> => {
            if (results.hasUnknown) {
                await this.refreshAll(true);
                results.again();
            }
            run.end();
        };
        return { take: (record) => results.take(record), ended: () => void ended() };
    }

    private groupOf(assembly: string): TestGroup | undefined {
        return this.groups.find((group) => group.assembly === assembly);
    }

    private chosen(
        include: readonly vscode.TestItem[] | undefined,
        exclude: readonly vscode.TestItem[] | undefined,
    ): Chosen[] {
        const left = new Set(exclude ?? []);
        const isLeft = (item: vscode.TestItem | undefined): boolean =>
            item !== undefined && (left.has(item) || isLeft(item.parent));
        return this.groups.flatMap((group) => {
            const asked = (include ?? [group.root]).filter((item) => isWithin(item, group.root) || isWithin(group.root, item));
            if (asked.length === 0) {
                return [];
            }
            if (group.assembly === undefined) {
                return [{ group, items: [group.root], filter: undefined, isAll: true }];
            }
            const tops = asked.map((item) => (isWithin(group.root, item) ? group.root : item));
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
}

function isWithin(item: vscode.TestItem, root: vscode.TestItem): boolean {
    for (let each: vscode.TestItem | undefined = item; each !== undefined; each = each.parent) {
        if (each === root) {
            return true;
        }
    }
    return false;
}

function belongsTo(file: string, project: Project): boolean {
    return file.startsWith(path.dirname(project.file) + path.sep);
}
