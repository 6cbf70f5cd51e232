"""Unfinished expressions up to the cursor, behind which something is to be completed: text -> tree with a `Cursor`."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax.lexer import CLOSING, OPENING, Hole, Token, open_code
from dap_dotnet.evaluation.syntax.parser import ExpressionParser
from dap_dotnet.evaluation.syntax.statement_tree import Declare
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Cursor, Node, parts_of

_LITERALS = frozenset({"char", "string", "interpolated", "number"})


class CompletionSite(Struct, frozen=True):
    """`prefix` is what there is of the name, from the character `start` on; `tree` is what `cursor` stands in."""

    prefix: str
    start: int
    tree: Node
    cursor: Cursor


def completion_site(text: str, cursor: int) -> CompletionSite | None:
    """The site at a cursor, which counts characters; None where nothing is to come, and behind what is no C#."""
    before = text[:cursor]
    levels = open_code(before)
    if not levels:
        return None
    code, end = levels.pop(), Token("end", "", len(before))
    last = code[-1] if code and code[-1].end == len(before) else None
    if last is not None and last.kind in _LITERALS:
        return None
    name = last if last is not None and (last.kind == "word" or last.text == "$") else None
    prefix, start = (name.text, name.start) if name is not None else ("", len(before))
    tokens = [*_last_statement(code[:-1] if name is not None else code), Token("cursor", "\0", start), end]
    for outer in reversed(levels):
        tokens = [*_last_statement(outer), Token("interpolated", "", start, ("", ""), (Hole(tokens, 0, ""),)), end]
    reader = TokenReader(before, tokens, is_unfinished=True)
    try:
        tree = _parsed(reader)
    except (EvaluationError, RecursionError):
        tree = None
    found = reader.cursor or next((part for part in parts_of(tree) if isinstance(part, Cursor)), None)
    return CompletionSite(prefix, start, tree or found, found) if found is not None else None


def _last_statement(tokens: list[Token]) -> list[Token]:
    """What stands behind the last semicolon that is in no brackets."""
    start = depth = 0
    for number, token in enumerate(tokens):
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == ";" and depth <= 0:
            start = number + 1
    return tokens[start:]


def _parsed(reader: TokenReader) -> Node | None:
    """The expression, or the value of the variable that is declared; of what follows a comma the cursor alone."""
    parser = ExpressionParser(reader)
    if parser.statements.is_declaration():
        declared = parser.statements.declarations()[-1]
        return declared.value if isinstance(declared, Declare) else None
    tree = parser.expression()
    if reader.is_next(",") and reader.ahead(1).kind == "cursor":
        return Cursor(is_format=True)
    return tree if reader.current.kind == "end" else None
