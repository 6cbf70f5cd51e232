"""What else users type than an expression: declarations in the console, format specifiers, what is not finished yet.

Specifiers stand behind an expression: `value,h`. See the debugger documentation of the C# extension.
"""

from __future__ import annotations

import re

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import CLOSING, MAX_LENGTH, OPENING, Hole, SyntaxFault, Token, open_code, tokens
from dap_dotnet.evaluation.syntax.parser import ExpressionParser, locate, parse, without_semicolon
from dap_dotnet.evaluation.syntax.statement_tree import Declare, Evaluate
from dap_dotnet.evaluation.syntax.token_reader import AN_OPERATOR, VALUES
from dap_dotnet.evaluation.syntax.tree import Cursor, Node, parts_of

_KNOWN = frozenset({
    "h", "x", "X", "H", "d", "b", "nq", "raw", "ac", "nse", "results", "dynamic", "hidden", "private", "s", "sb",
    "makeid",
})  # fmt: skip
SPECIFIERS = tuple(sorted(_KNOWN))
"""Those that are words."""
_COUNT = re.compile(r"\[\s*(\d{1,9})\s*\]")


class FormatSpecifiers(Struct, frozen=True):
    """What the specifiers behind the comma ask for. Log messages follow `hexadecimal` alone."""

    hexadecimal: bool | None = None
    """True for `h`, False for `d`, None to show numbers as the client wants them."""
    binary: bool = False
    no_quotes: bool = False
    raw: bool = False
    """Fields only: no proxies, no display attributes."""
    hidden: bool = False
    """All members, also those that attributes hide."""
    dynamic_view: bool = False
    """Only the dynamic members of a dynamic object."""
    always_evaluate: bool = False
    no_side_effects: bool = False
    """No call into the program for this expression."""
    results_view: bool = False
    """What a sequence gives, as an array."""
    makes_id: bool = False
    """The object gets a number by which it can be named: `$1`."""
    count: int | None = None
    """Only so many elements."""
    names: tuple[str, ...] = ()


def split_format(expression: str) -> tuple[str, FormatSpecifiers]:
    """The expression without its specifiers, and the specifiers. Text behind the last comma that is none stays."""
    if len(expression) > MAX_LENGTH:
        return expression, FormatSpecifiers()
    names, rest = list[str](), expression
    while (split := _last(rest)) is not None:
        rest, name = split
        names.insert(0, name)
    return rest, FormatSpecifiers(
        hexadecimal=True if set(names) & {"h", "x", "X", "H"} else False if "d" in names else None,
        binary="b" in names,
        no_quotes="nq" in names or "sb" in names,
        raw="raw" in names,
        hidden="hidden" in names,
        dynamic_view="dynamic" in names,
        always_evaluate="ac" in names,
        no_side_effects="nse" in names,
        results_view="results" in names,
        makes_id="makeid" in names,
        count=next((int(match.group(1)) for name in names if (match := _COUNT.fullmatch(name))), None),
        names=tuple(names),
    )


def _last(expression: str) -> tuple[str, str] | None:
    """(what stands before the last specifier, that specifier); None where there is none."""
    head, _, tail = expression.rpartition(",")
    name = tail.strip()
    if not head.strip() or (name not in _KNOWN and not _COUNT.fullmatch(name)):
        return None
    try:
        behind = _behind_last(",", tokens(expression))
    except SyntaxFault:
        return None
    return (head, name) if behind and behind[0].start > len(head) else None


# declarations: `var t = …`, `int x = 5`, `const int n = 3`, `(int a, var b) = …`


class ConsoleDeclaration(Struct, frozen=True):
    """`variables = value`: several take it apart, and `value` is then the whole assignment."""

    variables: tuple[syntax.Declaration, ...]
    value: Node
    text: str
    """Where the places of `value` are."""
    is_apart: bool = False
    is_constant: bool = False


def console_declaration(text: str) -> ConsoleDeclaration | None:
    """The declaration that a text is; None for any other text. Raises `EvaluationError` for the syntax of its value."""
    try:
        parser = ExpressionParser(text, tokens(without_semicolon(text)))
    except SyntaxFault:
        return None
    try:
        declaration = _declared(parser)
        if declaration is not None and parser.current.kind != "end":
            raise parser.fault(AN_OPERATOR)
    except RecursionError:
        return None  # which is told of it as an expression, too
    except EvaluationError as error:
        if _is_expression(text):  # b ? i = 3 : j
            return None
        locate(error, text, None)
        raise
    return declaration


def _is_expression(text: str) -> bool:
    try:
        parse(text)
    except EvaluationError:
        return False
    return True


def _declared(parser: ExpressionParser) -> ConsoleDeclaration | None:
    given: Node | None = None
    if parser.current.text == "(" and parser.behind_brackets().text == "=":
        given = parser.expression()
    elif parser.current.text not in ("ref", "scoped") and parser.is_declaration():
        is_constant = parser.accept("const")
        first, *_ = parser.declarations(is_constant=is_constant)
        if isinstance(first, Declare) and first.value is not None:
            variable = syntax.Declaration(first.type, first.name)
            return ConsoleDeclaration((variable,), first.value, parser.text, is_constant=is_constant)
        given = first.expression if isinstance(first, Evaluate) else None
    if not isinstance(given, syntax.Assignment) or not isinstance(given.target, syntax.Tuple):
        return None
    variables = tuple(item for item in given.target.items if isinstance(item, syntax.Declaration))
    is_whole = len(variables) == len(given.target.items)
    return ConsoleDeclaration(variables, given, parser.text, is_apart=True) if is_whole else None


# unfinished expressions, behind which something is to be completed


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
    if last is not None and last.kind in VALUES:
        return None
    name = last if last is not None and (last.kind == "word" or last.text == "$") else None
    prefix, start = (name.text, name.start) if name is not None else ("", len(before))
    before_cursor = [*_behind_last(";", code[:-1] if name is not None else code), Token("cursor", "\0", start), end]
    for outer in reversed(levels):
        hole = Hole(before_cursor, 0, "")
        before_cursor = [*_behind_last(";", outer), Token("interpolated", "", start, ("", ""), (hole,)), end]
    parser = ExpressionParser(before, before_cursor, is_unfinished=True)
    try:
        tree = _parsed(parser)
    except (EvaluationError, RecursionError):
        tree = None
    found = parser.cursor or next((part for part in parts_of(tree) if isinstance(part, Cursor)), None)
    return CompletionSite(prefix, start, tree or found, found) if found is not None else None


def _behind_last(separator: str, code: list[Token]) -> list[Token]:
    """What stands behind the last comma or semicolon that is in no brackets: all where there is none."""
    start = depth = 0
    for number, token in enumerate(code):
        depth += (token.text in OPENING) - (token.text in CLOSING)
        if token.text == separator and depth <= 0:
            start = number + 1
    return code[start:]


def _parsed(parser: ExpressionParser) -> Node | None:
    """The expression, or the value of the variable that is declared; of what follows a comma the cursor alone."""
    if parser.is_declaration():
        declared = parser.declarations()[-1]
        return declared.value if isinstance(declared, Declare) else None
    tree = parser.expression()
    if parser.current.text == "," and parser.ahead(1).kind == "cursor":
        return Cursor(is_format=True)
    return tree if parser.current.kind == "end" else None
