"""Query expressions: the parser's nodes -> the method calls that they stand for (C# specification 12.20.3).

Several range variables travel in one tuple: a lambda that takes it names its elements (`tree.Lambda`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.creation_builder import BuildType, what_is_assigned
from dap_dotnet.evaluation.syntax.nodes import Places, child, excerpt, identifier, named_children
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Argument, Node, Parameter, Place

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

Build = Callable[["TreeNode"], Node]


def build_query(build: Build, type_of: BuildType, places: Places, node: TreeNode) -> Node:
    """A query expression as calls of methods. Raises `EvaluationError`: CS1930, CS1932, CS1941, CS1942."""
    query = _Query(build, type_of, places)
    clauses = [entry for entry in node.children if entry.type != "comment"]
    while clauses:
        clause = clauses.pop(0)
        if clause.type == "into":
            query.go_on_with(identifier(clauses.pop(0)))
        else:
            query.add(clause, clauses)
    return query.source


class _Query:
    """The clauses so far as one call; `names` are the range variables in force."""

    def __init__(self, build: Build, type_of: BuildType, places: Places) -> None:
        self._places = places
        self._build = build
        self._type = type_of
        self._names: tuple[str, ...] = ()
        self._is_bare = False
        """Whether nothing but `from` came so far: `select` then makes a query all the same."""
        self.source: Node = syntax.Receiver()  # the first clause replaces it
        self._at = NOWHERE
        """The place of what the query begins with: there the compiler tells that a clause is not possible."""
        self._following: list[TreeNode] = []

    def add(self, clause: TreeNode, following: list[TreeNode]) -> None:
        """The next clause; it takes a `select` that is the first of those `following` along, as C# does."""
        add = _CLAUSES.get(clause.type)
        if add is None:
            raise EvaluationError(f"This clause is not supported: '{excerpt(clause)}'")
        is_first, self._following = not self._names, following
        add(self, clause)
        self._is_bare = is_first

    def go_on_with(self, name: str) -> None:
        """`into name`: what was selected has this name in the clauses that follow."""
        self._names = (name,)

    def _from(self, clause: TreeNode) -> None:
        name, source = identifier(child(clause, "name")), self._build(_last(clause))
        source = self._typed(clause, source)
        if not self._names:
            self._names, self.source, self._at = (name,), source, Place(source.at.start, source.at.start)
            return
        self._check_new(name)
        self._call("SelectMany", self._lambda(source), self._joined(name))

    def _let(self, clause: TreeNode) -> None:
        name, value = identifier(named_children(clause)[0]), self._build(_last(clause))
        what = what_is_assigned(value)
        if what:
            raise self._wrong(named_children(clause)[0], "CS1932", what)
        self._check_new(name)
        self._call("Select", self._lambda(self._row(name, value)))
        self._names = (*self._names, name)

    def _where(self, clause: TreeNode) -> None:
        self._call("Where", self._lambda(self._build(_last(clause))))

    def _order_by(self, clause: TreeNode) -> None:
        method, key = "OrderBy", None
        for entry in [entry for entry in clause.children if entry.type not in ("comment", "orderby")]:
            if entry.type == ",":
                self._order(method, key, descending=False)
                method, key = "ThenBy", None
            elif entry.type in ("ascending", "descending"):
                self._order(method, key, descending=entry.type == "descending")
                key = None
            else:
                key = entry
        self._order(method, key, descending=False)

    def _order(self, method: str, key: TreeNode | None, *, descending: bool) -> None:
        if key is not None:
            built = self._build(key)
            if _is_null(built):
                raise self._wrong(key, "CS1941", "orderby", method + "Descending" * descending)
            self._call(method + "Descending" * descending, self._lambda(built))

    def _join(self, clause: TreeNode) -> None:
        parts = named_children(clause)
        into = next((entry for entry in parts if entry.type == "join_into_clause"), None)
        kind = clause.child_by_field_name("type")
        parts = [entry for entry in parts if entry.type != "join_into_clause" and entry != kind]
        name, source, outer, inner = identifier(parts[0]), *map(self._build, parts[1:])
        self._check_new(name)
        keys = (self._lambda(outer), syntax.Lambda((name,), inner))
        other = self._typed(clause, source)
        if into is None:
            self._call("Join", other, *keys, self._joined(name))
            return
        group = identifier(named_children(into)[0])
        self._check_new(group)
        self._call("GroupJoin", other, *keys, self._joined(group))

    def _select(self, clause: TreeNode) -> None:
        value = self._selected(clause)
        if self._is_bare or len(self._names) > 1 or value != syntax.Name(self._names[0]):
            self._call("Select", self._lambda(value))

    def _selected(self, clause: TreeNode) -> Node:
        value = self._build(_last(clause))
        if _is_null(value):
            raise self._wrong(clause, "CS1942")
        return value

    def _group(self, clause: TreeNode) -> None:
        value, key = map(self._build, named_children(clause))
        if _is_null(value) or _is_null(key):
            raise self._wrong(clause, "CS1941", "group by", "GroupBy")
        is_itself = len(self._names) == 1 and value == syntax.Name(self._names[0])
        self._call("GroupBy", self._lambda(key), *(() if is_itself else (self._lambda(value),)))

    def _wrong(self, node: TreeNode, key: str, *arguments: str) -> Diagnostic:
        error = Diagnostic(key, *arguments)
        error.trail.append(self._places.of(node))
        return error

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
        """The lambda that puts one more variable beside those in force, which it adds, or selects from all of them."""
        if self._following and self._following[0].type == "select_clause":
            return syntax.Lambda((self._parameter(), name), self._selected(self._following.pop(0)))
        made = syntax.Lambda((self._parameter(), name), self._row(name, syntax.Name(name)))
        self._names = (*self._names, name)
        return made

    def _check_new(self, name: str) -> None:
        if name in self._names:
            raise Diagnostic("CS1930", name)

    def _typed(self, clause: TreeNode, source: Node) -> Node:
        kind = clause.child_by_field_name("type")
        if kind is None:
            return source
        return syntax.Call(syntax.Member(source, "Cast", (self._type(kind),)), ())


def _is_null(node: Node) -> bool:
    return what_is_assigned(node) == "<null>"


def _last(clause: TreeNode) -> TreeNode:
    return named_children(clause)[-1]


_CLAUSES: dict[str, Callable[[_Query, TreeNode], None]] = {
    "from_clause": _Query._from,
    "let_clause": _Query._let,
    "where_clause": _Query._where,
    "order_by_clause": _Query._order_by,
    "join_clause": _Query._join,
    "select_clause": _Query._select,
    "group_clause": _Query._group,
}
