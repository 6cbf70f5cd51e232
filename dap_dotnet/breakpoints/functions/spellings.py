"""How a method may be written: as itself, as a property, operator, constructor, local function or lambda."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.functions.names import ACCESSORS, Segment, split_type_name
from dap_dotnet.values.generated_names import GENERATED_TYPES

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.members import Method

_LOCAL_FUNCTION = re.compile(r"<+(.*?)>+g__(.+)\|[\d_#`]*\Z")
_LAMBDA = re.compile(r"<+(.*?)>+b__[\d_#`]*\Z")
TOP_LEVEL_MAIN = "<Main>$"
"""The method of top-level statements."""
_MAX_NESTING = 32


def spellings(metadata: Metadata, method: Method) -> list[tuple[Segment, ...]]:
    """The full names of a method, in parts; none for what a compiler made and nobody writes."""
    container, is_generated = _container(metadata, method)
    name = method.name
    local = _LOCAL_FUNCTION.match(name)
    if local is not None:
        last = Segment(local.group(2), method.signature.generic_count)
        return [(*container, _plain(local.group(1)), last), (*container, last)]
    lambda_ = _LAMBDA.match(name)
    if lambda_ is not None:
        return [(*container, _plain(lambda_.group(1)), Segment("lambda", 0))]
    if is_generated:
        return []
    segment = Segment(name, method.signature.generic_count)
    found = [(*container, segment)]
    if name == ".ctor":
        return [*found, (*container, Segment(container[-1].name, 0))]
    if name == TOP_LEVEL_MAIN:
        return [*found, (*container, Segment("Main", 0))]
    if name == "Finalize":
        return [*found, (*container, Segment("~" + container[-1].name, 0))]
    if "." in name and not name.startswith("."):
        *interface, segment = _explicit(name, segment.arity)
        found += [(*container, *interface, segment), (*container, segment)]
        return found + [
            (*prefix, *tail) for prefix in ((*container, *interface), container) for tail in _member(method, segment)
        ]
    return found + [(*container, *tail) for tail in _member(method, segment)]


def _member(method: Method, segment: Segment) -> list[tuple[Segment, ...]]:
    """A property or event of which the method is an accessor."""
    accessor, separator, member = segment.name.partition("_")
    if not separator or accessor not in ACCESSORS or not member:
        return []
    names = [Segment(member, 0)]
    count = len(method.signature.parameters) - (accessor == "set")
    if accessor in ("get", "set") and count > 0:
        names.append(Segment("this", 0))
    words = (accessor, "init") if accessor == "set" else (accessor,)
    return [tail for name in names for tail in ((name,), *((name, Segment(word, 0)) for word in words))]


def _explicit(name: str, arity: int | None) -> list[Segment]:
    """``Ns.IList<System.Int32>.Add`` in parts."""
    parts: list[str] = []
    depth = 0
    current = ""
    for character in name:
        depth += (character == "<") - (character == ">")
        if character == "." and not depth:
            parts.append(current)
            current = ""
        else:
            current += character
    segments = []
    for part in parts:
        plain, opener, arguments = part.partition("<")
        segments.append(Segment(plain, _count(arguments) if opener else 0))
    return [*segments, Segment(current, arity)]


def _count(arguments: str) -> int:
    depth = 0
    count = 1
    for character in arguments:
        depth += (character == "<") - (character == ">")
        count += character == "," and not depth
    return count


def _plain(outer: str) -> Segment:
    """The method around a lambda or local function; ``Main>$`` is left of top-level statements' name."""
    return Segment("Main" if outer.startswith("Main>$") else outer, None)


def _container(metadata: Metadata, method: Method) -> tuple[tuple[Segment, ...], bool]:
    """The parts of the user's type around a method, and whether types that a compiler made were taken off."""
    token = method.declaring_type
    is_generated = False
    for _ in range(_MAX_NESTING):
        if not metadata.type_def(token).name.startswith(GENERATED_TYPES):
            break
        outer = metadata.enclosing_type(token)
        if outer is None:
            break
        token, is_generated = outer, True
    return split_type_name(metadata.type_name(token)), is_generated
