"""Types by the names that reflection has for them, as attributes keep a Type: `Ns.Box`1[[System.Int32, Lib]], App`."""

from __future__ import annotations

import re

from msgspec import Struct

_NAME = re.compile(r"\s*((?:[^\\\[\],*&+]|\\.|\+)+)")
_ARRAY = re.compile(r"\[([,*]*)\]")
_ASSEMBLY = re.compile(r"\s*,\s*([^,\[\]]+)[^\[\]]*")


class ReflectionName(Struct, frozen=True):
    """A type's name taken apart."""

    full_name: str
    """`Ns.Outer+Inner`1`, as in metadata."""
    arguments: tuple[ReflectionName, ...] = ()
    """Its type arguments; none for a definition that is left open."""
    ranks: tuple[int, ...] = ()
    """Of an array the number of its dimensions, innermost first, as written."""
    assembly: str | None = None
    """The simple name of the assembly; None where it is not given."""


def parse_reflection_name(text: str) -> ReflectionName | None:
    """None for what is no such name, and for pointers and references."""
    parsed = _type(text, 0)
    return parsed[0] if parsed is not None and not text[parsed[1] :].strip() else None


def _type(text: str, place: int) -> tuple[ReflectionName, int] | None:
    """(the type that begins there, where it ends)."""
    match = _NAME.match(text, place)
    if match is None or not match[1].strip():
        return None
    name, place = match[1].strip(), match.end()
    arguments: list[ReflectionName] = []
    if text[place : place + 2] == "[[":
        place += 1
        while text[place : place + 1] == "[":
            argument = _type(text, place + 1)
            if argument is None or text[argument[1] : argument[1] + 1] != "]":
                return None
            arguments.append(argument[0])
            place = argument[1] + 1
            place += text[place : place + 1] == ","
        if text[place : place + 1] != "]":
            return None
        place += 1
    ranks: list[int] = []
    while (match := _ARRAY.match(text, place)) is not None:
        ranks.append(match[1].count(",") + 1)
        place = match.end()
    match = _ASSEMBLY.match(text, place)
    assembly = match[1].strip() if match is not None else None
    return ReflectionName(name, tuple(arguments), tuple(ranks), assembly), match.end() if match else place
