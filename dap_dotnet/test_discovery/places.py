"""Where the source of a test is: its lines by the PDB, and the line with its name by the text, if it is at hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.test_discovery.modules import Module

if TYPE_CHECKING:
    from portablepdb import SequencePoint

_MOST_LINES_ABOVE = 60
"""Between a method's name and its first statement: its parameters, and comments."""


class Place(Struct, frozen=True):
    """A range of a source, 1-based. It begins where the name is, or else with the method's code."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Places:
    """Places of methods. Sources are read once."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def of_method(self, module: Module, token: int, name: str) -> Place | None:
        """Where a method is; None without symbols for it. Raises `PortablePdbError`."""
        pdb = module.pdb
        if pdb is None or (token & 0xFFFFFF) > pdb.method_count:
            return None
        points: list[SequencePoint] = [point for point in pdb.sequence_points(token) if not point.is_hidden]
        machine = pdb.state_machine_of(token)
        if machine is not None:  # an async method's own code is there
            points += [point for point in pdb.sequence_points(machine) if not point.is_hidden]
        if not points:
            return None
        first = min(points, key=lambda point: (point.start_line, point.start_column))
        ends = [(point.end_line, point.end_column) for point in points if point.document == first.document]
        file = first.document.name
        line, column = self._name_above(file, first.start_line, name) or (first.start_line, first.start_column)
        return Place(file, line, column, *max(ends))

    def line_of_class(self, place: Place, name: str) -> int | None:
        """The line above a test that declares its class by its simple name; None where the source shows none."""
        keywords = "class|record|struct|module|type|Class|Module"
        pattern = re.compile(rf"\b(?:{keywords})\s+(?:[\w.]+\.)?{re.escape(name)}(?!\w)")
        lines = self._lines_of(place.file)
        for number in range(min(place.line, len(lines)), 0, -1):
            if name in lines[number - 1] and pattern.search(lines[number - 1]):
                return number
        return None

    def _name_above(self, file: str, line: int, name: str) -> tuple[int, int] | None:
        lines = self._lines_of(file)
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        for number in range(min(line, len(lines)), max(0, line - _MOST_LINES_ABOVE), -1):
            match = pattern.search(lines[number - 1])
            if match is not None:
                return number, match.start() + 1
        return None

    def _lines_of(self, file: str) -> list[str]:
        if file not in self._lines:
            try:
                with open(file, encoding="utf-8-sig", errors="replace") as source:
                    self._lines[file] = source.read().split("\n")
            except (OSError, ValueError):  # built elsewhere, or generated
                self._lines[file] = []
        return self._lines[file]
