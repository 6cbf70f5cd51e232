"""Every construct of C#, several on a line: where breakpoints can stand, what each is exactly, and how often it is hit.

The program says it itself: ``/*3*/`` in its sources means that a statement begins there which is executed three times.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e

Spot = tuple[str, int, int]
"""File name, line, column."""


class Span(NamedTuple):
    """What a location, a breakpoint and a frame say."""

    line: int
    column: int
    endLine: int
    endColumn: int

    @classmethod
    def of(cls, body: dict[str, Any]) -> Span:
        return cls(*(body[name] for name in cls._fields))


@pytest.fixture
def constructs(runtime: Runtime) -> Program:
    return programs.build("Constructs", runtime)


def files(program: Program) -> list[Path]:
    """Newer.cs is all but empty for compilers that do not know what is in it."""
    if program.runtime.major in ("3.1", "8.0"):
        return [program.source_dir / "Program.cs"]
    return programs.sources_of(program.source_dir)


def wanted(program: Program) -> dict[Spot, int]:
    """How often each statement is executed."""
    return {
        (file.name, line, match.end() + 1): int(match[1])
        for file in files(program)
        for line, text in enumerate(file.read_text().splitlines(), 1)
        for match in re.finditer(r"/\*(\d+)(\+?)\*/", text)
        if not match[2] or program.runtime.major != "3.1"
    }


def locations(session: Session, file: Path) -> list[Span]:
    text = file.read_text().splitlines()
    asked = {"source": {"path": str(file)}, "line": 1, "column": 1, "endLine": len(text), "endColumn": 10_000}
    return [Span.of(found) for found in session.request("breakpointLocations", asked)["breakpoints"]]


def set_columns(session: Session, file: Path, spots: list[tuple[int, int]]) -> list[dict[str, Any]]:
    entries = [{"line": line, "column": column} for line, column in spots]
    body = session.request("setBreakpoints", {"source": {"path": str(file)}, "breakpoints": entries})
    found: list[dict[str, Any]] = body["breakpoints"]
    return found


def test_locations_are_the_statements(session: Session, constructs: Program) -> None:
    session.launch(str(constructs.dll), env=dict(constructs.env), stopAtEntry=True)
    session.wait_for_stop()
    for file in files(constructs):
        found = [(file.name, span.line, span.column) for span in locations(session, file)]
        assert found == [spot for spot in sorted(wanted(constructs)) if spot[0] == file.name]


def test_every_column_means_the_innermost_statement_around_it(session: Session, constructs: Program) -> None:
    session.launch(str(constructs.dll), env=dict(constructs.env), stopAtEntry=True)
    session.wait_for_stop()
    for file in files(constructs):
        spans = locations(session, file)
        for line, text in enumerate(file.read_text().splitlines(), 1):
            columns = range(1, len(text) + 2)
            for column, made in zip(columns, set_columns(session, file, [(line, at) for at in columns]), strict=True):
                around = [span for span in spans if span[:2] <= (line, column) < span[2:]]
                if around:
                    assert made["verified"]
                    assert Span.of(made) == max(around), (file.name, line, column)
                    assert "message" not in made
                else:
                    # Braces and names around statements: another statement of the line, in words, or none.
                    assert made["message"]


@pytest.mark.parametrize("name", ["Secret.Value", "Constructs.Secret.*"])
def test_type_of_one_file_has_the_name_that_it_has_there(newest_runtime: Runtime, session: Session, name: str) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("the program has a type of one file where the compiler knows C# 11")
    program = programs.build("Constructs", newest_runtime)
    session.start("launch", {"program": str(program.dll), "env": dict(program.env)})
    session.request("setFunctionBreakpoints", {"breakpoints": [{"name": name}]})
    session.configuration_done()
    session.wait_for_stop()
    frame = session.stack(count=1)[0]
    assert frame.name.endswith(("Secret.Value()", "Secret.Secret()"))
    assert "<" not in frame.name


def test_finally_of_an_iterator_has_the_name_of_its_method(session: Session, constructs: Program) -> None:
    file = constructs.source_dir / "Program.cs"
    line, text = next((line, text) for line, text in enumerate(file.read_text().splitlines(), 1) if "n = 0;" in text)
    session.launch(
        str(constructs.dll),
        breakpoints={str(file): [{"line": line, "column": text.index("n = 0;") + 1}]},
        env=dict(constructs.env),
    )
    session.wait_for_stop()
    assert session.here()[0] == "Constructs.Program.Sequence(int n)"


def test_each_statement_is_hit_as_often_as_it_is_executed(session: Session, constructs: Program) -> None:
    expected = wanted(constructs)
    spots: dict[int, Spot] = {}
    bound: dict[int, dict[str, Any]] = {}
    session.start("launch", {"program": str(constructs.dll), "env": dict(constructs.env)})
    for file in files(constructs):
        asked = [spot[1:] for spot in expected if spot[0] == file.name]
        for place, made in zip(asked, set_columns(session, file, asked), strict=True):
            spots[made["id"]] = (file.name, *place)
            bound[made["id"]] = made  # to be changed, unless the program waits with its module loaded by now
    assert len(spots) == len(expected)
    session.configuration_done()
    hits: Counter[Spot] = Counter()
    while True:
        try:
            stop = session.wait_for_stop()
        except ProgramEndedError as ended:
            exit_code = ended.exit_code
            break
        (only,) = stop.breakpoint_ids
        frame = session.stack(count=1)[0]
        assert frame.source is not None
        assert (frame.source.name, frame.line, frame.column) == spots[only]
        hits[spots[only]] += 1
        session.continue_()
    assert exit_code == 0
    assert hits == Counter({spot: count for spot, count in expected.items() if count})
    bound.update({event["breakpoint"]["id"]: event["breakpoint"] for event in session.events("breakpoint")})
    assert {number for number, body in bound.items() if body["verified"]} == set(spots)
    for number, body in bound.items():
        assert (body["source"]["name"], body["line"], body["column"]) == spots[number]
