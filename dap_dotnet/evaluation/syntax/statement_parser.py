"""Statements of a lambda's body: tokens -> our tree (C# specification 13)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import PREDEFINED_TYPES, Token
from dap_dotnet.evaluation.syntax.pattern_parser import PatternParser
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.token_reader import is_var
from dap_dotnet.evaluation.syntax.tree import Node, Place, TypeSyntax, placed

_REFUSED_STATEMENTS = frozenset({"goto", "yield", "unsafe", "fixed"})
_BEHIND_NAMES = frozenset({"=", ";", ",", "(", "<"})
_OF_FUNCTIONS = frozenset({"static", "async", "unsafe", "extern"})
_OF_PARAMETERS = frozenset({"ref", "out", "in", "params", "this", "scoped"})
"""Modifiers."""
_EFFECTS = (syntax.Assignment, syntax.Increment, syntax.Call, syntax.New, syntax.Await)


class StatementParser(PatternParser):
    """Parses statements."""

    def block(self) -> statements.Block:
        """`{ … }`. Raises `EvaluationError` for statements that a lambda cannot have here."""
        self.expect("{")
        body = self._all()
        self.expect("}")
        return statements.Block(body)

    def _all(self) -> tuple[Statement, ...]:
        """Statements up to a bracket or a label; a `using` declaration has all that follow it for its body."""
        built = list[Statement]()
        while self.current.text not in ("}", "case", "default", ""):
            at, first = self.place(), self.at
            is_await = self.accept("await")
            if self.current.text == "using" and self.ahead(1).text != "(":
                self.take()
                resources = self.declarations()
                self.expect(";")
                return (*built, self._used(resources, statements.Block(self._all(), at=at), is_await=is_await, at=at))
            self.move(first)
            built += self._several()
        return tuple(built)

    def _used(self, resources: list[Statement], body: Statement, *, is_await: bool, at: Place) -> Statement:
        """A statement that disposes of each resource, the last one first."""
        for resource in reversed(resources):
            if isinstance(resource, statements.Declare) and resource.value is None:
                raise self.diagnostic(resource.at.start, "CS0210")
            assert isinstance(resource, statements.Declare | statements.Evaluate)
            body = statements.Using(resource, body, is_await, at=at)
        return body

    def _several(self) -> list[Statement]:
        """A statement; a declaration of two variables is two."""
        if not self.is_declaration():
            return [self._statement()]
        function = self._local_function()
        if function is not None:
            return [function]
        is_constant = self.accept("const")
        declared = self.declarations(is_constant=is_constant)
        self.expect(";")
        return declared

    def is_declaration(self) -> bool:
        """Whether variables or a local function are declared: a type is followed by a name, or `var` by several."""
        first = self.at
        if self.current.text in ("const", "ref", "scoped", *_OF_FUNCTIONS):
            return not self.is_name() or self.is_name(1) or self.ahead(1).text in PREDEFINED_TYPES
        if self.current.text == "var" and self.ahead(1).text == "(":
            return self.behind_brackets(1).text == "="
        if self.current.text == "await" or not (self.is_name() or self.current.text in ("(", *PREDEFINED_TYPES)):
            return False
        is_declaration = self.attempt() is not None and self.is_name() and self.ahead(1).text in _BEHIND_NAMES
        self.move(first)
        return is_declaration

    def _inner(self) -> Statement:
        """The statement that another one runs. CS1023."""
        if self.is_declaration():
            raise self.diagnostic(self.current.start, "CS1023")
        return self._statement()

    def _statement(self) -> Statement:
        at = self.place()
        self.enter()
        text, following = self.current.text, self.ahead(1).text
        if text in _REFUSED_STATEMENTS or (self.is_name() and following == ":"):
            word = text if text in _REFUSED_STATEMENTS else "goto"
            raise self.unsupported(at.start, f"A {word} statement is not supported in a lambda here")
        if text == "await" and following in ("foreach", "using"):
            self.take()
        handler = _HANDLERS.get(self.current.text)
        is_operator = text in ("checked", "unchecked") and following != "{"  # that of an expression
        if text == "{":
            built: Statement = self.block()
        elif handler is None or is_operator:
            built = self._ended(statements.Evaluate(self._effect()))
        else:
            built = handler(self, self.take())
        self.leave()
        return placed(built, at)

    def declarations(self, *, is_constant: bool = False) -> list[Statement]:
        """`type a = x, b`, without what ends it."""
        start = self.current.start
        if self.current.text == "scoped":
            raise self.unsupported(start, "scoped locals are not supported in a lambda here")
        is_reference = self.accept("ref")
        if is_reference:
            self.accept("readonly")
        kind = None if self.accept("var") else self.type()
        return self.separated(lambda: self._declared(kind, is_constant=is_constant, is_reference=is_reference))

    def _declared(self, kind: TypeSyntax | None, *, is_constant: bool, is_reference: bool) -> Statement:
        at = self.place()
        if kind is None and self.current.text == "(":
            variables = self._variables()
            self.expect("=")
            return statements.Evaluate(syntax.Assignment(variables, "=", self.expression(), at=at), at=at)
        name = self.name()
        value = self._initial(kind, is_reference=is_reference) if self.accept("=") else None
        if value is None and (is_reference or kind is None):
            raise self.diagnostic(at.start, "CS8174" if is_reference else "CS0818")
        return statements.Declare(kind, name, value, is_constant, is_reference, at=at)

    def _initial(self, kind: TypeSyntax | None, *, is_reference: bool) -> Node:
        """What a variable begins with; `{ 1, 2 }` is a new array of its type."""
        start = self.current.start
        if is_reference and not self.accept("ref"):
            raise self.diagnostic(start, "CS8172")
        if self.current.text != "{":
            return self.expression()
        if not isinstance(kind, syntax.ArrayTypeSyntax):
            raise self.diagnostic(start, "CS0622")
        return self.array_of(kind)

    def _variables(self) -> syntax.Tuple:
        """`(a, (b, c))` behind `var`: what takes a value apart."""
        at = self.place()
        variables = tuple(self.in_parentheses(lambda: self.separated(self._variable_or_several)))
        return syntax.Tuple(variables, (None,) * len(variables), at=at)

    def _variable_or_several(self) -> Node:
        at = self.place()
        return self._variables() if self.current.text == "(" else syntax.Declaration(None, self.name(), at=at)

    def _effect(self) -> Node:
        """An expression that may stand as a statement. CS0201."""
        start, first = self.current.start, self.at
        built = self.expression()
        effect = built.access if isinstance(built, syntax.ConditionalAccess) else built
        if not isinstance(effect, _EFFECTS) and not self.is_cut:
            raise self.diagnostic(start, "CS0201 excerpt", self.written(first))
        return built

    def _ended(self, built: Statement) -> Statement:
        """A statement that a semicolon ends."""
        self.expect(";")
        return built

    def _value_before(self, ending: str) -> Node | None:
        """An expression; None where none stands before what ends the place for it."""
        return self.expression() if self.current.text != ending else None

    def _condition(self) -> Node:
        return self.in_parentheses(self.expression)

    def _if(self, _: Token) -> Statement:
        condition, then = self._condition(), self._inner()
        return statements.If(condition, then, self._inner() if self.accept("else") else None)

    def _while(self, _: Token) -> Statement:
        return statements.While(self._condition(), self._inner(), False)

    def _do(self, _: Token) -> Statement:
        body = self._inner()
        self.expect("while")
        return self._ended(statements.While(self._condition(), body, True))

    def _for(self, _: Token) -> Statement:
        self.expect("(")
        initial = list[Statement]()
        if self.is_declaration():
            initial = self.declarations()
        elif self.current.text != ";":
            initial = [statements.Evaluate(effect, at=effect.at) for effect in self.separated(self._effect)]
        self.expect(";")
        condition = self._value_before(";")
        self.expect(";")
        updates = self.separated(self._effect) if self.current.text != ")" else []
        self.expect(")")
        return statements.For(tuple(initial), condition, tuple(updates), self._inner())

    def _is_awaited_statement(self) -> bool:
        """Whether `await` stood before the word that was taken."""
        return self.tokens[self.at - 2].text == "await"

    def _for_each(self, _: Token) -> Statement:
        is_await = self._is_awaited_statement()
        self.expect("(")
        if self.current.text == "(" and self.behind_brackets().text == "in":
            variable = self._parenthesized()
        elif self.current.text == "var" and self.ahead(1).text == "(":
            self.take()
            variable = self._variables()
        else:
            at, kind = self.place(), self.type()
            variable = syntax.Declaration(None if is_var(kind) else kind, self.name(), at=at)
        if not isinstance(variable, syntax.Declaration | syntax.Tuple):
            raise self.fault("a name")
        self.expect("in")
        source = self.expression()
        self.expect(")")
        return statements.ForEach(variable, source, self._inner(), is_await)

    def _switch_statement(self, word: Token) -> Statement:
        value = self._condition()
        self.expect("{")
        sections, labels = list[statements.Section](), list[statements.Label]()
        while self.current.text in ("case", "default"):
            labels.append(self._label())
            if self.current.text not in ("case", "default", "}"):
                sections.append(statements.Section(tuple(labels), self._all()))
                labels = []
        if labels:
            raise self.diagnostic(word.start, "CS8070")
        self.expect("}")
        return statements.SwitchStatement(value, tuple(sections))

    def _label(self) -> statements.Label:
        pattern = self.pattern() if self.take().text == "case" else None
        guard = self.expression() if self.accept("when") else None
        self.expect(":")
        return statements.Label(pattern, guard)

    def _return(self, _: Token) -> Statement:
        return self._ended(statements.Return(self._value_before(";")))

    def _throw_statement(self, word: Token) -> Statement:
        value = self._value_before(";")
        if value is None:
            return self._leave(word)
        return self._ended(statements.Evaluate(syntax.Throw(value, at=Place(word.start))))

    def _leave(self, word: Token) -> Statement:
        return self._ended(statements.Leave(word.text))

    def _try(self, word: Token) -> Statement:
        body, catches = self.block(), list[statements.Catch]()
        while self.accept("catch"):
            catches.append(self._catch())
        final = self.block() if self.accept("finally") else None
        if not catches and final is None and not self.is_cut:
            raise self.diagnostic(word.start, "CS1524")
        return statements.Try(body, tuple(catches), final)

    def _catch(self) -> statements.Catch:
        kind: TypeSyntax | None = None
        name: str | None = None
        if self.accept("("):
            kind = self.type()
            name = self.name() if self.is_name() else None
            self.expect(")")
        guard = self._condition() if self.accept("when") else None
        return statements.Catch(kind, name, guard, self.block())

    def _using(self, word: Token) -> Statement:
        is_await = self._is_awaited_statement()
        self.expect("(")
        declared = self.declarations() if self.is_declaration() else None
        resources = declared or [statements.Evaluate(self.expression())]
        self.expect(")")
        return self._used(resources, self._inner(), is_await=is_await, at=Place(word.start))

    def _lock(self, _: Token) -> Statement:
        return statements.Lock(self._condition(), self._inner())

    def _checked_statement(self, word: Token) -> Statement:
        return statements.CheckedBlock(self.block(), word.text == "checked")

    def _local_function(self) -> Statement | None:
        """`type name(parameters) { … }`; None, with nothing taken, for a declaration of variables."""
        start, first = self.current.start, self.at
        modifiers = set[str]()
        while self.current.text in _OF_FUNCTIONS:
            modifiers.add(self.take().text)
        kind = self.attempt()
        if kind is None or not self.is_name() or self.ahead(1).text not in ("(", "<"):
            self.move(first)
            return None
        if modifiers - {"static"} or self.ahead(1).text == "<":
            raise self.unsupported(start, "Such a local function is not supported here")
        name_start, name = self.current.start, self.name()
        names, types = self.parameters()
        is_void = kind == syntax.PredefinedTypeSyntax("void")
        if self.current.text == "{":
            body = self.block()
        elif self.accept("=>"):
            value = self.expression()
            body = statements.Block((statements.Evaluate(value) if is_void else statements.Return(value),))
            self.expect(";")
        else:
            raise self.diagnostic(name_start, "CS8112", name)
        function = syntax.Lambda(names, body, types)
        return statements.LocalFunction(name, None if is_void else kind, function, at=Place(start))

    def parameters(self) -> tuple[tuple[str, ...], tuple[TypeSyntax | None, ...]]:
        """The names and types of a lambda's parameters; no types where none is written."""
        start = self.current.start
        if self.current.text != "(":
            return (self.name(),), ()
        parameters = self.listed(lambda: self._parameter(start), "(", ")")
        types = tuple(kind for kind, _ in parameters)
        return tuple(name for _, name in parameters), types if any(types) else ()

    def _parameter(self, start: int) -> tuple[TypeSyntax | None, str]:
        if self.current.text in _OF_PARAMETERS:
            raise self.unsupported(start, "Parameters of a lambda cannot be ref, out, in or params here")
        has_type = not self.is_name() or self.ahead(1).text not in (",", ")", "=")
        kind, name = self.type() if has_type else None, self.name()
        if self.accept("="):
            self.expression()
        return kind, name


_HANDLERS: dict[str, Callable[[StatementParser, Token], Statement]] = {
    ";": lambda parser, _: statements.Block(()),
    "if": StatementParser._if,
    "while": StatementParser._while,
    "do": StatementParser._do,
    "for": StatementParser._for,
    "foreach": StatementParser._for_each,
    "switch": StatementParser._switch_statement,
    "return": StatementParser._return,
    "throw": StatementParser._throw_statement,
    "try": StatementParser._try,
    "using": StatementParser._using,
    "lock": StatementParser._lock,
    "break": StatementParser._leave,
    "continue": StatementParser._leave,
    "checked": StatementParser._checked_statement,
    "unchecked": StatementParser._checked_statement,
}
"""What follows such a word, which is taken."""
