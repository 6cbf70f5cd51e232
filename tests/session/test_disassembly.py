"""Instructions as text, and breakpoints on them, over the whole server."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import DOCUMENT, line_of


@pytest.fixture
def stopped(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    return session


def disassemble(session, reference, first, count, **more):
    arguments = {"memoryReference": reference, "instructionOffset": first, "instructionCount": count, **more}
    return session.client.request("disassemble", arguments)["instructions"]


def test_instructions_have_names_source_and_addresses_that_are_those_of_frames(stopped):
    add, main = stopped.client.stack()
    found = disassemble(stopped, add.instruction_pointer_reference, 0, 4)
    assert [one["instruction"] for one in found] == [
        "IL_0001: ldarg.0 // left",
        "IL_0002: ldarg.1 // right",
        "IL_0003: add",
        "IL_0004: stloc.0 // sum",
    ]
    assert [one["instructionBytes"] for one in found] == ["02", "03", "58", "0a"]
    assert {one["line"] for one in found} == {line_of("add")}
    assert [one.get("location", {}).get("path") for one in found] == [DOCUMENT, None, None, None]
    assert [int(one["address"], 16) - int(found[0]["address"], 16) for one in found] == [0, 1, 2, 3]
    assert found[0]["address"] == add.instruction_pointer_reference
    (call,) = disassemble(stopped, main.instruction_pointer_reference, 0, 40, offset=-0x10000)[:1]
    assert call["presentationHint"] == "invalid"
    texts = [one["instruction"] for one in disassemble(stopped, main.instruction_pointer_reference, 0, 60)]
    assert any("call int32 Sample.Program::Add(int32,int32)" in text for text in texts)


def test_as_many_instructions_are_given_as_were_asked_for(stopped):
    reference = stopped.client.stack()[0].instruction_pointer_reference
    everything = disassemble(stopped, reference, -20, 60)
    assert len(everything) == 60
    valid = [one for one in everything if one.get("presentationHint") != "invalid"]
    assert valid[0]["instruction"] == "IL_0000: nop"
    assert valid[0]["symbol"].startswith("Sample.Program.Add(")
    assert all("symbol" not in one for one in valid[1:])
    addresses = [int(one["address"], 16) for one in everything]
    assert addresses == sorted(set(addresses))
    for first in range(-20, 38):  # whatever window is asked for, it is that part of the whole
        window = disassemble(stopped, reference, first, 3)
        place = first + 20
        assert [one["address"] for one in window] == [one["address"] for one in everything[place : place + 3]]
    assert disassemble(stopped, reference, 0, 0) == []
    assert "symbol" not in disassemble(stopped, reference, -1, 1, resolveSymbols=False)[0]
    inside = disassemble(stopped, valid[-1]["address"], 0, 2, offset=1)
    assert [one.get("presentationHint") for one in inside] == ["invalid", "invalid"]


def test_view_that_has_no_frame_is_told_quietly(stopped):
    for reference, is_shown in (("", False), ("here", True)):
        with pytest.raises(DapRequestError) as refused:
            disassemble(stopped, reference, 0, 50)
        assert refused.value.response["body"]["error"]["showUser"] is is_shown


@pytest.mark.parametrize(
    ("reference", "count", "expected"),
    [
        ("0x7fff12345678", 1, "no IL at 0x7fff12345678"),
        ("here", 1, "not the address of an instruction"),
        ("0x1000900000100000", 1, "no longer loaded"),
        ("0x100020fffff00000", 1, "cannot be read"),
        ("0x1000200000000000", 1, "cannot be read"),
        (None, -1, "Cannot disassemble"),
        (None, 4_000_000_000, "Cannot disassemble"),
    ],
)
def test_what_has_no_instructions_is_refused(stopped, reference, count, expected):
    reference = reference or stopped.client.stack()[0].instruction_pointer_reference
    with pytest.raises(DapRequestError, match=expected):
        disassemble(stopped, reference, 0, count)


def test_breakpoint_on_an_instruction_stands_where_the_stack_is_empty(stopped):
    client = stopped.client
    reference = client.stack()[0].instruction_pointer_reference
    wanted = [
        {"instructionReference": reference, "offset": 4},  # ldloc.0, of `return sum`
        {"instructionReference": reference, "offset": 2},  # add
        {"instructionReference": reference, "offset": 400},
        {"instructionReference": reference, "offset": -4000000},
        {"instructionReference": "0x12", "offset": 0},
        {"instructionReference": "0x1000900000100000"},
    ]
    found = client.request("setInstructionBreakpoints", {"breakpoints": wanted})["breakpoints"]
    assert [one["verified"] for one in found] == [True, True, False, False, False, False]
    assert (found[0]["line"], found[0].get("message")) == (line_of("added"), None)
    assert found[0]["instructionReference"] == hex(int(reference, 16) + 4)
    assert "stands at IL_0001" in found[1]["message"]
    assert found[1]["instructionReference"] == reference
    assert "No instruction starts at IL offset 0x191" in found[2]["message"]
    assert "outside the method" in found[3]["message"]
    assert "no IL" in found[4]["message"]
    assert "not loaded" in found[5]["message"]
    client.set_breakpoints(DOCUMENT, [])
    client.continue_()
    stop = client.wait_for_stop()
    assert (stop.reason, client.stack()[0].line) == ("instruction breakpoint", line_of("added"))
    listed = client.request("dap-dotnet/breakpoints", {})["breakpoints"]
    assert [one["kind"] for one in listed] == ["instruction"] * 4
    assert listed[1]["instructionReference"] == hex(int(reference, 16) + 2)
    explained = client.request("dap-dotnet/explainBreakpoint", {"breakpointId": found[0]["id"]})
    assert "IL offset 5" in explained["text"]


def test_condition_and_log_message_hold_for_instruction_breakpoints(stopped):
    client = stopped.client
    reference = client.stack()[0].instruction_pointer_reference
    wanted = [
        {"instructionReference": reference, "condition": "right == 3"},
        {"instructionReference": reference, "offset": 4, "logMessage": "sum {sum}"},
    ]
    client.request("setInstructionBreakpoints", {"breakpoints": wanted})
    client.set_breakpoints(DOCUMENT, [])
    client.continue_()
    client.wait_for_stop()
    assert client.locals()["right"].value == "3"
    assert "".join(body["output"] for body in client.events("output")) == "sum 1\nsum 3\n"


def test_instruction_breakpoints_say_that_they_are_of_the_run_before(stopped):
    client = stopped.client
    reference = client.stack()[0].instruction_pointer_reference
    wanted = [{"instructionReference": reference, "offset": 4}]
    client.request("setInstructionBreakpoints", {"breakpoints": wanted})
    client.request("restart")
    client.wait_for_stop()
    told = [body["breakpoint"] for body in client.events("breakpoint")]
    (said,) = [one for one in told if one.get("reason") == "failed"]
    assert "change with each run" in said["message"]
