import * as assert from "node:assert/strict";
import { test } from "node:test";

import { failedStart, remediesOf } from "../src/failedStart";

const FAILED = {
    type: "response",
    success: false,
    command: "attach",
    message: "short",
    body: { error: { id: 1, format: "There is no such process.", variables: { code: "NO_PROCESS" } } },
};

test("a failed start has the adapter's text and code", () => {
    assert.deepEqual(failedStart(FAILED), { command: "attach", text: "There is no such process.", code: "NO_PROCESS" });
    assert.deepEqual(failedStart({ ...FAILED, body: undefined }), { command: "attach", text: "short", code: "" });
});

test("other messages are no failed start", () => {
    for (const other of [
        { ...FAILED, success: true },
        { ...FAILED, command: "evaluate" },
        { type: "event" },
        null,
        "x",
    ]) {
        assert.equal(failedStart(other), undefined);
    }
});

test("the remedies fit what failed", () => {
    const remedies = (command: "launch" | "attach", code = "") => remediesOf({ command, text: "", code });
    assert.equal(remedies("launch", "BUILD_FAILED")[0], "showProblems");
    assert.equal(remedies("attach", "NO_PROCESS")[0], "pickProcess");
    assert.equal(remedies("attach")[0], "doctor");
    assert.equal(remedies("launch")[0], "openConfiguration");
});
