"""Steppers, on every runtime."""

from __future__ import annotations

import pytest

from dap_dotnet.runtime.events import BreakpointHit, RuntimeEvent, StepCompleted
from dap_dotnet.runtime.model import StepKind, ThreadId
from tests.e2e.runtime.harness import Session, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def step(session: Session, held: StepCompleted | BreakpointHit, kind: StepKind, end: int = 0) -> StepCompleted:
    """Step a statement: from the present IL offset up to `end`."""
    start = session.debuggee.stack(held.thread, 0, 1).frames[0].il_offset
    assert start is not None
    ranges = [(start, end)] if end else []
    stepper = session.debuggee.step(held.thread, kind, ranges)
    session.debuggee.resume(held)
    done = session.wait(StepCompleted)
    assert done.stepper == stepper
    return done


def method(session: Session, thread: ThreadId) -> str:
    token = session.method_at(thread, 0)
    return next(name for name, value in session.tokens.items() if value == token and "." in name)


def test_step_goes_into_over_and_out_of_calls(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        held: StepCompleted | BreakpointHit = session.run_to("Program.Steps")
        address = session.debuggee.stack(held.thread, 0, 1).frames[0].stack_address
        offsets = []
        while method(session, held.thread) == "Program.Steps":
            offset = session.debuggee.stack(held.thread, 0, 1).frames[0].il_offset
            assert offset is not None
            offsets.append(offset)
            held = step(session, held, StepKind.INTO, offset + 1)
        assert method(session, held.thread) == "Program.Inner"
        assert offsets == sorted(offsets)
        caller = session.debuggee.stack(held.thread, 1, 1).frames[0]
        assert caller.method == session.tokens["Program.Steps"]
        assert caller.stack_address == address
        held = step(session, held, StepKind.OUT)
        assert method(session, held.thread) == "Program.Steps"
        assert session.debuggee.stack(held.thread, 0, 1).frames[0].stack_address == address


def test_step_over_stays_in_the_method(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        held: StepCompleted | BreakpointHit = session.run_to("Program.Steps")
        for _ in range(6):
            offset = session.debuggee.stack(held.thread, 0, 1).frames[0].il_offset
            assert offset is not None
            held = step(session, held, StepKind.OVER, offset + 1)
            assert method(session, held.thread) == "Program.Steps"


def test_step_out_of_a_caller_frame_returns_there(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "deep") as session:
        held = session.run_to("Program.Mark")
        depth = len(session.debuggee.stack(held.thread, 0, 200).frames)
        session.debuggee.step(held.thread, StepKind.OUT, frame_index=2)
        session.debuggee.resume(held)
        done = session.wait(StepCompleted)
        assert len(session.debuggee.stack(done.thread, 0, 200).frames) == depth - 3


def test_cancelled_step_does_not_complete(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        held = session.run_to("Program.Steps")
        stepper = session.debuggee.step(held.thread, StepKind.OUT)
        session.debuggee.cancel_step(stepper)
        session.debuggee.cancel_step(stepper)
        assert session.run_to_end(held) == 7
        assert not any(isinstance(event, StepCompleted) for event in session.seen)


def test_step_with_just_my_code_skips_foreign_modules(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "throw") as session:
        held: RuntimeEvent = session.run_to("Animal.Fail")
        assert isinstance(held, BreakpointHit)
        # The constructor of the exception is the framework's.
        held = step(session, held, StepKind.INTO, 11)
        assert method(session, held.thread) == "Animal.Fail"
