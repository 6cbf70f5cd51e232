"""String and char literals, plain and interpolated: the parser's nodes -> text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import interpolation, literals
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode


def _text(node: TreeNode) -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def convert_string(node: TreeNode) -> syntax.Literal:
    """A regular or verbatim string, or a char."""
    if node.type == "verbatim_string_literal":
        return literals.string(_text(node)[2:-1].replace('""', '"'))
    content = ""
    for child in node.named_children:
        if child.type == "escape_sequence":
            content += literals.escape(_text(child))
        elif child.type == "string_literal_encoding":
            raise EvaluationError("UTF-8 string literals are not evaluated: leave the u8 out")
        else:
            content += _text(child)
    return (
        literals.character(literals.joined(content)) if node.type == "character_literal" else literals.string(content)
    )


def convert_raw(node: TreeNode) -> syntax.Literal:
    """A raw string."""
    content = "".join(_text(child) for child in node.named_children if child.type == "raw_string_content")
    return literals.string(literals.raw(content))


def convert_interpolated(_converter: object, node: TreeNode) -> Node:
    """An interpolated string of any kind; its holes are parsed by themselves."""
    from dap_dotnet.evaluation.syntax.parser import parse

    parts: list[str | syntax.Hole] = []
    for part in interpolation.split(_text(node)):
        if isinstance(part, str):
            parts.append(literals.joined(part))
        else:
            parts.append(syntax.Hole(parse(part.expression), part.alignment, part.format))
    return syntax.Interpolated(tuple(parts))
