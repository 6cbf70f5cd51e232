import * as assert from "node:assert/strict";
import { test } from "node:test";

import { identifiers, type Language } from "../src/identifiers";
import { VariableNames } from "../src/variableNames";

function names(text: string, language: Language = "csharp"): string[] {
    return identifiers(text, language).map(({ name }) => name);
}

test("comments, strings and characters of C# have no names", () => {
    assert.deepEqual(names("a // b\n/* c\nd */ e"), ["a", "e"]);
    assert.deepEqual(names(`a + "b \\" c" + @"d "" e" + 'f' + '\\'' + "\\\\" + g`), ["a", "g"]);
    assert.deepEqual(names('"""\na "b" c\n""" + d'), ["d"]);
    assert.deepEqual(names("#if a\nb\n#endif\nc"), ["b", "c"]);
    assert.deepEqual(names("0x1F + 1e5f + 1_000L + a1"), ["a1"]);
});

test("the holes of interpolated strings have names, their formats and texts have none", () => {
    assert.deepEqual(names('$"a {b} {{c}} {d,5:x2} \\" e" + f'), ["b", "d", "f"]);
    assert.deepEqual(names('$@"a "" {b} \\" + c'), ["b", "c"]);
    assert.deepEqual(names('$"{(a ? b : c)} {d["e"]} {$"f {g}"}" + h'), ["a", "b", "c", "d", "g", "h"]);
    assert.deepEqual(names('$$"""a {b} {{c}} "d" """ + e'), ["c", "e"]);
    assert.deepEqual(names('$"not ended {a\nb'), ["a", "b"]);
});

test("members and named arguments are no variables", () => {
    assert.deepEqual(names("a.b?.c->d.\n  e"), ["a"]);
    assert.deepEqual(names("f(count: g, x ? y : z)"), ["f", "g", "x", "y", "z"]);
    assert.deepEqual(names("xs[..n] + @class"), ["xs", "n", "class"]);
});

test("F# and Visual Basic have comments and strings of their own", () => {
    assert.deepEqual(names('let a = b // c\n(* d *) e "f" (*) g', "fsharp"), ["let", "a", "b", "e", "g"]);
    assert.deepEqual(names("let a' = '\"' + b", "fsharp"), ["let", "a", "b"]);
    assert.deepEqual(names('Dim a = "b "" c" \' d\ne', "vb"), ["Dim", "a", "e"]);
});

test("a name counts where it means the variable, once a line, up to the last line", () => {
    const text = "void F(int a) {\n  a = a + b;\n  { int b = a; }\n  a;\n}\nvoid G() { a; }\n";
    const body = {
        variables: [
            { name: "a", ranges: [{ line: 1, column: 1, endLine: 5, endColumn: 2 }] },
            { name: "b", ranges: [{ line: 3, column: 3, endLine: 3, endColumn: 17 }] },
        ],
    };
    const shown = new VariableNames(body, "csharp").within(text, 0, 9);
    assert.deepEqual(
        shown.map(({ name, line, column }) => `${name} ${line} ${column}`),
        ["a 0 11", "a 1 2", "b 2 8", "a 2 12", "a 3 2"],
    );
    assert.deepEqual(new VariableNames(body, "csharp").within(text, 3, 9).length, 1);
    assert.deepEqual(new VariableNames(body, "csharp").within(text, 0, 0).length, 1);
    assert.equal(new VariableNames(body, "vb").within("A\n", 0, 0)[0]?.name, "A");
});
