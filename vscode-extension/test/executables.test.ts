import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { isExecutable } from "../src/executables";

test("what can be started", (t) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "executables-"));
    t.after(() => fs.rmSync(folder, { recursive: true }));
    const script = (name: string, text: string, mode = 0o755): string => {
        fs.writeFileSync(path.join(folder, name), text, { mode });
        return path.join(folder, name);
    };
    assert.ok(isExecutable(process.execPath));
    assert.ok(isExecutable(script("sh", "#!/bin/sh\n")));
    assert.ok(isExecutable(script("spaces", "#! /usr/bin/env python3\n")));
    assert.ok(isExecutable(script("plain", "no first line")));
    assert.ok(!isExecutable(script("removed", "#!/removed/bin/python3.9\nimport sys\n")));
    assert.ok(!isExecutable(script("data", "#!/bin/sh\n", 0o644)));
    assert.ok(!isExecutable(folder));
    assert.ok(!isExecutable(path.join(folder, "missing")));
});
