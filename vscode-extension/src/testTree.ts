import * as vscode from "vscode";

import { type ClassRecord, simpleName, type TestRecord } from "./testRecords";
import type { Project } from "./projects";

/** The tests of one build of a project: for one target framework, or not built yet. */
export class TestGroup {
    readonly items = new Map<string, vscode.TestItem>();
    readonly records = new Map<string, TestRecord>();

    constructor(
        readonly project: Project,
        /** Empty where the project has only one. */
        readonly targetFramework: string,
        readonly assembly: string | undefined,
        readonly runsItself: boolean,
        readonly root: vscode.TestItem,
    ) {}

    /** The item of an id, of a class or a test. */
    find(id: string): vscode.TestItem | undefined {
        const within = (item: vscode.TestItem): vscode.TestItem | undefined =>
            item.id === id ? item : [...item.children].map(([, child]) => within(child)).find((each) => each !== undefined);
        return within(this.root);
    }

    /** The tests under an item, which is of this group: itself, if it is one; of a row the test. */
    under(item: vscode.TestItem): TestRecord[] {
        const id = idOfTest(item);
        if (id !== undefined) {
            const record = this.records.get(id);
            return record === undefined ? [] : [record];
        }
        const tests: TestRecord[] = [];
        item.children.forEach((child) => tests.push(...this.under(child)));
        return tests;
    }
}

const TEST = "test:";
const ROW = "row:";

/** The id of the test that an item stands for, or a row of it; undefined for a namespace or a class. */
export function idOfTest(item: vscode.TestItem): string | undefined {
    if (item.id.startsWith(ROW)) {
        return item.parent === undefined ? undefined : idOfTest(item.parent);
    }
    return item.id.startsWith(TEST) ? item.id.slice(TEST.length) : undefined;
}

/** What tells a row apart; undefined for other items. */
export function rowOf(item: vscode.TestItem): string | undefined {
    return item.id.startsWith(ROW) ? item.id.slice(ROW.length) : undefined;
}

/** Whether an item is another one, or under it. */
export function isUnder(item: vscode.TestItem, root: vscode.TestItem): boolean {
    for (let each: vscode.TestItem | undefined = item; each !== undefined; each = each.parent) {
        if (each === root) {
            return true;
        }
    }
    return false;
}

export function addRow(controller: vscode.TestController, test: vscode.TestItem, displayName: string, label: string): vscode.TestItem {
    const known = test.children.get(ROW + displayName);
    if (known !== undefined) {
        return known;
    }
    const row = controller.createTestItem(ROW + displayName, label, test.uri);
    row.range = test.range;
    test.children.add(row);
    return row;
}

/** Puts tests under the root of their group: namespaces, classes, tests. Rows that are known stay. */
export function fill(
    controller: vscode.TestController,
    group: TestGroup,
    tests: readonly TestRecord[],
    classes: readonly ClassRecord[],
    before: TestGroup | undefined,
): void {
    const places = new Map(classes.map((each) => [each.name, each]));
    const nodes = new Map<string, vscode.TestItem>();
    const tops: vscode.TestItem[] = [];
    const node = (parent: vscode.TestItem | undefined, id: string, label: string, place?: ClassRecord): vscode.TestItem => {
        let item = nodes.get(id);
        if (item === undefined) {
            item = controller.createTestItem(id, label, place && vscode.Uri.file(place.file));
            if (place !== undefined) {
                item.range = new vscode.Range(place.line - 1, 0, place.line - 1, 0);
            }
            nodes.set(id, item);
            parent === undefined ? tops.push(item) : parent.children.add(item);
        }
        return item;
    };
    for (const test of tests) {
        const full = test.id.slice(0, -test.method.length - 1);
        const isRoots = test.namespace === "" || test.namespace === group.project.name;
        const outer = isRoots ? undefined : node(undefined, `namespace:${test.namespace}`, test.namespace);
        const owner = node(outer, `class:${full}`, simpleName(test.class), places.get(full));
        const item = controller.createTestItem(TEST + test.id, test.name, test.file === null ? undefined : vscode.Uri.file(test.file));
        if (test.line !== null) {
            // From the line's beginning: "Test at Cursor" in the declaration, before its name, means this one.
            item.range = new vscode.Range(test.line - 1, 0, (test.endLine ?? test.line) - 1, (test.endColumn ?? 1) - 1);
        }
        if (test.skip !== null) {
            item.description = `skipped: ${test.skip}`;
        }
        item.sortText = `${String(test.line ?? 0).padStart(7, "0")}${test.name}`;
        if (test.hasRows) {
            before?.items.get(test.id)?.children.forEach((row) => addRow(controller, item, rowOf(row) ?? row.id, row.label));
        }
        owner.children.add(item);
        group.items.set(test.id, item);
        group.records.set(test.id, test);
    }
    group.root.children.replace(tops); // all at once: what is still there stays open in the tree
}
