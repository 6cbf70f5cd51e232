"""Query expressions: tokens -> the method calls that they stand for (C# specification 12.20.3).

Several range variables travel in one tuple: a lambda that takes it names its elements (`tree.Lambda`).
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.token_reader import TypeParser
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Argument, Node, Parameter, Place

NULL = "<null>"
"""What the compiler calls the null literal."""


class QueryParser(TypeParser):
    """Parses queries."""

    def query(self) -> Node | None:
        """A query as calls of methods; None, with nothing taken, where none begins. CS1930, CS1932, CS1941, CS1942."""
        if not self._begins_query():
            return None
        outer, self.is_in_query = self.is_in_query, True
        query = _Query(self)
        while self.current.text in _CLAUSES and query.is_ended is (self.current.text == "into"):
            _CLAUSES[self.current.text](query)
        self.is_in_query = outer
        if not query.is_ended and not self.is_cut:
            raise self.fault("'select'")
        return query.source

    def _begins_query(self) -> bool:
        """Whether `from` is followed by a name, or a type and a name, and `in`."""
        first = self.at
        self.take()
        if self.ahead(1).text != "in":
            self.attempt()
        is_query = self.is_name() and self.ahead(1).text == "in"
        self.move(first)
        return is_query


class _Query:
    """The clauses so far as one call; `names` are the range variables in force."""

    def __init__(self, parser: QueryParser) -> None:
        self._parser = parser
        self._names: tuple[str, ...] = ()
        self._count = 0
        """How many clauses there were."""
        self.is_ended = False
        """Whether the last one was `select` or `group`."""
        self.source: Node = syntax.Receiver()  # the first clause replaces it
        self._at = NOWHERE
        """The place of what the query begins with: there the compiler tells that a clause is not possible."""

    def _begin(self) -> Place:
        """Take the word that a clause begins with."""
        at = self._parser.place()
        self._parser.take()
        self._count += 1
        return at

    def into(self) -> None:
        """`into name`: what was selected has this name in the clauses that follow."""
        self._begin()
        self._names, self.is_ended = (self._parser.name(),), False

    def _variable(self) -> tuple[str, Node]:
        """(name, source) of `type name in source`."""
        kind = None if self._parser.ahead(1).text == "in" else self._parser.type()
        name = self._new_name()
        self._parser.expect("in")
        source = self._parser.expression()
        if kind is not None:
            source = syntax.Call(syntax.Member(source, "Cast", (kind,)), (), at=source.at)
        return name, source

    def _new_name(self) -> str:
        """CS1930 for the name of a variable that there is already."""
        start, name = self._parser.current.start, self._parser.name()
        if name in self._names:
            raise self._parser.diagnostic(start, "CS1930", name)
        return name

    def from_(self) -> None:
        """`from type name in source`."""
        self._begin()
        name, source = self._variable()
        if not self._names:
            self._names, self.source, self._at = (name,), source, Place(source.at.start)
            return
        self._call("SelectMany", self._lambda(source), self._joined(name))

    def let(self) -> None:
        """`let name = value`."""
        self._begin()
        start, name = self._parser.current.start, self._new_name()
        self._parser.expect("=")
        value = self._parser.expression()
        if what := what_is_assigned(value):
            raise self._parser.diagnostic(start, "CS1932", what)
        self._call("Select", self._lambda(self._row(name, value)))
        self._names = (*self._names, name)

    def where(self) -> None:
        """`where condition`."""
        self._begin()
        self._call("Where", self._lambda(self._parser.expression()))

    def order_by(self) -> None:
        """`orderby key, key descending`."""
        self._begin()
        method = "OrderBy"
        while method == "OrderBy" or self._parser.accept(","):
            start, key = self._parser.current.start, self._parser.expression()
            direction = "Descending" if self._parser.accept("descending") else ""
            self._parser.accept("ascending")
            if what_is_assigned(key) == NULL:
                raise self._parser.diagnostic(start, "CS1941", "orderby", method + direction)
            self._call(method + direction, self._lambda(key))
            method = "ThenBy"

    def join(self) -> None:
        """`join type name in source on key equals key into group`."""
        self._begin()
        name, source = self._variable()
        self._parser.expect("on")
        outer = self._lambda(self._parser.expression())
        self._parser.expect("equals")
        inner = syntax.Lambda((name,), self._parser.expression())
        is_group = self._parser.accept("into")
        joined = self._joined(self._new_name() if is_group else name)
        self._call("GroupJoin" if is_group else "Join", source, outer, inner, joined)

    def select(self) -> None:
        """`select value`; of the only variable itself it changes nothing, but right behind `from`."""
        value = self._selected()
        if self._count == 2 or len(self._names) > 1 or value != syntax.Name(self._names[0]):
            self._call("Select", self._lambda(value))

    def _selected(self) -> Node:
        at = self._begin()
        value, self.is_ended = self._parser.expression(), True
        if what_is_assigned(value) == NULL:
            raise self._parser.diagnostic(at.start, "CS1942")
        return value

    def group(self) -> None:
        """`group value by key`."""
        at = self._begin()
        value = self._parser.expression()
        self._parser.expect("by")
        key, self.is_ended = self._parser.expression(), True
        if NULL in (what_is_assigned(value), what_is_assigned(key)):
            raise self._parser.diagnostic(at.start, "CS1941", "group by", "GroupBy")
        is_itself = len(self._names) == 1 and value == syntax.Name(self._names[0])
        self._call("GroupBy", self._lambda(key), *(() if is_itself else (self._lambda(value),)))

    def _call(self, method: str, *arguments: Node) -> None:
        called = syntax.Member(self.source, method)
        self.source = syntax.Call(called, tuple(map(Argument, arguments)), is_clause=True, at=self._at)

    def _lambda(self, body: Node) -> Node:
        return syntax.Lambda((self._parameter(),), body)

    def _parameter(self) -> Parameter:
        return self._names if len(self._names) > 1 else self._names[0]

    def _row(self, name: str, added: Node) -> Node:
        return syntax.Tuple((*map(syntax.Name, self._names), added), (*self._names, name))

    def _joined(self, name: str) -> Node:
        """The lambda that puts one more variable beside those in force, which it adds.

        It takes a `select` that follows along, as the compiler does.
        """
        if self._parser.current.text == "select":
            return syntax.Lambda((self._parameter(), name), self._selected())
        joining = syntax.Lambda((self._parameter(), name), self._row(name, syntax.Name(name)))
        self._names = (*self._names, name)
        return joining


def what_is_assigned(value: Node) -> str:
    """What the compiler calls a value that has no type by itself: null and lambdas; "" for others."""
    is_null = isinstance(value, syntax.Literal) and value.value is None
    return NULL if is_null else "lambda expression" if isinstance(value, syntax.Lambda) else ""


_CLAUSES: dict[str, Callable[[_Query], None]] = {
    "from": _Query.from_,
    "let": _Query.let,
    "where": _Query.where,
    "orderby": _Query.order_by,
    "join": _Query.join,
    "select": _Query.select,
    "group": _Query.group,
    "into": _Query.into,
}
