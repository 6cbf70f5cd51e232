/**
 * Where a C# source may be started: the line (0-based) of Main or of the first top-level statement; undefined when
 * there is none.
 */
export function entryPointLine(source: string, fileName: string): number | undefined {
    const code = blankOut(source);
    const main =
        /\bstatic\s+(?:(?:async|unsafe|partial)\s+)*(?:void|int|(?:[\w.]+\.)?Task(?:\s*<\s*int\s*>)?)\s+Main\s*\(/.exec(
            code,
        );
    if (main !== null) {
        return lineAt(code, main.index);
    }
    return fileName === "Program.cs" ? firstStatement(code) : undefined;
}

/**
 * Whether a C# source is a program by itself (`dotnet run FILE`): whether it says so with `#!` or a directive such as
 * `#:package`, or has something to start and no project around it.
 */
export function isFileBasedProgram(source: string, hasProject: boolean): boolean {
    const saysSo = /^\uFEFF?#!/.test(source) || /^[ \t]*#:/m.test(blankOut(source));
    return saysSo || (!hasProject && entryPointLine(source, "Program.cs") !== undefined);
}

const NOT_A_STATEMENT = /^(using\s+(static\s+|unsafe\s+)?[\w.:<>, =]+;|global\s+using\b|extern\s+alias\b|#|\[|$)/;
const DECLARATION =
    /^((public|internal|private|file|static|abstract|sealed|partial|readonly|ref|unsafe)\s+)*(namespace|class|struct|interface|enum|record|delegate)\b/;

function firstStatement(code: string): number | undefined {
    const lines = code.split("\n").map((line) => line.trim());
    const line = lines.findIndex((text) => !NOT_A_STATEMENT.test(text));
    return line === -1 || DECLARATION.test(lines[line] ?? "") ? undefined : line;
}

function lineAt(text: string, index: number): number {
    return text.slice(0, index).split("\n").length - 1;
}

/** The source with its comments and strings replaced by blanks, line for line. */
export function blankOut(source: string): string {
    const tokens =
        /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"""[\s\S]*?"""|[@$]*@[@$]*"(?:[^"]|"")*"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'/g;
    return source.replace(tokens, (token) => token.replace(/[^\n]/g, " "));
}
