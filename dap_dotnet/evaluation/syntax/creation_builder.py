"""Creations: the parser's nodes -> our tree (`new T(…) { … }`, `new T[n]`, `new[] { … }`, `x with { … }`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.nodes import Places, child, excerpt, identifier, named_children
from dap_dotnet.evaluation.syntax.tree import Argument, Node, Place, starts_of

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

Build = Callable[["TreeNode"], Node]
BuildType = Callable[["TreeNode"], syntax.TypeSyntax]
BuildArguments = Callable[["TreeNode | None"], "tuple[Argument, ...]"]


class CreationBuilder:
    """Builds creations; all that it is given is the tree's builder's."""

    def __init__(self, build: Build, arguments: BuildArguments, type_of: BuildType, places: Places) -> None:
        self._places = places
        self._build = build
        self._type = type_of
        self._arguments = arguments

    def new(self, node: TreeNode) -> Node:
        """`new T(…) { … }` and the target-typed `new(…) { … }`."""
        type_node = node.child_by_field_name("type")
        given = node.child_by_field_name("arguments") or _of_type(node, "argument_list")
        initializer = node.child_by_field_name("initializer") or _of_type(node, "initializer_expression")
        start, arguments = self._places.start(node), self._arguments(given)
        built = self._type(type_node) if type_node is not None else None
        name = built.at.start if built is not None else start
        return syntax.New(
            built,
            arguments,
            self._initializer(initializer) if initializer is not None else None,
            at=Place(start, name, starts_of(one.value for one in arguments)),
        )

    def new_array(self, node: TreeNode) -> Node:
        """`new T[n]` and `new T[] { … }`."""
        kind = child(node, "type")
        initializer = _of_type(node, "initializer_expression")
        built = self._type(kind)
        assert isinstance(built, syntax.ArrayTypeSyntax)
        while (inner := child(kind, "type")).type == "array_type":
            kind = inner
        lengths = tuple(map(self._build, named_children(child(kind, "rank"))))
        items, shape = self._items(initializer, built.rank) if initializer is not None else (None, ())
        return syntax.NewArray(built.element, lengths, items, shape, built.rank, at=self._place(node, items))

    def new_implicit_array(self, node: TreeNode) -> Node:
        """`new[] { … }` and `new[,] { … }`."""
        rank = 1 + sum(entry.type == "," for entry in node.children)
        initializer = _of_type(node, "initializer_expression")
        items, shape = self._items(initializer, rank) if initializer is not None else ((), (0,))
        return syntax.NewArray(None, (), items, shape, rank, at=self._place(node, items))

    def array_of(self, element: syntax.TypeSyntax, rank: int, initializer: TreeNode) -> Node:
        """`{ … }` where a variable says the type of the array."""
        items, shape = self._items(initializer, rank)
        return syntax.NewArray(element, (), items, shape, rank, at=self._place(initializer, items))

    def _place(self, node: TreeNode, items: tuple[Node, ...] | None) -> Place:
        start = self._places.start(node)
        return Place(start, start, starts_of(items or ()))

    def _items(self, node: TreeNode, rank: int) -> tuple[tuple[Node, ...], tuple[int, ...]]:
        """(the items, row by row; how many there are in each dimension). CS0846, CS0847 for rows of other lengths."""
        entries = named_children(node)
        if rank == 1:
            return tuple(map(self._build, entries)), (len(entries),)
        items: list[Node] = []
        shape: tuple[int, ...] = (0,) * (rank - 1)
        for number, entry in enumerate(entries):
            if entry.type != "initializer_expression":
                raise Diagnostic("CS0846")
            row, found = self._items(entry, rank - 1)
            if number and found != shape:
                raise Diagnostic("CS0847", shape[0])
            shape = found
            items += row
        return tuple(items), (len(entries), *shape)

    def new_anonymous(self, node: TreeNode) -> Node:
        """`new { a, x.b, name = c }`. CS0746 for a member without a name, CS0828, CS0833 for one name twice."""
        names, items = [], []
        entries = [entry for entry in node.children if entry.type not in ("new", "comment")]
        for number, entry in enumerate(entries):
            if entry.type in ("{", "}", ",", "=") or (entries[number + 1].type == "="):
                continue
            is_named = entries[number - 1].type == "="
            items.append(self._build(entry))
            name = identifier(entries[number - 2]) if is_named else implied_name(items[-1])
            if name is None:
                raise Diagnostic("CS0746", excerpt(entry))
            if is_named and (what := what_is_assigned(items[-1])):
                error = Diagnostic("CS0828", what)
                error.trail.append(self._places.of(entries[number - 2]))
                raise error
            if name in names:
                raise Diagnostic("CS0833", name)
            names.append(name)
        return syntax.Anonymous(tuple(items), tuple(names))

    def collection(self, node: TreeNode) -> Node:
        """`[a, ..b]`."""
        elements = [named_children(entry)[0] for entry in named_children(node)]
        return syntax.Collection(
            tuple(
                syntax.Element(self._build(named_children(entry)[0]), entry.type == "spread_element")
                for entry in elements
            )
        )

    def with_(self, node: TreeNode) -> Node:
        """`x with { A = 1 }`."""
        first, *rest = named_children(node)
        entries = []
        for entry in rest:
            name, value = named_children(entry)
            entries.append(syntax.MemberEntry(identifier(name), self._build(value), at=self._places.of(name)))
        return syntax.With(self._build(first), syntax.Initializer(tuple(entries)))

    def _initializer(self, node: TreeNode) -> syntax.Initializer:
        return syntax.Initializer(tuple(self._entry(entry) for entry in named_children(node)))

    def _entry(self, node: TreeNode) -> syntax.Entry:
        if node.type == "initializer_expression":
            values = tuple(map(self._build, named_children(node)))
            return syntax.ElementEntry(values, at=self._place(node, values))
        if node.type != "assignment_expression":
            return syntax.ElementEntry((self._build(node),), at=self._places.of(node))
        left, right = child(node, "left"), child(node, "right")
        value = self._initializer(right) if right.type == "initializer_expression" else self._build(right)
        if left.type == "element_binding_expression":
            return syntax.IndexEntry(self._arguments(left), value, at=self._places.of(left))
        return syntax.MemberEntry(identifier(left), value, at=self._places.of(left))


def implied_name(node: Node) -> str | None:
    """The name that a member of an anonymous object, or an element of a tuple, takes from its value."""
    if isinstance(node, syntax.ConditionalAccess):
        return implied_name(node.access)
    return node.name if isinstance(node, syntax.Name | syntax.Member) else None


def _of_type(node: TreeNode, kind: str) -> TreeNode | None:
    return next((entry for entry in node.named_children if entry.type == kind), None)


def what_is_assigned(value: Node) -> str:
    """What the compiler calls a value that has no type by itself: null and lambdas; "" for others."""
    is_null = isinstance(value, syntax.Literal) and value.value is None
    return "<null>" if is_null else "lambda expression" if isinstance(value, syntax.Lambda) else ""
