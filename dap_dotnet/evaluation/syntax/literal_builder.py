"""String and char literals, plain and interpolated: the parser's nodes -> text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import interpolation, literals
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.nodes import node_text
from dap_dotnet.evaluation.syntax.tree import Node

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode


def build_string(node: TreeNode) -> syntax.Literal:
    """A regular or verbatim string, or a char."""
    if node.type == "verbatim_string_literal":
        return literals.string(node_text(node)[2:-1].replace('""', '"'))
    content = ""
    for child in node.named_children:
        if child.type == "escape_sequence":
            content += literals.escape(node_text(child))
        elif child.type == "string_literal_encoding":
            raise EvaluationError("UTF-8 string literals are not supported: leave out the u8")
        else:
            content += node_text(child)
    return (
        literals.character(literals.joined(content)) if node.type == "character_literal" else literals.string(content)
    )


def build_raw(node: TreeNode) -> syntax.Literal:
    """A raw string."""
    content = "".join(node_text(child) for child in node.named_children if child.type == "raw_string_content")
    return literals.string(literals.raw(content))


def build_interpolated(node: TreeNode, parse: Callable[[str], Node]) -> Node:
    """An interpolated string of any kind; `parse` parses the text of each hole by itself."""
    parts: list[str | syntax.Hole] = []
    for part in interpolation.split(node_text(node)):
        if isinstance(part, str):
            parts.append(literals.joined(part))
        else:
            parts.append(syntax.Hole(parse(part.expression), part.alignment, part.format))
    return syntax.Interpolated(tuple(parts))
