"""Variables of Release builds that a method has lost when it was suspended: their 0 or null is not their value."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

LOST = "<optimized away: it may have been lost when the method was suspended>"


FIRST = {"text": '"text"', "number": "7", "none": "0", "later": "null"}
ALL_LOST = {"text": LOST, "number": LOST, "none": LOST}
SEEN = [
    ("before", FIRST),
    # It was not suspended: what is not 0 is there for certain.
    ("behind", {**FIRST, "none": LOST}),
    ("later", {**FIRST, "none": LOST, "later": '"later"'}),
    ("before", FIRST),
    ("behind", {**ALL_LOST, "later": "null"}),
    ("later", {**ALL_LOST, "later": '"later"'}),
    ("before-yield", {"text": '"text"'}),
    ("behind-yield", {"text": LOST}),
]


def test_lost_variables_have_no_value(runtime: Runtime, session: Session) -> None:
    program = programs.build("Suspended", runtime, optimize=True)
    session.stop_in(program, "before", justMyCode=False)
    session.set_breakpoints(str(program.source), [program.line(place) for place in dict(SEEN)])
    for number, (place, expected) in enumerate(SEEN):
        if number:
            session.continue_()
            session.wait_for_stop()
        assert session.line() == program.line(place)
        values = session.values()
        assert {name: values[name] for name in expected} == expected, place


def test_condition_on_a_lost_variable_is_not_decided(runtime: Runtime, session: Session) -> None:
    program = programs.build("Suspended", runtime, optimize=True)
    session.stop_in(program, "before", justMyCode=False)
    wanted = {"line": program.line("behind"), "condition": "none == 0"}
    session.set_breakpoints(str(program.source), [wanted])
    session.continue_()
    session.wait_until(lambda: bool(session.events("terminated")), "the end")
    assert "may have been lost" in session.output("important")
