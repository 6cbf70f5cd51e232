"""Where a text stops being an expression, and what was expected there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.syntax.scanner import SyntaxFault, tokens

if TYPE_CHECKING:
    from tree_sitter import Node as TreeNode

_AN_EXPRESSION, _AN_OPERATOR = "an expression", "an operator or the end"
_WORD_OPERATORS = frozenset(
    {"is", "as", "and", "or", "not", "when", "switch", "with", "new", "ref", "out", "in", "await"}
)
_OPERATOR = re.compile(r"(?P<other>[=!<>]=(?!=)|=>|&&|\|\|)|(?P<assigning>(?:>>>|<<|>>|\?\?|[-+*/%&|^])?=)")
_WITHOUT_INDEX = re.compile(r"\s*[^\W\d][\w.]*\s*\[\s*(?P<end>\])\s*;?\s*")
_PATTERN_WORDS = frozenset({"is", "as", "switch", "out", "and", "or", "not"})


def fault(text: str, root: TreeNode, prefix: str) -> SyntaxFault:
    """What is wrong with the text: by its sequence of operands and operators, else by what the parser had to mend.

    `prefix` stands before the text in the source of `root`.
    """
    indexed = _WITHOUT_INDEX.fullmatch(text)
    if indexed is not None:
        return SyntaxFault("value expected", text, indexed.start("end"), identifier="CS0443")
    return _by_sequence(text) or _by_tree(text, root, prefix)


def assigned_parts(text: str) -> list[tuple[int, str]]:
    """The sides of the assignments that a text consists of, outside of its brackets: where each begins, and its text.

    A text without assignments is one side.
    """
    parts, depth, start, skipped = list[tuple[int, str]](), 0, 0, 0
    for kind, token, at in tokens(text):
        if kind == "interpolated":
            break
        if kind != "symbol" or at < skipped:
            continue
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        operator = _OPERATOR.match(text, at) if depth == 0 else None
        if operator is None:
            continue
        skipped = operator.end()
        if operator["assigning"] is not None:
            parts.append((start, text[start:at]))
            start = skipped
    return [*parts, (start, text[start:])]


def _by_sequence(text: str) -> SyntaxFault | None:
    """The first operand behind an operand, the first operator without a left side, or the missing last operand."""
    wants_operand, in_pattern, after_bracket = True, False, False
    for kind, token, offset in tokens(text):
        if kind == "interpolated":
            return None
        is_word = kind == "word" and token not in _WORD_OPERATORS
        if kind == "word" and token in _WORD_OPERATORS:
            in_pattern = in_pattern or token in _PATTERN_WORDS
            wants_operand, after_bracket = True, False
        elif is_word or kind in ("string", "char"):
            if not wants_operand and not in_pattern and not after_bracket:
                return SyntaxFault(f"unexpected {_shown(token)}; expected {_AN_OPERATOR}", text, offset)
            wants_operand, after_bracket = False, False
        elif token in ")]}>":
            wants_operand, after_bracket = token == ">", token != "]"
        elif token in "([{":
            wants_operand, after_bracket, in_pattern = True, token == "(", in_pattern or token == "{"
        elif token == ";":
            return SyntaxFault(f"unexpected ';'; expected {_AN_OPERATOR}", text, offset)
        else:
            if wants_operand and not after_bracket and not in_pattern and token in "/%|=,:":
                return SyntaxFault(f"unexpected '{token}'; expected {_AN_EXPRESSION}", text, offset)
            in_pattern = in_pattern and token not in "&|?:,"
            wants_operand, after_bracket = token != "!" or wants_operand, False
            if token in "=&|?+-<":  # ==, &&, ||, ??, and what may stand before a unary operator
                after_bracket = True
    if wants_operand:
        return SyntaxFault(f"the expression ends; expected {_AN_EXPRESSION}", text, len(text))
    return None


def _by_tree(text: str, root: TreeNode, prefix: str) -> SyntaxFault:
    data = (prefix + text).encode("utf-8", "surrogatepass")
    first = _first_error(root, len(prefix))
    start = first.start_byte if first is not None else _second_statement(root, len(data))
    start = min(max(start, len(prefix)), len(data))
    offset = len(data[len(prefix) : start].decode("utf-8", "surrogatepass"))
    offset = len(text) - len(text[offset:].lstrip())
    rest = text[offset:]
    expected = _AN_OPERATOR if offset else _AN_EXPRESSION
    if first is not None and first.is_missing and "identifier" not in first.type:
        expected = f"'{first.type}'"
    found = f"unexpected {_shown(next(tokens(rest))[1])}" if rest else "the expression ends"
    return SyntaxFault(f"{found}; expected {expected}", text, offset if rest else len(text))


def _first_error(root: TreeNode, skip: int) -> TreeNode | None:
    """The first ERROR or MISSING node behind the prefix, in the order of the text."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_missing or (node.is_error and node.start_byte >= skip):
            return node
        pending.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    return None


def _second_statement(root: TreeNode, default: int) -> int:
    statements = root.named_children
    return statements[1].start_byte if len(statements) > 1 else default


def _shown(token: str) -> str:
    first = ord(token[0])
    return f"U+{first:04X}" if first < 0x20 or 0xD800 <= first < 0xE000 else f"'{token[:40]}'"
