"""Declarations in the debug console: `var t = …`, `int x = 5`, `const int n = 3`, `(int a, var b) = …`."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import tokens
from dap_dotnet.evaluation.syntax.parser import ExpressionParser, parse, without_semicolon
from dap_dotnet.evaluation.syntax.positions import SyntaxFault, locate
from dap_dotnet.evaluation.syntax.statement_tree import Declare, Deconstruct
from dap_dotnet.evaluation.syntax.token_reader import AN_OPERATOR, TokenReader
from dap_dotnet.evaluation.syntax.tree import Node, TypeSyntax


class DeclaredVariable(Struct, frozen=True):
    """A variable by its name; `type` None for `var`."""

    type: TypeSyntax | None
    name: str


class ConsoleDeclaration(Struct, frozen=True):
    """`variables = value`: several take it apart."""

    variables: tuple[DeclaredVariable, ...]
    value: Node
    text: str
    """Where the places of `value` are."""
    is_apart: bool = False
    is_constant: bool = False


def console_declaration(text: str) -> ConsoleDeclaration | None:
    """The declaration that a text is; None for any other text. Raises `EvaluationError` for the syntax of its value."""
    try:
        reader = TokenReader(text, tokens(without_semicolon(text)))
    except SyntaxFault:
        return None
    try:
        declaration = _declared(reader) if reader.current.text != "(" else _taken_apart(reader)
        if declaration is not None and reader.current.kind != "end":
            raise reader.fault(AN_OPERATOR)
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


def _declared(reader: TokenReader) -> ConsoleDeclaration | None:
    statements = ExpressionParser(reader).statements
    if reader.current.text in ("ref", "scoped") or not statements.is_declaration():
        return None
    is_constant = reader.accept("const")
    first, *_ = statements.declarations(is_constant=is_constant)
    if isinstance(first, Deconstruct):
        variables = tuple(DeclaredVariable(None, name) for name in first.names)
        return ConsoleDeclaration(variables, first.value, reader.text, is_apart=True)
    assert isinstance(first, Declare)
    if first.value is None:
        return None
    return ConsoleDeclaration((DeclaredVariable(first.type, first.name),), first.value, reader.text, False, is_constant)


def _taken_apart(reader: TokenReader) -> ConsoleDeclaration | None:
    """`(int a, var b) = …`, and variables of types of tuples."""
    if reader.behind_brackets().text != "=":
        return _declared(reader)
    assignment = ExpressionParser(reader).expression()
    target = assignment.target if isinstance(assignment, syntax.Assignment) else None
    if not isinstance(assignment, syntax.Assignment) or not isinstance(target, syntax.Tuple):
        return None
    variables = [
        DeclaredVariable(item.type, item.name) for item in target.items if isinstance(item, syntax.Declaration)
    ]
    if len(variables) < len(target.items):
        return None
    return ConsoleDeclaration(tuple(variables), assignment.value, reader.text, is_apart=True)
