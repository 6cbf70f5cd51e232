"""Steps through async methods as stories: whose call has come where, and what the plan makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.events import BreakpointHit, ExceptionPhase, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    ElementType,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    StepKind,
    ThreadId,
)
from dap_dotnet.stepping.async_ import async_entry, await_plan, await_resumption, awaiting_caller
from dap_dotnet.stepping.async_.await_ends import AwaitEnd
from dap_dotnet.stepping.plan import Continue, Done, News, Pass, Replace

THREAD, OTHER = ThreadId(7), ThreadId(8)
YIELD, RESUME, NEXT, HANDLER = 10, 20, 30, 40
MOVE_NEXT, MODULE = MethodToken(0x06000005), ModuleId(2)
FRAME = Frame(0, FrameKind.IL, MODULE, MOVE_NEXT, 5, 0, 0, 0x1000)

Row = tuple[str, str, Any]
"""What happens, how the method stands then, and what the plan says: None, it does not explain that."""


class Machine:
    """The remembered state machine: the call on a thread is the one that is stepped in where the story says so."""

    stands = ""

    def __init__(self, *_: Any) -> None:
        self.is_known = True

    def is_running_on(self, *_: Any) -> bool:
        return "another call" not in Machine.stands

    def is_at_work(self, _: Any) -> bool:
        return "at work" in Machine.stands

    def object(self, _: Any) -> object:
        return self

    def forget(self, _: Any) -> None:
        """It is let go of."""


class Debuggee:
    """Breakpoints have the number of their place."""

    def __init__(self) -> None:
        self.armed: set[int] = set()

    def create_breakpoints(self, places: Sequence[Any]) -> list[BoundId]:
        self.armed |= {place.il_offset for place in places}
        return [BoundId(place.il_offset) for place in places]

    def remove_breakpoints(self, bound: Sequence[int]) -> None:
        self.armed -= set(bound)

    def top_frame(self, _: ThreadId) -> Frame | None:
        return FRAME if "in the method" in Machine.stands else None

    def stack(self, *_: int) -> Any:
        return SimpleNamespace(frames=[FRAME] if "in the method" in Machine.stands else [])


def event_of(what: str) -> Any:
    thread = OTHER if "on another thread" in what else THREAD
    if what.startswith("the stepper"):
        return StepCompleted(thread=thread, stepper=1, reason=0)
    if what.startswith("an exception"):
        phase = ExceptionPhase.CATCH_HANDLER_FOUND
        return ExceptionRaised(thread=thread, phase=phase, module=None, method=None, il_offset=None)
    places = {"resumes": RESUME, "next": NEXT, "handler": HANDLER, "yields": YIELD, "awaiter": 50, "taken": 60}
    return BreakpointHit(thread=thread, bound=BoundId(next(places[word] for word in what.split() if word in places)))


# Whether the await is all that the statement has behind it; the rows.
AWAITS: dict[str, tuple[bool, list[Row]]] = {
    "an await that does not suspend": (
        False,
        [("the stepper completes", "in the method", None)],
    ),
    "an await that suspends": (
        False,
        [
            ("the stepper completes", "suspended", Continue()),
            ("it resumes on another thread", "another call", Continue()),
            ("it resumes on another thread", "in the method", Done(News.RESUMED)),
        ],
    ),
    "what the thread throws while the method is suspended": (
        False,
        [
            ("an exception is caught", "in the method", None),
            ("an exception is caught", "suspended", Continue()),
        ],
    ),
    "an await at the end of its statement": (
        True,
        [
            ("the next statement begins on another thread", "another call", Continue()),
            ("the next statement begins on another thread", "in the method", Done(News.LANDED)),
        ],
    ),
    "an await that throws": (True, [("a handler begins", "in the method", Done(News.CAUGHT))]),
}


@pytest.mark.parametrize("story", AWAITS)
def test_story_of_an_await(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    is_all, rows = AWAITS[story]
    one = SimpleNamespace(yield_offset=YIELD, resume_offset=RESUME, resume_method=MOVE_NEXT)
    end = AwaitEnd(RESUME, NEXT, (HANDLER,)) if is_all else None
    machine = SimpleNamespace(element_type=ElementType.CLASS)
    monkeypatch.setattr(await_plan, "await_offset", lambda *_: YIELD if "suspended" in Machine.stands else None)
    for name, answer in {
        "async_info": lambda *_: SimpleNamespace(awaits=[one]),
        "state_machine": lambda *_: machine,
        "RememberedMachine": Machine,
        "known_yields": lambda *_: {YIELD},
        "end_of_await": lambda *_: end,
        "has_shown_calls": lambda *_: False,
    }.items():
        monkeypatch.setattr(await_resumption, name, answer)
    debuggee = Debuggee()
    program: Any = SimpleNamespace(debuggee=debuggee)
    step: Any = SimpleNamespace(thread=THREAD, request=SimpleNamespace(kind=StepKind.OVER))
    module: Any = SimpleNamespace(id=MODULE, pdb=object(), is_optimized=False)
    plan = next(
        await_resumption.await_plans(
            program, step, (module, FRAME), [(0, NEXT)], known=None, has_breakpoint=lambda _: False
        )
    )
    plan.arm(program)
    assert debuggee.armed == ({NEXT, HANDLER} if is_all else {RESUME})
    assert plan.carries_the_step is is_all
    for what, Machine.stands, expected in rows:
        event = event_of(what)
        said = plan.should_stop(program, event, None) if plan.explains(program, event, None) else None
        assert (what, said) == (what, expected)
    plan.disarm(program.debuggee)
    assert not debuggee.armed


SUSPENSIONS: dict[str, list[Row]] = {
    "an await that suspends, and resumes on another thread": [
        ("the stepper completes", "in the method", None),
        ("it yields", "in the method", Continue()),
        ("the stepper completes", "left", Continue()),
        ("it resumes on another thread", "another call", Continue()),
        ("it resumes on another thread", "in the method", Done(News.RESUMED)),
    ],
    "another call of the method, which suspends": [
        ("it yields", "another call", Continue()),
        ("the stepper completes", "in the method", None),
    ],
    "a call of the method on another thread": [
        ("it yields on another thread", "in the method", Continue()),
        ("the stepper completes", "in the method", None),
    ],
    "what the thread throws while the method is suspended": [
        ("an exception is caught", "in the method", None),
        ("it yields", "in the method", Continue()),
        ("an exception is caught", "left", Continue()),
    ],
}


@pytest.mark.parametrize("story", SUSPENSIONS)
def test_story_of_a_state_machine_that_does_not_say_where_it_is(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    one = SimpleNamespace(yield_offset=YIELD, resume_offset=RESUME, resume_method=MOVE_NEXT)
    for name, answer in {
        "async_info": lambda *_: SimpleNamespace(awaits=[one]),
        "state_machine": lambda *_: SimpleNamespace(element_type=ElementType.VALUETYPE),
        "RememberedMachine": Machine,
    }.items():
        monkeypatch.setattr(await_resumption, name, answer)
    debuggee = Debuggee()
    program: Any = SimpleNamespace(debuggee=debuggee)
    step: Any = SimpleNamespace(thread=THREAD, request=SimpleNamespace(kind=StepKind.OVER))
    module: Any = SimpleNamespace(id=MODULE, pdb=object(), is_optimized=False)
    place = module, FRAME
    (plan,) = await_resumption.await_plans(
        program, step, place, [(0, NEXT)], known=None, has_breakpoint=lambda _: False
    )
    plan.arm(program)
    assert debuggee.armed == {YIELD, RESUME}
    for what, Machine.stands, expected in SUSPENSIONS[story]:
        event = event_of(what)
        said = plan.should_stop(program, event, None) if plan.explains(program, event, None) else None
        assert (what, said) == (what, expected)
    plan.disarm(program.debuggee)
    assert not debuggee.armed


ENTRIES: list[Row] = [
    ("it resumes", "another call", Continue()),
    ("it resumes on another thread", "in the method", Continue()),
    ("it resumes", "in the method", Pass(News.ARRIVED)),
]


def test_story_of_a_step_into_an_async_method_of_optimised_code() -> None:
    debuggee = Debuggee()
    program: Any = SimpleNamespace(debuggee=debuggee)
    plan = async_entry.AsyncEntry(THREAD, FRAME, [BreakpointLocation(MODULE, MOVE_NEXT, RESUME)])
    plan.arm(program)
    assert debuggee.armed == {RESUME}
    for what, Machine.stands, expected in ENTRIES:
        assert plan.explains(program, event_of(what), None)
        assert (what, plan.should_stop(program, event_of(what), None)) == (what, expected)
    plan.disarm(program.debuggee)
    assert not debuggee.armed


class Waiters:
    """Those that wait for the result: what the story says of them."""

    def __init__(self, **_: Any) -> None:
        """There are some."""

    def is_mine(self, event: BreakpointHit) -> bool:
        return event.bound >= 50

    def is_awaiter(self, _: Any, event: BreakpointHit) -> bool:
        return event.bound == 50 and "another call" not in Machine.stands

    def is_taken(self, _: Any, event: BreakpointHit) -> tuple[bool, bool]:
        return event.bound == 60 and "another call" not in Machine.stands, "element" in Machine.stands

    def find(self, *_: Any) -> None:
        """It is known already."""

    def clear(self, _: Any) -> None:
        """There are none any more."""


CALLERS: dict[str, list[Row]] = {
    "a stepper in the method": [("the stepper completes", "in the method", None)],
    "a stepper in what the thread runs next": [("the stepper completes", "left", Continue())],
    "an exception that leaves the method": [("an exception is caught", "in the method", Continue())],
    "the method's awaiter": [
        ("the awaiter goes on", "another call", Continue()),
        ("the awaiter goes on", "left", Pass(News.ARRIVED)),
    ],
    "an awaiter that goes on for another (WhenAny)": [
        ("the awaiter goes on", "at work", Continue()),
        ("the awaiter goes on", "behind an await", Continue()),
        ("the awaiter goes on on another thread", "left", Pass(News.ARRIVED)),
    ],
    "whoever takes the result": [
        ("it is taken", "another call", Continue()),
        ("it is taken", "left", Pass(News.TAKEN)),
    ],
    "whoever takes an iterator's element": [("it is taken", "element", Pass(News.ELEMENT_TAKEN))],
}


@pytest.mark.parametrize("story", CALLERS)
def test_story_of_what_waits_for_a_method(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    for name, answer in {
        "Waiters": Waiters,
        "RememberedMachine": Machine,
        "async_info": lambda *_: object(),
        "is_in_filter": lambda *_: False,
        "state_machine": lambda *_: object(),
    }.items():
        monkeypatch.setattr(awaiting_caller, name, answer)
    module: Any = SimpleNamespace(id=MODULE, pdb=object(), is_optimized=False)
    program: Any = SimpleNamespace(debuggee=Debuggee(), modules={MODULE: module})
    step: Any = SimpleNamespace(
        modules={MODULE: module},
        request=SimpleNamespace(just_my_code=True),
        goes_on_behind_await=lambda _: "behind an await" in Machine.stands,
    )
    Machine.stands = "in the method"
    plan = awaiting_caller.AwaitingCaller(step)
    plan.begin(program, THREAD, FRAME, may_leave=True, has_resumed=True)
    assert plan.is_called_by_framework
    for what, Machine.stands, expected in CALLERS[story]:
        event = event_of(what)
        said = plan.should_stop(program, event, None) if plan.explains(program, event, None) else None
        assert (what, said) == (what, expected)
    plan.disarm(program.debuggee)
    assert not plan.is_called_by_framework


def test_optimised_method_that_suspends_before_its_task_is_known_is_left_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    step: Any = SimpleNamespace(thread=THREAD, request=SimpleNamespace(kind=StepKind.OVER))
    module: Any = SimpleNamespace(id=MODULE, pdb=object(), is_optimized=True)
    machine: Any = Machine()
    statement = await_plan.AwaitingStatement(module, FRAME, MOVE_NEXT, [(0, NEXT)], [])
    plan = await_resumption.SuspensionPlan(step, statement, machine)
    monkeypatch.setattr(plan, "_learn", lambda _: False)
    decision = plan.should_stop(SimpleNamespace(debuggee=Debuggee()), event_of("the stepper completes"), None)  # type: ignore[arg-type]
    assert isinstance(decision, Replace)
    assert decision.plan.describe() == "step out"
