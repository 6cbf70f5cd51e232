"""Creations: tokens -> our tree (`new T(…) { … }`, `new T[n]`, `new[] { … }`, `x with { … }`, `[a, ..b]`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Argument, Node, Place, starts_of
from dap_dotnet.evaluation.syntax.type_parser import TypeParser

T = TypeVar("T")
Arguments = tuple[Argument, ...]


class CreationParser:
    """Parses the creations in one expression; what it is given are the parsers of what is in them."""

    def __init__(
        self,
        tokens: TokenReader,
        types: TypeParser,
        expression: Callable[[], Node],
        arguments: Callable[..., Arguments],
    ) -> None:
        self._tokens = tokens
        self._types = types
        self._expression = expression
        self._arguments = arguments

    def new(self) -> Node:
        """What begins with `new`."""
        tokens, start = self._tokens, self._tokens.take().start
        following = tokens.current.text
        if following == "{":
            return self._anonymous(Place(start, start))
        if following == "[":
            return self._array(None, self._types.rank(), start)
        built = self._types.type(has_ranks=False) if following != "(" or self._is_tuple_type() else None
        if built is not None and tokens.current.text == "[":
            return self._array_of(built, start)
        empty = syntax.New(built, ())
        given = self._arguments(callee=empty) if built is None or tokens.current.text == "(" else None
        initializer = self._initializer(syntax.Default(built)) if tokens.current.text == "{" else None
        if tokens.cursor is not None:
            return tokens.cursor
        if given is None and initializer is None:
            raise tokens.fault("'(', '[' or '{' after the type of a new object")
        name = built.at.start if built is not None else start
        at = Place(start, name, starts_of(each.value for each in given or ()))
        return syntax.New(built, given or (), initializer, at=at)

    def _is_tuple_type(self) -> bool:
        """Whether the parentheses are those of a type, as in `new (int, int)[3]`."""
        return self._tokens.behind_brackets().text in ("[", "?")

    def _array_of(self, element: syntax.TypeSyntax, start: int) -> Node:
        """`[n]` and `[] { … }` behind a type, and the ranks of its elements behind them."""
        tokens, lengths = self._tokens, tuple[Node, ...]()
        if tokens.ahead(1).text in ("]", ","):
            rank = self._types.rank()
        else:
            lengths = tuple(self._listed(self._expression, "[", "]"))
            rank = len(lengths)
        ranks = list[int]()
        while tokens.current.text == "[" and tokens.ahead(1).text in ("]", ","):
            ranks.append(self._types.rank())
        for inner in reversed(ranks):
            element = syntax.ArrayTypeSyntax(element, inner, at=element.at)
        if tokens.current.text != "{":
            return syntax.NewArray(element, lengths, None, (), rank, at=Place(start, start))
        return self._array(element, rank, start, lengths)

    def _array(self, element: syntax.TypeSyntax | None, rank: int, start: int, lengths: tuple[Node, ...] = ()) -> Node:
        items, shape = self._items(rank)
        return syntax.NewArray(element, lengths, items, shape, rank, at=Place(start, start, starts_of(items)))

    def array_of(self, kind: syntax.ArrayTypeSyntax) -> Node:
        """`{ … }` where a variable says the type of the array."""
        return self._array(kind.element, kind.rank, self._tokens.current.start)

    def _items(self, rank: int) -> tuple[tuple[Node, ...], tuple[int, ...]]:
        """(the items, row by row; how many there are in each dimension). CS0846, CS0847 for rows of other lengths."""
        if rank == 1:
            items = tuple(self._listed(self._expression))
            return items, (len(items),)
        rows = self._listed(lambda: self._row(rank - 1))
        shape = rows[0][2] if rows else (0,) * (rank - 1)
        for start, _, other in rows:
            if other != shape:
                raise self._tokens.diagnostic(start, "CS0847", shape[0])
        return tuple(item for _, items, _ in rows for item in items), (len(rows), *shape)

    def _row(self, rank: int) -> tuple[int, tuple[Node, ...], tuple[int, ...]]:
        start = self._tokens.current.start
        if self._tokens.current.text != "{":
            raise self._tokens.diagnostic(start, "CS0846")
        return (start, *self._items(rank))

    def _listed(self, parse: Callable[[], T], opening: str = "{", closing: str = "}") -> list[T]:
        """What stands between commas in brackets; a last comma changes nothing."""
        tokens, listed = self._tokens, list[T]()
        tokens.expect(opening)
        while tokens.current.text != closing:
            listed.append(parse())
            if not tokens.accept(","):
                break
        tokens.expect(closing)
        return listed

    def _anonymous(self, at: Place) -> Node:
        """`new { a, x.b, name = c }`. CS0746 for a member without a name, CS0828, CS0833 for one name twice."""
        names = list[str]()
        items = tuple(self._listed(lambda: self._anonymous_member(names)))
        return syntax.Anonymous(items, tuple(names), at=at)

    def _anonymous_member(self, names: list[str]) -> Node:
        tokens, start, first = self._tokens, self._tokens.current.start, self._tokens.at
        name: str | None = None
        if tokens.is_name() and tokens.ahead(1).text == "=":
            name = tokens.name()
            tokens.take()
        value = self._expression()
        if name is None:
            name = implied_name(value)
            if name is None and not tokens.is_cut:
                raise tokens.diagnostic(start, "CS0746", tokens.written(first))
        elif what := what_is_assigned(value):
            raise tokens.diagnostic(start, "CS0828", what)
        if name in names:
            raise tokens.diagnostic(start, "CS0833", name)
        names.append(name or "")
        return value

    def collection(self) -> Node:
        """`[a, ..b]`."""
        return syntax.Collection(tuple(self._listed(self._element, "[", "]")))

    def _element(self) -> syntax.Element:
        is_spread = self._tokens.accept("..")
        return syntax.Element(self._expression(), is_spread)

    def with_(self, value: Node, at: Place) -> Node:
        """`{ A = 1 }` behind `x with`."""
        initializer = self._initializer(value)
        return self._tokens.cursor or syntax.With(value, initializer, at=at)

    def _initializer(self, filled: Node) -> syntax.Initializer:
        """`{ … }` behind a creation; `filled` is a value that has the members."""
        return syntax.Initializer(tuple(self._listed(lambda: self._entry(filled))))

    def _entry(self, filled: Node) -> syntax.Entry:
        tokens, at = self._tokens, self._tokens.place()
        if tokens.current.kind == "cursor":
            tokens.take()
            tokens.cursor = syntax.Cursor(filled=filled, at=at)
            return syntax.ElementEntry((tokens.cursor,), at=at)
        if tokens.current.text == "{":
            values = tuple(self._listed(self._expression))
            return syntax.ElementEntry(values, at=Place(at.start, at.start, starts_of(values)))
        if tokens.current.text == "[" and tokens.behind_brackets().text == "=":
            indices = self._arguments("[", "]")
            return syntax.IndexEntry(indices, self._assigned(syntax.Index(filled, indices)), at=at)
        if tokens.is_name() and tokens.ahead(1).text == "=":
            name = tokens.name()
            return syntax.MemberEntry(name, self._assigned(syntax.Member(filled, name)), at=at)
        return syntax.ElementEntry((self._expression(),), at=at)

    def _assigned(self, filled: Node) -> Node | syntax.Initializer:
        self._tokens.expect("=")
        return self._initializer(filled) if self._tokens.current.text == "{" else self._expression()


def implied_name(node: Node) -> str | None:
    """The name that a member of an anonymous object, or an element of a tuple, takes from its value."""
    if isinstance(node, syntax.ConditionalAccess):
        return implied_name(node.access)
    return node.name if isinstance(node, syntax.Name | syntax.Member) else None


def what_is_assigned(value: Node) -> str:
    """What the compiler calls a value that has no type by itself: null and lambdas; "" for others."""
    is_null = isinstance(value, syntax.Literal) and value.value is None
    return "<null>" if is_null else "lambda expression" if isinstance(value, syntax.Lambda) else ""
