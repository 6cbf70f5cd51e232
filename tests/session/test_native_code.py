"""The code of the processor, as a request and as text, over the whole server; the code is the test's own."""

from __future__ import annotations

import builtins
import platform

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.runtime.native_code import CodeChunk, CodeMapping, NativeCode
from tests.support.fake_debuggee.memory import MEMORY_START
from tests.support.fake_debuggee.sample import DOCUMENT, line_of

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the code of the tests is x64's")

ENTRY, ADD, LEAVE = b"\x55", b"\x8d\x04\x37", b"\x5d\xc3"
"""push rbp; lea eax, [rdi + rsi]; pop rbp, ret."""
COLD = b"\xcc"
COLD_AT = 0x100


@pytest.fixture
def stopped(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    add = session.client.stack()[0]
    session.debuggee.memory += (ENTRY + ADD + LEAVE).ljust(COLD_AT, b"\x90") + COLD
    il_offset = int(add.instruction_pointer_reference, 16) & 0xFFFFF
    session.debuggee.compiled[0] = NativeCode(
        (CodeChunk(MEMORY_START, 6), CodeChunk(MEMORY_START + COLD_AT, 1)),
        (CodeMapping(None, 0, 1), CodeMapping(il_offset, 1, 4), CodeMapping(None, 4, 6), CodeMapping(il_offset, 6, 7)),
        1,
    )
    return session


@pytest.fixture
def no_decoder(monkeypatch):
    import_ = builtins.__import__

    def without(name, *arguments, **more):
        if name == "capstone":
            raise ImportError(name)
        return import_(name, *arguments, **more)

    monkeypatch.setattr(builtins, "__import__", without)


def native_code(session, **arguments):
    return session.client.request("dap-dotnet/nativeCode", arguments)


def texts(instructions):
    return [one["instruction"] for one in instructions]


def test_instructions_have_addresses_bytes_and_the_lines_they_came_from(stopped):
    found = native_code(stopped)
    shown = found["instructions"]
    assert texts(shown) == ["push rbp", "lea eax, [rdi + rsi]", "pop rbp", "ret", "int3"]
    assert [one["instructionBytes"] for one in shown] == ["55", "8d 04 37", "5d", "c3", "cc"]
    places = [int(one["address"], 16) - MEMORY_START for one in shown]
    assert places == [0, 1, 4, 5, COLD_AT]
    assert [one.get("line") for one in shown] == [None, line_of("add"), None, None, line_of("add")]
    assert [one.get("location", {}).get("path") for one in shown] == [None, DOCUMENT, None, None, DOCUMENT]
    assert shown[0]["symbol"].startswith("Sample.Program.Add(")
    assert found["current"] == 1
    assert "note" not in found


def test_disassemble_takes_its_addresses(stopped):
    address = native_code(stopped)["instructions"][1]["address"]
    arguments = {"memoryReference": address, "instructionOffset": -2, "instructionCount": 8}
    shown = stopped.client.request("disassemble", arguments)["instructions"]
    (before, *code, behind) = shown
    assert texts(code)[:5] == ["push rbp", "lea eax, [rdi + rsi]", "pop rbp", "ret", "int3"]
    assert (before["presentationHint"], behind["presentationHint"]) == ("invalid", "invalid")
    for wrong in (MEMORY_START - 1, MEMORY_START + 6, MEMORY_START + COLD_AT + 1):
        with pytest.raises(DapRequestError, match="There is no IL at"):
            stopped.client.request("disassemble", {"memoryReference": hex(wrong), "instructionCount": 1})


def test_breakpoints_stand_on_il_only(stopped):
    address = native_code(stopped)["instructions"][1]["address"]
    wanted = {"breakpoints": [{"instructionReference": address}]}
    (made,) = stopped.client.request("setInstructionBreakpoints", wanted)["breakpoints"]
    assert (made["verified"], "There is no IL at" in made["message"]) == (False, True)


def test_text_shows_where_the_frame_is(stopped):
    lines = stopped.client.evaluate(" .asm ;", context="repl").result.splitlines()
    assert lines[0].startswith("Sample.Program.Add(")
    assert lines[0].endswith("): 7 bytes")
    (current,) = (line for line in lines if line.startswith("=>"))
    assert current.split() == ["=>", f"0x{MEMORY_START + 1:016x}", "8d0437", "lea", "eax,", "[rdi", "+", "rsi]"]
    above = lines[lines.index(current) - 1]
    assert above.endswith(f", Sample.cs:{line_of('add')}")
    assert lines[1] == "   ; of no IL"


def test_without_a_decoder_the_bytes_are_shown_and_what_to_do(stopped, no_decoder):
    found = native_code(stopped)
    assert texts(found["instructions"]) == ["55", "8d 04 37", "5d c3", "cc"]
    assert found["current"] == 1
    assert found["note"].startswith("To see instructions instead of bytes, run: ")
    assert " install capstone" in found["note"]
    assert stopped.client.evaluate(".asm", context="repl").result.splitlines()[1] == found["note"]


def test_frame_without_code_of_its_own_is_refused(stopped):
    main = stopped.client.stack()[1]
    for ask in (
        lambda: native_code(stopped, frameId=main.id),
        lambda: stopped.client.evaluate(".asm", context="repl", frame_id=main.id),
    ):
        with pytest.raises(DapRequestError, match="does not give the native code of this frame"):
            ask()


def test_more_code_than_is_shown_is_refused(stopped):
    stopped.debuggee.compiled[0] = NativeCode((CodeChunk(MEMORY_START, 1 << 30),), (), 0)
    with pytest.raises(DapRequestError, match="has more than 4,194,304 bytes"):
        native_code(stopped)


def test_memory_that_ends_is_shown_as_far_as_it_goes(stopped):
    stopped.debuggee.compiled[0] = NativeCode((CodeChunk(MEMORY_START, COLD_AT + 50),), (), 5)
    shown = native_code(stopped)["instructions"]
    assert texts(shown)[-1] == "int3"
    assert all("line" not in one for one in shown)
