import { blankOut } from "./entryPoints";

/** A test, or a class with tests, that can be debugged by itself. */
export interface TestPlace {
    /** 0-based line of the first attribute, of a class of its name. */
    readonly line: number;
    /** The name that people use: the method's or the class's. */
    readonly name: string;
    /** What selects it, as `dotnet test --filter` takes it. */
    readonly filter: string;
}

interface Scope {
    readonly kind: "namespace" | "type" | "other";
    /** The full name, as the runtime writes it: nested types after a plus sign. */
    readonly name: string;
    /** Generic classes have no tests of their own. */
    readonly isGeneric: boolean;
    readonly line: number;
    tests: TestPlace[];
}

const TEST = /^\s*(?:[\w.]+\.)?(Fact|Theory|Test|TestMethod|DataTestMethod|TestCase|TestCaseSource)(?:Attribute)?\b/;
/** Attributes whose tests have their arguments in their names. */
const WITH_ARGUMENTS = /^TestCase/;
const NAMESPACE = /namespace\s+([\w.]+)\s*([;{])/y;
const TYPE = /(?:class|record(?:\s+class)?|struct|interface)\s+(\w+)\s*(<)?/y;

/** The tests of a C# source (xunit, NUnit, MSTest) with their classes, by their lines. */
export function testPlaces(source: string): TestPlace[] {
    const code = blankOut(source);
    const found: TestPlace[] = [];
    const scopes: Scope[] = [{ kind: "namespace", name: "", isGeneric: false, line: 0, tests: [] }];
    let test: { line: number; kind: string } | undefined;
    let position = 0;
    const line = (): number => code.slice(0, position).split("\n").length - 1;
    const push = (kind: Scope["kind"], name: string, isGeneric: boolean, at: number): void => {
        scopes.push({ kind, name, isGeneric, line: at, tests: [] });
    };
    while (position < code.length) {
        const scope = scopes.at(-1) as Scope;
        const isWord = !/[\w.]/.test(code[position - 1] ?? "");
        const namespace = isWord ? matchAt(NAMESPACE, code, position) : undefined;
        const type = isWord && scope.kind !== "other" ? matchAt(TYPE, code, position) : undefined;
        const character = code[position];
        if (namespace !== undefined) {
            const name = join(scope.name, ".", namespace[1] ?? "");
            if (namespace[2] === ";") {
                scopes[0] = { ...(scopes[0] as Scope), name };
            } else {
                push("namespace", name, false, line());
            }
            position += namespace[0].length;
            continue;
        }
        if (type !== undefined) {
            const opening = code.slice(position).search(/[{;]/);
            if (opening === -1) {
                break;
            }
            if (code[position + opening] === "{") {
                const name = join(scope.name, scope.kind === "type" ? "+" : ".", type[1] ?? "");
                push("type", name, type[2] !== undefined || scope.isGeneric, line());
            }
            position += opening + 1;
            test = undefined;
            continue;
        }
        if (character === "[" && scope.kind === "type") {
            const end = closing(code, position);
            const kind = attributes(code.slice(position + 1, end)).find((each) => each !== undefined);
            if (kind !== undefined) {
                test = { line: test?.line ?? line(), kind };
            }
            position = end + 1;
            continue;
        }
        if (character === "(" && scope.kind === "type" && test !== undefined) {
            const name = /(\w+)\s*(?:<[^<>]*>\s*)?$/.exec(code.slice(Math.max(0, position - 500), position))?.[1];
            if (name !== undefined && !scope.isGeneric) {
                const operator = WITH_ARGUMENTS.test(test.kind) ? "~" : "=";
                const filter = `FullyQualifiedName${operator}${scope.name}.${name}`;
                scope.tests.push({ line: test.line, name, filter });
            }
            test = undefined;
        } else if (character === "{") {
            push("other", scope.name, scope.isGeneric, 0);
        } else if (character === "}" && scopes.length > 1) {
            scopes.pop();
            if (scope.tests.length > 0) {
                const name = scope.name.split(/[.+]/).at(-1) ?? "";
                found.push({ line: scope.line, name, filter: `FullyQualifiedName~${scope.name}.` }, ...scope.tests);
            }
        }
        position += 1;
    }
    return found.sort((left, right) => left.line - right.line);
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | undefined {
    pattern.lastIndex = position;
    return pattern.exec(text) ?? undefined;
}

function join(outer: string, separator: string, inner: string): string {
    return outer === "" ? inner : `${outer}${separator}${inner}`;
}

/** Where the bracket that opens at a position is closed; the end of the text where it is not. */
function closing(text: string, position: number): number {
    let depth = 0;
    for (let at = position; at < text.length; at++) {
        depth += "[({".includes(text[at] ?? "") ? 1 : "])}".includes(text[at] ?? "") ? -1 : 0;
        if (depth === 0) {
            return at;
        }
    }
    return text.length;
}

/** For each attribute of a list in brackets which kind of test it makes; undefined for others. */
function attributes(list: string): (string | undefined)[] {
    const parts: string[] = [""];
    let depth = 0;
    for (const character of list) {
        depth += "[({".includes(character) ? 1 : "])}".includes(character) ? -1 : 0;
        if (character === "," && depth === 0) {
            parts.push("");
        } else {
            parts[parts.length - 1] += character;
        }
    }
    return parts.map((part) => TEST.exec(part)?.[1]);
}
