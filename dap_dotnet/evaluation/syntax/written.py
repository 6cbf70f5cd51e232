"""What the user wrote for a node of the parser's: what parameters with [CallerArgumentExpression] are passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.evaluation.syntax.access_chains import chain_of
from dap_dotnet.evaluation.syntax.foreign_names import shown_names
from dap_dotnet.evaluation.syntax.nodes import Places, child, named_children
from dap_dotnet.evaluation.syntax.scanner import DOLLAR

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_SPACE = " \t\r\n"


class Written:
    """The text of one expression, while the nodes may be of one that was put right for the grammar."""

    def __init__(self, text: str, places: Places) -> None:
        self._text = text
        self._places = places

    def text(self, node: TreeNode) -> str:
        """The source of a node, as the compiler tells it: without parentheses around the whole."""
        while node.type == "parenthesized_expression":
            node = named_children(node)[0]
        start = at = self._places.before(node)
        while at and self._text[at - 1] in _SPACE + "(":
            at -= 1
            if self._text[at] == "(":
                if self._is_parenthesis(node, at):
                    break
                start = at  # of what the grammar would have taken for a cast
        return self._shown(start, node)

    def receiver(self, call: TreeNode) -> str | None:
        """What a method is called on: behind a `?.` only what follows it, as in the compiler's tree. None: nothing."""
        called = child(call, "function")
        if called.type == "member_access_expression":
            return self._behind_conditions(child(called, "expression"))
        if called.type == "conditional_access_expression":
            return self._behind_conditions(child(called, "condition"))
        return None

    def _behind_conditions(self, node: TreeNode) -> str:
        links, _ = chain_of(node)
        inner = next((link for link in reversed(links) if link.type == "conditional_access_expression"), None)
        if inner is None:
            return self.text(node)
        return self._shown(self._places.before(named_children(inner)[-1]), node)

    def _is_parenthesis(self, node: TreeNode, at: int) -> bool:
        """Whether the grammar has seen the parenthesis at an offset, which opens something around the node."""
        around = node.parent
        while around is not None:
            if any(entry.type == "(" and self._places.before(entry) == at for entry in around.children):
                return True
            around = around.parent
        return False

    def _shown(self, start: int, node: TreeNode) -> str:
        return shown_names(self._text[start : self._places.behind(node)].replace(DOLLAR, "$"))
