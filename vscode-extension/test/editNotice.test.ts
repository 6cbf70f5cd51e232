import * as assert from "node:assert/strict";
import { test } from "node:test";

import { editNotice } from "../src/editNotice";

const OUTPUT = "The program runs the code of before your change of Program.cs: restart it to run the new code.\n";

test("the notice of an edited source is known by its words and its source", () => {
    const body = { category: "console", output: OUTPUT, source: { path: "/src/Program.cs" } };
    assert.equal(editNotice({ type: "event", event: "output", body }), OUTPUT.trimEnd());
});

test("what the program writes is no notice, whatever it says", () => {
    for (const body of [{ category: "stdout", output: OUTPUT }, { output: "x", source: {} }, {}, undefined]) {
        assert.equal(editNotice({ type: "event", event: "output", body }), undefined);
    }
    assert.equal(editNotice({ type: "response", command: "launch" }), undefined);
});
