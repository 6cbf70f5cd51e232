import * as assert from "node:assert/strict";
import { test } from "node:test";

import { choosable, type Choice, choose, keyOf, type OpenFile, type Situation, startablesOf } from "../src/choices";
import { fileBasedProgram, testsOf } from "../src/configurations";
import type { LaunchProfile } from "../src/launchSettings";
import { parseProject, type Project } from "../src/projects";

function project(name: string, body: string, sdk = "Microsoft.NET.Sdk"): Project {
    return parseProject(`/w/${name}/${name}.csproj`, `<Project Sdk="${sdk}">${body}</Project>`);
}

const exe = "<OutputType>Exe</OutputType>";
const api = project("Api", "", "Microsoft.NET.Sdk.Web");
const worker = project("Worker", exe);
const core = project("Core", "");
const tests = project("Tests", '<PackageReference Include="Microsoft.NET.Test.Sdk" />');
const wide = project("Wide", `${exe}<TargetFrameworks>net8.0;net10.0</TargetFrameworks>`);
const web: LaunchProfile[] = ["http", "https"].map((name) => ({
    name,
    launchBrowser: false,
    launchUrl: "",
    applicationUrl: "",
}));

function situation(projects: Project[], open?: Partial<OpenFile>, remembered = {}): Situation {
    const startables = projects.flatMap((each) =>
        startablesOf({ project: each, profiles: each.kind === "web" ? web : [], readsConsole: false }),
    );
    const file = { path: "/w/README.md", isSaved: true, ...open };
    return { ...(open === undefined ? {} : { open: file }), projects, startables, remembered };
}

function source(of: Project, name = "Program.cs"): Partial<OpenFile> {
    return { path: `/w/${of.name}/${name}`, project: of };
}

/** What F5 starts, or the list that it shows, in brackets. */
function told(choice: Choice): string {
    if ("start" in choice) {
        return choice.start.name.replace(".NET: ", "");
    }
    if ("ask" in choice) {
        return `[${choice.ask.map(({ label }) => label).join()}${choice.canFollowEditor ? ",+" : ""}]`;
    }
    return choice.nothing;
}

const text = { path: "/w/README.md" };
const ofTests = testsOf(tests, undefined, "FullyQualifiedName~A.", "tests of A.cs");
const script = { path: "/w/x.cs", asProgram: fileBasedProgram("/w/x.cs", "", [], undefined) };
const startsWorker = { start: "/w/Worker/Worker.csproj||" };

for (const [what, where, expected] of [
    ["nothing is open, one program", situation([core, tests, worker]), "Worker"],
    ["a text, one program", situation([core, tests, worker], text), "Worker"],
    ["a library's source, one program", situation([core, worker], source(core)), "Worker"],
    ["its first profile, which nobody asks for", situation([api], source(api)), "Api (http)"],
    ["several programs: asked", situation([api, worker]), "[Api (http),Worker]"],
    ["that of the editor first", situation([api, worker], source(worker)), "[Worker,Api (http),+]"],
    ["several frameworks: asked", situation([wide], text), "[Wide (net8.0),Wide (net10.0)]"],
    ["what was chosen before", situation([api, worker], source(api), startsWorker), "Worker"],
    ["what was chosen is gone", situation([api, core], source(core), startsWorker), "Api (http)"],
    ["a program's project file", situation([api, worker], { path: api.file, project: api }), "Api (http)"],
    ["the same, after another choice", situation([api, worker], { path: api.file, project: api }, startsWorker), "Api (http)"],
    ["a library's project file", situation([core, worker], { path: core.file, project: core }), "Worker"],
    ["the editor is followed", situation([api, worker], source(api), { ...startsWorker, followsEditor: true }), "Api (http)"],
    ["followed into a library", situation([api, worker, core], source(core), { ...startsWorker, followsEditor: true }), "Worker"],
    [
        "followed to a chosen framework",
        situation([wide, api], source(wide), { start: "/w/Wide/Wide.csproj|net8.0|", followsEditor: true }),
        "Wide (net8.0)",
    ],
    ["a file with tests", situation([worker, tests], { ...source(tests, "A.cs"), asTests: ofTests }), "tests of A.cs"],
    ["another file of a test project", situation([worker, tests], source(tests, "Fixture.cs")), "tests of Tests"],
    ["tests, several programs, one chosen", situation([api, worker, tests], source(tests), startsWorker), "tests of Tests"],
    [
        "the choice is meant for tests, too",
        situation([api, worker, tests], source(tests), { ...startsWorker, insteadOfTests: true }),
        "Worker",
    ],
    ["a folder with tests only", situation([core, tests], text), "tests of Tests"],
    ["a C# file without a project", situation([], script), "x.cs"],
    ["the same beside programs", situation([api, worker], script, startsWorker), "x.cs"],
] as const) {
    test(`F5: ${what}`, () => assert.equal(told(choose(where)), expected));
}

test("F5 says why there is nothing to start", () => {
    assert.match(told(choose(situation([]))), /^There is no \.NET project here/);
    assert.match(told(choose(situation([], { path: "/w/Cart.cs" }))), /^Cart\.cs belongs to no project, and has no Main/);
    assert.match(told(choose(situation([core], source(core)))), /^Core is a class library: .*<OutputType>Exe/);
    assert.match(told(choose(situation([], { path: "Untitled-1", isSaved: false }))), /^Untitled-1 is not saved yet/);
});

test("everything can be chosen for good: each profile and framework, tests last", () => {
    const { startables } = situation([tests, wide, api]);
    assert.deepEqual(
        choosable(startables).map(({ label }) => label),
        ["Wide (net8.0)", "Wide (net10.0)", "Api (http)", "Api (https)", "tests of Tests"],
    );
    assert.equal(new Set(startables.map(keyOf)).size, startables.length);
});

test("a profile that was chosen is started", () => {
    const chosen = situation([api], source(api), { start: "/w/Api/Api.csproj||https" });
    assert.equal(told(choose(chosen)), "Api (https)");
});
