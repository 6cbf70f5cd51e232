"""Types: the parser's nodes -> our tree."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.grammar import tree_of
from dap_dotnet.evaluation.syntax.hidden_types import shown
from dap_dotnet.evaluation.syntax.nodes import Places, child, excerpt, identifier, node_text
from dap_dotnet.evaluation.syntax.tree import Place, TypeSyntax, placed

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode


def build_type(node: TreeNode, places: Places) -> TypeSyntax:
    """Any type. Raises `EvaluationError` for what has no meaning in an expression."""
    return placed(_built(node, places), places.of(node))


def _built(node: TreeNode, places: Places) -> TypeSyntax:
    kind = node.type
    if kind == "predefined_type":
        return syntax.PredefinedTypeSyntax(node_text(node))
    if kind == "nullable_type":
        return syntax.NullableTypeSyntax(build_type(child(node, "type"), places))
    if kind == "array_type":
        rank = 1 + sum(entry.type == "," for entry in child(node, "rank").children)
        return _array(build_type(child(node, "type"), places), rank)
    if kind == "pointer_type":
        return syntax.PointerTypeSyntax(build_type(child(node, "type"), places))
    if kind == "tuple_type":
        return _tuple([entry for entry in node.named_children if entry.type == "tuple_element"], places)
    if kind == "identifier" and (hidden := shown(node_text(node))) is not None:
        return _hidden(hidden, places.start(node))
    if kind in ("identifier", "generic_name", "qualified_name", "alias_qualified_name", "member_access_expression"):
        name = node.child_by_field_name("name") or node
        return syntax.NamedTypeSyntax(_parts(node, places), at=Place(places.start(node), places.start(name)))
    raise EvaluationError(f"'{excerpt(node)}' is not a type that can be used here")


_BEFORE = "_ = default("


def _hidden(written: str, start: int) -> TypeSyntax:
    """A type that the grammar was not shown, which stands behind `start` characters of the user's text."""
    root = tree_of(f"{_BEFORE}{written});")
    found = root.descendant_for_byte_range(len(_BEFORE), len(_BEFORE) + len(written.encode()))
    if found is None or found.type not in ("tuple_type", "generic_name") or root.has_error:
        raise EvaluationError(f"'{written}' is not a type that can be used here")
    return build_type(found, Places(root.text or b"", len(_BEFORE), start))


def _tuple(elements: list[TreeNode], places: Places) -> TypeSyntax:
    written = [element.child_by_field_name("name") for element in elements]
    names = tuple(identifier(name) if name is not None else None for name in written)
    for number, name in enumerate(names):
        with_name = written[number]
        wrong = _wrong_name(names, number) if name is not None else None
        if wrong is not None and with_name is not None:
            wrong.trail.append(places.of(with_name))
            raise wrong
    types = tuple(build_type(child(element, "type"), places) for element in elements)
    return syntax.TupleTypeSyntax(types, names if any(names) else ())


def _wrong_name(names: tuple[str | None, ...], number: int) -> EvaluationError | None:
    """CS8125, CS8126, CS8127: an element's name that the tuple cannot give it."""
    name = names[number] or ""
    if name in names[:number]:
        return Diagnostic("CS8127")
    if name in _RESERVED:
        return Diagnostic("CS8126", name)
    place = _ITEM.fullmatch(name)
    if place is not None and int(place[1]) != number + 1:
        return Diagnostic("CS8125", name, place[1])
    return None


_ITEM = re.compile(r"Item([1-9]\d{0,8})")
_RESERVED = frozenset({"CompareTo", "Deconstruct", "Equals", "GetHashCode", "Rest", "ToString"})


def _array(element: TypeSyntax, rank: int) -> TypeSyntax:
    """`int[][,]` is an array of int[,]; the grammar nests the other way round."""
    if isinstance(element, syntax.ArrayTypeSyntax):
        return syntax.ArrayTypeSyntax(_array(element.element, rank), element.rank, at=element.at)
    return syntax.ArrayTypeSyntax(element, rank)


def _parts(node: TreeNode, places: Places) -> tuple[syntax.TypePart, ...]:
    if node.type == "identifier" and (hidden := shown(node_text(node))) is not None:
        named = _hidden(hidden, places.start(node))
        return named.parts if isinstance(named, syntax.NamedTypeSyntax) else ()
    if node.type == "identifier":
        return (syntax.TypePart(identifier(node), at=places.of(node)),)
    if node.type == "generic_name":
        name = next(entry for entry in node.named_children if entry.type == "identifier")
        arguments = next(entry for entry in node.named_children if entry.type == "type_argument_list")
        types = tuple(build_type(entry, places) for entry in arguments.named_children)
        unbound = 0 if types else 1 + sum(entry.type == "," for entry in arguments.children)
        return (syntax.TypePart(identifier(name), types, unbound, at=places.of(name)),)
    if node.type == "alias_qualified_name":
        if node_text(child(node, "alias")) != "global":
            raise EvaluationError(f"Only the alias global:: is supported: '{excerpt(node)}'")
        return _parts(child(node, "name"), places)
    if node.type == "member_access_expression":
        return _parts(child(node, "expression"), places) + _parts(child(node, "name"), places)
    return _parts(child(node, "qualifier"), places) + _parts(child(node, "name"), places)
