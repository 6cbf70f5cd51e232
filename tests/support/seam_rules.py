"""The rules of `dap_dotnet.runtime.api` as calls with known outcomes: the real debuggee and the fake one must agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from dap_dotnet.errors import DapDotnetError, RuntimeCallError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ProcessExited, RuntimeEvent, StopCompleted
from dap_dotnet.runtime.hit_tests import HitTest, HitTestKind, HitTestNode, Relation
from dap_dotnet.runtime.model import (
    MOST_READS,
    BoundId,
    ElementType,
    EvalId,
    FrameKind,
    PinId,
    Read,
    ReadKind,
    ReadPlan,
    StepKind,
    StepperId,
    ThreadId,
    Value,
)

_NOWHERE = 1_000_000
"""An id that nothing has."""
_STOP_TIMEOUT_MS = 10_000
_TRUE = HitTest((HitTestNode(HitTestKind.INTEGER, integer=1), HitTestNode(HitTestKind.COMPARE, 0, 0, Relation.EQUAL)))
_TOO_LONG = ReadPlan(1, (Read(ReadKind.LOCAL, 0),) * (MOST_READS + 1), 16)
_FORWARD = ReadPlan(1, (Read(ReadKind.ELEMENT, 0, 1), Read(ReadKind.LOCAL, 0)), 16)


class Subject(Protocol):
    """A launched program that comes to one breakpoint again and again, in a method that `Main(string[])` called."""

    @property
    def debuggee(self) -> Debuggee: ...

    def wait(self, kind: type[Any]) -> Any:
        """The next event of a kind; the others are released."""


def outcome(call: Callable[[], object]) -> str:
    """What became of a call: "done", or the error's type and HRESULT."""
    try:
        call()
    except RuntimeCallError as error:
        return f"RuntimeCallError {error.hresult_name}"
    except DapDotnetError as error:
        return type(error).__name__
    return "done"


def _expect(expected: str, call: Callable[[], object]) -> None:
    """The outcome begins with `expected`."""
    found = outcome(call)
    assert found.startswith(expected), f"{expected} was expected, and this came of it: {found}"


_RUNNING = "RuntimeCallError CORDBG_E_PROCESS_NOT_SYNCHRONIZED"


def check_rules(subject: Subject, hit: BreakpointHit) -> None:
    """All rules, one after the other; the program, which is held by `hit` at first, has ended afterwards."""
    _check_unknown_ids(subject.debuggee, hit.thread)
    second = _check_holds(subject, hit)
    _check_values(subject, second)


def _arguments_of_main(debuggee: Debuggee, thread: ThreadId) -> Value:
    frames = debuggee.stack(thread, 0, 50).frames
    main = [frame for frame in frames if frame.kind is FrameKind.IL][-1]
    (arguments,) = debuggee.arguments(thread, main.index)
    assert arguments.element_type is ElementType.SZARRAY
    return arguments


def _check_unknown_ids(debuggee: Debuggee, thread: ThreadId) -> None:
    nobody = ThreadId(_NOWHERE)
    _expect("done", lambda: debuggee.remove_breakpoints([BoundId(_NOWHERE)]))
    _expect("done", lambda: debuggee.set_read_plan(BoundId(_NOWHERE), None))
    _expect("done", lambda: debuggee.set_hit_test(BoundId(_NOWHERE), 1, None))
    _expect("done", lambda: debuggee.set_hit_test(BoundId(_NOWHERE), 1, _TRUE))
    assert debuggee.passed_hits(BoundId(_NOWHERE)) == 0
    _expect("done", lambda: debuggee.cancel_step(StepperId(_NOWHERE)))
    _expect("done", lambda: debuggee.unpin(PinId(_NOWHERE)))
    _expect("RuntimeCallError", lambda: debuggee.pinned(PinId(_NOWHERE)))
    _expect("RuntimeCallError", lambda: debuggee.eval_result(EvalId(_NOWHERE)))
    _expect("RuntimeCallError", lambda: debuggee.step(nobody, StepKind.OVER))
    _expect("RuntimeCallError", lambda: debuggee.freeze(nobody, True))
    _expect("InternalError", lambda: debuggee.set_read_plan(BoundId(_NOWHERE), _TOO_LONG))
    _expect("InternalError", lambda: debuggee.set_read_plan(BoundId(_NOWHERE), _FORWARD))
    assert debuggee.current_exception(thread) is None


def _check_holds(subject: Subject, hit: BreakpointHit) -> BreakpointHit:
    """Holds add up and are released once; returns the next hit."""
    debuggee = subject.debuggee
    _expect("done", lambda: debuggee.resume(RuntimeEvent()))
    debuggee.request_stop(_STOP_TIMEOUT_MS)
    stopped: RuntimeEvent = subject.wait(StopCompleted)
    assert stopped.generation == hit.generation
    frames = debuggee.stack(hit.thread, 0, 5)
    debuggee.resume(hit)
    _expect("StaleHandleError", lambda: debuggee.resume(hit))
    assert debuggee.stack(hit.thread, 0, 5) == frames
    debuggee.resume(stopped)
    again: BreakpointHit = subject.wait(BreakpointHit)
    assert again.generation > hit.generation
    return again


def _check_values(subject: Subject, hit: BreakpointHit) -> None:
    """Handles die when the process runs, pins do not; what needs a held process is refused while it runs."""
    debuggee, thread = subject.debuggee, hit.thread
    found = _arguments_of_main(debuggee, thread)
    assert found.handle is not None
    handle = found.handle
    pin = debuggee.pin(handle)
    debuggee.remove_breakpoints([hit.bound])
    debuggee.resume(hit)
    for refused in (
        debuggee.threads,
        debuggee.detach,
        lambda: debuggee.stack(thread, 0, 1),
        lambda: debuggee.create_breakpoints([]),
        lambda: debuggee.freeze(thread, True),
    ):
        _expect(_RUNNING, refused)
    debuggee.request_stop(_STOP_TIMEOUT_MS)
    stopped = subject.wait(StopCompleted)
    _expect("StaleHandleError", lambda: debuggee.elements(handle, 0, 1))
    _expect("StaleHandleError", lambda: debuggee.pin(handle))
    kept = debuggee.pinned(pin)
    assert (kept.length, kept.type) == (found.length, found.type)
    debuggee.unpin(pin)
    _expect("done", lambda: debuggee.unpin(pin))
    _expect("RuntimeCallError", lambda: debuggee.pinned(pin))
    _check_end(subject, stopped)


def _check_end(subject: Subject, held: RuntimeEvent) -> None:
    debuggee = subject.debuggee
    debuggee.terminate()
    subject.wait(ProcessExited)
    _expect("done", lambda: debuggee.resume(held))
    _expect("done", debuggee.terminate)
    _expect("DebuggeeGoneError", debuggee.threads)
    debuggee.close()
    debuggee.close()
