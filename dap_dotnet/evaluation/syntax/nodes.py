"""The parser's nodes, as the builders of the tree read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax.foreign_names import name_of, shown_names
from dap_dotnet.evaluation.syntax.hidden_types import readable
from dap_dotnet.evaluation.syntax.scanner import DOLLAR
from dap_dotnet.evaluation.syntax.tree import Place

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_MOST_SHOWN = 60


class Places:
    """The places of the parser's nodes in the user's text, of which `source` has a part.

    `prefix` characters of the source stand before that part, `base` characters of the text.
    """

    def __init__(self, source: bytes, prefix: int, base: int) -> None:
        self._source = source
        self._is_ascii = source.isascii()
        self._base = base
        self._prefix = prefix

    def before(self, node: TreeNode) -> int:
        """The characters before a node in the part of the text that the source has."""
        return self._characters(node.start_byte)

    def behind(self, node: TreeNode) -> int:
        """The characters before the end of a node in that part."""
        return self._characters(node.end_byte)

    def start(self, node: TreeNode) -> int:
        """The characters of the whole text before a node."""
        return self._base + self._characters(node.start_byte)

    def _characters(self, offset: int) -> int:
        if not self._is_ascii:
            offset = len(self._source[:offset].decode("utf-8", "surrogatepass"))
        return offset - self._prefix

    def of(self, node: TreeNode) -> Place:
        """The place of a node without a name of its own."""
        start = self.start(node)
        return Place(start, start)


def node_text(node: TreeNode) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def excerpt(node: TreeNode) -> str:
    """The beginning of a node's text, for a message."""
    return shown_names(readable(node_text(node)[:_MOST_SHOWN])).replace(DOLLAR, "$")


def identifier(node: TreeNode) -> str:
    """A name without the @ that lets it be a keyword, and with the characters that the grammar does not know."""
    name = name_of(node_text(node).removeprefix("@"))
    return "$" + name[1:] if name.startswith(DOLLAR) else name


def check_operand(node: TreeNode) -> None:
    """An assignment is no operand: the grammar has put what stands before it in the wrong place. CS0131."""
    if node.type == "assignment_expression":
        raise Diagnostic("CS0131")


def child(node: TreeNode, field: str) -> TreeNode:
    """The child in a field that the grammar always fills."""
    found = node.child_by_field_name(field)
    assert found is not None
    return found


def named_children(node: TreeNode) -> list[TreeNode]:
    """The children that are neither punctuation nor comments: `this` and `base` have no names of their own."""
    return [
        entry
        for entry in node.children
        if (entry.is_named and entry.type != "comment") or entry.type in ("this", "base")
    ]
