"""Accesses (`.name`, `[…]`, `(…)`, `?.name`, `!`, `++`) and arguments: tokens -> our tree (C# specification 12.8)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.positions import SyntaxFault
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Argument, Node, Place, starts_of
from dap_dotnet.evaluation.syntax.type_parser import TypeParser, is_var


class AccessParser:
    """Parses the accesses in one expression; `primary` parses what they begin with, `expression` what is in them."""

    def __init__(
        self, tokens: TokenReader, types: TypeParser, primary: Callable[[], Node], expression: Callable[[], Node]
    ) -> None:
        self._tokens = tokens
        self._types = types
        self._primary = primary
        self._expression = expression

    def chain(self, start: int) -> Node:
        """A primary expression with the accesses behind it.

        A receiver is written behind the last `?`, as the compiler has it in its tree.
        """
        tokens, beginning = self._tokens, self._tokens.at
        built = self._primary()
        receiver: str | None = None
        while True:
            text, following = tokens.current.text, tokens.ahead(1)
            is_member = text in (".", "->") or (text == "?" and following.text == ".")
            if text == "(":
                built = self._call(built, receiver, start)
                receiver = None
                continue
            receiver = tokens.written(beginning) if is_member else None
            if is_member and tokens.ahead(1 + (text == "?")).kind == "cursor":
                return self._completed(built, text)
            if text == "?" and is_member:
                tokens.take()
                beginning, at = tokens.at, tokens.place()
                tokens.take()
                name, arguments, _ = self.generic_name()
                access: Node = syntax.Member(syntax.Receiver(), name, arguments, at=at)
                built = syntax.ConditionalAccess(built, access, at=Place(start, start))
            elif text == "?" and following.text == "[" and not self._is_condition():
                tokens.take()
                beginning, place = tokens.at, tokens.current.start
                given = self._indices()
                at = Place(place, place, starts_of(each.value for each in given))
                built = syntax.ConditionalAccess(
                    built, syntax.Index(syntax.Receiver(), given, at=at), at=Place(start, start)
                )
            elif is_member:
                tokens.take()
                if text == "->":
                    built = syntax.Unary("*", built, at=built.at)
                at = Place(start, tokens.current.start)
                built = continued(built, self._member(at))
            elif text == "[":
                given = self._indices()
                built = continued(built, _index(given, Place(start, start, starts_of(each.value for each in given))))
            elif text in ("++", "--"):
                tokens.take()
                built = syntax.Increment(built, text, False, at=Place(start, start))
            elif text == "!":
                tokens.take()
                built = syntax.Parenthesized(built, at=Place(start, start)) if self._tokens.is_in_name_of else built
            else:
                return built

    def _completed(self, target: Node, text: str) -> Node:
        """The cursor behind a dot of any kind."""
        at = self._tokens.place()
        while self._tokens.current.kind != "end":
            self._tokens.take()
        if text == "?":
            return syntax.ConditionalAccess(target, syntax.Cursor(syntax.Receiver(), at=at), at=at)
        if text == "->":
            target = syntax.Unary("*", target, at=target.at)
        return continued(target, lambda inner: syntax.Cursor(inner, at=at))

    def _is_condition(self) -> bool:
        """Whether the `?` before a bracket is that of a condition, and a collection follows."""
        return not self._tokens.open_conditions and self._tokens.behind_brackets(1).text == ":"

    def _member(self, at: Place) -> Callable[[Node], Node]:
        name, arguments, _ = self.generic_name()
        return lambda inner: syntax.Member(inner, name, arguments, at=at)

    def generic_name(self) -> tuple[str, tuple[syntax.TypeSyntax, ...], int]:
        """(name, type arguments, the number of those that are left out)."""
        start = self._tokens.current.start
        name = self._tokens.name()
        arguments, unbound = self._types.attempt_arguments()
        if unbound and not self._tokens.is_in_name_of:
            raise self._tokens.diagnostic(start, "CS0305", "method group", name, unbound)
        return name, arguments, unbound

    def _call(self, target: Node, receiver: str | None, start: int) -> Node:
        outer, self._tokens.is_in_name_of = (
            self._tokens.is_in_name_of,
            isinstance(target, syntax.Name) and target.name == "nameof",
        )
        given = self.arguments(callee=target)
        self._tokens.is_in_name_of = outer
        starts = starts_of(each.value for each in given)
        return continued(
            target, lambda inner: syntax.Call(inner, given, receiver, at=Place(start, inner.at.name, starts))
        )

    def arguments(self, opening: str = "(", closing: str = ")", callee: Node | None = None) -> tuple[Argument, ...]:
        """The arguments of a call or an indexer, with their brackets; `callee`: see `Cursor`."""
        tokens, given = self._tokens, list[Argument]()
        tokens.expect(opening)
        while tokens.current.text != closing or given:
            given.append(self._argument(callee))
            if not tokens.accept(","):
                break
        tokens.expect(closing)
        return tuple(given)

    def _indices(self) -> tuple[Argument, ...]:
        end = self._tokens.ahead(1)
        if end.text == "]":
            raise SyntaxFault("value expected", self._tokens.text, end.start, identifier="CS0443")
        return self.arguments("[", "]")

    def _argument(self, callee: Node | None) -> Argument:
        tokens = self._tokens
        if tokens.current.kind == "cursor":
            tokens.take()
            return Argument(syntax.Cursor(callee=callee))
        name = self.name_before_colon()
        modifier = tokens.take().text if tokens.current.text in ("ref", "out", "in") else ""
        first = tokens.at
        declared = self.declaration(is_out=True) if modifier == "out" else None
        value = declared if declared is not None else self._expression()
        return Argument(value, name, modifier, tokens.written(first))

    def name_before_colon(self) -> str | None:
        """The name of an argument or of an element of a tuple, if one stands here."""
        if not self._tokens.is_name() or self._tokens.ahead(1).text != ":":
            return None
        name = self._tokens.name()
        self._tokens.take()
        return name

    def declaration(self, *, is_out: bool) -> Node | None:
        """`var name` or `type name`, up to a comma or a bracket; None, with nothing taken, for anything else."""
        tokens, at, first = self._tokens, self._tokens.place(), self._tokens.at
        kind = self._types.attempt() if tokens.current.text != "await" else None
        if isinstance(kind, syntax.PointerTypeSyntax) and not is_out:
            kind = None  # it is a product
        if kind is not None and tokens.is_name() and tokens.ahead(1).text in (",", ")"):
            return syntax.Declaration(None if is_var(kind) else kind, tokens.name(), at=at)
        tokens.move(first)
        return None


def continued(target: Node, build: Callable[[Node], Node]) -> Node:
    """A longer chain: behind a `?.` it belongs to what is skipped when the target is null."""
    if isinstance(target, syntax.ConditionalAccess):
        return syntax.ConditionalAccess(target.target, continued(target.access, build), at=target.at)
    return build(target)


def _index(arguments: tuple[Argument, ...], at: Place) -> Callable[[Node], Node]:
    return lambda inner: syntax.Index(inner, arguments, at=at)
