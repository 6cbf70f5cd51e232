"""Steps through F#'s statements, without and with optimisation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import fsharp
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Statements.fs"

# The marker where a session starts; whether it is optimised; the steps; the markers where each ends.
WALKS = {
    "rule-of-a-match": ("try", False, "over over over over", "with rule ruled finally-1"),
    "rule-of-a-match-release": ("try", True, "over over over over", "with rule ruled finally"),
    "use-into": ("uses", False, "over in over", "used dispose disposes"),
    "use-over": ("uses", False, "over over", "used disposes"),
    "use-into-release": ("resource", True, "over in over", "used dispose disposes"),
    "lambda-in-the-library": ("maps", False, "in in in", "maps maps maps"),
    "lambda-in-the-library-release": ("maps", True, "in in in in", "maps maps maps generates"),
    "lambdas-deep-in-the-library-release": (
        "pipes",
        True,
        "in in in in in in in",
        "filters filters filters filters squares folds pipes",
    ),
    "sequence-release": ("for", True, "in in in in", "for for generate yield"),
}


@pytest.mark.parametrize("walk", WALKS)
def test_step_walk_through_statements(session: Session, walk: str) -> None:
    start, optimize, steps, expected = WALKS[walk]
    program = fsharp.build(SOURCE, optimize=optimize)
    if program is None:
        pytest.skip("no SDK with F# 6")
    breakpoints = {str(SOURCE): [line_of(SOURCE, start)]}
    session.launch(str(program.dll), breakpoints=breakpoints, env=dict(program.env))
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    make = {"over": session.step_over, "in": session.step_in}
    lines = []
    for step in steps.split():
        assert make[step]().reason == "step"
        (frame,) = session.stack(count=1)
        assert frame.source is not None
        assert frame.source.path == str(SOURCE), frame
        lines.append(frame.line)
    assert lines == [_line(place) for place in expected.split()]


def test_library_of_the_language_is_external_code_in_a_release_build(session: Session) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    breakpoints = {str(SOURCE): [line_of(SOURCE, "maps")]}
    session.launch(str(program.dll), breakpoints=breakpoints, env=dict(program.env))
    session.wait_for_stop()
    session.step_in()
    names = [frame.name.partition("(")[0] for frame in session.stack()]
    assert names[1:] == ["[External Code]", "Statements.main"]


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
def test_values_of_modules_that_are_stepped_over_have_one_line_together(session: Session, optimize: bool) -> None:
    program = fsharp.build(SOURCE, optimize=optimize)
    if program is None:
        pytest.skip("no SDK with F# 6")
    breakpoints = {str(SOURCE): [line_of(SOURCE, "start")]}
    session.launch(str(program.dll), breakpoints=breakpoints, env=dict(program.env))
    session.wait_for_stop()
    headers = session.set_breakpoints(str(SOURCE), [line_of(SOURCE, "use") - 1, line_of(SOURCE, "throw") - 2])
    assert [header.line for header in headers] == [line_of(SOURCE, "use"), line_of(SOURCE, "throw") - 1]
    session.set_breakpoints(str(SOURCE), [])
    while session.step_in() and session.line() != line_of(SOURCE, "last"):
        pass
    lines = [line for line in session.output("console").splitlines() if line.startswith("Stepped over")]
    said = "Stepped over Statements.counter.get: a value of a module, as a property is (enableStepFiltering)."
    assert lines == [said]


def _line(place: str) -> int:
    marker, _, before = place.partition("-")
    return line_of(SOURCE, marker) - int(before or 0)
