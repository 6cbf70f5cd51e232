"""Whether an expression only reads: no assignment, no increment, no call, no new object."""

from __future__ import annotations

import functools
from typing import Any

_WRITES = {
    "assignment_expression": "an assignment",
    "await_expression": "await",
    "invocation_expression": "a call",
    "object_creation_expression": "a new object",
    "implicit_object_creation_expression": "a new object",
    "anonymous_object_creation_expression": "a new object",
    "array_creation_expression": "a new object",
    "implicit_array_creation_expression": "a new object",
    "query_expression": "a query",
    "with_expression": "a new object",
    "throw_expression": "throw",
    "declaration_expression": "a declaration",
}
_STEPS = ("++", "--")
_PURE_CALLS = ("nameof",)


def first_effect(expression: str) -> str | None:
    """What of a C# expression may change the program, in words; None when it only reads.

    Properties and operators count as reading, as they do where variables are shown. What cannot be parsed counts as
    reading: evaluating it says what is wrong.
    """
    waiting: list[Any] = [_root(expression)]
    while waiting:
        node = waiting.pop()
        words = _WRITES.get(node.type)
        if node.type == "invocation_expression":
            function = node.child_by_field_name("function")
            if function is not None and function.text.decode(errors="replace") in _PURE_CALLS:
                words = None
        if words is not None:
            return words
        if node.type in ("prefix_unary_expression", "postfix_unary_expression") and any(
            child.type in _STEPS for child in node.children
        ):
            return "an increment or decrement"
        waiting += node.children
    return None


def only_reads(expression: str) -> bool:
    """Whether an expression is understood in full, and has none of what `first_effect` looks for."""
    return not _root(expression).has_error and first_effect(expression) is None


def _root(expression: str) -> Any:
    return _parser().parse(f"class C {{ object M() {{ return (\n{expression}\n); }} }}".encode()).root_node


@functools.cache
def _parser() -> Any:
    import tree_sitter
    import tree_sitter_c_sharp

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c_sharp.language()))
