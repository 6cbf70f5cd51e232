"""Chains of accesses (`.name`, `[…]`, `(…)`, `?.name`, `!`) whose target the grammar makes too wide.

C# specification 12.8: an access binds tighter than every operator. The grammar gives what stands before a `?.` a lower
precedence: it reads `a && b?.c` as `(a && b)?.c`, and what follows (`.d`, `(1)`) goes with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.evaluation.syntax.nodes import child, named_children

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_TARGETS = {
    "member_access_expression": "expression",
    "element_access_expression": "expression",
    "invocation_expression": "function",
    "conditional_access_expression": "condition",
}
_LOOSE = frozenset({
    "binary_expression", "prefix_unary_expression", "cast_expression", "await_expression", "range_expression",
    "is_pattern_expression", "constant_pattern", "relational_pattern", "negated_pattern", "and_pattern", "or_pattern",
})  # fmt: skip
"""What binds looser than an access; its last part is its last named child."""


class AccessChains:
    """The accesses of one tree that belong to another target than the grammar says, by the target's id."""

    def __init__(self) -> None:
        self._moved: dict[int, list[TreeNode]] = {}
        self._settled: set[int] = set()

    def settle(self, node: TreeNode) -> TreeNode:
        """The node itself; the operation before a chain of accesses when that is what the grammar took for its target.

        The accesses are then to be applied where `taken` gives them.
        """
        links, base = chain_of(node)
        if not links or base.type not in _LOOSE:
            return node
        if node.id not in self._settled:
            self._settled.add(node.id)
            target = _last_primary(base)
            self._moved[target.id] = links + self._moved.get(target.id, [])
        return base

    def taken(self, node: TreeNode) -> list[TreeNode]:
        """The accesses that follow a node, innermost first; they are given once."""
        return self._moved.pop(node.id, []) if self._moved else []


def chain_of(node: TreeNode) -> tuple[list[TreeNode], TreeNode]:
    """(the accesses, innermost first; what they are applied to)."""
    links: list[TreeNode] = []
    while True:
        if node.type in _TARGETS:
            target = child(node, _TARGETS[node.type])
        elif node.type == "postfix_unary_expression" and node.children[-1].type == "!":
            target = node.children[0]
        else:
            return links[::-1], node
        links.append(node)
        node = target


def _last_primary(node: TreeNode) -> TreeNode:
    """The last operand of an operation, which an access after it applies to."""
    while True:
        base = chain_of(node)[1]
        parts = named_children(base) if base.type in _LOOSE else []
        if not parts:
            return node
        node = parts[-1]
