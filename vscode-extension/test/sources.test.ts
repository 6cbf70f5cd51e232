import * as assert from "node:assert/strict";
import { test } from "node:test";

import { entryPointLine, isFileBasedProgram } from "../src/entryPoints";

test("Main is found in its forms", () => {
    for (const main of [
        "static void Main()",
        "public static int Main(string[] args)",
        "private static async Task Main(string[] args)",
        "static async System.Threading.Tasks.Task<int> Main()",
    ]) {
        assert.equal(entryPointLine(`class P\n{\n    ${main} { }\n}`, "App.cs"), 2, main);
    }
});

test("what is no entry point is not taken for one", () => {
    for (const source of [
        "// static void Main()",
        'class P { string s = "static void Main()"; }',
        "class P { void Main() { } }",
        "class P { static string Main() => null; }",
        "namespace N;\npublic class P { }",
        "",
    ]) {
        assert.equal(entryPointLine(source, "Program.cs"), undefined, source);
    }
});

test("a program without Main begins at its first statement", () => {
    const source =
        "// a program\nusing System;\nusing static System.Math;\n\n#nullable enable\nvar x = 1;\nclass P { }";
    assert.equal(entryPointLine(source, "Program.cs"), 5);
    assert.equal(entryPointLine(source, "Other.cs"), undefined);
});

test("a C# file is a program by itself when it says so, or has something to start and no project", () => {
    for (const source of ["#!/usr/bin/env dotnet\nreturn;", "// x\n#:package Humanizer@2.14.1\nreturn;"]) {
        assert.equal(isFileBasedProgram(source, true), true, source);
    }
    for (const source of ["return;", "class P { static void Main() { } }"]) {
        assert.equal(isFileBasedProgram(source, false), true, source);
        assert.equal(isFileBasedProgram(source, true), false, source);
    }
    assert.equal(isFileBasedProgram("class Cart { }", false), false);
    assert.equal(isFileBasedProgram('var s = """\n#:package x\n""";', true), false);
});
