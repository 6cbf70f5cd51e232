import * as assert from "node:assert/strict";
import { test } from "node:test";

import { chosenFrame } from "../src/chosenFrame";
import { currentLine, decoderCommand, listingName } from "../src/nativeCode";

test("a frame is found in what the call stack's menu hands over", () => {
    const frameId = "stackframe:thread:b8e6-11aa:4711:2:Program.cs:9:8:x";
    assert.deepEqual(chosenFrame({ sessionId: "other", frameId }), {
        sessionId: "b8e6-11aa",
        threadId: 4711,
        index: 2,
    });
    assert.equal(chosenFrame({ frameId: "stackframe:thread:s:7:0:" })?.index, 0);
});

test("anything else is no frame", () => {
    for (const other of [undefined, null, "file:///Program.cs", {}, { frameId: 7 }, { frameId: "thread:s:7" }]) {
        assert.equal(chosenFrame(other), undefined);
    }
});

test("a listing is named for its method", () => {
    assert.equal(listingName("Loop.Program.Square(int value): 62 bytes\n   ; IL_0001"), "Program.Square.asm");
    assert.equal(listingName("Shop.Cart..ctor(): 62 bytes"), "Cart..ctor.asm");
    assert.equal(listingName("Shop.Box<System.Int32>.Add<Shop.Item>(Item item): 62 bytes"), "Box<System.Int32>.Add<Shop.Item>.asm");
    assert.equal(listingName("A.<Main>g__Größe|0_1(): 1 bytes"), "A.<Main>g__Größe|0_1.asm");
    assert.equal(listingName("A/B.<>c__X\\..\\M<int, string>(): 1 bytes"), "<>c__X_.._M<int,_string>.asm");
    assert.equal(listingName(""), "code.asm");
});

test("the current line is the marked one", () => {
    assert.equal(currentLine("M(): 9 bytes\n   ; IL_0000\n=> 0x1  90  nop"), 2);
    assert.equal(currentLine("M(): 9 bytes\n   0x1  90  nop"), 0);
});

test("the command that brings instructions is told below the name", () => {
    const listing = "M(): 9 bytes\nTo see instructions instead of bytes, run: '/a b/python' -m pip install capstone\n=> 0x1";
    assert.equal(decoderCommand(listing), "'/a b/python' -m pip install capstone");
    assert.equal(decoderCommand("M(): 9 bytes\n=> 0x1  90  nop"), undefined);
});
