"""Types: tokens -> our tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import PREDEFINED_TYPES, Token
from dap_dotnet.evaluation.syntax.positions import SyntaxFault
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Place, TypeSyntax

T = TypeVar("T")
_BEHIND_ARGUMENTS = frozenset({
    "(", ")", "]", "}", ":", ";", ",", ".", "?", "==", "!=", "|", "^", "&&", "||", "&", "[", "??", "=>",
})  # fmt: skip
_ITEM = re.compile(r"Item([1-9]\d{0,8})")
_RESERVED = frozenset({"CompareTo", "Deconstruct", "Equals", "GetHashCode", "Rest", "ToString"})
_BEHIND_NULLABLES = frozenset({
    ")", "]", "}", ",", ";", ":", "&&", "||", "??", "==", "!=", "=", "=>", "?", "is", "as", "and", "or", "when",
})  # fmt: skip
"""What follows the `?` of a type behind `is` or `as`: before anything else it is that of a condition."""


class TypeParser:
    """Parses the types of one expression."""

    def __init__(self, tokens: TokenReader) -> None:
        self._tokens = tokens
        self._attempts = 0
        """How many of them are under way: in these a cursor is no type."""

    def type(self, *, is_tested: bool = False, has_ranks: bool = True) -> TypeSyntax:
        """A type. Raises `EvaluationError`.

        `is_tested`: behind `is` or `as`; without `has_ranks` no array: of `new int[3]` what stands before the bracket.
        """
        tokens, at = self._tokens, self._tokens.place()
        tokens.enter()
        built = self._element(at)
        while True:
            ranks = list[int]()
            while has_ranks and tokens.current.text == "[" and tokens.ahead(1).text in ("]", ","):
                ranks.append(self.rank())
            for rank in reversed(ranks):
                built = syntax.ArrayTypeSyntax(built, rank, at=at)
            if tokens.current.text == "?" and not (is_tested and not self._is_behind_nullable(tokens.ahead(1))):
                tokens.take()
                built = syntax.NullableTypeSyntax(built, at=at)
            elif tokens.current.text == "*" and not is_tested:
                tokens.take()
                built = syntax.PointerTypeSyntax(built, at=at)
            elif not ranks:
                tokens.leave()
                return built

    def _is_behind_nullable(self, token: Token) -> bool:
        return token.kind == "end" or token.text in _BEHIND_NULLABLES

    def rank(self) -> int:
        """The dimensions of `[,]`."""
        self._tokens.expect("[")
        rank = 1
        while self._tokens.accept(","):
            rank += 1
        self._tokens.expect("]")
        return rank

    def attempt(self, *, is_tested: bool = False) -> TypeSyntax | None:
        """A type; None, with nothing taken, where none stands."""
        return self._attempt(lambda: self.type(is_tested=is_tested))

    def attempt_arguments(self) -> tuple[tuple[TypeSyntax, ...], int]:
        """As `arguments`, where C# takes a `<` in an expression for their beginning (6.2.5); else ((), 0)."""
        start, tokens = self._tokens.at, self._tokens
        given = self._attempt(self.arguments) if tokens.current.text == "<" else None
        if given is not None and (tokens.current.kind == "end" or tokens.current.text in _BEHIND_ARGUMENTS):
            return given
        tokens.move(start)
        return (), 0

    def _attempt(self, parse: Callable[[], T]) -> T | None:
        start, level = self._tokens.at, self._tokens.level
        self._attempts += 1
        try:
            return parse()
        except SyntaxFault as fault:
            if fault.compiler_code == "CS8078":
                raise
        finally:
            self._attempts -= 1
        self._tokens.move(start)
        self._tokens.level = level
        return None

    def _element(self, at: Place) -> TypeSyntax:
        token = self._tokens.current
        if token.text == "(":
            return self._tuple(at)
        if token.text in PREDEFINED_TYPES:
            self._tokens.take()
            return syntax.PredefinedTypeSyntax(token.text, at=at)
        if token.kind == "word" and self._tokens.ahead(1).text == "::":
            self.alias()
        parts = list[syntax.TypePart]()
        while not parts or self._goes_on():
            if self._tokens.current.kind == "cursor" and not self._attempts:
                self._tokens.take()
                qualifier = syntax.NamedTypeSyntax(tuple(parts), at=at) if parts else None
                self._tokens.cursor = syntax.Cursor(is_type=True, qualifier=qualifier, at=at)
                return syntax.NamedTypeSyntax((syntax.TypePart(""),))
            parts.append(self._part())
        return syntax.NamedTypeSyntax(
            tuple(parts), at=Place(at.start, parts[-1].at.start if len(parts) > 1 else at.start)
        )

    def _goes_on(self) -> bool:
        """Take the dot before another part of a name."""
        is_name = self._tokens.is_name(1) or (self._tokens.ahead(1).kind == "cursor" and not self._attempts)
        return is_name and self._tokens.accept(".")

    def alias(self) -> None:
        """`global::`."""
        start = self._tokens.current.start
        if self._tokens.take().text != "global":
            raise self._tokens.unsupported(start, "Only the alias global:: is supported")
        self._tokens.expect("::")

    def _part(self) -> syntax.TypePart:
        at, name = self._tokens.place(), self._tokens.name() if self._tokens.is_name() else ""
        if not name:
            raise self._tokens.fault("a type")
        arguments, unbound = self.arguments() if self._tokens.current.text == "<" else ((), 0)
        return syntax.TypePart(name, arguments, unbound, at=at)

    def arguments(self) -> tuple[tuple[TypeSyntax, ...], int]:
        """(the type arguments, 0) of `<int, string>`; ((), their number) of `<,>`."""
        tokens, given = self._tokens, list[TypeSyntax]()
        tokens.expect("<")
        if tokens.current.text in (">", ","):
            unbound = 1
            while tokens.accept(","):
                unbound += 1
            tokens.expect(">")
            return (), unbound
        while not given or tokens.accept(","):
            given.append(self.type())
        tokens.expect(">")
        return tuple(given), 0

    def _tuple(self, at: Place) -> TypeSyntax:
        tokens = self._tokens
        types, names = list[TypeSyntax](), list["str | None"]()
        tokens.expect("(")
        while not types or tokens.accept(","):
            types.append(self.type())
            if tokens.is_name():
                start = tokens.current.start
                name = tokens.name()
                self._check_name(start, name, names)
                names.append(name)
            else:
                names.append(None)
        if len(types) < 2:
            raise tokens.fault("','")
        tokens.expect(")")
        return syntax.TupleTypeSyntax(tuple(types), tuple(names) if any(names) else (), at=at)

    def _check_name(self, start: int, name: str, before: list[str | None]) -> None:
        """CS8125, CS8126, CS8127: an element's name that the tuple cannot give it."""
        if name in before:
            raise self._tokens.diagnostic(start, "CS8127")
        if name in _RESERVED:
            raise self._tokens.diagnostic(start, "CS8126", name)
        place = _ITEM.fullmatch(name)
        if place is not None and int(place[1]) != len(before) + 1:
            raise self._tokens.diagnostic(start, "CS8125", name, place[1])


def is_var(kind: TypeSyntax) -> bool:
    """Whether what is written for a type is `var`."""
    return isinstance(kind, syntax.NamedTypeSyntax) and kind.parts == (syntax.TypePart("var"),)


def is_certain(kind: TypeSyntax) -> bool:
    """Whether what could be parsed as a type is no expression at the same time."""
    if isinstance(kind, syntax.NamedTypeSyntax):
        return any(part.arguments for part in kind.parts)
    return not isinstance(kind, syntax.TupleTypeSyntax)
