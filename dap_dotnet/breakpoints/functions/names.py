"""Names of functions as people write them for a breakpoint. Pure.

``[Module!]Namespace.Type.Method[(types)]``; any number of the first parts may be left out. Generic parameters may be
written as ``List<T>`` or ``List`1`` or not at all; nested types with ``.`` or ``+``; operators as ``op_Addition`` or
``operator +``; constructors as ``.ctor`` or ``Type.Type``; properties as ``Name``, ``get_Name`` or ``Name.get``;
indexers as ``this[int]``; ``*`` and ``?`` in the last part stand for any characters and any one character.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from dap_dotnet.breakpoints.functions.type_texts import TypeText, TypeTextError, parse_types
from dap_dotnet.errors import UserError
from dap_dotnet.symbols.metadata_names import FILE_LOCAL_PREFIX
from dap_dotnet.values.typenames import KEYWORDS_BY_NAME

LONGEST_NAME = 4096

ACCESSORS = ("get", "set", "add", "remove", "init", "raise")
OPERATORS = {
    "+": ("op_Addition", "op_UnaryPlus"),
    "-": ("op_Subtraction", "op_UnaryNegation"),
    "*": ("op_Multiply",),
    "/": ("op_Division",),
    "%": ("op_Modulus",),
    "&": ("op_BitwiseAnd",),
    "|": ("op_BitwiseOr",),
    "^": ("op_ExclusiveOr",),
    "~": ("op_OnesComplement",),
    "!": ("op_LogicalNot",),
    "<<": ("op_LeftShift",),
    ">>": ("op_RightShift",),
    ">>>": ("op_UnsignedRightShift",),
    "==": ("op_Equality",),
    "!=": ("op_Inequality",),
    "<": ("op_LessThan",),
    ">": ("op_GreaterThan",),
    "<=": ("op_LessThanOrEqual",),
    ">=": ("op_GreaterThanOrEqual",),
    "++": ("op_Increment", "op_IncrementAssignment"),
    "--": ("op_Decrement", "op_DecrementAssignment"),
    "true": ("op_True",),
    "false": ("op_False",),
}
_COMPOUND = {
    symbol + "=": tuple(f"{name}Assignment" for name in names[:1])
    for symbol, names in OPERATORS.items()
    if symbol in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>")
}
"""C#'s symbols of operators with the methods' names (ECMA-335 I.10.3, and C#'s own)."""

_TYPE_OF_WORD = {word: name.rpartition(".")[2] for name, word in KEYWORDS_BY_NAME.items()}
_MODULE = re.compile(r"\s*([\w.\-+ ]+?)!(?!=)(?!\s*\()")
_OPERATOR = re.compile(r"(?:(implicit|explicit)\s+)?operator\b\s*(checked\s+)?(.*)\Z", re.DOTALL)
_SEPARATORS = ".+/"


class Segment(NamedTuple):
    """One part of a dotted name. `arity` None: not said; `arguments` are what stands between ``<`` and ``>``."""

    name: str
    arity: int | None = None
    arguments: tuple[TypeText, ...] = ()


class FunctionPattern(NamedTuple):
    """A parsed name."""

    text: str
    module: str | None
    """File or assembly name, lower-case, without .dll or .exe."""
    segments: tuple[Segment, ...]
    """The last is the method, the property, ``this`` for an indexer, or an accessor's word after one of these."""
    parameters: tuple[TypeText, ...] | None
    """None: any."""
    method_names: tuple[str, ...] = ()
    """For an operator: what its method may be called in metadata."""
    return_type: TypeText | None = None
    """Of a conversion operator."""

    @property
    def method(self) -> Segment:
        """The last part."""
        return self.segments[-1]

    @property
    def is_bare(self) -> bool:
        """Whether it is a method's name alone, or an indexer's."""
        return self.module is None and (len(self.segments) == 1 or self.segments[0].name == "this")

    @property
    def has_wildcard(self) -> bool:
        """Whether the last part stands for many names."""
        return not self.method_names and ("*" in self.method.name or "?" in self.method.name)

    def wildcard(self) -> Wildcard:
        """The last part, to be compared with whole names."""
        return Wildcard(self.method.name)


class Wildcard:
    """A name with ``*`` and ``?``. Takes no longer than the name's length times the pattern's."""

    def __init__(self, text: str) -> None:
        parts = ("".join("." if one == "?" else re.escape(one) for one in part) for part in text.split("*"))
        self._parts = [re.compile(part, re.DOTALL) for part in parts]
        self._last_length = len(text.rpartition("*")[2])

    def matches(self, name: str) -> bool:
        """Whether the whole name is meant."""
        first, *middle = self._parts
        if not middle:
            return first.fullmatch(name) is not None
        start = first.match(name)
        if start is None:
            return False
        position = start.end()
        for part in middle[:-1]:
            found = part.search(name, position)
            if found is None:
                return False
            position = found.end()
        begin = len(name) - self._last_length
        return begin >= position and middle[-1].fullmatch(name, begin) is not None


def parse_function_name(text: str) -> FunctionPattern:
    """Parse what stands in a function breakpoint. Raises UserError (INVALID_FUNCTION), which says what to write."""
    if len(text) > LONGEST_NAME:
        raise _error(text, f"it is longer than {LONGEST_NAME} characters")
    rest = text.strip()
    module = None
    prefix = _MODULE.match(rest)
    name = prefix.group(1).strip() if prefix is not None else ""
    if prefix is not None and " " not in name and not name.endswith("operator"):
        module = re.sub(r"\.(dll|exe)\Z", "", name, flags=re.IGNORECASE).lower()
        rest = rest[prefix.end() :].strip()
    try:
        return _Parser(text, rest).pattern(module)
    except TypeTextError as error:
        raise _error(text, str(error)) from error


class _Parser:
    def __init__(self, text: str, rest: str) -> None:
        self._text = text
        self._rest = rest.replace("::", ".")
        self._at = 0
        self._parameters: tuple[TypeText, ...] | None = None
        self._method_names: tuple[str, ...] = ()
        self._return_type: TypeText | None = None

    def pattern(self, module: str | None) -> FunctionPattern:
        segments: list[Segment] = []
        while True:
            segments.append(self._segment())
            if self._at >= len(self._rest):
                break
            if self._rest[self._at] not in _SEPARATORS:
                raise _error(self._text, f"'{self._rest[self._at :]}' does not belong there")
            self._at += 1
        if segments[0].name == "global" and len(segments) > 1:
            del segments[0]
        for segment in segments[:-1]:
            if "*" in segment.name or "?" in segment.name:
                raise _error(self._text, "'*' and '?' are allowed only in the last part")
        if len(segments) > 1 and segments[0].name in _TYPE_OF_WORD:
            segments[:1] = [Segment("System"), Segment(_TYPE_OF_WORD[segments[0].name])]
        return FunctionPattern(
            self._text, module, tuple(segments), self._parameters, self._method_names, self._return_type
        )

    def _segment(self) -> Segment:
        while self._rest[self._at : self._at + 1].isspace():
            self._at += 1
        rest = self._rest[self._at :]
        operator = _OPERATOR.match(rest)
        if operator is not None:
            return self._operator(operator)
        for special in (".cctor", ".ctor"):
            if rest.startswith(special):
                self._at += len(special)
                self._take_parameters("(", ")")
                return Segment(special)
        if re.match(r"this\s*\[", rest):
            self._at += 4
            self._take_parameters("[", "]")
            return Segment("this")
        if rest.startswith("<"):  # a name that a compiler made
            length = re.match(r"(?:<[^.(]*?>)+[^.+/(<]*", rest)
            if length is None:
                raise _error(self._text, f"'{rest}' is not a name")
            self._at += length.end()
            self._take_parameters("(", ")")
            return Segment(length.group())
        name = re.match(r"[~@]?[\w*?$@]+", rest)
        if name is None:
            raise _error(self._text, f"'{rest}' is not a name" if rest else "the name of the method is missing")
        self._at += name.end()
        segment = Segment(name.group().removeprefix("@"))
        segment = self._generics(segment)
        self._take_parameters("(", ")")
        return segment

    def _generics(self, segment: Segment) -> Segment:
        rest = self._rest[self._at :]
        arity = re.match(r"`{1,2}(\d+)", rest)
        if arity is not None:
            self._at += arity.end()
            return segment._replace(arity=int(arity.group(1)))
        if not rest.lstrip().startswith("<"):
            return segment
        inner = self._bracketed("<", ">")
        if not inner.strip(" ,"):
            return segment._replace(arity=inner.count(",") + 1)
        arguments = parse_types(inner)
        return segment._replace(arity=len(arguments), arguments=arguments)

    def _operator(self, operator: re.Match[str]) -> Segment:
        conversion, checked, rest = operator.groups()
        self._at = len(self._rest)
        symbol, _, parameters = rest.partition("(")
        if parameters:
            if not parameters.rstrip().endswith(")"):
                raise _error(self._text, "the list of types is not closed")
            self._parameters = parse_types(parameters.rstrip()[:-1])
        elif rest.endswith("("):
            raise _error(self._text, "the list of types is not closed")
        symbol = symbol.strip()
        names: tuple[str, ...]
        if conversion:
            names = (f"op_{conversion.capitalize()}",)
            if symbol:
                (self._return_type,) = parse_types(symbol)[:1] or (None,)
        else:
            names = OPERATORS.get(symbol) or _COMPOUND.get(symbol) or ()
            if not names:
                raise _error(self._text, f"there is no operator '{symbol}'")
        if checked:
            names = tuple(name.replace("op_", "op_Checked", 1) for name in names)
        self._method_names = names
        return Segment("operator")

    def _take_parameters(self, opener: str, closer: str) -> None:
        if self._rest[self._at :].lstrip().startswith(opener):
            self._parameters = parse_types(self._bracketed(opener, closer))
            while self._rest[self._at : self._at + 1].isspace():
                self._at += 1

    def _bracketed(self, opener: str, closer: str) -> str:
        """What stands between the bracket that comes next and its partner, which is passed."""
        start = self._rest.index(opener, self._at)
        depth = 0
        for position in range(start, len(self._rest)):
            if self._rest[position] == opener:
                depth += 1
            elif self._rest[position] == closer:
                depth -= 1
                if depth == 0:
                    self._at = position + 1
                    return self._rest[start + 1 : position]
        raise _error(self._text, f"'{opener}' is not closed")


def split_type_name(name: str) -> tuple[Segment, ...]:
    """The parts of a metadata name such as ``Ns.Outer`1+Inner``; a file's own type by the name that it has there."""
    plain = FILE_LOCAL_PREFIX.sub("", name)
    return tuple(_metadata_segment(part) for nested in plain.split("+") for part in nested.split("."))


def _metadata_segment(text: str) -> Segment:
    plain, _, arity = text.rpartition("`")
    return Segment(plain, int(arity)) if plain and arity.isdigit() else Segment(text, 0)


def suffix_matches(pattern: FunctionPattern, spelling: tuple[Segment, ...], wildcard: Wildcard | None) -> bool:
    """Whether the parts of a pattern are the last ones of a spelling."""
    count = len(pattern.segments)
    if count > len(spelling):
        return False
    for wanted, actual in zip(pattern.segments[:-1], spelling[len(spelling) - count : -1], strict=True):
        if not _segment_matches(wanted, actual):
            return False
    wanted, actual = pattern.method, spelling[-1]
    if pattern.method_names:
        return actual.name in pattern.method_names
    if wildcard is not None:
        return wildcard.matches(actual.name) and wanted.arity in (None, actual.arity)
    return _segment_matches(wanted, actual)


def _segment_matches(wanted: Segment, actual: Segment) -> bool:
    return wanted.name == actual.name and wanted.arity in (None, actual.arity)


def _error(text: str, what: str) -> UserError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    forms = "Namespace.Type.Method, Type.Method(int, string) or Method"
    return UserError(f"'{shown}' is not a valid function name: {what}. Write {forms}.", code="INVALID_FUNCTION")
