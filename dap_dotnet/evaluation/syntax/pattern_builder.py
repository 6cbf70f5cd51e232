"""Patterns: the parser's nodes -> our tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Pattern
from dap_dotnet.evaluation.syntax.type_builder import convert_type

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

    from dap_dotnet.evaluation.syntax.tree_builder import Converter


def _text(node: TreeNode) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _named(node: TreeNode) -> list[TreeNode]:
    return [child for child in node.named_children if child.type != "comment"]


_PRECEDENCE = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
}  # fmt: skip
"""Operators that bind no tighter than `is`; the grammar takes what follows a pattern for a part of its constant."""
_TIGHTEST = 9


def without_tail(node: TreeNode) -> TreeNode:
    """The constant of a pattern, without the operators after it that are not its own."""
    while node.type == "binary_expression":
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        if left is None or operator is None or operator.type not in _PRECEDENCE:
            break
        node = left
    return node


def tail_of(pattern: TreeNode) -> list[tuple[str, TreeNode]]:
    """The operators after a pattern, each with its right operand, that the grammar took for a part of it."""
    while pattern.type in ("negated_pattern", "and_pattern", "or_pattern"):
        pattern = _named(pattern)[-1]
    inner = _named(pattern) if pattern.type in ("constant_pattern", "relational_pattern") else []
    tail: list[tuple[str, TreeNode]] = []
    node = inner[-1] if inner else pattern
    while node.type == "binary_expression":
        left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
        right = node.child_by_field_name("right")
        if left is None or operator is None or right is None or operator.type not in _PRECEDENCE:
            break
        tail.append((operator.type, right))
        node = left
    return tail[::-1]


def joined(first: syntax.Node, tail: list[tuple[str, syntax.Node]]) -> syntax.Node:
    """A chain of operators as a tree, by their precedence."""
    operands, operators = [first], list[str]()
    for operator, right in [*tail, ("", first)]:
        precedence = _PRECEDENCE.get(operator, _TIGHTEST) if operator else 0
        while operators:
            above = _PRECEDENCE.get(operators[-1], _TIGHTEST)
            if above < precedence or (above == precedence and operator == "??"):
                break
            last = operands.pop()
            operands[-1] = syntax.Binary(operators.pop(), operands[-1], last)
        operators.append(operator)
        operands.append(right)
    return operands[0]


def convert_pattern(converter: Converter, node: TreeNode) -> Pattern:
    """Any pattern. Raises `EvaluationError` for unknown ones."""
    kind = node.type
    if kind == "constant_pattern":
        inner = _named(node)
        return syntax.ConstantPattern(converter.convert(without_tail(inner[0] if inner else node.children[0])))
    if kind == "declaration_pattern":
        return _declaration(node)
    if kind == "type_pattern":
        return syntax.TypePattern(convert_type(_named(node)[0]), None)
    if kind == "var_pattern":
        return syntax.TypePattern(None, _text(_named(node)[-1]).removeprefix("@"))
    if kind == "discard":
        return syntax.DiscardPattern()
    if kind == "parenthesized_pattern":
        return convert_pattern(converter, _named(node)[0])
    if kind == "relational_pattern":
        return syntax.RelationalPattern(node.children[0].type, converter.convert(without_tail(_named(node)[-1])))
    if kind == "negated_pattern":
        return _negated(converter, _named(node)[0])
    if kind in ("and_pattern", "or_pattern"):
        left, right = _named(node)
        return syntax.JunctionPattern(
            convert_pattern(converter, left), convert_pattern(converter, right), kind == "and_pattern"
        )
    if kind == "recursive_pattern":
        return _recursive(converter, node)
    if kind == "list_pattern":
        items: list[Pattern] = []
        for child in node.children:
            if child.type == "..":
                items.append(syntax.SlicePattern())
            elif child.is_named and child.type != "comment":
                items.append(convert_pattern(converter, child))
        return syntax.ListPattern(tuple(items))
    raise EvaluationError(f"This kind of pattern is not evaluated ({kind}): '{_text(node)[:60]}'")


def _negated(converter: Converter, inner: TreeNode) -> Pattern:
    """`not` binds tighter than `and` and `or`; the grammar has it the other way round."""
    if inner.type in ("and_pattern", "or_pattern"):
        left, right = _named(inner)
        return syntax.JunctionPattern(
            _negated(converter, left), convert_pattern(converter, right), inner.type == "and_pattern"
        )
    return syntax.NotPattern(convert_pattern(converter, inner))


def _declaration(node: TreeNode) -> Pattern:
    type_node = node.child_by_field_name("type")
    name_node = node.child_by_field_name("name")
    assert type_node is not None
    name = _text(name_node).removeprefix("@") if name_node is not None else None
    return syntax.TypePattern(None if type_node.type == "implicit_type" else convert_type(type_node), name)


def _recursive(converter: Converter, node: TreeNode) -> Pattern:
    type_node = node.child_by_field_name("type")
    name_node = node.child_by_field_name("name")
    positional: tuple[Pattern, ...] | None = None
    properties: tuple[syntax.PropertyPart, ...] = ()
    for clause in node.named_children:
        if clause.type == "positional_pattern_clause":
            positional = tuple(convert_pattern(converter, _named(part)[-1]) for part in _named(clause))
        elif clause.type == "property_pattern_clause":
            properties = tuple(_property(converter, part) for part in _named(clause))
    return syntax.RecursivePattern(
        convert_type(type_node) if type_node is not None else None,
        positional,
        properties,
        _text(name_node).removeprefix("@") if name_node is not None else None,
    )


def _property(converter: Converter, node: TreeNode) -> syntax.PropertyPart:
    children = _named(node)
    if len(children) != 2:
        raise EvaluationError(f"A property pattern names its member: '{_text(node)[:60]}'")
    path = tuple(part.strip().removeprefix("@") for part in _text(children[0]).split("."))
    return syntax.PropertyPart(path, convert_pattern(converter, children[1]))
