"""String and char literals, plain and interpolated: the parser's nodes -> text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import interpolation, literals
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.nodes import node_text
from dap_dotnet.evaluation.syntax.tree import Node
from dap_dotnet.runtime.model import ElementType

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_UTF8 = frozenset({"u8", "U8"})


def build_string(node: TreeNode) -> Node:
    """A regular or verbatim string, or a char; with the suffix u8 the bytes of its text."""
    if node.type == "verbatim_string_literal":
        text = node_text(node)
        is_utf8 = text[-2:] in _UTF8
        text = (text[2:-3] if is_utf8 else text[2:-1]).replace('""', '"')
        return utf8(text) if is_utf8 else literals.string(text)
    content, is_utf8 = "", False
    for child in node.named_children:
        if child.type == "escape_sequence":
            content += literals.escape(node_text(child))
        elif child.type == "string_literal_encoding":
            is_utf8 = True
        else:
            content += node_text(child)
    if is_utf8:
        return utf8(literals.joined(content))
    return (
        literals.character(literals.joined(content)) if node.type == "character_literal" else literals.string(content)
    )


def utf8(text: str) -> Node:
    """`"text"u8`: a ReadOnlySpan<byte> over a new array. CS9026 for a text that is not Unicode."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise Diagnostic("CS9026") from None  # fmt: skip
    byte = syntax.PredefinedTypeSyntax("byte")
    span = syntax.NamedTypeSyntax((syntax.TypePart("System"), syntax.TypePart("ReadOnlySpan", (byte,))))
    items = tuple(syntax.Literal(ElementType.I4, one) for one in content)
    return syntax.New(span, (syntax.Argument(syntax.NewArray(byte, (), items)),))


def build_raw(node: TreeNode) -> syntax.Literal:
    """A raw string."""
    content = "".join(node_text(child) for child in node.named_children if child.type == "raw_string_content")
    return literals.string(literals.raw(content))


def build_interpolated(node: TreeNode, parse: Callable[[str, int], Node]) -> Node:
    """An interpolated string of any kind; `parse` parses the text of each hole, behind so many characters of it."""
    parts: list[str | syntax.Hole] = []
    for part in interpolation.split(node_text(node)):
        if isinstance(part, str):
            parts.append(literals.joined(part))
        else:
            parts.append(syntax.Hole(parse(part.expression, part.start), part.alignment, part.format))
    return syntax.Interpolated(tuple(parts))
