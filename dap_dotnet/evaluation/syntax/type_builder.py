"""Types: the parser's nodes -> our tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import TypeSyntax

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode


def _text(node: TreeNode) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _child(node: TreeNode, name: str) -> TreeNode:
    child = node.child_by_field_name(name)
    assert child is not None
    return child


def convert_type(node: TreeNode) -> TypeSyntax:
    """Any type. Raises `EvaluationError` for what has no meaning in an expression."""
    kind = node.type
    if kind == "predefined_type":
        return syntax.PredefinedTypeSyntax(_text(node))
    if kind == "nullable_type":
        return syntax.NullableTypeSyntax(convert_type(_child(node, "type")))
    if kind == "array_type":
        rank = 1 + sum(child.type == "," for child in _child(node, "rank").children)
        return _array(convert_type(_child(node, "type")), rank)
    if kind == "pointer_type":
        return syntax.PointerTypeSyntax(convert_type(_child(node, "type")))
    if kind == "tuple_type":
        elements = [child for child in node.named_children if child.type == "tuple_element"]
        return syntax.TupleTypeSyntax(tuple(convert_type(_child(element, "type")) for element in elements))
    if kind in ("identifier", "generic_name", "qualified_name", "alias_qualified_name", "member_access_expression"):
        return syntax.NamedTypeSyntax(_parts(node))
    raise EvaluationError(f"'{_text(node)[:60]}' is not a type that can be used here")


def _array(element: TypeSyntax, rank: int) -> TypeSyntax:
    """`int[][,]` is an array of int[,]; the grammar nests the other way round."""
    if isinstance(element, syntax.ArrayTypeSyntax):
        return syntax.ArrayTypeSyntax(_array(element.element, rank), element.rank)
    return syntax.ArrayTypeSyntax(element, rank)


def _parts(node: TreeNode) -> tuple[syntax.TypePart, ...]:
    if node.type == "identifier":
        return (syntax.TypePart(_text(node).removeprefix("@")),)
    if node.type == "generic_name":
        name = next(child for child in node.named_children if child.type == "identifier")
        arguments = next(child for child in node.named_children if child.type == "type_argument_list")
        types = tuple(convert_type(child) for child in arguments.named_children)
        unbound = 0 if types else 1 + sum(child.type == "," for child in arguments.children)
        return (syntax.TypePart(_text(name).removeprefix("@"), types, unbound),)
    if node.type == "alias_qualified_name":
        if _text(_child(node, "alias")) != "global":
            raise EvaluationError(f"Only the alias global:: is known: '{_text(node)[:60]}'")
        return _parts(_child(node, "name"))
    if node.type == "member_access_expression":
        return _parts(_child(node, "expression")) + _parts(_child(node, "name"))
    return _parts(_child(node, "qualifier")) + _parts(_child(node, "name"))
