"""Threads that run into breakpoints while the debugger calls a method on another one: no hit is lost, none is twice."""

from __future__ import annotations

from collections import Counter

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

THREADS = 4
ROUNDS = 12
HITS = THREADS * ROUNDS
ALL_ROUNDS = Counter(dict.fromkeys(range(ROUNDS), THREADS))


def launch(session: Session, runtime: Runtime, breakpoints: dict[str, dict[str, str]]) -> None:
    """Start the program with breakpoints at markers."""
    program = programs.build("Race", runtime)
    wanted = [{"line": program.line(marker), **conditions} for marker, conditions in breakpoints.items()]
    arguments = [str(THREADS), str(ROUNDS)]
    session.launch(str(program.dll), arguments, breakpoints={str(program.source): wanted}, env=dict(program.env))


def rounds_of_stops(session: Session, expression: str = "round") -> Counter[int]:
    """Continue to the program's end: how often a stop had which value of `round`."""
    found: Counter[int] = Counter()
    while True:
        try:
            session.wait_for_stop()
        except ProgramEndedError:
            return found
        found[int(session.values()["round"])] += 1
        if expression != "round":
            session.evaluate(expression)
        session.continue_()


def test_messages_that_call_are_written_for_every_hit(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, {"pass": {"logMessage": "round {Touch(round)}"}})
    assert session.wait_for_exit(timeout_s=60) == 0
    lines = [line for line in session.output("console").splitlines() if line.startswith("round ")]
    assert Counter(int(line.split()[1]) for line in lines) == ALL_ROUNDS
    assert f"passed {HITS}, touched {HITS}" in session.output()


def test_conditions_that_call_are_tested_for_every_hit(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, {"pass": {"condition": "Touch(round) % 4 == 1"}})
    assert rounds_of_stops(session) == Counter(dict.fromkeys(range(1, ROUNDS, 4), THREADS))
    assert f"passed {HITS}, touched {HITS}" in session.output()


def test_other_breakpoints_stop_while_a_condition_calls(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, {"pass": {"condition": "Touch(round) < 0"}, "count": {}})
    assert rounds_of_stops(session) == ALL_ROUNDS
    assert f"passed {HITS}, touched {HITS}" in session.output()


def test_breakpoints_stop_after_an_evaluation_of_the_user(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, {"pass": {"hitCondition": "% 3"}})
    found = rounds_of_stops(session, "Linger(round)")
    assert sum(found.values()) == HITS // 3
    assert f"passed {HITS}, touched 0" in session.output()
