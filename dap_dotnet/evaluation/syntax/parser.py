"""Text -> tree (C# specification 12), by recursive descent and the operators' precedence.

Other modules parse what is in expressions: types, queries, operands, patterns, statements.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import literals
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import KEYWORDS, PREDEFINED_TYPES, SyntaxFault, Token, position, tokens
from dap_dotnet.evaluation.syntax.operand_parser import continued
from dap_dotnet.evaluation.syntax.pattern_parser import SHIFT
from dap_dotnet.evaluation.syntax.statement_parser import StatementParser
from dap_dotnet.evaluation.syntax.statement_tree import Arm, IsPattern, Return, Switch
from dap_dotnet.evaluation.syntax.token_reader import VALUES, is_certain
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Node, Place, parts_of, placed

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
_BEGINNING = frozenset({
    "true", "false", "null", "this", "base", "typeof", "sizeof", "default", "checked", "unchecked", "new", "stackalloc",
}) | PREDEFINED_TYPES  # fmt: skip
_AT_NAME = frozenset({
    "CS0117", "CS0121", "CS0122", "CS0305", "CS0307", "CS0308", "CS0310", "CS0311", "CS0312", "CS0314", "CS0315",
    "CS0411", "CS0426", "CS0452", "CS0453", "CS1061", "CS1501", "CS1593", "CS1643", "CS1729", "CS1739", "CS1929",
    "CS1955", "CS7036",
})  # fmt: skip
"""Errors that the compiler tells at the last name of a member access or of what is called, or at a lambda's arrow."""
_AT_ARGUMENTS_NAME = frozenset({"CS1739", "CS1740", "CS1744", "CS1746", "CS8323"})
_NAME_BEFORE = re.compile(r"@?\w+\s*:\s*$")


class ExpressionParser(StatementParser):
    """Parses one expression, what is in a hole of an interpolated string, or a declaration in the debug console."""

    def expression(self) -> Node:
        """Any expression: lambdas and assignments, too. Raises `EvaluationError`."""
        first, at = self.at, self.place()
        self.enter()
        built = self._lambda()
        if built is None:
            built = self.operation()
            if self.current.text == "?":
                built = self._conditional(built, at)
            if (operator := self._operator()) in _ASSIGNING:
                built = self._assignment(built, operator, first, at)
        self.leave()
        return built

    # lambdas

    def _lambda(self) -> Node | None:
        start, first = self.current.start, self.at
        is_async = False
        while self.current.text in ("async", "static"):
            is_async = self.take().text == "async" or is_async
        if self.accept("delegate"):
            if self.current.text != "(":
                raise self.unsupported(start, "Write the parameters of the anonymous method")
            names, types = self.parameters()
            return syntax.Lambda(names, self.block(), types, is_async, at=Place(start))
        if self.current.text in PREDEFINED_TYPES and self.ahead(1).text == "(":  # the type of the result
            self.take()
        if not (self.is_name() and self.ahead(1).text == "=>") and not (
            self.current.text == "(" and self.behind_brackets().text == "=>"
        ):
            self.move(first)
            return None
        names, types = self.parameters()
        at = Place(start, self.expect("=>").start)
        if self.current.text != "{":
            return syntax.Lambda(names, self._branch(), types, is_async, at=at)
        block = self.block()
        only = block.statements[0] if len(block.statements) == 1 else None
        if isinstance(only, Return) and only.value is not None and not is_async:
            return syntax.Lambda(names, only.value, types, at=at)
        return syntax.Lambda(names, block, types, is_async, at=at)

    # assignments, conditions, operators

    def _assignment(self, target: Node, operator: str, first: int, at: Place) -> Node:
        """`target operator value`, of which the target is parsed; it begins with token number `first`. CS0131."""
        if isinstance(target, syntax.Conditional):
            is_variable = target.is_reference and self.tokens[first].text == "("
        else:
            is_variable = isinstance(target, _ASSIGNED) or (isinstance(target, syntax.Unary) and target.operator == "*")
        if not is_variable:
            while first in self.groups:
                first += 1
            raise self.diagnostic(self.tokens[first].start, "CS0131")
        self._take(operator)
        value = self.expression()
        return continued(target, lambda inner: syntax.Assignment(inner, operator, value, at=_of_access(inner) or at))

    def _conditional(self, condition: Node, at: Place) -> Node:
        self.expect("?")
        is_reference = self.accept("ref")
        self.open_conditions += 1
        when_true = self._branch()
        self.open_conditions -= 1
        self.expect(":")
        if self.accept("ref") is not is_reference:
            raise self.diagnostic(at.start, "CS8325")
        return syntax.Conditional(condition, when_true, self._branch(), is_reference, at=at)

    def _branch(self) -> Node:
        """An expression where `throw x` may stand (C# specification 12.16)."""
        return self._throw(is_placed=True) if self.current.text == "throw" else self.expression()

    def _throw(self, *, is_placed: bool) -> Node:
        at = self.place()
        self.take()
        return syntax.Throw(self.operation(), is_placed=is_placed, at=at)

    def _operator(self) -> str:
        """The text of the next token, or of the operator that several tokens are."""
        token = self.current
        match = _BEGINNING_WITH_GREATER.match(self.text, token.start) if token.text == ">" else None
        return match.group() if match is not None else token.text

    def _take(self, operator: str) -> None:
        end = self.current.start + len(operator)
        while self.end < end:
            self.take()

    def operation(self, lowest: int = 1) -> Node:
        """Operands between binary operators of at least a precedence."""
        at = self.place()
        left = self._operand()
        while lowest <= (precedence := _PRECEDENCE.get(operator := self._operator(), 0)):
            self._take(operator)
            if operator == "is":
                left = IsPattern(left, self.pattern(SHIFT, left), at=at)
            elif operator == "as":
                left = syntax.As(left, self.type(is_tested=True), at=at)
            elif operator == "??" and self.current.text == "throw":
                left = syntax.Binary(operator, left, self._throw(is_placed=True), at=at)
            else:
                self.enter()
                right = self.operation(precedence if operator == "??" else precedence + 1)
                self.leave()
                left = syntax.Binary(operator, left, right, at=at)
        return left

    def _operand(self) -> Node:
        at = self.place()
        start = None if self.current.text == ".." else self._unary()
        if self.accept(".."):
            start = syntax.Range(start, self._unary() if self._begins_operand(self.current) else None, at=at)
        assert start is not None
        while self.ahead(1).text == "{" and self.current.text in ("switch", "with"):
            is_switch = self.take().text == "switch"
            start = self._switch(start, at) if is_switch else self.with_(start, at)
        return start

    def _begins_operand(self, token: Token) -> bool:
        if token.kind == "word":
            return token.text in _BEGINNING or (token.text not in KEYWORDS and token.text not in _NO_OPERANDS)
        return token.kind in VALUES or token.text in _PREFIXES or token.text in ("(", "[")

    def _switch(self, value: Node, at: Place) -> Node:
        return Switch(value, tuple(self.listed(lambda: self._arm(value), "{", "}", ends_in_comma=True)), at=at)

    def _arm(self, value: Node) -> Arm:
        pattern = self.pattern(tested=value)
        guard = self.operation() if self.accept("when") else None
        self.expect("=>")
        return Arm(pattern, guard, self._branch())

    def _unary(self) -> Node:
        at = self.place()
        operator = self.current.text
        self.enter()
        if operator in _PREFIXES:
            self.take()
            number = self.current
            inner = self._unary()
            built: Node = syntax.Unary(operator, inner, at=at)
            if operator in ("++", "--"):
                built = syntax.Increment(inner, operator, True, at=at)
            elif operator == "-" and isinstance(inner, syntax.Literal) and number.kind == "number":
                merged = literals.negated(inner, number.text)
                built = placed(merged, at) if merged is not None else built
        elif operator == "await" and self._is_awaited(self.ahead(1)):
            self.take()
            built = syntax.Await(self._unary(), at=at)
        elif operator == "throw":
            built = self._throw(is_placed=False)
        else:
            built = self._cast() or self.chain()
        self.leave()
        return built

    def _is_awaited(self, token: Token) -> bool:
        return token.text in ("(", "[", "!", "~") or (token.kind in ("word", *VALUES) and self._begins_operand(token))

    def _cast(self) -> Node | None:
        """C# specification 12.9.7: a name in parentheses is a cast only before what no operator begins with."""
        at, first = self.place(), self.at
        target = self._type_of_cast()
        if target is not None and (is_certain(target) or self._follows_cast()):
            return syntax.Cast(target, self._unary(), at=at)
        self.move(first)
        return None

    def _type_of_cast(self) -> syntax.TypeSyntax | None:
        """Takes a type in parentheses; None for anything else, of which something may have been taken."""
        target = self.attempt() if self.accept("(") else None
        return target if target is not None and self.accept(")") else None

    def begins_cast(self) -> bool:
        """Whether a cast begins here, of which something may have been taken then."""
        return self._type_of_cast() is not None and self._follows_cast()

    def _follows_cast(self) -> bool:
        token, following = self.current, self.ahead(1)
        if token.text == "!":  # behind what is not null
            return following.text in ("(", "!", "~") or following.kind == "word"
        if token.kind == "word" and token.text not in _BEGINNING:
            return self.is_name() and token.text not in _NO_OPERANDS
        return token.kind in ("word", *VALUES) or token.text in ("(", "~")


def _of_access(node: Node) -> Place | None:
    """Where what follows a `?` begins; None for what is not behind one."""
    while isinstance(node, syntax.Member | syntax.Index) and not isinstance(node.target, syntax.Receiver):
        node = node.target
    return Place(node.at.start) if isinstance(node, syntax.Member | syntax.Index) else None


@lru_cache(maxsize=512)
def parse(text: str) -> Node:
    """The tree of an expression, which may end with one semicolon.

    Raises `EvaluationError` with line and column, for syntax with what was expected. Takes time linear in the text.
    """
    if not text.strip():
        raise SyntaxFault("the expression is empty; expected an expression", text, 0, identifier="CS1733")
    parser = ExpressionParser(text, tokens(without_semicolon(text)))
    try:
        return parser.whole()
    except RecursionError:
        raise parser.too_deep() from None
    except EvaluationError as error:
        locate(error, text, None)
        raise


def without_semicolon(text: str) -> str:
    """The text without the semicolon that ends it as a statement."""
    stripped = text.rstrip()
    return stripped[:-1] if stripped.endswith(";") and not stripped[:-1].rstrip().endswith(";") else text


def locate(error: EvaluationError, text: str, tree: Node | None) -> None:
    """Give an error its line and column by the innermost expression of a text that it came through.

    `tree` is what `parse` made of the text; None while it was being made. An error that came through none of its nodes,
    as of a sequence that an earlier text made, has no position then.
    """
    if isinstance(error, SyntaxFault):
        return
    error.line = error.column = None
    nodes = [part for part in parts_of(tree) if isinstance(part, Node)]
    known = {id(node.at) for node in nodes}
    for place in error.trail:
        if isinstance(place, Place) and place is not NOWHERE and (tree is None or id(place) in known):
            offset = place.name if error.compiler_code in _AT_NAME else place.start
            starts = next((starts for node in nodes if node.at is place and (starts := _starts_of_arguments(node))), ())
            if error.argument is not None and 0 <= error.argument < len(starts):
                offset = starts[error.argument]
                name = _NAME_BEFORE.search(text, 0, offset) if error.compiler_code in _AT_ARGUMENTS_NAME else None
                offset = name.start() if name is not None else offset
            error.line, error.column = position(text, offset)
            return


def _starts_of_arguments(node: Node) -> list[int]:
    """Of a call or a creation; [] of all else, and of clauses of queries, which are not written as calls."""
    if isinstance(node, syntax.Call | syntax.Index | syntax.New):
        is_written = not isinstance(node, syntax.Call) or not node.is_clause
        return [argument.value.at.start for argument in node.arguments] if is_written else []
    if isinstance(node, syntax.NewArray | syntax.ElementEntry):
        return [item.at.start for item in (node.items if isinstance(node, syntax.NewArray) else node.values) or ()]
    return []
