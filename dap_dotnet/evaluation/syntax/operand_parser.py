"""What operators stand between, but for prefixes and casts: tokens -> our tree (C# specification 12.8).

Literals, names, accesses (`.name`, `[…]`, `(…)`, `?.name`, `!`, `++`), creations (`new …`, `x with { … }`, `[a, ..b]`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import zip_longest

from dap_dotnet.evaluation.syntax import literals
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import PREDEFINED_TYPES, SyntaxFault, Token
from dap_dotnet.evaluation.syntax.query_parser import QueryParser, what_is_assigned
from dap_dotnet.evaluation.syntax.token_reader import AN_EXPRESSION, VALUES, T, is_var
from dap_dotnet.evaluation.syntax.tree import Argument, Node, Place, TypeSyntax, passing, placed
from dap_dotnet.runtime.model import ElementType as E

_RESERVED = re.compile(r"Item[1-9]\d*|Rest|ToString|Equals|GetHashCode|CompareTo")
"""Names that elements of tuples are not given for what they are of."""


class OperandParser(QueryParser):
    """Parses operands, and what is in them."""

    def chain(self) -> Node:
        """A primary expression with the accesses behind it.

        A receiver is written behind the last `?`, as the compiler has it in its tree.
        """
        beginning, start = self.at, self.current.start
        built = self._primary()
        receiver: str | None = None
        while True:
            text, following = self.current.text, self.ahead(1)
            if text == "(":
                built = self._call(built, receiver, start)
                receiver = None
                continue
            is_member = text in (".", "->") or (text == "?" and following.text == ".")
            receiver = self.written(beginning) if is_member else None
            if is_member and self.ahead(1 + (text == "?")).kind == "cursor":
                return self._completed(built, text)
            # `c ? [a] : [b]` is a condition.
            is_index = following.text == "[" and (self.open_conditions or self.behind_brackets(1).text != ":")
            if text == "?" and (is_member or is_index):
                self.take()
                beginning, at = self.at, self.place()
                access = self._member(at) if is_member else self._index(at)
                built = syntax.ConditionalAccess(built, access(syntax.Receiver()), at=Place(start))
            elif is_member:
                target = syntax.Unary("*", built, at=built.at) if text == "->" else built
                built = continued(target, self._member(Place(start, following.start)))
            elif text == "[":
                built = continued(built, self._index(Place(start)))
            elif text in ("++", "--"):
                self.take()
                built = syntax.Increment(built, text, False, at=Place(start))
            elif text == "!":
                self.take()
                built = syntax.Parenthesized(built, at=Place(start)) if self.is_in_name_of else built
            else:
                return built

    def _completed(self, target: Node, text: str) -> Node:
        """The cursor behind a dot of any kind."""
        at = self.place()
        while self.current.kind != "end":
            self.take()
        if text == "?":
            return syntax.ConditionalAccess(target, syntax.Cursor(syntax.Receiver(), at=at), at=at)
        target = syntax.Unary("*", target, at=target.at) if text == "->" else target
        return continued(target, lambda inner: syntax.Cursor(inner, at=at))

    def _member(self, at: Place) -> Callable[[Node], Node]:
        """The access `.name<…>`."""
        self.take()
        name, arguments, _ = self._generic_name()
        return lambda inner: syntax.Member(inner, name, arguments, at=at)

    def _generic_name(self) -> tuple[str, tuple[TypeSyntax, ...], int]:
        """(name, type arguments, the number of those that are left out)."""
        start, name = self.current.start, self.name()
        arguments, unbound = self.attempt_type_arguments()
        if unbound and not self.is_in_name_of:
            raise self.diagnostic(start, "CS0305", "method group", name, unbound)
        return name, arguments, unbound

    def _call(self, target: Node, receiver: str | None, start: int) -> Node:
        outer, self.is_in_name_of = self.is_in_name_of, isinstance(target, syntax.Name) and target.name == "nameof"
        given = self._arguments(callee=target)
        self.is_in_name_of = outer
        return continued(target, lambda inner: syntax.Call(inner, given, receiver, at=Place(start, inner.at.name)))

    def _arguments(self, opening: str = "(", closing: str = ")", callee: Node | None = None) -> tuple[Argument, ...]:
        """The arguments of a call or an indexer, with their brackets; `callee`: see `Cursor`."""
        return tuple(self.listed(lambda: self._argument(callee), opening, closing))

    def _index(self, at: Place) -> Callable[[Node], Node]:
        """The access `[…]`."""
        if self.ahead(1).text == "]":
            raise SyntaxFault("value expected", self.text, self.ahead(1).start, identifier="CS0443")
        given = self._arguments("[", "]")
        return lambda inner: syntax.Index(inner, given, at=at)

    def _argument(self, callee: Node | None) -> Argument:
        if self.current.kind == "cursor":
            self.take()
            return Argument(syntax.Cursor(callee=callee))
        name = self.name_before_colon()
        modifier = self.take().text if self.current.text in ("ref", "out", "in") else ""
        first = self.at
        value = (self._declaration(is_out=True) if modifier == "out" else None) or self.expression()
        return Argument(value, name, modifier, self.written(first))

    def _declaration(self, *, is_out: bool) -> Node | None:
        """`var name` or `type name`, up to a comma or a bracket; None, with nothing taken, for anything else."""
        at, first = self.place(), self.at
        kind = self.attempt() if self.current.text != "await" else None
        if isinstance(kind, syntax.PointerTypeSyntax) and not is_out:
            kind = None  # it is a product
        if kind is not None and self.is_name() and self.ahead(1).text in (",", ")"):
            return syntax.Declaration(None if is_var(kind) else kind, self.name(), at=at)
        self.move(first)
        return None

    # primary expressions

    def _primary(self) -> Node:
        token, at = self.current, self.place()
        if token.kind in VALUES:
            self.take()
            return placed(self._literal(token), at)
        if token.text in _CONSTANTS:
            self.take()
            return placed(_CONSTANTS[token.text], at)
        if token.text in _WORDS:
            self.take()
            return placed(_WORDS[token.text](self, token), at)
        if token.text in ("(", "["):
            return placed(self._parenthesized() if token.text == "(" else self._collection(), at)
        if token.text in _REFUSED:
            raise self.unsupported(token.start, _REFUSED[token.text])
        if token.text == "from" and (query := self.query()) is not None:
            return query
        if token.text in PREDEFINED_TYPES:
            self.take()
            return syntax.PredefinedTypeSyntax(token.text, at=at)
        if self.is_unfinished and token.kind in ("cursor", "end"):
            self.take()
            return syntax.Cursor(at=at) if token.kind == "cursor" else syntax.Default(None)
        if not self.is_name():
            raise self.fault(AN_EXPRESSION)
        if self.ahead(1).text == "::":
            self.alias()
            at = self.place()
        name, arguments, unbound = self._generic_name()
        return syntax.Name(name, arguments, unbound, at=at)

    def _literal(self, token: Token) -> Node:
        with passing(Place(token.start)):
            if token.kind == "number":
                return literals.number(token.text)
            if token.kind == "char":
                return syntax.Literal(E.CHAR, ord(token.pieces[0]))
            is_raw = token.text.lstrip("$").startswith('"""')
            pieces = literals.raw(token.pieces) if is_raw else token.pieces
            if token.kind == "interpolated":
                return self._interpolated(token, pieces)
            is_utf8 = token.text.endswith(("u8", "U8"))
            return literals.utf8(pieces[0]) if is_utf8 else syntax.Literal(E.STRING, literals.joined(pieces[0]))

    def _interpolated(self, token: Token, pieces: Sequence[str]) -> Node:
        parts = list[str | syntax.Hole]()
        for piece, hole in zip_longest(pieces, token.holes):
            if piece:
                parts.append(literals.joined(piece))
            if hole is not None:
                inner = type(self)(self.text, hole.tokens, self.level, is_hole=True, is_unfinished=self.is_unfinished)
                parts.append(syntax.Hole(inner.whole(), hole.alignment, hole.format))
                self.cursor = self.cursor or inner.cursor
        return syntax.Interpolated(tuple(parts))

    def _default(self, _: Token) -> Node:
        return syntax.Default(self.in_parentheses(self.type) if self.current.text == "(" else None)

    def _checked(self, token: Token) -> Node:
        return syntax.Checked(self.in_parentheses(self.expression), token.text == "checked")

    def _parenthesized(self) -> Node:
        """A tuple, or an expression in parentheses: these are kept where they end the reach of a `?.`."""
        first, names = self.at, list["str | None"]()
        items = self.in_parentheses(lambda: self.separated(lambda: self._tuple_item(names)))
        if len(items) == 1 and names == [None]:
            self.groups.add(first)
            is_kept = isinstance(items[0], syntax.ConditionalAccess) or self.is_in_name_of
            return syntax.Parenthesized(items[0]) if is_kept else items[0]
        implied = [name or _implied_name(item) for name, item in zip(names, items, strict=True)]
        shown = [
            given or (name if name and implied.count(name) == 1 and not _RESERVED.fullmatch(name) else None)
            for given, name in zip(names, implied, strict=True)
        ]
        return syntax.Tuple(tuple(items), tuple(shown))

    def _tuple_item(self, names: list[str | None]) -> Node:
        names.append(self.name_before_colon())
        return self._declaration(is_out=False) or self.expression()

    # creations

    def _new(self, token: Token) -> Node:
        """What follows `new`."""
        start, following = token.start, self.current.text
        if following == "{":
            return self._anonymous()
        if following == "[":
            return self._array(None, self.rank(), start)
        is_type = following != "(" or self.behind_brackets().text in ("[", "?")  # as in `new (int, int)[3]`
        built = self.type(has_ranks=False) if is_type else None
        if built is not None and self.current.text == "[":
            return self._array_of(built, start)
        callee = syntax.New(built, ())
        given = self._arguments(callee=callee) if built is None or self.current.text == "(" else None
        initializer = self._initializer(syntax.Default(built)) if self.current.text == "{" else None
        if self.cursor is not None:
            return self.cursor
        if given is None and initializer is None:
            raise self.fault("'(', '[' or '{' after the type of a new object")
        at = Place(start, built.at.start if built is not None else start)
        return syntax.New(built, given or (), initializer, at=at)

    def _array_of(self, element: TypeSyntax, start: int) -> Node:
        """`[n]` and `[] { … }` behind a type, and the ranks of its elements behind them."""
        lengths = () if self.is_rank() else tuple(self.listed(self.expression, "[", "]", ends_in_comma=True))
        rank = len(lengths) or self.rank()
        element = self.ranked(element, element.at)
        if self.current.text != "{":
            return syntax.NewArray(element, lengths, None, (), rank, at=Place(start))
        return self._array(element, rank, start, lengths)

    def _array(self, element: TypeSyntax | None, rank: int, start: int, lengths: tuple[Node, ...] = ()) -> Node:
        items, shape = self._items(rank)
        return syntax.NewArray(element, lengths, items, shape, rank, at=Place(start))

    def array_of(self, kind: syntax.ArrayTypeSyntax) -> Node:
        """`{ … }` where a variable says the type of the array."""
        return self._array(kind.element, kind.rank, self.current.start)

    def _items(self, rank: int) -> tuple[tuple[Node, ...], tuple[int, ...]]:
        """(the items, row by row; how many there are in each dimension). CS0846, CS0847 for rows of other lengths."""
        if rank == 1:
            items = tuple(self._in_braces(self.expression))
            return items, (len(items),)
        rows = self._in_braces(lambda: self._row(rank - 1))
        shape = rows[0][2] if rows else (0,) * (rank - 1)
        for start, _, other in rows:
            if other != shape:
                raise self.diagnostic(start, "CS0847", shape[0])
        return tuple(item for _, items, _ in rows for item in items), (len(rows), *shape)

    def _row(self, rank: int) -> tuple[int, tuple[Node, ...], tuple[int, ...]]:
        start = self.current.start
        if self.current.text != "{":
            raise self.diagnostic(start, "CS0846")
        return (start, *self._items(rank))

    def _in_braces(self, parse: Callable[[], T]) -> list[T]:
        return self.listed(parse, "{", "}", ends_in_comma=True)

    def _anonymous(self) -> Node:
        """`{ a, x.b, name = c }`. CS0746 for a member without a name, CS0828, CS0833 for one name twice."""
        names = list[str]()
        items = tuple(self._in_braces(lambda: self._anonymous_member(names)))
        return syntax.Anonymous(items, tuple(names))

    def _anonymous_member(self, names: list[str]) -> Node:
        start, first = self.current.start, self.at
        name: str | None = None
        if self.is_name() and self.ahead(1).text == "=":
            name = self.name()
            self.take()
        value = self.expression()
        if name is None:
            name = _implied_name(value)
            if name is None and not self.is_cut:
                raise self.diagnostic(start, "CS0746", self.written(first))
        elif what := what_is_assigned(value):
            raise self.diagnostic(start, "CS0828", what)
        if name in names:
            raise self.diagnostic(start, "CS0833", name)
        names.append(name or "")
        return value

    def _collection(self) -> Node:
        """`[a, ..b]`."""
        return syntax.Collection(tuple(self.listed(self._collection_element, "[", "]", ends_in_comma=True)))

    def _collection_element(self) -> syntax.Element:
        is_spread = self.accept("..")
        return syntax.Element(self.expression(), is_spread)

    def with_(self, value: Node, at: Place) -> Node:
        """`{ A = 1 }` behind `x with`."""
        initializer = self._initializer(value)
        return self.cursor or syntax.With(value, initializer, at=at)

    def _initializer(self, filled: Node) -> syntax.Initializer:
        """`{ … }` behind a creation; `filled` is a value that has the members."""
        return syntax.Initializer(tuple(self._in_braces(lambda: self._entry(filled))))

    def _entry(self, filled: Node) -> syntax.Entry:
        at = self.place()
        if self.current.kind == "cursor":
            self.take()
            self.cursor = syntax.Cursor(filled=filled, at=at)
            return syntax.ElementEntry((self.cursor,), at=at)
        if self.current.text == "{":
            return syntax.ElementEntry(tuple(self._in_braces(self.expression)), at=at)
        if self.current.text == "[" and self.behind_brackets().text == "=":
            indices = self._arguments("[", "]")
            return syntax.IndexEntry(indices, self._assigned(syntax.Index(filled, indices)), at=at)
        if self.is_name() and self.ahead(1).text == "=":
            name = self.name()
            return syntax.MemberEntry(name, self._assigned(syntax.Member(filled, name)), at=at)
        return syntax.ElementEntry((self.expression(),), at=at)

    def _assigned(self, filled: Node) -> Node | syntax.Initializer:
        self.expect("=")
        return self._initializer(filled) if self.current.text == "{" else self.expression()


def continued(target: Node, build: Callable[[Node], Node]) -> Node:
    """A longer chain: behind a `?.` it belongs to what is skipped when the target is null."""
    if isinstance(target, syntax.ConditionalAccess):
        return syntax.ConditionalAccess(target.target, continued(target.access, build), at=target.at)
    return build(target)


def _implied_name(node: Node) -> str | None:
    """The name that a member of an anonymous object, or an element of a tuple, takes from its value."""
    if isinstance(node, syntax.ConditionalAccess):
        return _implied_name(node.access)
    return node.name if isinstance(node, syntax.Name | syntax.Member) else None


_CONSTANTS: dict[str, Node] = {
    "this": syntax.This(),
    "base": syntax.Base(),
    "true": literals.TRUE,
    "false": literals.FALSE,
    "null": literals.NULL,
}
_WORDS: dict[str, Callable[[OperandParser, Token], Node]] = {
    "new": OperandParser._new,
    "default": OperandParser._default,
    "checked": OperandParser._checked,
    "unchecked": OperandParser._checked,
    "typeof": lambda parser, _: syntax.TypeOf(parser.in_parentheses(parser.type)),
    "sizeof": lambda parser, _: syntax.SizeOf(parser.in_parentheses(parser.type)),
}
"""What follows such a word, which is taken."""
_REFUSED = {
    "stackalloc": "An expression has no stack of its own for stackalloc; use new",
    "ref": "Ref is not supported",
    "__makeref": "__makeref is not supported",
}
