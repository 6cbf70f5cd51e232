import * as assert from "node:assert/strict";
import { test } from "node:test";

import { configurationsOf, type ProjectFacts, testsOf } from "../src/configurations";
import { launchProfiles } from "../src/launchSettings";
import type { Project } from "../src/projects";

function facts(changes: Partial<Project> = {}, others: Partial<ProjectFacts> = {}): ProjectFacts {
    const project: Project = {
        file: "/w/src/App/App.csproj",
        name: "App",
        frameworks: ["net8.0"],
        kind: "program",
        takesTestFilter: true,
        ...changes,
    };
    return { project, profiles: [], readsConsole: false, ...others };
}

test("a project is launched by its file, with a path that can be shared", () => {
    assert.deepEqual(configurationsOf(facts(), "/w"), [
        {
            name: ".NET: App",
            type: "dap-dotnet",
            request: "launch",
            program: "${workspaceFolder}/src/App/App.csproj",
            logging: { moduleLoad: false },
        },
    ]);
    const [outside] = configurationsOf(facts({ file: "/elsewhere/App.csproj" }), "/w");
    assert.equal(outside?.["program"], "/elsewhere/App.csproj");
});

test("each of several frameworks has a configuration of its own", () => {
    const found = configurationsOf(facts({ frameworks: ["net8.0", "net10.0"] }), "/w");
    assert.deepEqual(
        found.map((each) => [each.name, each["targetFramework"]]),
        [
            [".NET: App (net8.0)", "net8.0"],
            [".NET: App (net10.0)", "net10.0"],
        ],
    );
});

test("a program that reads from the console runs in a terminal", () => {
    const [found] = configurationsOf(facts({}, { readsConsole: true }), "/w");
    assert.equal(found?.["console"], "integratedTerminal");
});

test("each of several profiles has a configuration of its own", () => {
    const profiles = [
        { name: "http", launchBrowser: true },
        { name: "quiet", launchBrowser: false },
    ];
    const found = configurationsOf(facts({ kind: "web", frameworks: ["net8.0", "net10.0"] }, { profiles }), "/w");
    assert.deepEqual(
        found.map((each) => [each.name, each["launchSettingsProfile"]]),
        [
            [".NET: App (net8.0, http)", "http"],
            [".NET: App (net8.0, quiet)", "quiet"],
            [".NET: App (net10.0, http)", "http"],
            [".NET: App (net10.0, quiet)", "quiet"],
        ],
    );
    assert.deepEqual(
        found.map((each) => each["serverReadyAction"] !== undefined),
        [true, false, true, false],
    );
});

test("a web application opens the browser when its profile does", () => {
    const [found] = configurationsOf(
        facts({ kind: "web" }, { profiles: [{ name: "http", launchBrowser: true }] }),
        "/w",
    );
    assert.equal(found?.["launchSettingsProfile"], undefined);
    const { pattern } = found?.["serverReadyAction"] as { pattern: string };
    assert.equal(
        new RegExp(pattern).exec("      Now listening on: http://localhost:5000")?.[1],
        "http://localhost:5000",
    );
    const [quiet] = configurationsOf(facts({ kind: "web" }), "/w");
    assert.equal(quiet?.["serverReadyAction"], undefined);
});

test("profiles are those that start the project; comments and commas at the end are as .NET takes them", () => {
    const text = `\uFEFF{
        // the usual ones
        "profiles": {
            "http": { "commandName": "Project", "launchBrowser": true, "applicationUrl": "http://localhost:5000", },
            "IIS Express": { "commandName": "IISExpress" },
            "plain": { "commandName": "Project" /* no browser */ },
        },
    }`;
    assert.deepEqual(launchProfiles(text), [
        { name: "http", launchBrowser: true },
        { name: "plain", launchBrowser: false },
    ]);
    for (const wrong of ["", "[]", "null", "{", '{"profiles": 3}', '{"profiles": {"x": null}}']) {
        assert.deepEqual(launchProfiles(wrong), [], wrong);
    }
});

test("a project of tests runs them all, or those of a filter", () => {
    const all = facts({ kind: "test" });
    const tests = all.project;
    assert.deepEqual(configurationsOf(all, "/w"), [testsOf(tests, "/w")]);
    const one = testsOf(tests, "/w", "FullyQualifiedName=A.B", "B");
    assert.deepEqual([one.name, one["testFilter"], one["program"]], [".NET: B", "FullyQualifiedName=A.B", undefined]);
});
