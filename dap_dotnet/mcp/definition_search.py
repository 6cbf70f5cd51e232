"""Where members are defined: in the metadata of the loaded modules, with the lines of their symbols."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.metadata_search import assemblies, matches
from dap_dotnet.mcp.models import SourceLine
from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.reports import source_lines
from dap_dotnet.mcp.tool import Call
from dap_dotnet.mcp.usage_search import plain_name

if TYPE_CHECKING:
    from portablepdb import Assembly, Document, PortablePdb, TypeDef
    from portablepdb.instructions import Instruction
    from portablepdb.members import Method
    from portablepdb.sequence_points import SequencePoint

_MOST = 500
_WORD = re.compile(r"[^\W\d]\w*")
_AROUND = 3
Kind = Literal["type", "method", "property", "event", "field"]


class Definition(Part):
    """A type or member. Its source is None where the module has no symbols."""

    name: str
    kind: Kind
    declaration: str | None = Field(default=None, description="Of a method, with its parameters.")
    module: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    line_is: Literal["code", "type"] | None = Field(
        default=None,
        description="What begins there: code, that of the member itself; type, the first code of its type, since"
        " symbols have no place for a field or a member without a body.",
    )
    source: list[SourceLine] = Field(default_factory=list)
    note: str | None = None

    def to_text(self) -> str:
        """Its place and the lines around it."""
        nearby = " (the first code of its type)" if self.line_is == "type" and self.kind != "type" else ""
        at = f" at {self.file}:{self.line}:{self.column}{nearby}" if self.line else ""
        note = f": {self.note}" if self.note else ""
        lines = [f"{'>' if line.is_current else ' '}{line.line:6} {line.text}" for line in self.source]
        return "\n".join([f"{self.kind} {self.declaration or self.name} [{self.module}]{at}{note}", *lines])


def find_definitions(call: Call, modules: Sequence[Mapping[str, Any]], pattern: str) -> list[Definition]:
    """The types and members whose full or last names have the pattern, at most 500. Raises `Cancelled`.

    What no code of yours has is looked for in all modules.
    """
    return _in_modules(call, modules, (pattern, f"*.{pattern}"), framework=False) or _in_modules(
        call, modules, (pattern, f"*.{pattern}"), framework=True
    )


def find_used(call: Call, modules: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[Definition]:
    """The definitions of full names, those of your code first. Raises `Cancelled`."""
    found = _in_modules(call, modules, names, framework=False)
    known = {one.name for one in found}
    missing = [name for name in names if name not in known]
    return found + (_in_modules(call, modules, missing, framework=True) if missing else [])


def _in_modules(
    call: Call, modules: Sequence[Mapping[str, Any]], patterns: Sequence[str], *, framework: bool
) -> list[Definition]:
    found: list[Definition] = []
    for name, assembly in assemblies(call, modules, "*", framework=framework):
        with _Module(call, name, assembly) as module:
            found += islice(module.definitions(patterns, in_named_types=framework), _MOST - len(found))
        if len(found) >= _MOST:
            break
    return found


def names_at(
    call: Call, modules: Sequence[Mapping[str, Any]], file: str, line: int, column: int | None
) -> tuple[str, ...]:
    """What the code of a line uses: the full names of types and members; at a column, of what its word names.

    Raises `Cancelled`, and `ToolError` when no module was built from the file, or no code is there that uses any.
    """
    word = _word_at(file, line, column) if column is not None else None
    found: dict[str, None] = {}
    is_known = False
    for name, assembly in assemblies(call, modules, "*", framework=False):
        with _Module(call, name, assembly) as module:
            for used in module.used_at(file, line, with_types=word is not None):
                is_known = True
                found.update(dict.fromkeys(one for one in used if word is None or one.rpartition(".")[2] == word))
    if not is_known:
        raise ToolError("INVALID_LINE", f"No loaded module of yours has code of {file}:{line}.")
    if not found:
        what = f"what is called {word}" if word else "a type or member"
        raise ToolError(
            "NOT_FOUND",
            f"The code of {file}:{line} does not use {what}.",
            "Locals and parameters are in variables_get; ask for a type or member by its name.",
        )
    return tuple(found)


def _word_at(file: str, line: int, column: int) -> str:
    lines = source_lines(file, line, line, None)
    for word in _WORD.finditer(lines[0].text if lines else ""):
        if word.start() < column <= word.end():
            return word.group()
    raise ToolError("INVALID_COLUMN", f"No name is at {file}:{line}:{column}.", "Give the column of a name's letter.")


class _Module:
    """A module with its symbols, as long as it is open."""

    def __init__(self, call: Call, name: str, assembly: Assembly) -> None:
        self._call = call
        self._name = name
        self._metadata = assembly.metadata
        self._pdb: PortablePdb | None = assembly.find_pdb().pdb
        self._stack = ExitStack()

    def __enter__(self) -> _Module:
        if self._pdb is not None:
            self._stack.callback(self._pdb.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def definitions(self, patterns: Sequence[str], *, in_named_types: bool) -> Iterator[Definition]:
        """The types and members that have one of the patterns, without those that a compiler made.

        `in_named_types`: only types whose names the patterns have, if they have any: much faster.
        """
        parts = _type_names(patterns) if in_named_types else None
        for type_ in self._metadata.types:
            if "<" in type_.full_name or (parts is not None and type_.name.partition("`")[0] not in parts):
                continue
            type_name = plain_name(self._metadata.display(type_))
            if _has(type_name, patterns):
                yield self._definition(type_name, "type", type_, ())
            for kind, name, bodies in self._members(type_, type_name):
                if _has(name, patterns):
                    yield self._definition(name, kind, type_, bodies)

    def _members(self, type_: TypeDef, type_name: str) -> Iterator[tuple[Kind, str, Sequence[Method | None]]]:
        accessors: set[int] = set()
        groups: list[tuple[Kind, str, Sequence[Method | None]]] = []
        for property_ in type_.properties:
            groups.append(("property", property_.name, (property_.getter, property_.setter)))
        for event in type_.events:
            groups.append(("event", event.name, (event.adder, event.remover)))
        for _, _, bodies in groups:
            accessors.update(int(body) for body in bodies if body is not None)
        for field in type_.fields:
            if "<" not in field.name:
                groups.append(("field", field.name, ()))
        yield from ((kind, f"{type_name}.{name}", bodies) for kind, name, bodies in groups)
        for method in type_.methods:
            if int(method) not in accessors:
                yield "method", plain_name(self._metadata.display(method)).removeprefix("static "), (method,)

    def _definition(self, name: str, kind: Kind, type_: TypeDef, bodies: Sequence[Method | None]) -> Definition:
        found = Definition(name=name, kind=kind, module=self._name)
        if kind == "method" and bodies[0] is not None:
            found.declaration = self._metadata.display(bodies[0])
        if self._pdb is None:
            found.note = f"{self._name} has no symbols here"
            return found
        points = [point for body in bodies if body is not None for point in self._points(body)[:1]]
        found.line_is = "code"
        if not points:
            every = [point for method in type_.methods for point in self._points(method)]
            points = [point for point in every if point.document is every[0].document]
            found.line_is = "type"
        if not points:
            found.line_is, found.note = None, "no code, and so no place in the symbols"
            return found
        first = min(points, key=lambda point: (point.start_line, point.start_column))
        found.file = first.document.name
        found.line, found.column = first.start_line, first.start_column
        if self._may_read(found.file):
            found.source = source_lines(found.file, found.line - _AROUND, found.line + _AROUND, found.line)
        return found

    def _may_read(self, file: str) -> bool:
        """Whether the server's folders have the file, links followed: no line of others is shown."""
        folders = self._call.options.folders
        resolved = os.path.realpath(file)
        return not folders or any(resolved.startswith(folder.rstrip("/") + "/") for folder in folders)

    def _points(self, method: Method) -> list[SequencePoint]:
        """The visible points of a method, or of the state machine that it became."""
        from portablepdb import PortablePdbError

        assert self._pdb is not None
        try:
            points = self._pdb.sequence_points(self._pdb.state_machine_of(method) or method)
        except PortablePdbError:
            return []  # one damaged method says nothing of the others
        return [point for point in points if not point.is_hidden]

    def used_at(self, file: str, line: int, *, with_types: bool) -> Iterator[list[str]]:
        """For each method with code on the line, what that code uses; `with_types`: the types of the members, too."""
        from portablepdb import PortablePdbError

        if self._pdb is None:
            return
        for document in self._pdb.documents_matching(file):
            for token in self._pdb.methods_of_document(document):
                try:
                    points = [point for point in self._pdb.sequence_points(token) if not point.is_hidden]
                    if not any(_covers(point, document, line) for point in points):
                        continue
                    body = self._metadata.method(token).body
                    instructions = list(body.instructions()) if body is not None else []
                except PortablePdbError:
                    continue
                yield [
                    name
                    for one in instructions
                    if (at := bisect_right(points, one.offset, key=attrgetter("il_offset")))
                    and _covers(points[at - 1], document, line)
                    for name in self._names(one, with_types=with_types)
                ]

    def _names(self, instruction: Instruction, *, with_types: bool) -> Iterator[str]:
        """The member or type of an instruction; nothing that a compiler made."""
        from portablepdb.opcodes import Operand

        kind, token = instruction.opcode.operand, instruction.operand
        is_member = kind in (Operand.METHOD, Operand.FIELD)
        if not (is_member or kind in (Operand.TYPE, Operand.TOKEN)) or not isinstance(token, int):
            return
        name = plain_name(self._metadata.display(token)).removeprefix("static ")
        if "<" in name or name.startswith("System.Runtime.CompilerServices."):
            return
        yield name
        if with_types and is_member:
            yield name.rpartition(".")[0]


def _type_names(patterns: Sequence[str]) -> set[str] | None:
    """The simple names that a type has which has one of the patterns, or a member with one; None: any."""
    found: set[str] = set()
    for pattern in patterns:
        parts = pattern.removeprefix("*.").split(".")
        if len(parts) == 1 or any(letter in "*?[" for part in parts for letter in part):
            return None
        found.update(parts[-2:])
    return found


def _has(name: str, patterns: Sequence[str]) -> bool:
    return any(matches(name, pattern) for pattern in patterns)


def _covers(point: SequencePoint, document: Document, line: int) -> bool:
    return point.document is document and point.start_line <= line <= point.end_line
