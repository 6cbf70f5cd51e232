"""Patterns: the parser's nodes -> our tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.creation_builder import BuildType
from dap_dotnet.evaluation.syntax.nodes import Places, child, excerpt, identifier, named_children, node_text
from dap_dotnet.evaluation.syntax.pattern_tree import Pattern
from dap_dotnet.evaluation.syntax.scanner import SLICE
from dap_dotnet.evaluation.syntax.tree import Node, Place, TypeSyntax, placed

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode


_PRECEDENCE = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
}  # fmt: skip
"""Operators that bind no tighter than `is`; the grammar takes what follows a pattern for a part of its constant."""
_JOINED = {
    **_PRECEDENCE, "is": 8, "as": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip


_JUNCTIONS = ("negated_pattern", "and_pattern", "or_pattern")
Build = Callable[["TreeNode"], syntax.Node]
Settle = Callable[["TreeNode"], "TreeNode"]
"""`AccessChains.settle`."""


class PatternParts(Struct, frozen=True):
    """What builds the expressions and types in a pattern: of the tree's builder."""

    build: Build
    settle: Settle
    type_of: BuildType
    places: Places


def _constant(pattern: TreeNode, node: TreeNode, settle: Settle) -> TreeNode:
    """The constant of a pattern; behind `is` without the operators after it, which are not its own."""
    outer = pattern
    while outer.parent is not None and outer.parent.type in _JUNCTIONS and outer == named_children(outer.parent)[-1]:
        outer = outer.parent
    if outer.parent is None or outer.parent.type != "is_pattern_expression":
        return node
    node = _before_accesses(_condition(node), settle)
    while node.type == "binary_expression":
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        if left is None or operator is None or operator.type not in _PRECEDENCE:
            break
        node = _before_accesses(left, settle)
    return node


def _condition(node: TreeNode) -> TreeNode:
    """What a relational pattern compares with: of `is > 3 ? a : b` the grammar takes all behind the `>` for it."""
    return child(node, "condition") if node.type == "conditional_expression" else node


def conditional_after(node: TreeNode) -> TreeNode | None:
    """The conditional expression whose condition ends with a relational pattern, in which the grammar has put it."""
    while True:
        if node.type == "binary_expression":
            node = child(node, "right")
        elif node.type == "is_pattern_expression":
            node = child(node, "pattern")
        elif node.type in _JUNCTIONS:
            node = named_children(node)[-1]
        elif node.type == "relational_pattern":
            inner = named_children(node)[-1]
            return inner if inner.type == "conditional_expression" else None
        else:
            return None


def _before_accesses(node: TreeNode, settle: Settle) -> TreeNode:
    """The operators between a constant and a `?.` that the grammar applied to them all."""
    base = settle(node)
    return base if base.type == "binary_expression" else node


def tail_of(pattern: TreeNode, settle: Settle) -> list[tuple[str, TreeNode]]:
    """The operators after a pattern, each with its right operand, that the grammar took for a part of it."""
    while pattern.type in _JUNCTIONS:
        pattern = named_children(pattern)[-1]
    inner = named_children(pattern) if pattern.type in ("constant_pattern", "relational_pattern") else []
    tail: list[tuple[str, TreeNode]] = []
    node = _before_accesses(_condition(inner[-1]), settle) if inner else pattern
    while node.type == "binary_expression":
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        right = node.child_by_field_name("right")
        if left is None or operator is None or right is None or operator.type not in _PRECEDENCE:
            break
        tail.append((operator.type, right))
        node = _before_accesses(left, settle)
    return tail[::-1]


def joined(first: syntax.Node, tail: list[tuple[str, syntax.Node]]) -> syntax.Node:
    """A chain of operators as a tree, by their precedence."""
    operands, operators = [first], list[str]()
    for operator, right in [*tail, ("", first)]:
        precedence = _JOINED[operator] if operator else 0
        while operators:
            above = _JOINED[operators[-1]]
            if above < precedence or (above == precedence and operator == "??"):
                break
            last = operands.pop()
            operands[-1] = combined(operators.pop(), operands[-1], last)
        operators.append(operator)
        operands.append(right)
    return operands[0]


def combined(operator: str, left: syntax.Node, right: syntax.Node) -> syntax.Node:
    """`left operator right`; after `is` stands a pattern, after `as` a type."""
    at = Place(left.at.start, left.at.start)
    if operator == "is":
        return pattern_tree.IsPattern(left, cast(Pattern, right), at=at)
    if operator == "as":
        return syntax.As(left, cast(TypeSyntax, right), at=at)
    return syntax.Binary(operator, left, right, at=at)


def build_pattern(parts: PatternParts, node: TreeNode) -> Pattern:
    """Any pattern; `parts` builds what is inside of it. Raises `EvaluationError` for unknown ones."""
    return placed(_built(parts, node), parts.places.of(node))


def _built(parts: PatternParts, node: TreeNode) -> Pattern:
    kind = node.type
    if kind == "constant_pattern":
        inner = named_children(node)
        own = _constant(node, inner[0] if inner else node.children[0], parts.settle)
        if own.type == "identifier" and node_text(own) == SLICE:
            return pattern_tree.SlicePattern()
        return _of_expression(parts.build(own))
    if kind == "declaration_pattern":
        return _declaration(parts, node)
    if kind == "recursive_pattern" and _is_slice(node):
        return pattern_tree.SlicePattern(_recursive(parts, node, is_slice=True))
    if kind == "type_pattern":
        return pattern_tree.TypePattern(parts.type_of(named_children(node)[0]), None)
    if kind == "var_pattern":
        return pattern_tree.TypePattern(None, identifier(named_children(node)[-1]))
    if kind == "discard":
        return pattern_tree.DiscardPattern()
    if kind == "parenthesized_pattern":
        return build_pattern(parts, named_children(node)[0])
    if kind == "relational_pattern":
        return pattern_tree.RelationalPattern(
            node.children[0].type, parts.build(_constant(node, named_children(node)[-1], parts.settle))
        )
    if kind == "negated_pattern":
        return _negated(parts, named_children(node)[0])
    if kind in _JUNCTIONS:
        left, right = named_children(node)
        return pattern_tree.JunctionPattern(
            build_pattern(parts, left), build_pattern(parts, right), kind == "and_pattern"
        )
    if kind == "recursive_pattern":
        return _recursive(parts, node)
    if kind == "list_pattern":
        items: list[Pattern] = []
        for item in node.children:
            if item.type == "..":
                items.append(pattern_tree.SlicePattern())
            elif item.is_named and item.type != "comment":
                items.append(build_pattern(parts, item))
        return pattern_tree.ListPattern(tuple(items))
    raise EvaluationError(f"This kind of pattern is not supported ({kind}): '{excerpt(node)}'")


def _negated(parts: PatternParts, inner: TreeNode) -> Pattern:
    """`not` binds tighter than `and` and `or`; the grammar has it the other way round."""
    if inner.type in ("and_pattern", "or_pattern"):
        left, right = named_children(inner)
        return pattern_tree.JunctionPattern(
            _negated(parts, left), build_pattern(parts, right), inner.type == "and_pattern"
        )
    return pattern_tree.NotPattern(build_pattern(parts, inner))


def _declaration(parts: PatternParts, node: TreeNode) -> Pattern:
    type_node = node.child_by_field_name("type")
    name_node = node.child_by_field_name("name")
    assert type_node is not None
    name = identifier(name_node) if name_node is not None else None
    names = next((one for one in node.named_children if one.type == _DESIGNATION), None)
    if names is not None:
        return _of_names(names, parts.places.of(node))
    if _is_slice(node):
        return pattern_tree.SlicePattern(pattern_tree.TypePattern(None, name))
    return pattern_tree.TypePattern(None if type_node.type == "implicit_type" else parts.type_of(type_node), name)


_DESIGNATION = "parenthesized_variable_designation"


def _of_names(node: TreeNode, at: Place) -> Pattern:
    items: list[Pattern] = []
    for one in named_children(node):
        if one.type == _DESIGNATION:
            items.append(_of_names(one, at))
        elif node_text(one) == "_":
            items.append(pattern_tree.DiscardPattern())
        else:
            items.append(pattern_tree.TypePattern(None, identifier(one), at=at))
    return pattern_tree.RecursivePattern(None, tuple(items), (), None, at=at)


def _is_slice(node: TreeNode) -> bool:
    """Whether a pattern stands behind the two dots of a slice, which `SLICE` stands for."""
    type_node = node.child_by_field_name("type")
    return type_node is not None and node_text(type_node) == SLICE


def _of_expression(node: syntax.Node) -> Pattern:
    """`T(1, var x)`, `(1, var x)` and `[1, ..]`, which the grammar takes for expressions; others are constants."""
    if isinstance(node, syntax.Collection):
        return pattern_tree.ListPattern(tuple(_of_element(one.value, is_spread=one.is_spread) for one in node.items))
    if isinstance(node, syntax.Index) and isinstance(node.target, syntax.Receiver):
        return pattern_tree.ListPattern(tuple(_of_element(one.value, is_spread=False) for one in node.arguments))
    if isinstance(node, syntax.Tuple):
        # A tuple takes names from what its elements are; a pattern does not.
        names = tuple(
            None if isinstance(item, (syntax.Name, syntax.Member)) and item.name == name else name
            for item, name in zip(node.items, node.names, strict=True)
        )
        return pattern_tree.RecursivePattern(None, tuple(map(_of_expression, node.items)), (), None, names)
    if isinstance(node, syntax.Declaration):
        return pattern_tree.TypePattern(node.type, node.name)
    if isinstance(node, syntax.Name) and node.name == "_":
        return pattern_tree.DiscardPattern()
    parts = _type_parts(node.target) if isinstance(node, syntax.Call) else ()
    if isinstance(node, syntax.Call) and parts and (len(parts) > 1 or parts[0].name != "nameof"):
        items = tuple(_of_expression(argument.value) for argument in node.arguments)
        given = tuple(argument.name for argument in node.arguments)
        if [part.name for part in parts] == ["var"]:
            return _designation(items, node.at)
        named = syntax.NamedTypeSyntax(parts, at=node.target.at)
        return pattern_tree.RecursivePattern(named, items, (), None, given, at=node.at)
    return pattern_tree.ConstantPattern(node)


def _of_element(node: syntax.Node, *, is_spread: bool) -> Pattern:
    """An element of `[1, .., var x]`; a range without a start is a slice."""
    if is_spread:
        return pattern_tree.SlicePattern(_of_expression(node))
    if isinstance(node, syntax.Name) and node.name == SLICE:
        return pattern_tree.SlicePattern()
    if isinstance(node, syntax.Declaration) and isinstance(node.type, syntax.NamedTypeSyntax):
        is_slice = [part.name for part in node.type.parts] == [SLICE]
        variable = pattern_tree.TypePattern(None if is_slice else node.type, node.name, at=node.at)
        return pattern_tree.SlicePattern(variable) if is_slice else variable
    if not isinstance(node, syntax.Range) or node.start is not None:
        return _of_expression(node)
    return pattern_tree.SlicePattern(_of_expression(node.end) if node.end is not None else None)


def is_called(node: TreeNode) -> bool:
    """Whether arguments follow, as the grammar takes it: `x is var (a, b)` for a call of what `x is var` gives."""
    return node.parent is not None and node.parent.type == "invocation_expression"


def with_designation(test: pattern_tree.IsPattern, arguments: Sequence[syntax.Argument]) -> Node:
    """`x is var` and the names behind it."""
    names = _designation(tuple(_of_expression(argument.value) for argument in arguments), test.pattern.at)
    return pattern_tree.IsPattern(test.operand, names, at=test.at)


def _designation(items: tuple[Pattern, ...], at: Place) -> Pattern:
    """`var (a, _, (b, c))`: a pattern that takes a value apart into variables."""
    return pattern_tree.RecursivePattern(None, tuple(map(_designated, items)), (), None, at=at)


def _designated(item: Pattern) -> Pattern:
    if isinstance(item, pattern_tree.RecursivePattern) and item.type is None and item.positional is not None:
        return _designation(item.positional, item.at)
    value = item.value if isinstance(item, pattern_tree.ConstantPattern) else None
    if isinstance(value, syntax.Tuple):
        return _designation(tuple(_of_expression(one) for one in value.items), item.at)
    if isinstance(value, syntax.Name) and not value.type_arguments:
        return pattern_tree.TypePattern(None, value.name, at=item.at)
    if isinstance(item, pattern_tree.DiscardPattern):
        return item
    raise Diagnostic("CS1001 var")


def _type_parts(node: syntax.Node) -> tuple[syntax.TypePart, ...]:
    """The type that a name means; () for what is none."""
    if isinstance(node, syntax.Name):
        return (syntax.TypePart(node.name, node.type_arguments),)
    if isinstance(node, syntax.Member):
        outer = _type_parts(node.target)
        return (*outer, syntax.TypePart(node.name, node.type_arguments)) if outer else ()
    return ()


def _recursive(parts: PatternParts, node: TreeNode, *, is_slice: bool = False) -> Pattern:
    type_node = node.child_by_field_name("type") if not is_slice else None
    name_node = node.child_by_field_name("name")
    positional: tuple[Pattern, ...] | None = None
    names: tuple[str | None, ...] = ()
    properties: tuple[pattern_tree.PropertyPart, ...] = ()
    for clause in node.named_children:
        if clause.type == "positional_pattern_clause":
            positional = tuple(build_pattern(parts, named_children(part)[-1]) for part in named_children(clause))
            names = tuple(
                identifier(inner[0]) if len(inner := named_children(part)) > 1 else None
                for part in named_children(clause)
            )
        elif clause.type == "property_pattern_clause":
            properties = tuple(_property(parts, part) for part in named_children(clause))
    if type_node is not None and node_text(type_node) == "var" and positional is not None and not properties:
        return _designation(positional, parts.places.of(node))
    return pattern_tree.RecursivePattern(
        parts.type_of(type_node) if type_node is not None else None,
        positional,
        properties,
        identifier(name_node) if name_node is not None else None,
        names,
    )


def _property(parts: PatternParts, node: TreeNode) -> pattern_tree.PropertyPart:
    children = named_children(node)
    if len(children) != 2:
        raise EvaluationError(f"A property pattern must name its member: '{excerpt(node)}'")
    path = tuple(part.strip().removeprefix("@") for part in node_text(children[0]).split("."))
    start = parts.places.start(children[0])
    last = start + node_text(children[0]).rfind(".") + 1
    return pattern_tree.PropertyPart(path, build_pattern(parts, children[1]), at=Place(start, last))
