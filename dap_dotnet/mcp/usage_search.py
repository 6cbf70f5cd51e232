"""Where the code of the loaded modules uses a member: from its IL, with the lines of its symbols."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from dap_dotnet.mcp.metadata_search import assemblies, matches
from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.tool import Call

if TYPE_CHECKING:
    from portablepdb import Assembly, PortablePdb, SequencePoint
    from portablepdb.members import Method

UsageKind = Literal["call", "read", "write", "address", "delegate"]
_KINDS: dict[str, UsageKind] = {
    "call": "call",
    "callvirt": "call",
    "newobj": "call",
    "ldfld": "read",
    "ldsfld": "read",
    "stfld": "write",
    "stsfld": "write",
    "ldflda": "address",
    "ldsflda": "address",
    "ldftn": "delegate",
    "ldvirtftn": "delegate",
}
_MOST = 5_000
_ARGUMENTS = re.compile(r"<[^<>]+>")
_ACCESSORS = ("get", "set", "add", "remove")


class Usage(Part):
    """A use of a member. `address`: a reference to the field is taken, through which it may be written."""

    member: str
    kind: UsageKind
    function: str
    module: str
    il_offset: int
    file: str | None = None
    line: int | None = None

    def to_text(self) -> str:
        """One line."""
        at = f" at {self.file}:{self.line}" if self.file else f" [{self.module}], IL {self.il_offset}"
        return f"{self.kind} {self.member} in {self.function}{at}"


def find_usages(
    call: Call, modules: Sequence[Mapping[str, Any]], pattern: str, kinds: Sequence[UsageKind] | None
) -> list[Usage]:
    """The uses of the members whose full or last names have the pattern, at most 5,000. Raises `Cancelled`."""
    found: list[Usage] = []
    for name, assembly in assemblies(call, modules, "*", framework=False):
        with ExitStack() as stack:
            pdb = assembly.find_pdb().pdb
            if pdb is not None:
                stack.callback(pdb.close)
            code = _Code(name, assembly, pdb)
            for type_ in assembly.metadata.types:
                for method in type_.methods:
                    found += code.uses(method, pattern, kinds)
                    if len(found) >= _MOST:
                        return found[:_MOST]
    return found


class _Code:
    """The methods of a module."""

    def __init__(self, name: str, assembly: Assembly, pdb: PortablePdb | None) -> None:
        self._name = name
        self._metadata = assembly.metadata
        self._pdb = pdb
        self._members: dict[int, str] = {}

    def uses(self, method: Method, pattern: str, kinds: Sequence[UsageKind] | None) -> Iterator[Usage]:
        """What a method uses of the members with that pattern."""
        from portablepdb import PortablePdbError

        try:
            body = method.body
            instructions = list(body.instructions()) if body is not None else []
        except PortablePdbError:
            return  # one damaged method says nothing of the others
        points: Sequence[SequencePoint] | None = None
        for instruction in instructions:
            kind = _KINDS.get(instruction.opcode.name)
            token = instruction.operand
            if kind is None or not isinstance(token, int) or (kinds is not None and kind not in kinds):
                continue
            name = self._members.get(token)
            if name is None:
                name = self._members[token] = self._metadata.display(token)
            plain = plain_name(name)
            if matches(plain, pattern) or matches(plain, f"*.{pattern}"):
                if points is None:
                    points = self._points(method)
                file, line = self._place(points, instruction.offset)
                yield Usage(
                    member=name,
                    kind=kind,
                    function=self._metadata.display(method),
                    module=self._name,
                    il_offset=instruction.offset,
                    file=file,
                    line=line,
                )

    def _points(self, method: Method) -> Sequence[SequencePoint]:
        """The visible points of a method: decoded once, however often it uses what is searched for."""
        if self._pdb is None:
            return ()
        return [point for point in self._pdb.sequence_points(method) if not point.is_hidden]

    def _place(self, points: Sequence[SequencePoint], il_offset: int) -> tuple[str | None, int | None]:
        at = bisect_right(points, il_offset, key=attrgetter("il_offset"))
        if self._pdb is None or not at:
            return None, None
        point = points[at - 1]
        return point.document.name, point.start_line


def plain_name(name: str) -> str:
    """Without parameters and type arguments; of an accessor its property or event."""
    text = name.partition("(")[0]
    while (shorter := _ARGUMENTS.sub("", text)) != text:
        text = shorter
    owner, _, last = text.rpartition(".")
    return owner if last in _ACCESSORS else text
