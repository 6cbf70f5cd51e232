import * as assert from "node:assert/strict";
import { test } from "node:test";

import { parseProject, projectOf, readsConsole } from "../src/projects";

function project(body: string, sdk = "Microsoft.NET.Sdk", file = "/w/App/App.csproj") {
    return parseProject(file, `<Project Sdk="${sdk}">${body}</Project>`);
}

test("a project has the name of its file, and its frameworks", () => {
    const one = project(
        "<PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework></PropertyGroup>",
    );
    assert.deepEqual(one, {
        file: "/w/App/App.csproj",
        name: "App",
        frameworks: ["net8.0"],
        kind: "program",
        takesTestFilter: true,
    });
    const several = project("<TargetFrameworks> net8.0; net10.0;$(More) </TargetFrameworks>");
    assert.deepEqual(several.frameworks, ["net8.0", "net10.0"]);
    assert.deepEqual(project("").frameworks, []);
});

test("what is commented out does not count", () => {
    assert.equal(project("<!-- <OutputType>Exe</OutputType> -->").kind, "library");
});

test("the kind of a project follows from its SDK, output and packages", () => {
    assert.equal(project("<OutputType>WinExe</OutputType>").kind, "program");
    assert.equal(project("<OutputType>Library</OutputType>").kind, "library");
    assert.equal(project("", "Microsoft.NET.Sdk.Web").kind, "web");
    assert.equal(project("<OutputType>Library</OutputType>", "Microsoft.NET.Sdk.Web/8.0.100").kind, "library");
    assert.equal(project("", "Microsoft.NET.Sdk.Worker").kind, "program");
    assert.equal(
        project('<OutputType>Exe</OutputType><PackageReference Include="Microsoft.NET.Test.Sdk" Version="18.0.1" />')
            .kind,
        "test",
    );
    assert.equal(project('<OutputType>Exe</OutputType><PackageReference Include="xunit.v3" />').kind, "test");
    assert.equal(project("", "MSTest.Sdk/3.6.4").kind, "test");
    assert.equal(project('<PackageReference Include="TUnit" /><IsTestProject>false</IsTestProject>').kind, "library");
});

test("a project has what Directory.Build.props says, unless it says otherwise", () => {
    const props = "<Project><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>";
    assert.equal(parseProject("/w/A.csproj", '<Project Sdk="Microsoft.NET.Sdk" />', props).kind, "program");
    const own = '<Project Sdk="Microsoft.NET.Sdk"><TargetFramework>net9.0</TargetFramework><OutputType>Library</OutputType></Project>';
    const changed = parseProject("/w/A.csproj", own, props);
    assert.deepEqual([changed.kind, changed.frameworks], ["library", ["net9.0"]]);
});

test("a file belongs to the project in the nearest folder above it", () => {
    const outer = project("", undefined, "/w/Outer.csproj");
    const inner = project("", undefined, "/w/App/App.csproj");
    assert.equal(projectOf("/w/App/Sub/File.cs", [outer, inner]), inner);
    assert.equal(projectOf("/w/Other/File.cs", [outer, inner]), outer);
    assert.equal(projectOf("/w/Application/File.cs", [inner]), undefined);
});

test("reading from the console is seen in C#, F# and Visual Basic", () => {
    for (const source of [
        "Console.ReadLine()",
        "System.Console.ReadKey(true)",
        "let x = stdin.ReadLine()",
        "Console.In.ReadToEnd()",
    ]) {
        assert.equal(readsConsole(source), true, source);
    }
    assert.equal(readsConsole("Console.WriteLine(File.ReadAllText(x))"), false);
});

test("tests that have options of their own cannot be chosen by a filter", () => {
    const sdk = '<PackageReference Include="Microsoft.NET.Test.Sdk" />';
    assert.equal(project(`${sdk}<PackageReference Include="xunit" />`).takesTestFilter, true);
    assert.equal(project(`${sdk}<PackageReference Include="xunit.v3" Version="1" />`).takesTestFilter, false);
    assert.equal(project('<PackageReference Include="TUnit" />').takesTestFilter, false);
});
