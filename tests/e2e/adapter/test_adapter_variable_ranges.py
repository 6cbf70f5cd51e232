"""Where the names of a frame's variables mean them: by the symbols of a real compiler, with its source at hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e]


@pytest.fixture
def program(runtime: Runtime) -> Program:
    return programs.build("Ranges", runtime)


def stopped_at(session: Session, program: Program, marker: str) -> dict[str, list[dict[str, int]]]:
    """The ranges by the names, where the program has stopped at a line."""
    lines = [program.line(marker)]
    session.launch(str(program.dll), breakpoints={str(program.source): lines}, env=dict(program.env))
    session.wait_for_stop()
    frame = session.stack(count=1)[0]
    assert frame.line == lines[0]
    body: Any = session.request("dap-dotnet/variableRanges", {"frameId": frame.id})
    scope = session.request("scopes", {"frameId": frame.id})["scopes"][0]
    assert scope["line"] <= frame.line <= scope["endLine"]
    return {variable["name"]: variable["ranges"] for variable in body["variables"]}


def covers(ranges: list[dict[str, int]], line: int) -> bool:
    return any(one["line"] <= line <= one["endLine"] for one in ranges)


def test_name_of_two_loops_means_the_one_that_runs(session: Session, program: Program) -> None:
    ranges = stopped_at(session, program, "in-loop")
    assert not covers(ranges["i"], program.line("first-loop"))
    assert covers(ranges["i"], program.line("second-loop"))
    assert covers(ranges["count"], program.line("first-loop"))


def test_parameter_of_a_constructor_is_not_in_the_members_around_it(session: Session, program: Program) -> None:
    ranges = stopped_at(session, program, "in-constructor")
    (found,) = ranges["count"]
    assert (found["line"], found["endLine"]) == (program.line("header"), program.line("constructor-end"))


def test_inner_functions_with_names_of_their_own_are_left_out(session: Session, program: Program) -> None:
    ranges = stopped_at(session, program, "after-await")
    count = ranges["count"]
    for marker in ("inner-header", "in-inner"):
        assert not covers([one for one in count if one["line"] != program.line("calls")], program.line(marker))
    assert covers(count, program.line("calls"))
    assert covers(count, program.line("captures"))
    text = program.source.read_text().splitlines()[program.line("lambda") - 1]
    place = text.index("added * 2") + 1
    assert not any(
        (one["line"], one["column"]) <= (program.line("lambda"), place) < (one["endLine"], one["endColumn"])
        for one in ranges["added"]
    )
    (hidden,) = ranges["hidden"]
    assert program.line("block") - 1 <= hidden["line"] <= program.line("block")
    assert hidden["endLine"] == program.line("block-end")
    assert covers(ranges["twice"], program.line("lambda"))
