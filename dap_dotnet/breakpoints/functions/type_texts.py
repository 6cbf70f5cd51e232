"""Types as people write them, to compare `M(int, List<string>)` with the signatures in metadata. Pure.

A written type is met by an actual one when its name is the last part, or the last parts, of the actual name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dap_dotnet.values.typenames import KEYWORDS_BY_NAME

_WORDS = {
    **KEYWORDS_BY_NAME,
    **{name.partition(".")[2]: word for name, word in KEYWORDS_BY_NAME.items()},
    "dynamic": "object",
}
_VALUE_WORDS = frozenset(KEYWORDS_BY_NAME.values()) - {"string", "object", "void"}
_MODIFIERS = re.compile(r"(?:(ref|out|in)|scoped|readonly|params|this)\s+(?=[\w(@:])")
_NAME = re.compile(r"\s*@?(?:global::)?([^\W\d]\w*)(?:`(\d+))?")
_SUFFIX = re.compile(r"\s*(\[[\s,]*\]|\*|\?|&)")
_TUPLE = "()"
_MAX_DEPTH = 32


class TypeText(NamedTuple):
    """A type in parts. `name` is dotted (`()` for a tuple), `suffixes` are ``[]``, ``[,]``, ``*``, ``?`` in order."""

    name: str
    arguments: tuple[TypeText, ...] = ()
    suffixes: tuple[str, ...] = ()
    is_by_ref: bool = False


class TypeTextError(ValueError):
    """A text that is not a type, or not a list of types; the message says where it goes wrong."""


def parse_types(text: str) -> tuple[TypeText, ...]:
    """The types of ``int, string name``: a parameter list without its parentheses. Raises TypeTextError."""
    return _Parser(text).types()


def matches(wanted: Sequence[TypeText], actual: Sequence[TypeText], names: Mapping[str, TypeText]) -> bool:
    """Whether all actual types are those wanted. `names` are generic parameters with what the pattern calls them."""
    return len(wanted) == len(actual) and all(
        _matches(one, other, names) for one, other in zip(wanted, actual, strict=True)
    )


def _matches(wanted: TypeText, actual: TypeText, names: Mapping[str, TypeText]) -> bool:
    if wanted.is_by_ref != actual.is_by_ref:
        return False
    substitute = names.get(actual.name) if not actual.arguments else None
    if substitute is not None:
        replaced = substitute._replace(suffixes=(*substitute.suffixes, *actual.suffixes), is_by_ref=actual.is_by_ref)
        if _matches(wanted, replaced, {}):
            return True
    suffixes = wanted.suffixes
    # `string?` is a `string` in metadata; `int?` is another type than `int`.
    without_marks = tuple(one for one in suffixes if one != "?")
    if suffixes != actual.suffixes and (wanted.name in _VALUE_WORDS or without_marks != actual.suffixes):
        return False
    if actual.name != wanted.name and not actual.name.endswith("." + wanted.name):
        return False
    return (not wanted.arguments and wanted.name != _TUPLE) or matches(wanted.arguments, actual.arguments, names)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def types(self) -> tuple[TypeText, ...]:
        return self._list("")

    def _list(self, closer: str) -> tuple[TypeText, ...]:
        found: list[TypeText] = []
        self._skip()
        if self._peek() == closer:
            return ()
        while True:
            found.append(self._parameter())
            self._skip()
            if self._peek() != ",":
                break
            self._at += 1
        if self._peek() != closer:
            raise TypeTextError(f"'{self._text[self._at :]}' does not belong in a list of types")
        return tuple(found)

    def _parameter(self) -> TypeText:
        self._skip()
        is_by_ref = False
        while (modifier := _MODIFIERS.match(self._text, self._at)) is not None:
            is_by_ref = is_by_ref or modifier.group(1) is not None
            self._at = modifier.end()
        found = self._type()
        name = _NAME.match(self._text, self._at)
        if name is not None:  # of the parameter
            self._at = name.end()
        return found._replace(is_by_ref=is_by_ref or found.is_by_ref)

    def _type(self) -> TypeText:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise TypeTextError("the types are nested too deeply")
        self._skip()
        name, arguments = self._tuple() if self._peek() == "(" else self._named()
        suffixes: list[str] = []
        is_by_ref = False
        if name in ("System.Nullable", "Nullable") and len(arguments) == 1:
            name, inner_arguments, inner_suffixes, _ = arguments[0]
            arguments, suffixes = inner_arguments, [*inner_suffixes, "?"]
        elif name in ("System.ValueTuple", "ValueTuple") and arguments:
            name = _TUPLE
        while (suffix := _SUFFIX.match(self._text, self._at)) is not None:
            self._at = suffix.end()
            text = re.sub(r"\s", "", suffix.group(1))
            if text == "&":
                is_by_ref = True
            else:
                suffixes.append(text)
        self._depth -= 1
        return TypeText(name, arguments, tuple(suffixes), is_by_ref)

    def _tuple(self) -> tuple[str, tuple[TypeText, ...]]:
        self._at += 1
        arguments = self._list(")")
        self._at += 1
        return _TUPLE, arguments

    def _named(self) -> tuple[str, tuple[TypeText, ...]]:
        parts: list[str] = []
        arguments: tuple[TypeText, ...] = ()
        while True:
            name = _NAME.match(self._text, self._at)
            if name is None:
                rest = self._text[self._at :].strip()
                raise TypeTextError(f"'{rest}' is not a type" if rest else "a type is missing")
            parts.append(name.group(1))
            self._at = name.end()
            self._skip()
            if self._peek() == "<":
                self._at += 1
                arguments += self._list(">")
                self._at += 1
            if self._peek() not in (".", "+"):
                break
            self._at += 1
        dotted = ".".join(parts)
        return _WORDS.get(dotted, dotted), arguments

    def _skip(self) -> None:
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]
