import * as assert from "node:assert/strict";
import { test } from "node:test";

import { buildErrors, builtProgram } from "../src/buildOutput";
import { findDotnet } from "../src/dotnetLocation";
import { entryPointLine } from "../src/entryPoints";
import { installLine } from "../src/installLine";

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

test("the program is the one that the build names for the project", () => {
    const output =
        "  Lib -> /w/Lib/bin/Debug/net8.0/Lib.dll\n  App -> /w/My App/bin/Debug/net8.0/App.dll\r\n\nBuild succeeded.\n";
    assert.equal(builtProgram(output, "/w/My App/App.csproj"), "/w/My App/bin/Debug/net8.0/App.dll");
    assert.equal(builtProgram(output, "/w/Gone/Gone.csproj"), undefined);
});

test("errors of a build are named once, without the project", () => {
    const line = "/w/Program.cs(3,5): error CS1002: ; expected [/w/App.csproj]";
    const other = "MSBUILD : error MSB1009: Project file does not exist.";
    const output = `${line}\n/w/Program.cs(1,1): warning CS0168: x [/w/App.csproj]\n${line}\n${other}\n`;
    assert.deepEqual(buildErrors(output, 5), ["/w/Program.cs(3,5): error CS1002: ; expected", other]);
    assert.equal(buildErrors(output, 1).length, 1);
});

test("dotnet is found by the setting, DOTNET_ROOT, PATH and the usual folders, in this order", () => {
    const all = ["/set/dotnet", "/root/dotnet", "/bin/dotnet", "/home/me/.dotnet/dotnet"];
    const env = { DOTNET_ROOT: "/root", PATH: "relative:/bin", HOME: "/home/me" };
    const found = (programs: string[], dotnetPath = "") =>
        findDotnet({ dotnetPath, env, isExecutable: (file) => programs.includes(file) });
    assert.equal(found(all, "/set/dotnet"), "/set/dotnet");
    assert.equal(found(all), "/root/dotnet");
    assert.equal(found(all.slice(2)), "/bin/dotnet");
    assert.equal(found(all.slice(3)), "/home/me/.dotnet/dotnet");
    assert.equal(found(all.slice(1), "/set/dotnet"), undefined);
    assert.equal(found([]), undefined);
});

test("the install line takes any path", () => {
    assert.equal(
        installLine("/w/it's.whl", "linux"),
        "python3 -m venv .venv && .venv/bin/pip install '/w/it'\\''s.whl'",
    );
    assert.match(installLine("C:\\it's.whl", "win32"), /pip install 'C:\\it''s\.whl'$/);
});
