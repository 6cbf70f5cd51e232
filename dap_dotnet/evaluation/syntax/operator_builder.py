"""Chains of binary operators, `is` and `as`: the parser's nodes -> our tree, by the operators' precedence in C#.

C# specification 12.4.2. The grammar nests what stands around patterns and `?.` in its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.creation_builder import Build, BuildType
from dap_dotnet.evaluation.syntax.nodes import Places, check_operand, child
from dap_dotnet.evaluation.syntax.pattern_builder import Settle, combined, conditional_after, is_called, joined, tail_of
from dap_dotnet.evaluation.syntax.tree import Node

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

CHAINS = frozenset({"binary_expression", "is_pattern_expression", "is_expression", "as_expression"})
"""Operations whose left side is an operation too."""


class OperatorBuilder:
    """Builds chains of operators; all that it is given is the tree's builder's."""

    def __init__(
        self,
        build: Build,
        pattern: Callable[[TreeNode], pattern_tree.Pattern],
        type_of: BuildType,
        settle: Settle,
        places: Places,
    ) -> None:
        self._build = build
        self._pattern = pattern
        self._type_of = type_of
        self._settle = settle
        self._places = places

    def binary(self, node: TreeNode) -> Node:
        """A chain of binary operators."""
        first, tail, is_flat = self._spine(node)
        if is_flat:
            return self._with_branches(node, joined(first, tail))
        at = self._places.of(node)
        for operator_text, operand in tail:
            first = syntax.Binary(operator_text, first, operand, at=at)
        return self._with_branches(node, first)

    def _with_branches(self, node: TreeNode, condition: Node) -> Node:
        """The operation itself, or the conditional expression that the grammar has put into its last pattern."""
        found = conditional_after(node)
        if found is None:
            return condition
        when_true, when_false = self._build(child(found, "consequence")), self._build(child(found, "alternative"))
        return syntax.Conditional(condition, when_true, when_false, at=condition.at)

    def _spine(self, node: TreeNode) -> tuple[Node, list[tuple[str, Node]], bool]:
        """A chain of operators from its left end; True when the grammar's nesting is not that of their precedence."""
        spine = []
        leftmost, is_flat = node, False
        while leftmost.type == "binary_expression":
            spine.append((child(leftmost, "operator").type, child(leftmost, "right")))
            leftmost = child(leftmost, "left")
            base = self._settle(leftmost)
            if base.type in CHAINS and base != leftmost:
                leftmost, is_flat = base, True
        first, tail = self._with_tail(leftmost)
        is_flat = is_flat or bool(tail)
        for operator_text, right in reversed(spine):
            operand, following = self._with_tail(right)
            tail += [(operator_text, operand), *following]
            is_flat = is_flat or bool(following)
        return first, tail, is_flat

    def _with_tail(self, node: TreeNode) -> tuple[Node, list[tuple[str, Node]]]:
        """An operand, and the operators that the grammar put into it though they follow it: of a pattern, of a `?.`."""
        base = self._settle(node)
        if base != node and base.type == "binary_expression":
            first, tail, _ = self._spine(base)
            return first, tail
        node = base if base.type in CHAINS else node
        if node.type not in ("is_pattern_expression", "is_expression", "as_expression"):
            check_operand(node)
            return self._build(node), []
        pattern = node.child_by_field_name("pattern")
        first, tail = self._with_tail(child(node, "expression" if pattern is not None else "left"))
        if pattern is not None:
            operator, right = "is", cast(Node, self._pattern(pattern))
        elif node.type == "is_expression":
            wanted = child(node, "right")
            is_designation = wanted.type == "implicit_type" and is_called(node)  # the names are taken for arguments
            operator = "is"
            right = pattern_tree.TypePattern(self._type_of(wanted) if not is_designation else None, None)
        else:
            operator, right = "as", self._type_of(child(node, "right"))
        if tail:
            tail.append((operator, right))
        else:
            first = combined(operator, first, right)
        for operator_text, operand_node in tail_of(pattern, self._settle) if pattern is not None else []:
            operand, following = self._with_tail(operand_node)
            tail += [(operator_text, operand), *following]
        return first, tail

    def type_test(self, node: TreeNode) -> Node:
        """`x is pattern`, `x as type`, and what the grammar has put behind them."""
        return self._with_branches(node, joined(*self._with_tail(node)))
