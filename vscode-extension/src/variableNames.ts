import { asRecord } from "./failedStart";
import { type Identifier, identifiers, type Language } from "./identifiers";

/** Where the names of a frame's variables mean them: of the adapter's answer to `dap-dotnet/variableRanges`. */
export class VariableNames {
    private readonly ranges = new Map<string, Record<string, unknown>[]>();

    constructor(
        body: unknown,
        private readonly language: Language,
    ) {
        const { variables } = asRecord(body);
        for (const variable of Array.isArray(variables) ? variables : []) {
            const { name, ranges } = asRecord(variable);
            this.ranges.set(this.key(String(name)), (Array.isArray(ranges) ? ranges : []).map(asRecord));
        }
    }

    /** The names between two lines of a source, each once a line; lines from 0, both included. */
    within(text: string, firstLine: number, lastLine: number): Identifier[] {
        const seen = new Set<string>();
        return identifiers(text, this.language).filter((identifier) => {
            const key = this.key(identifier.name);
            const place = `${identifier.line} ${key}`;
            if (identifier.line < firstLine || identifier.line > lastLine || seen.has(place)) {
                return false;
            }
            const isMeant = this.ranges.get(key)?.some((range) => holds(range, identifier)) ?? false;
            if (isMeant) {
                seen.add(place);
            }
            return isMeant;
        });
    }

    private key(name: string): string {
        return this.language === "vb" ? name.toLowerCase() : name;
    }
}

function holds({ line, column, endLine, endColumn }: Record<string, unknown>, at: Identifier): boolean {
    const [ownLine, ownColumn] = [at.line + 1, at.column + 1];
    const isAfterStart = ownLine > Number(line) || (ownLine === Number(line) && ownColumn >= Number(column));
    const isBeforeEnd = ownLine < Number(endLine) || (ownLine === Number(endLine) && ownColumn < Number(endColumn));
    return isAfterStart && isBeforeEnd;
}
