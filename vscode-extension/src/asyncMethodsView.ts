import * as path from "node:path";
import * as vscode from "vscode";

import { type AsyncMethod, AsyncMethods } from "./asyncMethods";
import { DEBUG_TYPE } from "./configurations";
import { asRecord } from "./failedStart";

const VIEW = "dap-dotnet.asyncMethods";

/** The method at one place of the tree: awaited by several others, it is there several times. */
interface Node {
    readonly method: AsyncMethod;
}

/** The view of suspended async methods. The heap is searched for them at a stop, and only while the view is open. */
export class AsyncMethodsView
    implements vscode.TreeDataProvider<Node>, vscode.DebugAdapterTrackerFactory, vscode.Disposable
{
    private readonly changed = new vscode.EventEmitter<undefined>();
    readonly onDidChangeTreeData = this.changed.event;
    private readonly view = vscode.window.createTreeView<Node>(VIEW, { treeDataProvider: this });
    /** Counts stops and continuations: an answer that comes after the next of them is out of date. */
    private moment = 0;
    private stopped: vscode.DebugSession | undefined;
    private methods: AsyncMethods | undefined;

    createDebugAdapterTracker(session: vscode.DebugSession): vscode.DebugAdapterTracker {
        return {
            onDidSendMessage: (message: unknown) => {
                const { type, event, command, success } = asRecord(message);
                if (event === "stopped") {
                    this.show(session);
                } else if (event === "continued" || event === "terminated" || runsOn(type, command, success)) {
                    this.show(undefined);
                }
            },
            onExit: () => this.show(undefined),
        };
    }

    async getChildren(node?: Node): Promise<Node[]> {
        if (node !== undefined) {
            return this.methods?.awaitedBy(node.method).map((method) => ({ method })) ?? [];
        }
        const session = this.stopped;
        if (session === undefined) {
            return [];
        }
        const { moment } = this;
        try {
            const methods = new AsyncMethods(await session.customRequest("dap-dotnet/asyncTasks", {}));
            if (moment !== this.moment) {
                return [];
            }
            this.methods = methods;
            this.view.message = methods.remark ?? "";
            return methods.roots().map((method) => ({ method }));
        } catch (error) {
            if (moment === this.moment) {
                this.view.message = error instanceof Error ? error.message : String(error);
            }
            return [];
        }
    }

    getTreeItem({ method }: Node): vscode.TreeItem {
        const item = new vscode.TreeItem(
            method.name,
            method.awaits.length > 0
                ? vscode.TreeItemCollapsibleState.Expanded
                : vscode.TreeItemCollapsibleState.None,
        );
        const { place } = method;
        item.description = place === undefined ? method.doing : `${method.doing}, ${path.basename(place.path)}:${place.line}`;
        item.tooltip = `${method.fullName} ${item.description}`;
        if (place !== undefined) {
            const at = new vscode.Position(place.line - 1, place.column - 1);
            const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(at, at), preserveFocus: true };
            item.command = {
                command: "vscode.open",
                title: "Show the await",
                arguments: [vscode.Uri.file(place.path), options],
            };
        }
        return item;
    }

    dispose(): void {
        this.view.dispose();
        this.changed.dispose();
    }

    private show(session: vscode.DebugSession | undefined): void {
        this.moment++;
        this.stopped = session?.type === DEBUG_TYPE ? session : undefined;
        this.methods = undefined;
        this.view.message = session === undefined ? "The program runs." : "";
        this.changed.fire(undefined);
    }
}

/** Whether a message answers a request that lets the program run: no event follows it. */
function runsOn(type: unknown, command: unknown, success: unknown): boolean {
    return type === "response" && success === true && RUNS_ON.has(String(command));
}

const RUNS_ON = new Set(["continue", "next", "stepIn", "stepOut", "disconnect"]);
