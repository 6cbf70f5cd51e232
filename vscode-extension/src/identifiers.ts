/** A name in a source: line and column from 0. */
export interface Identifier {
    readonly name: string;
    readonly line: number;
    readonly column: number;
}

export type Language = "csharp" | "fsharp" | "vb";

/** What a language has that holds no names: comments, strings and characters, the longest form first. */
const SKIPPED: Record<Language, RegExp> = {
    csharp: /\/\/.*|\/\*[^]*?(?:\*\/|(?![^]))|("{3,})[^]*?(?:\1(?!")|(?![^]))|@"(?:[^"]|"")*"?|"(?:\\.|[^"\\\n])*"?|'(?:\\.[^'\n]*|[^'\\\n])'|^[ \t]*#.*/my,
    fsharp: /\/\/.*|\(\*(?!\))[^]*?(?:\*\)|(?![^]))|"""[^]*?(?:"""|(?![^]))|@"(?:[^"]|"")*"?|"(?:\\[^]|[^"\\])*"?|'(?:\\.[^'\n]*|[^'\\\n])'/my,
    vb: /'.*|"(?:[^"]|"")*"?/my,
};
const INTERPOLATED = /(\$+@?|@\$)("{3,}|")/y;
const NAME = /[@$]?([\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*)/uy;
const NUMBER = /\d[\w.]*/y;

/**
 * The names in a source that may mean variables, in order: not those in comments and strings, nor of members (`x.Name`) and named
 * arguments (`count: 1`). In C# the holes of interpolated strings count.
 */
export function identifiers(text: string, language: Language): Identifier[] {
    const found: Identifier[] = [];
    let [line, lineStart] = [0, 0];
    const take = (name: string, offset: number): void => {
        for (let end = text.indexOf("\n", lineStart); end >= 0 && end < offset; end = text.indexOf("\n", lineStart)) {
            [line, lineStart] = [line + 1, end + 1];
        }
        found.push({ name, line, column: offset - lineStart });
    };
    new Scanner(text, language, take).code(0, false);
    return found;
}

class Scanner {
    constructor(
        private readonly text: string,
        private readonly language: Language,
        private readonly take: (name: string, offset: number) => void,
    ) {}

    /** Reads code, of a hole up to where its expression ends; says where it has come to. */
    code(start: number, isHole: boolean): number {
        let at = start;
        let depth = 0;
        while (at < this.text.length) {
            const character = this.text.charAt(at);
            const interpolated = this.language === "csharp" ? match(INTERPOLATED, this.text, at) : null;
            if (interpolated !== null) {
                at = this.interpolated(at, interpolated);
                continue;
            }
            const skipped = match(SKIPPED[this.language], this.text, at) ?? match(NUMBER, this.text, at);
            if (skipped !== null) {
                at += skipped[0].length;
                continue;
            }
            const name = match(NAME, this.text, at);
            if (name !== null) {
                this.name(name[1] ?? "", at, at + name[0].length);
                at += name[0].length;
                continue;
            }
            if (isHole && depth === 0 && (character === "}" || character === ":")) {
                return at;
            }
            depth += "([{".includes(character) ? 1 : ")]}".includes(character) ? -1 : 0;
            at++;
        }
        return at;
    }

    private name(name: string, start: number, end: number): void {
        const before = this.text.slice(Math.max(0, start - 80), start).trimEnd();
        const isMember = /(?:^|[^.])\.$|->$|\?\.$/.test(before);
        const isArgument = /[(,]$/.test(before) && /^\s*:(?!:)/.test(this.text.slice(end, end + 80));
        if (!isMember && !isArgument) {
            this.take(name, start);
        }
    }

    /** Reads an interpolated string of C#; the number of its dollars is that of the braces around a hole. */
    private interpolated(start: number, [opening, prefix = "", quotes = ""]: RegExpExecArray): number {
        const isRaw = quotes.length > 1;
        const isVerbatim = prefix.includes("@");
        const braces = isRaw ? prefix.length : 1;
        let at = start + opening.length;
        while (at < this.text.length) {
            const rest = this.text.slice(at, at + 2);
            if (this.text.startsWith(quotes, at) && !(isVerbatim && rest === '""')) {
                return at + quotes.length;
            }
            const opened = match(/\{+/y, this.text, at)?.[0].length ?? 0;
            if (isRaw ? opened >= braces : opened % 2 === 1) {
                at = this.code(at + opened, true);
                while (at < this.text.length && this.text.charAt(at) !== "}" && !this.text.startsWith(quotes, at)) {
                    at++; // the format
                }
                at += match(/\}+/y, this.text, at)?.[0].slice(0, braces).length ?? 0;
            } else if (opened > 0) {
                at += opened;
            } else if (!isRaw && !isVerbatim && rest.startsWith("\n")) {
                return at; // it is not ended
            } else {
                at += (isVerbatim && rest === '""') || (!isRaw && !isVerbatim && rest.startsWith("\\")) ? 2 : 1;
            }
        }
        return at;
    }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
    pattern.lastIndex = at;
    return pattern.exec(text);
}
