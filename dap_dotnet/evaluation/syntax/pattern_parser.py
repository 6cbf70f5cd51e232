"""Patterns: tokens -> our tree (C# specification 11)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import Token
from dap_dotnet.evaluation.syntax.pattern_tree import Pattern
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Node, Place, placed
from dap_dotnet.evaluation.syntax.type_parser import TypeParser

_COMBINING = frozenset({"and", "or", "when"})
SHIFT = 9
"""The precedence of the operators that a constant in a pattern may have."""
_GOING_ON = frozenset({"+", "-", "*", "/", "%", "<<", ".", "!", "[", "(", "->", "::"})
"""What makes an expression of a name before it, or of what is in parentheses; behind `is` no other operators do."""
_LOOSE = frozenset({"<", ">", "<=", "==", "!=", "&", "^", "|", "&&", "||", "??"})


class PatternParser:
    """Parses the patterns of one expression.

    `operation` parses operands between operators of at least a precedence; `begins_cast` takes what a cast begins with.
    """

    def __init__(
        self,
        tokens: TokenReader,
        types: TypeParser,
        operation: Callable[[int], Node],
        begins_cast: Callable[[], bool],
    ) -> None:
        self._tokens = tokens
        self._types = types
        self._operation = operation
        self._begins_cast = begins_cast
        self._lowest = 1
        self._tested: Node | None = None
        """A value of what the pattern is for, where that is known: for what is completed in its braces."""

    def pattern(self, lowest: int = 1, tested: Node | None = None) -> Pattern:
        """Any pattern; the operators in its constants have at least a precedence. Raises `EvaluationError`.

        `tested`: a value of what it is for.
        """
        tokens, at = self._tokens, self._tokens.place()
        tokens.enter()
        outer = self._lowest, self._tested
        self._lowest, self._tested = lowest, tested
        left = self._conjunction()
        while tokens.accept("or"):
            left = pattern_tree.JunctionPattern(left, self._conjunction(), False, at=at)
        tokens.leave()
        self._lowest, self._tested = outer
        return pattern_tree.ConstantPattern(tokens.cursor) if tokens.cursor is not None else left

    def _conjunction(self) -> Pattern:
        at, left = self._tokens.place(), self._negation()
        while self._tokens.accept("and"):
            left = pattern_tree.JunctionPattern(left, self._negation(), True, at=at)
        return left

    def _negation(self) -> Pattern:
        tokens, at = self._tokens, self._tokens.place()
        tokens.enter()
        is_negated = tokens.accept("not")
        built = pattern_tree.NotPattern(self._negation(), at=at) if is_negated else placed(self._primary(), at)
        tokens.leave()
        return built

    def _primary(self) -> Pattern:
        tokens = self._tokens
        text, following = tokens.current.text, tokens.ahead(1).text
        if text == "_" and not self._goes_on(tokens.ahead(1)):
            tokens.take()
            return pattern_tree.DiscardPattern()
        if text in ("<", "<=", ">"):
            operator = tokens.take().text
            operator += "=" if operator == ">" and tokens.accept("=") else ""
            return pattern_tree.RelationalPattern(operator, self._operation(SHIFT))
        if text == "{":
            return self._recursive(None)
        if text == "[":
            return self._list()
        if text == "(":
            return self._parenthesized()
        if text == "var" and (following == "(" or tokens.is_name(1)):
            at = Place(tokens.current.start, tokens.current.start)
            tokens.take()
            return self._designation(at) if following == "(" else pattern_tree.TypePattern(None, self._variable())
        return self._of_type() or self._constant()

    def _constant(self) -> Pattern:
        return pattern_tree.ConstantPattern(self._operation(self._lowest))

    def _goes_on(self, token: Token) -> bool:
        """Whether an expression goes on with a token."""
        return token.text in _GOING_ON or (self._lowest < SHIFT and token.text in _LOOSE)

    def _of_type(self) -> Pattern | None:
        """A pattern that begins with a type, or a name that may be a constant; None, with nothing taken, for others."""
        tokens, first = self._tokens, self._tokens.at
        kind = self._types.attempt(is_tested=True) if tokens.current.kind == "word" else None
        text = tokens.current.text
        if kind is None or (self._goes_on(tokens.current) and text != "(") or tokens.tokens[first].text == "nameof":
            tokens.move(first)
            return None
        if text in ("(", "{"):
            return self._recursive(kind)
        if self._is_variable():
            return pattern_tree.TypePattern(kind, self._variable())
        if isinstance(kind, syntax.NamedTypeSyntax):
            return pattern_tree.ConstantPattern(self._as_expression(kind))
        return pattern_tree.TypePattern(kind, None)

    def _as_expression(self, kind: syntax.NamedTypeSyntax) -> Node:
        """`A.B<C>` as a name and its members: only binding tells whether it is a type."""
        built: Node | None = None
        for part in kind.parts:
            if part.unbound:
                raise self._tokens.diagnostic(part.at.start, "CS0305", "type", part.name, part.unbound)
            if built is None:
                built = syntax.Name(part.name, part.arguments, at=part.at)
            else:
                built = syntax.Member(built, part.name, part.arguments, at=Place(kind.at.start, part.at.start))
        assert built is not None
        return built

    def _is_variable(self) -> bool:
        return self._tokens.is_name() and self._tokens.current.text not in _COMBINING

    def _variable(self) -> str | None:
        """The name of a variable; None for `_`."""
        name = self._tokens.name()
        return name if name != "_" else None

    def _parenthesized(self) -> Pattern:
        """A pattern in parentheses, what takes a value apart, or a constant that begins with a parenthesis."""
        tokens, first = self._tokens, self._tokens.at
        is_cast = self._begins_cast()
        tokens.move(first)
        if is_cast:
            return self._constant()
        names, items = self._positional()
        text = tokens.current.text
        if len(items) > 1 or names != [None] or text == "{" or self._is_variable():
            return self._recursive(None, (names, items))
        if not self._goes_on(tokens.current):
            return items[0]
        tokens.move(first)
        return self._constant()

    def _positional(self) -> tuple[list[str | None], list[Pattern]]:
        """(the names, the patterns) of what is in parentheses."""
        tokens, names, items = self._tokens, list["str | None"](), list[Pattern]()
        tokens.expect("(")
        while tokens.current.text != ")" or items:
            is_named = tokens.is_name() and tokens.ahead(1).text == ":"
            names.append(tokens.name() if is_named else None)
            if is_named:
                tokens.take()
            items.append(self.pattern())
            if not tokens.accept(","):
                break
        tokens.expect(")")
        return names, items

    def _recursive(
        self, kind: syntax.TypeSyntax | None, positional: tuple[list[str | None], list[Pattern]] | None = None
    ) -> Pattern:
        """`type (…) { … } name` from its parentheses or, where they are given, from its braces on."""
        tokens, properties = self._tokens, list[pattern_tree.PropertyPart]()
        if positional is None and tokens.current.text == "(":
            positional = self._positional()
        if tokens.accept("{"):
            filled = syntax.Default(kind) if kind is not None else self._tested
            while tokens.current.text not in ("}", ""):
                properties.append(self._property(filled))
                if not tokens.accept(","):
                    break
            tokens.expect("}")
        name = self._variable() if self._is_variable() else None
        names, items = positional if positional is not None else ((), None)
        return pattern_tree.RecursivePattern(
            kind, tuple(items) if items is not None else None, tuple(properties), name, tuple(names)
        )

    def _property(self, filled: Node | None) -> pattern_tree.PropertyPart:
        tokens, start, last = self._tokens, self._tokens.current.start, self._tokens.current.start
        path = list[str]()
        while tokens.is_name():
            last = tokens.current.start
            path.append(tokens.name())
            filled = syntax.Member(filled, path[-1]) if filled is not None else None
            if not tokens.accept("."):
                break
        if tokens.current.kind == "cursor" and filled is not None:
            tokens.take()
            tokens.cursor = syntax.Cursor(filled=filled, is_pattern=True)
            return pattern_tree.PropertyPart((), pattern_tree.DiscardPattern())
        if not path or tokens.current.text != ":":
            raise tokens.unsupported(start, "A property pattern must name its member")
        tokens.take()
        return pattern_tree.PropertyPart(tuple(path), self.pattern(tested=filled), at=Place(start, last))

    def _list(self) -> Pattern:
        """`[a, .., b] name`."""
        tokens, at, items = self._tokens, self._tokens.place(), list[Pattern]()
        tokens.expect("[")
        while tokens.current.text != "]":
            items.append(self._slice() if tokens.current.text == ".." else self.pattern())
            if not tokens.accept(","):
                break
        tokens.expect("]")
        built = pattern_tree.ListPattern(tuple(items), at=at)
        if not self._is_variable():
            return built
        return pattern_tree.JunctionPattern(built, pattern_tree.TypePattern(None, self._variable(), at=at), True)

    def _slice(self) -> Pattern:
        """`..`, and the pattern for what is between the others."""
        at = self._tokens.place()
        self._tokens.take()
        is_any = self._tokens.current.text in (",", "]")
        return pattern_tree.SlicePattern(None if is_any else self.pattern(), at=at)

    def _designation(self, at: Place) -> Pattern:
        """`(a, _, (b, c))` behind `var`: takes a value apart into variables."""
        tokens, items = self._tokens, list[Pattern]()
        tokens.enter()
        tokens.expect("(")
        while not items or tokens.accept(","):
            if tokens.current.text == "(":
                items.append(self._designation(at))
            elif not tokens.is_name():
                raise tokens.diagnostic(tokens.current.start, "CS1001 var")
            else:
                place, name = tokens.place(), self._variable()
                items.append(pattern_tree.TypePattern(None, name, at=place) if name else pattern_tree.DiscardPattern())
        if tokens.current.text != ")":
            raise tokens.diagnostic(tokens.current.start, "CS1001 var")
        tokens.take()
        tokens.leave()
        return pattern_tree.RecursivePattern(None, tuple(items), (), None, at=at)
