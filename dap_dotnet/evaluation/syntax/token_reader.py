"""The tokens of one text, taken one after the other, and the types among them: tokens -> our tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import (
    CLOSING,
    KEYWORDS,
    MAX_NESTING,
    OPENING,
    PREDEFINED_TYPES,
    SyntaxFault,
    Token,
    shown,
)
from dap_dotnet.evaluation.syntax.tree import Cursor, Node, Place, TypeSyntax

T = TypeVar("T")
VALUES = frozenset({"number", "string", "char", "interpolated"})
"""Tokens that are literals."""
AN_EXPRESSION, AN_OPERATOR = "an expression", "an operator or the end"
_MOST_LEVELS = 2 * MAX_NESTING
_MOST_SHOWN = 60
_CODES = {"a name": "CS1001", "a type": "CS1031", "')'": "CS1026", "'select'": "CS0742"}
_QUERY_WORDS = frozenset({
    "ascending", "by", "descending", "equals", "from", "group", "in", "into", "join", "let", "on", "orderby", "select",
    "where",
})  # fmt: skip
_BEHIND_ARGUMENTS = frozenset({
    "(", ")", "]", "}", ":", ";", ",", ".", "?", "==", "!=", "|", "^", "&&", "||", "&", "[", "??", "=>",
})  # fmt: skip
_ITEM = re.compile(r"Item([1-9]\d{0,8})")
_RESERVED = frozenset({"CompareTo", "Deconstruct", "Equals", "GetHashCode", "Rest", "ToString"})
_BEHIND_NULLABLES = frozenset({
    ")", "]", "}", ",", ";", ":", "&&", "||", "??", "==", "!=", "=", "=>", "?", "is", "as", "and", "or", "when",
})  # fmt: skip
"""What follows the `?` of a type behind `is` or `as`: before anything else it is that of a condition."""


class TokenReader:
    """`current` is the next token; the last one is of the kind "end" and is not taken.

    `level`: how many expressions, operands, types, patterns and statements are being parsed around that token.
    """

    def __init__(
        self,
        text: str,
        tokens: list[Token],
        level: int = 0,
        *,
        is_hole: bool = False,
        is_unfinished: bool = False,
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.current = tokens[0]
        self.level = level
        self._is_hole = is_hole
        self.is_in_query = False
        """Whether the words of queries are no names."""
        self.is_in_name_of = False
        """Whether parentheses and `!` are kept, which the argument of nameof cannot have."""
        self.open_conditions = 0
        """How many conditional expressions wait for their colon."""
        self.groups: set[int] = set()
        """The numbers of the parentheses that only group what is in them."""
        self.is_unfinished = is_unfinished
        """Whether the text ends at a cursor: what would follow is not missed."""
        self.cursor: Cursor | None = None
        """The cursor, where it stands for no expression: in a type, or for the name of a member in braces."""
        self._closing: dict[int, int] = {}
        """Of opening brackets by their number the number of the closing ones."""
        open_brackets: list[int] = []
        for number, token in enumerate(tokens):
            if token.text in OPENING:
                open_brackets.append(number)
            elif token.text in CLOSING:
                self._closing[open_brackets.pop()] = number
        self._closing.update(dict.fromkeys(open_brackets, len(tokens) - 1))  # of an unfinished text

    # looking ahead

    def ahead(self, count: int) -> Token:
        """The token behind so many others; the last one where there are no more."""
        return self.tokens[min(self.at + count, len(self.tokens) - 1)]

    def behind_brackets(self, count: int = 0) -> Token:
        """The token behind the bracket that closes the one which opens behind so many tokens."""
        return self.tokens[min(self._closing[self.at + count] + 1, len(self.tokens) - 1)]

    def is_name(self, count: int = 0) -> bool:
        """Whether the token behind so many others may be a name where it stands."""
        kind, text, *_ = self.ahead(count)
        return kind == "word" and text not in KEYWORDS and not (self.is_in_query and text in _QUERY_WORDS)

    # taking

    def take(self) -> Token:
        """The next token, which is then the last one taken."""
        token = self.current
        if token.kind != "end":
            self.move(self.at + 1)
        return token

    def move(self, number: int) -> None:
        """Go to a token: on, or back to what is to be read in another way."""
        self.at = number
        self.current = self.tokens[number]

    @property
    def is_cut(self) -> bool:
        """Whether an unfinished text ends here."""
        return self.is_unfinished and self.current.kind == "end"

    def listed(self, parse: Callable[[], T], opening: str, closing: str, *, ends_in_comma: bool = False) -> list[T]:
        """What stands between commas in brackets; with `ends_in_comma` behind a last one nothing need stand."""
        items = list[T]()
        self.expect(opening)
        while self.current.text != closing or (items and not ends_in_comma):
            items.append(parse())
            if not self.accept(","):
                break
        self.expect(closing)
        return items

    def separated(self, parse: Callable[[], T]) -> list[T]:
        """What stands between commas: at least one."""
        items = [parse()]
        while self.accept(","):
            items.append(parse())
        return items

    def in_parentheses(self, parse: Callable[[], T]) -> T:
        """What stands in them."""
        self.expect("(")
        inner = parse()
        self.expect(")")
        return inner

    def accept(self, text: str) -> bool:
        """Take the next token if it has this text."""
        if self.current.text != text:
            return False
        self.take()
        return True

    def expect(self, text: str) -> Token:
        """Take the next token, which must have this text."""
        if self.current.text != text and not self.is_cut:
            raise self.fault(f"'{text}'")
        return self.take()

    def name(self) -> str:
        """Take a name: without the @ that lets it be a keyword, and without the quotes of F#."""
        if not self.is_name():
            raise self.fault("a name")
        return self.take().text.removeprefix("@").strip("`")

    def name_before_colon(self) -> str | None:
        """The name of an argument, or of an element of a tuple or a pattern, if one stands here; its colon is taken."""
        if not self.is_name() or self.ahead(1).text != ":":
            return None
        name = self.name()
        self.take()
        return name

    def enter(self) -> None:
        """One level deeper. CS8078 for too many; `leave` follows where nothing is wrong."""
        self.level += 1
        if self.level > _MOST_LEVELS:
            raise self.too_deep()

    def leave(self) -> None:
        """One level up again."""
        self.level -= 1

    # places, texts and errors

    @property
    def end(self) -> int:
        """Where the last token ends that was taken."""
        return self.tokens[self.at - 1].end if self.at else 0

    def written(self, first: int) -> str:
        """What the tokens from number `first` on say that were taken: without parentheses around the whole."""
        last = self.at - 1
        while first in self.groups and self._closing[first] == last:
            first, last = first + 1, last - 1
        return self.text[self.tokens[first].start : self.tokens[last].end]

    def place(self) -> Place:
        """Of the next token."""
        return Place(self.current.start)

    def fault(self, expected: str) -> SyntaxFault:
        """The next token is none of what is expected here."""
        token, text = self.current, self.text
        identifier = _CODES.get(expected, "CS1003" if expected.startswith("'") else "CS1525")
        written = token.text or text[token.start : token.start + 1 if self._is_hole else token.start]
        stands = f"unexpected {shown(written)}" if written else "the expression ends"
        if self._is_hole and token.kind == "end" and identifier == "CS1525" and self.tokens[self.at - 1].text != ")":
            identifier = "CS1733"
        return SyntaxFault(f"{stands}; expected {expected}", text, token.start, identifier=identifier)

    def too_deep(self) -> SyntaxFault:
        """CS8078."""
        said = f"the expression nests more than {MAX_NESTING} levels deep"
        return SyntaxFault(said, self.text, 0, identifier="CS8078")

    def diagnostic(self, at: int, key: str, *arguments: object) -> Diagnostic:
        """An error in the compiler's words about what stands behind so many characters."""
        error = Diagnostic(key, *arguments)
        error.trail.append(Place(at))
        return error

    def unsupported(self, at: int, said: str) -> EvaluationError:
        """An error in our words about what stands from a place on."""
        error = EvaluationError(f"{said}: '{self.text[at:].strip()[:_MOST_SHOWN]}'")
        error.trail.append(Place(at))
        return error


class TypeParser(TokenReader):
    """Parses the types of one text; its heirs parse what types are in, the last of them, `ExpressionParser`, all."""

    _attempts = 0
    """How many of them are under way: in these a cursor is no type."""

    def expression(self) -> Node:
        """See `ExpressionParser`."""
        raise NotImplementedError

    def operation(self, lowest: int = 1) -> Node:
        """See `ExpressionParser`."""
        raise NotImplementedError

    def whole(self) -> Node:
        """The expression that all tokens are. Raises `EvaluationError`."""
        built = self.expression()
        if self.current.kind != "end":
            raise self.fault(AN_OPERATOR)
        return built

    def type(self, *, is_tested: bool = False, has_ranks: bool = True) -> TypeSyntax:
        """A type. Raises `EvaluationError`.

        `is_tested`: behind `is` or `as`; without `has_ranks` no array: of `new int[3]` what stands before the bracket.
        """
        at = self.place()
        self.enter()
        built = self._element(at)
        while True:
            is_array = has_ranks and self.is_rank()
            if is_array:
                built = self.ranked(built, at)
            behind = self.ahead(1)
            if self.current.text == "?" and (not is_tested or behind.kind == "end" or behind.text in _BEHIND_NULLABLES):
                self.take()
                built = syntax.NullableTypeSyntax(built, at=at)
            elif self.current.text == "*" and not is_tested:
                self.take()
                built = syntax.PointerTypeSyntax(built, at=at)
            elif not is_array:
                self.leave()
                return built

    def is_rank(self) -> bool:
        """Whether `[]` or `[,]` is next."""
        return self.current.text == "[" and self.ahead(1).text in ("]", ",")

    def ranked(self, element: TypeSyntax, at: Place) -> TypeSyntax:
        """The type of arrays of an element's, of the ranks that follow: the first of them is the outermost."""
        ranks = list[int]()
        while self.is_rank():
            ranks.append(self.rank())
        for rank in reversed(ranks):
            element = syntax.ArrayTypeSyntax(element, rank, at=at)
        return element

    def rank(self) -> int:
        """The dimensions of `[,]`."""
        self.expect("[")
        return self._commas("]")

    def _commas(self, closing: str) -> int:
        """How many places the commas up to a bracket part."""
        count = 1
        while self.accept(","):
            count += 1
        self.expect(closing)
        return count

    def attempt(self, *, is_tested: bool = False) -> TypeSyntax | None:
        """A type; None, with nothing taken, where none stands."""
        return self._attempt(lambda: self.type(is_tested=is_tested))

    def attempt_type_arguments(self) -> tuple[tuple[TypeSyntax, ...], int]:
        """As `_type_arguments`, where C# takes a `<` in an expression for their beginning (6.2.5); else ((), 0)."""
        start = self.at
        given = self._attempt(self._type_arguments) if self.current.text == "<" else None
        if given is not None and (self.current.kind == "end" or self.current.text in _BEHIND_ARGUMENTS):
            return given
        self.move(start)
        return (), 0

    def _attempt(self, parse: Callable[[], T]) -> T | None:
        start, level = self.at, self.level
        self._attempts += 1
        try:
            return parse()
        except SyntaxFault as fault:
            if fault.compiler_code == "CS8078":
                raise
        finally:
            self._attempts -= 1
        self.move(start)
        self.level = level
        return None

    def _element(self, at: Place) -> TypeSyntax:
        token = self.current
        if token.text == "(":
            return self._tuple(at)
        if token.text in PREDEFINED_TYPES:
            self.take()
            return syntax.PredefinedTypeSyntax(token.text, at=at)
        if token.kind == "word" and self.ahead(1).text == "::":
            self.alias()
        parts = list[syntax.TypePart]()
        while not parts or self._goes_on():
            if self.current.kind == "cursor" and not self._attempts:
                self.take()
                qualifier = syntax.NamedTypeSyntax(tuple(parts), at=at) if parts else None
                self.cursor = Cursor(is_type=True, qualifier=qualifier, at=at)
                return syntax.NamedTypeSyntax((syntax.TypePart(""),))
            parts.append(self._part())
        return syntax.NamedTypeSyntax(
            tuple(parts), at=Place(at.start, parts[-1].at.start if len(parts) > 1 else at.start)
        )

    def _goes_on(self) -> bool:
        """Take the dot before another part of a name."""
        is_name = self.is_name(1) or (self.ahead(1).kind == "cursor" and not self._attempts)
        return is_name and self.accept(".")

    def alias(self) -> None:
        """`global::`."""
        start = self.current.start
        if self.take().text != "global":
            raise self.unsupported(start, "Only the alias global:: is supported")
        self.expect("::")

    def _part(self) -> syntax.TypePart:
        at, name = self.place(), self.name() if self.is_name() else ""
        if not name:
            raise self.fault("a type")
        arguments, unbound = self._type_arguments() if self.current.text == "<" else ((), 0)
        return syntax.TypePart(name, arguments, unbound, at=at)

    def _type_arguments(self) -> tuple[tuple[TypeSyntax, ...], int]:
        """(the type arguments, 0) of `<int, string>`; ((), their number) of `<,>`."""
        self.expect("<")
        if self.current.text in (">", ","):
            return (), self._commas(">")
        given = self.separated(self.type)
        self.expect(">")
        return tuple(given), 0

    def _tuple(self, at: Place) -> TypeSyntax:
        names = list["str | None"]()
        self.expect("(")
        types = self.separated(lambda: self._tuple_element(names))
        if len(types) < 2:
            raise self.fault("','")
        self.expect(")")
        return syntax.TupleTypeSyntax(tuple(types), tuple(names) if any(names) else (), at=at)

    def _tuple_element(self, before: list[str | None]) -> TypeSyntax:
        """Its type; its name is put behind those before it. CS8125, CS8126, CS8127 for one that it cannot have."""
        built, start = self.type(), self.current.start
        name = self.name() if self.is_name() else None
        if name is not None:
            self._check_name(start, name, before)
        before.append(name)
        return built

    def _check_name(self, start: int, name: str, before: list[str | None]) -> None:
        if name in before:
            raise self.diagnostic(start, "CS8127")
        if name in _RESERVED:
            raise self.diagnostic(start, "CS8126", name)
        place = _ITEM.fullmatch(name)
        if place is not None and int(place[1]) != len(before) + 1:
            raise self.diagnostic(start, "CS8125", name, place[1])


def is_var(kind: TypeSyntax) -> bool:
    """Whether what is written for a type is `var`."""
    return isinstance(kind, syntax.NamedTypeSyntax) and kind.parts == (syntax.TypePart("var"),)


def is_certain(kind: TypeSyntax) -> bool:
    """Whether what could be parsed as a type is no expression at the same time."""
    if isinstance(kind, syntax.NamedTypeSyntax):
        return any(part.arguments for part in kind.parts)
    return not isinstance(kind, syntax.TupleTypeSyntax)
