"""Walks: where steps through a test program end, by the markers in its source.

A place is a marker, or the line so many after (`+2`) or before (`-1`) one.
"""

from __future__ import annotations

import re

from dap_dotnet.source_lines import read_source_lines
from tests.support.programs import Program
from tests.support.session import Session


def walk(session: Session, steps: str) -> list[int]:
    """Make the steps, each `over`, `in` or `out`, from where the session has stopped; the lines where they end."""
    make = {"over": session.step_over, "in": session.step_in, "out": session.step_out}
    lines = []
    for step in steps.split():
        assert make[step]().reason == "step"
        lines.append(session.line())
    return lines


def described(program: Program, lines: list[int]) -> list[str]:
    """Lines as numbers with their texts, for messages that can be read."""
    source = read_source_lines(program.source)
    return [f"{line}: {source[line - 1].strip()}" for line in lines]


def lines_of(program: Program, places: str) -> list[int]:
    """The lines of places, which are separated by spaces."""
    return [_line_of(program, place) for place in places.split()]


def _line_of(program: Program, place: str) -> int:
    found = re.fullmatch(r"(.*?)(?:([+-])(\d+))?", place)
    assert found is not None
    marker, sign, distance = found.groups()
    return program.line(marker) + int(f"{sign or '+'}{distance or 0}")
