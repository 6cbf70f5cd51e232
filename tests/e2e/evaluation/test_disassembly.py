"""IL of a real program, and breakpoints on its instructions."""

from __future__ import annotations

import pytest

from tests.support import programs


@pytest.mark.e2e
def test_program_stops_at_instructions(runtime, session):
    """The runtime takes every place that is offered, of methods that have run and of one that has not."""
    program = programs.build("Loop", runtime)
    session.stop_in(program, "square", "2", justMyCode=False)
    square, main = session.stack(count=2)
    shown = _method(session, main.instruction_pointer_reference)
    assert any("call int32 Loop.Program::Square(int32)" in one["instruction"] for one in shown)
    assert main.line in {one.get("line") for one in shown}
    assert {frame.instruction_pointer_reference for frame in (square, main)} < {
        one["address"] for one in shown + _method(session, square.instruction_pointer_reference)
    }
    session.set_breakpoints(str(program.source), [])
    wanted = [{"instructionReference": one["address"]} for one in shown]
    made = session.request("setInstructionBreakpoints", {"breakpoints": wanted})["breakpoints"]
    assert all(one["verified"] for one in made)
    places = {one["instructionReference"] for one in made}
    behind = sorted(place for place in places if place > main.instruction_pointer_reference)
    hit = []
    while len(hit) < len(places) * 3:
        session.continue_()
        stop = session.wait_for_stop()
        frame = session.stack(count=1)[0]
        assert (stop.reason, frame.line > 0 or frame.source is None) == ("instruction breakpoint", True)
        hit.append(frame.instruction_pointer_reference)
        if frame.line == program.line("after"):
            break
    assert set(hit) <= places
    assert hit[0] == behind[0]  # right behind the call, or where the next statement begins
    assert set(behind) - set(hit) <= {place for place in behind if place > hit[-1]}


def _method(session, reference):
    """All instructions of the method at an address."""
    arguments = {"memoryReference": reference, "instructionOffset": -200, "instructionCount": 400}
    found = session.request("disassemble", arguments)["instructions"]
    assert len(found) == 400
    return [one for one in found if one.get("presentationHint") != "invalid"]


@pytest.mark.e2e
def test_native_code_is_what_the_program_executes(runtime, session):
    """Without the breakpoints in it, for a frame that stands at one and for its caller."""
    program = programs.build("Loop", runtime)
    session.stop_in(program, "square", "2", justMyCode=False)
    for frame in session.stack(count=2):
        body = session.request("dap-dotnet/nativeCode", {"frameId": frame.id})
        shown = body["instructions"]
        addresses = [int(one["address"], 16) for one in shown]
        sizes = [len(bytes.fromhex(one["instructionBytes"])) for one in shown]
        assert [address + size for address, size in zip(addresses, sizes, strict=True)][:-1] == addresses[1:]
        assert shown[body["current"]]["line"] == frame.line
        text = "\n".join(one["instruction"] for one in shown)
        assert "ret" in text
        assert shown[body["current"]]["instruction"] != "int3"
        if frame.line == program.line("square"):
            assert "mul" in text
        around = {"memoryReference": shown[0]["address"], "instructionCount": len(shown)}
        assert [one["instruction"] for one in session.request("disassemble", around)["instructions"]] == [
            one["instruction"] for one in shown
        ]
