"""Declarations in the debug console: `var t = …`, `int x = 5`, `const int n = 3`, `(int a, var b) = …`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax.grammar import tree_of
from dap_dotnet.evaluation.syntax.hidden_types import with_types_hidden
from dap_dotnet.evaluation.syntax.nodes import Places, child, identifier, named_children, node_text
from dap_dotnet.evaluation.syntax.parser import parse, without_semicolon
from dap_dotnet.evaluation.syntax.positions import blank
from dap_dotnet.evaluation.syntax.scanner import tokens
from dap_dotnet.evaluation.syntax.tree import ArrayTypeSyntax, Node, TypeSyntax
from dap_dotnet.evaluation.syntax.type_builder import build_type

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_LEFT = re.compile(r"\s*(?:\(.*\)|[@\w(].*[\s\])>?][@\w]\S*|var\s*\(.*\))\s*", re.DOTALL)
"""What may stand left of the `=`: the grammar is asked only where it may be a declaration."""
_NO_ASSIGNMENT = frozenset("=!<>+-*/%&|^?")


class DeclaredVariable(Struct, frozen=True):
    """A variable by its name; `type` None for `var`."""

    type: TypeSyntax | None
    name: str


class ConsoleDeclaration(Struct, frozen=True):
    """`variables = value`: several take it apart."""

    variables: tuple[DeclaredVariable, ...]
    value: Node
    text: str
    """Where the places of `value` are."""
    is_apart: bool = False
    is_constant: bool = False


def console_declaration(text: str) -> ConsoleDeclaration | None:
    """The declaration that a text is; None for any other text. Raises `EvaluationError` for the syntax of its value."""
    at = _assignment(text)
    if at is None or not _LEFT.fullmatch(text, 0, at):
        return None
    left, right = text[:at], without_semicolon(text[at + 1 :])
    before = blank(text[: at + 1])
    try:
        root = tree_of(with_types_hidden(f"{left} = 0;"))
    except EvaluationError:
        return None
    statements = [entry for entry in root.named_children if entry.type != "comment"]
    if root.has_error or len(statements) != 1 or statements[0].type != "global_statement":
        return None
    statement = named_children(statements[0])[0]
    found = _declared(statement, Places(root.text or b"", 0, 0))
    if found is None:
        return None
    variables, is_apart = found
    is_constant = any(entry.type == "modifier" and node_text(entry) == "const" for entry in statement.children)
    only = variables[0].type
    if isinstance(only, ArrayTypeSyntax) and right.lstrip().startswith("{"):
        created = f"new {left.strip().rpartition(' ')[0]}"
        has_room = len(before) - before.rfind("\n") > len(created)
        before = (before[: -len(created)] if has_room else before) + created
    try:
        value = parse(before + right)
    except EvaluationError:
        if _is_expression(text):  # b ? i = 3 : j
            return None
        raise
    return ConsoleDeclaration(variables, value, before + right, is_apart, is_constant)


def _is_expression(text: str) -> bool:
    try:
        parse(text)
    except EvaluationError:
        return False
    return True


def _assignment(text: str) -> int | None:
    """Where the first `=` stands that assigns and is in no brackets."""
    depth = 0
    for kind, token, offset in tokens(text):
        if kind == "interpolated":
            return None
        if kind != "symbol":
            continue
        depth += (token in "([{") - (token in ")]}")
        if token == "=" and not depth:
            before, after = text[offset - 1 : offset], text[offset + 1 : offset + 2]
            return None if after in ("=", ">") or before in _NO_ASSIGNMENT else offset
    return None


def _declared(statement: TreeNode, places: Places) -> tuple[tuple[DeclaredVariable, ...], bool] | None:
    """The variables of a declaration or of an assignment to declared variables, and whether a value is taken apart."""
    if statement.type == "local_declaration_statement":
        declaration = next(entry for entry in statement.named_children if entry.type == "variable_declaration")
        kind = child(declaration, "type")
        declarators = [entry for entry in declaration.named_children if entry.type == "variable_declarator"]
        name = named_children(declarators[0])[0]
        if len(declarators) != 1 or kind.type in ("ref_type", "scoped_type"):
            return None
        if name.type == "tuple_pattern":
            return tuple(DeclaredVariable(None, identifier(entry)) for entry in named_children(name)), True
        return (DeclaredVariable(_type(kind, places), identifier(name)),), False
    inner = named_children(statement)[0] if statement.type == "expression_statement" else None
    left = inner.child_by_field_name("left") if inner is not None and inner.type == "assignment_expression" else None
    if left is None or left.type != "tuple_expression":
        return None
    parts = [named_children(entry)[-1] for entry in named_children(left)]
    if not parts or any(part.type != "declaration_expression" for part in parts):
        return None
    return tuple(
        DeclaredVariable(_type(child(part, "type"), places), identifier(child(part, "name"))) for part in parts
    ), True


def _type(node: TreeNode, places: Places) -> TypeSyntax | None:
    return None if node.type == "implicit_type" else build_type(node, places)
