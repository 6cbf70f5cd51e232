"""Text -> tree (C# specification 12), by recursive descent and the operators' precedence.

Other modules parse what is in expressions: accesses, creations, patterns, queries, statements and types.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest
from typing import TypeVar

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import literals, pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.access_parser import AccessParser, continued
from dap_dotnet.evaluation.syntax.creation_parser import CreationParser, implied_name
from dap_dotnet.evaluation.syntax.lexer import KEYWORDS, PREDEFINED_TYPES, Token, tokens
from dap_dotnet.evaluation.syntax.pattern_parser import SHIFT, PatternParser
from dap_dotnet.evaluation.syntax.positions import SyntaxFault, locate
from dap_dotnet.evaluation.syntax.query_parser import QueryParser
from dap_dotnet.evaluation.syntax.statement_parser import StatementParser
from dap_dotnet.evaluation.syntax.statement_tree import Return
from dap_dotnet.evaluation.syntax.token_reader import AN_EXPRESSION, AN_OPERATOR, TokenReader
from dap_dotnet.evaluation.syntax.tree import Node, Place, passing, placed
from dap_dotnet.evaluation.syntax.type_parser import TypeParser, is_certain

Operand = TypeVar("Operand")
_PRECEDENCE = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "<": 8, ">": 8, "<=": 8, ">=": 8, "is": 8,
    "as": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
_BEGINNING_WITH_GREATER = re.compile(">>>=|>>=|>>>|>>|>=|>")
"""Operators that are several tokens."""
_ASSIGNING = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", "??="})
_ASSIGNED = (
    syntax.Name, syntax.Member, syntax.Index, syntax.This, syntax.Tuple, syntax.Call, syntax.ConditionalAccess,
    syntax.Parenthesized,
)  # fmt: skip
_PREFIXES = frozenset({"+", "-", "!", "~", "^", "&", "*", "++", "--"})
_NO_OPERANDS = frozenset({"is", "as", "in", "switch", "with", "and", "or", "when"})
"""Words that nothing begins with behind a cast or `await`."""
_VALUES = frozenset({"number", "string", "char", "interpolated"})
_BEGINNING = frozenset({
    "true", "false", "null", "this", "base", "typeof", "sizeof", "default", "checked", "unchecked", "new", "stackalloc",
}) | PREDEFINED_TYPES  # fmt: skip
_RESERVED = re.compile(r"Item[1-9]\d*|Rest|ToString|Equals|GetHashCode|CompareTo")
"""Names that elements of tuples are not given for what they are of."""


class ExpressionParser:
    """Parses one expression, or what is in a hole of an interpolated string."""

    def __init__(self, tokens: TokenReader) -> None:
        self._tokens = tokens
        self._types = TypeParser(tokens)
        self._accesses = AccessParser(tokens, self._types, self._primary, self.expression)
        self._patterns = PatternParser(tokens, self._types, self.operation, self._begins_cast)
        self._creations = CreationParser(tokens, self._types, self.expression, self._accesses.arguments)
        self.statements = StatementParser(tokens, self._types, self._patterns, self.expression, self._creations)
        self._queries = QueryParser(tokens, self._types, self.expression)

    def whole(self) -> Node:
        """The expression that all tokens are. Raises `EvaluationError`."""
        built = self.expression()
        if self._tokens.current.kind != "end":
            raise self._tokens.fault(AN_OPERATOR)
        return built

    def expression(self) -> Node:
        """Any expression: lambdas and assignments, too. Raises `EvaluationError`."""
        tokens, first, at = self._tokens, self._tokens.at, self._tokens.place()
        tokens.enter()
        built = self._lambda()
        if built is None:
            built = self.operation()
            if tokens.current.text == "?":
                built = self._conditional(built, at)
            if (operator := self._operator()) in _ASSIGNING:
                built = self._assignment(built, operator, first, at)
        tokens.leave()
        return built

    # lambdas

    def _lambda(self) -> Node | None:
        tokens, start, first = self._tokens, self._tokens.current.start, self._tokens.at
        is_async = False
        while tokens.current.text in ("async", "static"):
            is_async = is_async or tokens.current.text == "async"
            tokens.take()
        if tokens.current.text == "delegate":
            return self._anonymous_method(start, is_async=is_async)
        if tokens.current.text in PREDEFINED_TYPES and tokens.ahead(1).text == "(":  # the type of the result
            tokens.take()
        if not (tokens.is_name() and tokens.ahead(1).text == "=>") and not (
            tokens.current.text == "(" and tokens.behind_brackets().text == "=>"
        ):
            tokens.move(first)
            return None
        names, types = self.statements.parameters()
        at = Place(start, tokens.expect("=>").start)
        if tokens.current.text != "{":
            return syntax.Lambda(names, self._branch(), types, is_async, at=at)
        block = self.statements.block()
        only = block.statements[0] if len(block.statements) == 1 else None
        if isinstance(only, Return) and only.value is not None and not is_async:
            return syntax.Lambda(names, only.value, types, at=at)
        return syntax.Lambda(names, block, types, is_async, at=at)

    def _anonymous_method(self, start: int, *, is_async: bool) -> Node:
        """`delegate (int x) { … }`."""
        self._tokens.take()
        if self._tokens.current.text != "(":
            raise self._tokens.unsupported(start, "Write the parameters of the anonymous method")
        names, types = self.statements.parameters()
        return syntax.Lambda(names, self.statements.block(), types, is_async, at=Place(start, start))

    # assignments, conditions, operators

    def _assignment(self, target: Node, operator: str, first: int, at: Place) -> Node:
        """`target operator value`, of which the target is parsed; it begins with token number `first`. CS0131."""
        tokens = self._tokens
        is_variable = (
            isinstance(target, syntax.Conditional) and target.is_reference and tokens.tokens[first].text == "("
        )
        is_variable = is_variable or (isinstance(target, syntax.Unary) and target.operator == "*")
        if not is_variable and not isinstance(target, _ASSIGNED):
            while first in tokens.groups:
                first += 1
            raise tokens.diagnostic(tokens.tokens[first].start, "CS0131")
        self._take(operator)
        value = self.expression()
        return continued(target, lambda inner: syntax.Assignment(inner, operator, value, at=_of_access(inner) or at))

    def _conditional(self, condition: Node, at: Place) -> Node:
        tokens = self._tokens
        tokens.expect("?")
        is_reference = tokens.accept("ref")
        tokens.open_conditions += 1
        when_true = self._branch()
        tokens.open_conditions -= 1
        tokens.expect(":")
        if tokens.accept("ref") is not is_reference:
            raise tokens.diagnostic(at.start, "CS8325")
        return syntax.Conditional(condition, when_true, self._branch(), is_reference, at=at)

    def _branch(self) -> Node:
        """An expression where `throw x` may stand (C# specification 12.16)."""
        return self._throw(is_placed=True) if self._tokens.current.text == "throw" else self.expression()

    def _throw(self, *, is_placed: bool) -> Node:
        at = self._tokens.place()
        self._tokens.take()
        return syntax.Throw(self.operation(), is_placed=is_placed, at=at)

    def _operator(self) -> str:
        """The text of the next token, or of the operator that several tokens are."""
        token = self._tokens.current
        match = _BEGINNING_WITH_GREATER.match(self._tokens.text, token.start) if token.text == ">" else None
        return match.group() if match is not None else token.text

    def _take(self, operator: str) -> None:
        end = self._tokens.current.start + len(operator)
        while self._tokens.end < end:
            self._tokens.take()

    def operation(self, lowest: int = 1) -> Node:
        """Operands between binary operators of at least a precedence."""
        tokens, at = self._tokens, self._tokens.place()
        left = self._operand()
        while lowest <= (precedence := _PRECEDENCE.get(operator := self._operator(), 0)):
            self._take(operator)
            if operator == "is":
                left = pattern_tree.IsPattern(left, self._patterns.pattern(SHIFT, left), at=at)
            elif operator == "as":
                left = syntax.As(left, self._types.type(is_tested=True), at=at)
            elif operator == "??" and tokens.current.text == "throw":
                left = syntax.Binary(operator, left, self._throw(is_placed=True), at=at)
            else:
                tokens.enter()
                right = self.operation(precedence if operator == "??" else precedence + 1)
                tokens.leave()
                left = syntax.Binary(operator, left, right, at=at)
        return left

    def _operand(self) -> Node:
        tokens, at = self._tokens, self._tokens.place()
        start = None if tokens.current.text == ".." else self._unary()
        if tokens.accept(".."):
            start = syntax.Range(start, self._unary() if self._begins_operand(tokens.current) else None, at=at)
        assert start is not None
        while tokens.ahead(1).text == "{" and tokens.current.text in ("switch", "with"):
            is_switch = tokens.take().text == "switch"
            start = self._switch(start, at) if is_switch else self._creations.with_(start, at)
        return start

    def _begins_operand(self, token: Token) -> bool:
        if token.kind == "word":
            return token.text in _BEGINNING or (token.text not in KEYWORDS and token.text not in _NO_OPERANDS)
        return token.kind in _VALUES or token.text in _PREFIXES or token.text in ("(", "[")

    def _switch(self, value: Node, at: Place) -> Node:
        tokens, arms = self._tokens, list[pattern_tree.Arm]()
        tokens.expect("{")
        while tokens.current.text not in ("}", ""):
            pattern = self._patterns.pattern(tested=value)
            guard = self.operation() if tokens.accept("when") else None
            tokens.expect("=>")
            arms.append(pattern_tree.Arm(pattern, guard, self._branch()))
            if not tokens.accept(","):
                break
        tokens.expect("}")
        return pattern_tree.Switch(value, tuple(arms), at=at)

    def _unary(self) -> Node:
        tokens, at = self._tokens, self._tokens.place()
        operator = tokens.current.text
        tokens.enter()
        if operator in _PREFIXES:
            tokens.take()
            number = tokens.current
            inner = self._unary()
            built: Node = syntax.Unary(operator, inner, at=at)
            if operator in ("++", "--"):
                built = syntax.Increment(inner, operator, True, at=at)
            elif operator == "-" and isinstance(inner, syntax.Literal) and number.kind == "number":
                merged = literals.negated(inner, number.text)
                built = placed(merged, at) if merged is not None else built
        elif operator == "await" and self._is_awaited(tokens.ahead(1)):
            tokens.take()
            built = syntax.Await(self._unary(), at=at)
        elif operator == "throw":
            built = self._throw(is_placed=False)
        else:
            built = self._cast() or self._accesses.chain(at.start)
        tokens.leave()
        return built

    def _is_awaited(self, token: Token) -> bool:
        return token.text in ("(", "[", "!", "~") or (token.kind in ("word", *_VALUES) and self._begins_operand(token))

    def _cast(self) -> Node | None:
        """C# specification 12.9.7: a name in parentheses is a cast only before what no operator begins with."""
        tokens, at, first = self._tokens, self._tokens.place(), self._tokens.at
        target = self._type_of_cast()
        if target is not None and (is_certain(target) or self._follows_cast()):
            return syntax.Cast(target, self._unary(), at=at)
        tokens.move(first)
        return None

    def _type_of_cast(self) -> syntax.TypeSyntax | None:
        """Takes a type in parentheses; None for anything else, of which something may have been taken."""
        target = self._types.attempt() if self._tokens.accept("(") else None
        return target if target is not None and self._tokens.accept(")") else None

    def _begins_cast(self) -> bool:
        return self._type_of_cast() is not None and self._follows_cast()

    def _follows_cast(self) -> bool:
        token, following = self._tokens.current, self._tokens.ahead(1)
        if token.text == "!":  # behind what is not null
            return following.text in ("(", "!", "~") or following.kind == "word"
        if token.kind == "word" and token.text not in _BEGINNING:
            return self._tokens.is_name() and token.text not in _NO_OPERANDS
        return token.kind in ("word", *_VALUES) or token.text in ("(", "~")

    # primary expressions

    def _primary(self) -> Node:
        token = self._tokens.current
        at = Place(token.start, token.start)
        if token.kind in _VALUES:
            self._tokens.take()
            return placed(self._literal(token), at)
        handler = _PRIMARIES.get(token.text)
        if handler is not None:
            return placed(handler(self), at)
        if token.text == "from" and (query := self._queries.query()) is not None:
            return query
        if token.text in PREDEFINED_TYPES:
            self._tokens.take()
            return syntax.KeywordType(syntax.PredefinedTypeSyntax(token.text), at=at)
        if self._tokens.is_unfinished and token.kind in ("cursor", "end"):
            self._tokens.take()
            return syntax.Cursor(at=at) if token.kind == "cursor" else syntax.Default(None)
        if not self._tokens.is_name():
            raise self._tokens.fault(AN_EXPRESSION)
        if self._tokens.ahead(1).text == "::":
            self._types.alias()
            at = self._tokens.place()
        name, arguments, unbound = self._accesses.generic_name()
        return syntax.Name(name, arguments, unbound, at=at)

    def _literal(self, token: Token) -> Node:
        with passing(Place(token.start, token.start)):
            if token.kind == "interpolated":
                return self._interpolated(token)
            if token.kind == "number":
                return literals.number(token.text)
            return literals.string(token.text) if token.kind == "string" else literals.character(token.text)

    def _interpolated(self, token: Token) -> Node:
        parts = list[str | syntax.Hole]()
        is_raw = token.text.lstrip("$").startswith('"""')
        pieces = literals.raw(token.pieces) if is_raw else token.pieces
        for piece, hole in zip_longest(pieces, token.holes):
            if piece:
                parts.append(literals.joined(piece))
            if hole is not None:
                outer = self._tokens
                reader = TokenReader(
                    outer.text, hole.tokens, outer.level, is_hole=True, is_unfinished=outer.is_unfinished
                )
                parts.append(syntax.Hole(ExpressionParser(reader).whole(), hole.alignment, hole.format))
                outer.cursor = outer.cursor or reader.cursor
        return syntax.Interpolated(tuple(parts))

    def _keyword(self, built: Node) -> Node:
        self._tokens.take()
        return built

    def _in_parentheses(self, parse: Callable[[], Operand]) -> Operand:
        self._tokens.take()
        self._tokens.expect("(")
        inner = parse()
        self._tokens.expect(")")
        return inner

    def _default(self) -> Node:
        if self._tokens.ahead(1).text == "(":
            return syntax.Default(self._in_parentheses(self._types.type))
        return self._keyword(syntax.Default(None))

    def _checked(self) -> Node:
        is_checked = self._tokens.current.text == "checked"
        return syntax.Checked(self._in_parentheses(self.expression), is_checked)

    def _parenthesized(self) -> Node:
        """A tuple, or an expression in parentheses: these are kept where they end the reach of a `?.`."""
        tokens, items, names = self._tokens, list[Node](), list["str | None"]()
        first = tokens.at
        tokens.expect("(")
        while not items or tokens.accept(","):
            names.append(self._accesses.name_before_colon())
            items.append(self._accesses.declaration(is_out=False) or self.expression())
        tokens.expect(")")
        if len(items) == 1 and names == [None]:
            tokens.groups.add(first)
            is_kept = isinstance(items[0], syntax.ConditionalAccess) or self._tokens.is_in_name_of
            return syntax.Parenthesized(items[0]) if is_kept else items[0]
        implied = [name or implied_name(item) for name, item in zip(names, items, strict=True)]
        shown = [
            given or (name if name and implied.count(name) == 1 and not _RESERVED.fullmatch(name) else None)
            for given, name in zip(names, implied, strict=True)
        ]
        return syntax.Tuple(tuple(items), tuple(shown))

    def _unsupported(self, said: str) -> Node:
        raise self._tokens.unsupported(self._tokens.current.start, said)


def _of_access(node: Node) -> Place | None:
    """Where what follows a `?` begins; None for what is not behind one."""
    while isinstance(node, syntax.Member | syntax.Index) and not isinstance(node.target, syntax.Receiver):
        node = node.target
    return Place(node.at.start, node.at.start) if isinstance(node, syntax.Member | syntax.Index) else None


_PRIMARIES: dict[str, Callable[[ExpressionParser], Node]] = {
    "(": ExpressionParser._parenthesized,
    "[": lambda parser: parser._creations.collection(),
    "new": lambda parser: parser._creations.new(),
    "this": lambda parser: parser._keyword(syntax.This()),
    "base": lambda parser: parser._keyword(syntax.Base()),
    "true": lambda parser: parser._keyword(literals.TRUE),
    "false": lambda parser: parser._keyword(literals.FALSE),
    "null": lambda parser: parser._keyword(literals.NULL),
    "default": ExpressionParser._default,
    "checked": ExpressionParser._checked,
    "unchecked": ExpressionParser._checked,
    "typeof": lambda parser: syntax.TypeOf(parser._in_parentheses(parser._types.type)),
    "sizeof": lambda parser: syntax.SizeOf(parser._in_parentheses(parser._types.type)),
    "stackalloc": lambda parser: parser._unsupported("An expression has no stack of its own for stackalloc; use new"),
    "ref": lambda parser: parser._unsupported("Ref is not supported"),
    "__makeref": lambda parser: parser._unsupported("__makeref is not supported"),
}


@lru_cache(maxsize=512)
def parse(text: str) -> Node:
    """The tree of an expression, which may end with one semicolon.

    Raises `EvaluationError` with line and column, for syntax with what was expected. Takes time linear in the text.
    """
    if not text.strip():
        raise SyntaxFault("the expression is empty; expected an expression", text, 0, identifier="CS1733")
    reader = TokenReader(text, tokens(without_semicolon(text)))
    try:
        return ExpressionParser(reader).whole()
    except RecursionError:
        raise reader.too_deep() from None
    except EvaluationError as error:
        locate(error, text, None)
        raise


def without_semicolon(text: str) -> str:
    """The text without the semicolon that ends it as a statement."""
    stripped = text.rstrip()
    return stripped[:-1] if stripped.endswith(";") and not stripped[:-1].rstrip().endswith(";") else text
