import * as assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "node:util";

import { configurationsOf, type ProjectFacts, testsOf } from "../src/configurations";
import { type LaunchProfile, launchProfiles } from "../src/launchSettings";
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

const profile: LaunchProfile = { name: "http", launchBrowser: true, launchUrl: "", applicationUrl: "" };

/** What VS Code would open for a line of the program. */
function opened(launchUrl: string, applicationUrl: string, line: string): string | undefined {
    const [configuration] = configurationsOf(
        facts({ kind: "web" }, { profiles: [{ ...profile, launchUrl, applicationUrl }] }),
        "/w",
    );
    const { pattern = "", uriFormat } = configuration?.["serverReadyAction"] as { pattern?: string; uriFormat?: string };
    const match = new RegExp(pattern, "i").exec(line);
    return match === null ? undefined : match[1] === undefined ? uriFormat : format(uriFormat ?? "%s", match[1]);
}

test("the page that opens is the profile's, at an address that a browser can go to", () => {
    const line = "      Now listening on: http://localhost:5000";
    assert.equal(opened("", "", line), "http://localhost:5000");
    assert.equal(opened("swagger", "http://localhost:5000", line), "http://localhost:5000/swagger");
    assert.equal(opened("/a%20b?c=%d", "", line), "http://localhost:5000/a%20b?c=%d");
    assert.equal(opened("https://shop.example/", "", line), "https://shop.example/");
    for (const host of ["*", "+", "0.0.0.0", "[::]"]) {
        const all = "Now listening on: http://[::]:5000";
        assert.equal(opened("swagger", `http://${host}:5000`, all), "http://localhost:5000/swagger", host);
    }
    assert.equal(opened("", "http://0.0.0.0:5000", "something else"), undefined);
});

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
        { ...profile, name: "http" },
        { ...profile, name: "quiet", launchBrowser: false },
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
        facts({ kind: "web" }, { profiles: [profile] }),
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
        { ...profile, applicationUrl: "http://localhost:5000" },
        { ...profile, name: "plain", launchBrowser: false },
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
