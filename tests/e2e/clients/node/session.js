"use strict";
// One session of Microsoft's DebugClient: a breakpoint is hit, stack and locals are looked at, a step, then on to the end.
// Arguments, one JSON object: adapter (a script without arguments), program, source, line, nextLine, output. Prints what it saw
// as one JSON object; ends with 1 and the reason on stderr when an assertion of the client fails or time runs out.

const { DebugClient } = require("@vscode/debugadapter-testsupport");

async function session({ adapter, program, source, line, nextLine, output }) {
    const client = new DebugClient("/bin/sh", adapter, "dap-dotnet");
    client.defaultTimeout = 20000;
    await client.start();
    try {
        const ended = client.waitForEvent("terminated");
        const exited = client.waitForEvent("exited");
        const printed = client.assertOutput("stdout", output);
        const stopped = client.waitForEvent("stopped");
        await client.hitBreakpoint({ program, args: ["3"] }, { path: source, line });
        const { threadId } = (await stopped).body;
        const { threads } = (await client.threadsRequest()).body;
        const { stackFrames } = (await client.stackTraceRequest({ threadId })).body;
        const { scopes } = (await client.scopesRequest({ frameId: stackFrames[0].id })).body;
        const { variables } = (await client.variablesRequest({ variablesReference: scopes[0].variablesReference })).body;
        await client.setBreakpointsRequest({ source: { path: source }, breakpoints: [] });
        await Promise.all([
            client.nextRequest({ threadId }),
            client.assertStoppedLocation("step", { path: source, line: nextLine }),
        ]);
        await client.continueRequest({ threadId });
        await printed;
        const { exitCode } = (await exited).body;
        await ended;
        return {
            stoppedThreadIsListed: threads.some(({ id }) => id === threadId),
            frames: stackFrames.map(({ name }) => name),
            scope: scopes[0].name,
            locals: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
            exitCode,
        };
    } finally {
        await client.stop();
    }
}

session(JSON.parse(process.argv[2])).then(
    (seen) => console.log(JSON.stringify(seen)),
    (error) => {
        console.error(error);
        // At once: the client's other waits would only run out one after the other.
        process.exit(1);
    },
);
