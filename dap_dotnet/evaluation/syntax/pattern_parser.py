"""Patterns: tokens -> our tree (C# specification 11)."""

from __future__ import annotations

from dap_dotnet.evaluation.syntax import statement_tree as tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import Token
from dap_dotnet.evaluation.syntax.operand_parser import OperandParser
from dap_dotnet.evaluation.syntax.statement_tree import Pattern
from dap_dotnet.evaluation.syntax.tree import Node, Place, placed

_COMBINING = frozenset({"and", "or", "when"})
SHIFT = 9
"""The precedence of the operators that a constant in a pattern may have."""
_GOING_ON = frozenset({"+", "-", "*", "/", "%", "<<", ".", "!", "[", "(", "->", "::"})
"""What makes an expression of a name before it, or of what is in parentheses; behind `is` no other operators do."""
_LOOSE = frozenset({"<", ">", "<=", "==", "!=", "&", "^", "|", "&&", "||", "??"})


class PatternParser(OperandParser):
    """Parses patterns."""

    _lowest = 1
    _tested: Node | None = None
    """A value of what the pattern is for, where that is known: for what is completed in its braces."""

    def begins_cast(self) -> bool:
        """See `ExpressionParser`."""
        raise NotImplementedError

    def pattern(self, lowest: int = 1, tested: Node | None = None) -> Pattern:
        """Any pattern; the operators in its constants have at least a precedence. Raises `EvaluationError`.

        `tested`: a value of what it is for.
        """
        at = self.place()
        self.enter()
        outer = self._lowest, self._tested
        self._lowest, self._tested = lowest, tested
        left = self._conjunction()
        while self.accept("or"):
            left = tree.JunctionPattern(left, self._conjunction(), False, at=at)
        self.leave()
        self._lowest, self._tested = outer
        return tree.ConstantPattern(self.cursor) if self.cursor is not None else left

    def _conjunction(self) -> Pattern:
        at, left = self.place(), self._negation()
        while self.accept("and"):
            left = tree.JunctionPattern(left, self._negation(), True, at=at)
        return left

    def _negation(self) -> Pattern:
        at = self.place()
        self.enter()
        is_negated = self.accept("not")
        built = tree.NotPattern(self._negation(), at=at) if is_negated else placed(self._simple_pattern(), at)
        self.leave()
        return built

    def _simple_pattern(self) -> Pattern:
        text, following = self.current.text, self.ahead(1).text
        if text == "_" and not self._is_expression_before(self.ahead(1)):
            self.take()
            return tree.TypePattern(None, None)
        if text in ("<", "<=", ">"):
            operator = self.take().text
            operator += "=" if operator == ">" and self.accept("=") else ""
            return tree.RelationalPattern(operator, self.operation(SHIFT))
        if text == "{":
            return self._recursive(None)
        if text == "[":
            return self._list()
        if text == "(":
            return self._pattern_in_parentheses()
        if text == "var" and (following == "(" or self.is_name(1)):
            at = Place(self.current.start, self.current.start)
            self.take()
            return self._designation(at) if following == "(" else tree.TypePattern(None, self._variable())
        return self._of_type() or self._constant()

    def _constant(self) -> Pattern:
        return tree.ConstantPattern(self.operation(self._lowest))

    def _is_expression_before(self, token: Token) -> bool:
        """Whether an expression goes on with a token."""
        return token.text in _GOING_ON or (self._lowest < SHIFT and token.text in _LOOSE)

    def _of_type(self) -> Pattern | None:
        """A pattern that begins with a type, or a name that may be a constant; None, with nothing taken, for others."""
        first = self.at
        kind = self.attempt(is_tested=True) if self.current.kind == "word" else None
        text = self.current.text
        if (
            kind is None
            or (self._is_expression_before(self.current) and text != "(")
            or self.tokens[first].text == "nameof"
        ):
            self.move(first)
            return None
        if text in ("(", "{"):
            return self._recursive(kind)
        if self._is_variable():
            return tree.TypePattern(kind, self._variable())
        if isinstance(kind, syntax.NamedTypeSyntax):
            return tree.ConstantPattern(self._as_expression(kind))
        return tree.TypePattern(kind, None)

    def _as_expression(self, kind: syntax.NamedTypeSyntax) -> Node:
        """`A.B<C>` as a name and its members: only binding tells whether it is a type."""
        built: Node | None = None
        for part in kind.parts:
            if part.unbound:
                raise self.diagnostic(part.at.start, "CS0305", "type", part.name, part.unbound)
            if built is None:
                built = syntax.Name(part.name, part.arguments, at=part.at)
            else:
                built = syntax.Member(built, part.name, part.arguments, at=Place(kind.at.start, part.at.start))
        assert built is not None
        return built

    def _is_variable(self) -> bool:
        return self.is_name() and self.current.text not in _COMBINING

    def _variable(self) -> str | None:
        """The name of a variable; None for `_`."""
        name = self.name()
        return name if name != "_" else None

    def _pattern_in_parentheses(self) -> Pattern:
        """A pattern in parentheses, what takes a value apart, or a constant that begins with a parenthesis."""
        first = self.at
        is_cast = self.begins_cast()
        self.move(first)
        if is_cast:
            return self._constant()
        names, items = self._positional()
        text = self.current.text
        if len(items) > 1 or names != [None] or text == "{" or self._is_variable():
            return self._recursive(None, (names, items))
        if not self._is_expression_before(self.current):
            return items[0]
        self.move(first)
        return self._constant()

    def _positional(self) -> tuple[list[str | None], list[Pattern]]:
        """(the names, the patterns) of what is in parentheses."""
        items = self.listed(lambda: (self.name_before_colon(), self.pattern()), "(", ")")
        return [name for name, _ in items], [item for _, item in items]

    def _recursive(
        self, kind: syntax.TypeSyntax | None, positional: tuple[list[str | None], list[Pattern]] | None = None
    ) -> Pattern:
        """`type (…) { … } name` from its parentheses or, where they are given, from its braces on."""
        properties = list[tree.PropertyPart]()
        if positional is None and self.current.text == "(":
            positional = self._positional()
        if self.current.text == "{":
            filled = syntax.Default(kind) if kind is not None else self._tested
            properties = self.listed(lambda: self._property(filled), "{", "}", ends_in_comma=True)
        name = self._variable() if self._is_variable() else None
        names, items = positional if positional is not None else ((), None)
        return tree.RecursivePattern(
            kind, tuple(items) if items is not None else None, tuple(properties), name, tuple(names)
        )

    def _property(self, filled: Node | None) -> tree.PropertyPart:
        start = last = self.current.start
        path = list[str]()
        while self.is_name():
            last = self.current.start
            path.append(self.name())
            filled = syntax.Member(filled, path[-1]) if filled is not None else None
            if not self.accept("."):
                break
        if self.current.kind == "cursor" and filled is not None:
            self.take()
            self.cursor = syntax.Cursor(filled=filled, is_pattern=True)
            return tree.PropertyPart((), tree.TypePattern(None, None))
        if not path or self.current.text != ":":
            raise self.unsupported(start, "A property pattern must name its member")
        self.take()
        return tree.PropertyPart(tuple(path), self.pattern(tested=filled), at=Place(start, last))

    def _list(self) -> Pattern:
        """`[a, .., b] name`."""
        at = self.place()
        items = self.listed(self._list_item, "[", "]", ends_in_comma=True)
        built = tree.ListPattern(tuple(items), at=at)
        if not self._is_variable():
            return built
        return tree.JunctionPattern(built, tree.TypePattern(None, self._variable(), at=at), True)

    def _list_item(self) -> Pattern:
        """A pattern, or `..` with the pattern for what is between the others."""
        at = self.place()
        if not self.accept(".."):
            return self.pattern()
        is_any = self.current.text in (",", "]")
        return tree.SlicePattern(None if is_any else self.pattern(), at=at)

    def _designation(self, at: Place) -> Pattern:
        """`(a, _, (b, c))` behind `var`: takes a value apart into variables."""
        self.enter()
        self.expect("(")
        items = self.separated(lambda: self._designated(at))
        if self.current.text != ")":
            raise self.diagnostic(self.current.start, "CS1001 var")
        self.take()
        self.leave()
        return tree.RecursivePattern(None, tuple(items), (), None, at=at)

    def _designated(self, outer: Place) -> Pattern:
        at = self.place()
        if self.current.text == "(":
            return self._designation(outer)
        if not self.is_name():
            raise self.diagnostic(at.start, "CS1001 var")
        return tree.TypePattern(None, self._variable(), at=at)
