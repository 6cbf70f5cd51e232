"""Text -> tree, with tree-sitter's C# grammar.

The expression stands alone on lines of its own behind `_=`, so that positions are the user's. The grammar is made for
editors and forgiving; what it mended is an error here, and where it differs from the C# specification is put right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import interpolation
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.faults import assigned_parts, fault
from dap_dotnet.evaluation.syntax.foreign_names import with_foreign_names_hidden
from dap_dotnet.evaluation.syntax.grammar import grammar
from dap_dotnet.evaluation.syntax.hidden_indirections import with_indirections_hidden
from dap_dotnet.evaluation.syntax.hidden_types import with_types_hidden
from dap_dotnet.evaluation.syntax.nodes import Places
from dap_dotnet.evaluation.syntax.positions import locate
from dap_dotnet.evaluation.syntax.scanner import (
    MAX_NESTING,
    SyntaxFault,
    scan,
    tokens,
    with_conditional_targets_hidden,
    with_dollars_hidden,
    with_empty_texts_plain,
    with_slices_hidden,
)
from dap_dotnet.evaluation.syntax.tree import Node, Place
from dap_dotnet.evaluation.syntax.tree_builder import TreeBuilder

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_PREFIX = "_=\n"
_SUFFIX = "\n;"
_MAX_REWRITES = 32
_MOST_ASSIGNED = 8
"""Sides of assignments to calls in one text: each is parsed anew with all that follows."""
_MAX_DEPTH = 2 * MAX_NESTING
_ASSIGNED = (syntax.Name, syntax.Member, syntax.Index, syntax.This, syntax.Tuple)
_AMBIGUOUS_UNARY = frozenset("+-&*^")


def parse(text: str) -> Node:
    """The tree of an expression. Raises `EvaluationError` with line and column, for syntax with what was expected.

    Takes time linear in the text, whatever it is: see `scanner`.
    """
    try:
        return _parse(text, 0)
    except EvaluationError as error:
        locate(error, text, None)
        raise


@lru_cache(maxsize=512)
def _parse(text: str, base: int) -> Node:
    """The tree of an expression that stands behind `base` characters of the user's text."""
    text = with_foreign_names_hidden(text)
    scan(text)
    text = with_dollars_hidden(text)
    source = with_types_hidden(without_semicolon(text))
    for _ in range(_MAX_REWRITES):
        data = (_PREFIX + source + _SUFFIX).encode("utf-8", "surrogatepass")
        root = grammar().parse(data).root_node
        expression = _expression_of(root, len(data))
        if expression is None or root.has_error:
            mended = with_conditional_targets_hidden(with_slices_hidden(with_empty_texts_plain(source)))
            if mended == source and (assigned := _assigned_call(text, base)) is not None:
                return assigned
            if mended == source:
                mended = with_indirections_hidden(source)
            if mended == source:
                raise _fault_in_hole(text) or _not_assigned(text, base) or fault(text, root, _PREFIX)
            source = mended
            continue
        cast = _misread_cast(expression, text)
        if cast is None:
            try:
                return TreeBuilder(_parse, text, Places(data, len(_PREFIX), base)).build(expression)
            except RecursionError:
                raise SyntaxFault("the expression nests too deeply", text, 0, identifier="CS8078") from None
        source = _without_parentheses(source, cast)
    raise SyntaxFault("too many parenthesized names before an operator", text, 0, identifier="CS8078")


def _fault_in_hole(text: str) -> SyntaxFault | None:
    """What is wrong in a hole of the first interpolated string; None where that is not it."""
    start = next((offset for kind, _, offset in tokens(text) if kind == "interpolated"), None)
    try:
        parts = interpolation.split_at(text, start) if start is not None else []
    except SyntaxFault as found:
        return found
    except EvaluationError:
        return None
    for part in parts:
        if isinstance(part, str):
            continue
        try:
            _parse(part.expression, 0)
        except SyntaxFault as found:
            return found.in_hole(part.expression).within(text, part.start)
        except EvaluationError:
            continue
    return None


def _assigned_call(text: str, base: int) -> Node | None:
    """`M(…) = value`, `(c ? ref a : ref b) = value` and `*(T*)p = value`, which the grammar does not know.

    None for other texts.
    """
    parts = assigned_parts(without_semicolon(text))
    is_pointed = parts[0][1].lstrip().startswith("*")
    if not 2 <= len(parts) <= _MOST_ASSIGNED or not (is_pointed or parts[0][1].rstrip().endswith(")")):
        return None
    side, behind = parts[0][1], parts[1][0]
    try:
        target = _parse(side, base)
    except EvaluationError:
        return None
    is_one_of_two = isinstance(target, syntax.Conditional) and target.is_reference and side.lstrip().startswith("(")
    is_pointed = isinstance(target, syntax.Unary) and target.operator == "*"
    if not isinstance(target, syntax.Call) and not is_one_of_two and not is_pointed:
        return None
    value = _parse(text[behind:], base + behind)
    return syntax.Assignment(target, text[len(side) : behind].strip(), value, at=Place(base, base))


def _not_assigned(text: str, base: int) -> EvaluationError | None:
    """CS0131 where an expression stands left of an assignment that is none of a variable; None where that is not it."""
    for start, side in assigned_parts(without_semicolon(text))[:-1]:
        try:
            target = _parse(side, 0)
        except EvaluationError:
            return None
        if not isinstance(target, _ASSIGNED):
            error = Diagnostic("CS0131")
            at = base + start + len(side) - len(side.lstrip(" \t\r\n("))
            error.trail.append(Place(at, at))
            return error
    return None


def without_semicolon(text: str) -> str:
    """The text without the semicolon that ends it as a statement."""
    stripped = text.rstrip()
    return stripped[:-1] if stripped.endswith(";") and not stripped[:-1].rstrip().endswith(";") else text


def _expression_of(root: TreeNode, size: int) -> TreeNode | None:
    """The one expression in the source; None when it is something else, or more than one."""
    statements = [child for child in root.named_children if child.type != "comment"]
    if len(statements) != 1 or statements[0].type != "global_statement":
        return None
    inner = [child for child in statements[0].named_children if child.type != "comment"]
    if len(inner) != 1 or inner[0].type != "expression_statement" or inner[0].end_byte != size:
        return None
    assignment = inner[0].named_children[0]
    left = assignment.child_by_field_name("left")
    if assignment.type != "assignment_expression" or left is None or left.end_byte != 1:
        return None
    return assignment.child_by_field_name("right")


_ARRAY_TYPE = re.compile(rb"\[[\s,]*\]\s*$")
_ACCESSES = frozenset({
    "member_access_expression", "element_access_expression", "invocation_expression", "conditional_access_expression",
    "postfix_unary_expression", "assignment_expression",
})  # fmt: skip
_NAMES = ("identifier", "qualified_name", "array_type")
"""What names a type, or a variable, its member or its element."""


def _misread_cast(expression: TreeNode, text: str) -> TreeNode | None:
    """A node that the grammar takes for a cast, and C# for a parenthesized name before + - & * or ^.

    Checks the depth of the tree on its way: the left spine of binary operators adds no depth.
    """
    pending = [(expression, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > _MAX_DEPTH:
            raise SyntaxFault(f"the expression nests more than {MAX_NESTING} levels deep", text, 0, identifier="CS8078")
        if node.type == "cast_expression" and _is_misread(node):
            return node
        is_spine = node.type == "binary_expression"
        for number, child in enumerate(node.named_children):
            pending.append((child, depth if is_spine and number == 0 else depth + 1))
    return None


def _is_misread(cast: TreeNode) -> bool:
    """C# specification 12.9.7: a name in parentheses is not a cast when + or - follows (nor, of a unary, & * or ^).

    Nor before `[` and `is`, which the grammar takes for a collection and for a name.
    """
    type_node = cast.child_by_field_name("type")
    value = cast.child_by_field_name("value")
    if type_node is None or value is None or type_node.type not in _NAMES:
        return False
    if type_node.type == "qualified_name" and b"<" in (type_node.text or b""):
        return False
    if value.type == "prefix_unary_expression":
        return value.children[0].type in _AMBIGUOUS_UNARY
    while value.type in _ACCESSES:
        value = value.children[0]
    if value.type == "collection_expression":
        return _ARRAY_TYPE.search(type_node.text or b"") is None
    return value.type == "identifier" and value.text == b"is"


def _without_parentheses(source: str, cast: TreeNode) -> str:
    """The source with spaces for the cast's parentheses: all positions stay."""
    data = bytearray((_PREFIX + source).encode("utf-8", "surrogatepass"))
    for child in cast.children:
        if child.type in ("(", ")"):
            data[child.start_byte : child.end_byte] = b" "
    return data.decode("utf-8", "surrogatepass")[len(_PREFIX) :]
