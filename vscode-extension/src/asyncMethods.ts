import { asRecord } from "./failedStart";

/** A suspended async method, of the adapter's answer to `dap-dotnet/asyncTasks`. */
export interface AsyncMethod {
    readonly id: number;
    readonly name: string;
    /** With its namespaces. */
    readonly fullName: string;
    /** What it does, in words. */
    readonly doing: string;
    /** Where its await is, lines and columns from 1; undefined where that is not known. */
    readonly place: { readonly path: string; readonly line: number; readonly column: number } | undefined;
    readonly awaits: readonly number[];
    readonly awaitedBy: readonly number[];
}

/** The methods of a stop, as trees of who awaits whom. */
export class AsyncMethods {
    private readonly byId: ReadonlyMap<number, AsyncMethod>;
    /** What is to be told beside the list; undefined where there is nothing. */
    readonly remark: string | undefined;

    constructor(body: unknown) {
        const { tasks, total, isComplete } = asRecord(body);
        const methods = (Array.isArray(tasks) ? tasks : []).map(asyncMethod);
        this.byId = new Map(methods.map((method) => [method.id, method]));
        if (methods.length === 0) {
            this.remark = "No async method is suspended.";
        } else if (isComplete === false || (typeof total === "number" && total > methods.length)) {
            this.remark = `These ${methods.length} are not all.`;
        }
    }

    /** Those that nobody awaits, and of each ring that is awaited from nowhere else its first. */
    roots(): AsyncMethod[] {
        const found: AsyncMethod[] = [];
        const seen = new Set<number>();
        const take = (root: AsyncMethod): void => {
            found.push(root);
            const left = [root];
            for (let method = left.pop(); method !== undefined; method = left.pop()) {
                if (!seen.has(method.id)) {
                    seen.add(method.id);
                    left.push(...this.awaitedBy(method));
                }
            }
        };
        const all = [...this.byId.values()];
        all.filter((method) => method.awaitedBy.every((id) => !this.byId.has(id))).forEach(take);
        for (const method of all) {
            if (!seen.has(method.id)) {
                take(method);
            }
        }
        return found;
    }

    /** The methods that one awaits. */
    awaitedBy(method: AsyncMethod): AsyncMethod[] {
        return method.awaits.flatMap((id) => this.byId.get(id) ?? []);
    }
}

function asyncMethod(task: unknown): AsyncMethod {
    const { id, name, fullName, state, waitsFor, source, line, column, awaits, awaitedBy } = asRecord(task);
    const path = asRecord(source)["path"];
    return {
        id: Number(id),
        name: String(name),
        fullName: String(fullName ?? name),
        doing: doing(state, waitsFor),
        place:
            typeof path === "string" && Number(line) > 0
                ? { path, line: Number(line), column: Math.max(1, Number(column)) }
                : undefined,
        awaits: numbers(awaits),
        awaitedBy: numbers(awaitedBy),
    };
}

function doing(state: unknown, waitsFor: unknown): string {
    if (state === "running") {
        return "runs";
    }
    if (state === "ready") {
        return "can go on";
    }
    return typeof waitsFor === "string" ? `awaits ${waitsFor}` : "waits";
}

function numbers(value: unknown): number[] {
    return Array.isArray(value) ? value.filter((one): one is number => typeof one === "number") : [];
}
