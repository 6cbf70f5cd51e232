"""Statements of a lambda's body: tokens -> our tree (C# specification 13)."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.creation_parser import CreationParser
from dap_dotnet.evaluation.syntax.lexer import PREDEFINED_TYPES
from dap_dotnet.evaluation.syntax.pattern_parser import PatternParser
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.token_reader import TokenReader
from dap_dotnet.evaluation.syntax.tree import Node, Place, TypeSyntax, placed
from dap_dotnet.evaluation.syntax.type_parser import TypeParser, is_var

_REFUSED = frozenset({"goto", "yield", "unsafe", "fixed"})
_BEHIND_NAMES = frozenset({"=", ";", ",", "(", "<"})
_OF_FUNCTIONS = frozenset({"static", "async", "unsafe", "extern"})
_OF_PARAMETERS = frozenset({"ref", "out", "in", "params", "this", "scoped"})
"""Modifiers."""
_EFFECTS = (syntax.Assignment, syntax.Increment, syntax.Call, syntax.New, syntax.Await)


class StatementParser:
    """Parses the statements in one expression; what it is given are the parsers of what is in them."""

    def __init__(
        self,
        tokens: TokenReader,
        types: TypeParser,
        patterns: PatternParser,
        expression: Callable[[], Node],
        creations: CreationParser,
    ) -> None:
        self._tokens = tokens
        self._types = types
        self._patterns = patterns
        self._expression = expression
        self._creations = creations

    def block(self) -> statements.Block:
        """`{ … }`. Raises `EvaluationError` for statements that a lambda cannot have here."""
        self._tokens.expect("{")
        body = self._all()
        self._tokens.expect("}")
        return statements.Block(body)

    def _all(self) -> tuple[Statement, ...]:
        """Statements up to a bracket or a label; a `using` declaration has all that follow it for its body."""
        tokens, built = self._tokens, list[Statement]()
        while tokens.current.text not in ("}", "case", "default", ""):
            at, first = tokens.place(), tokens.at
            is_await = tokens.accept("await")
            if tokens.is_next("using") and tokens.ahead(1).text != "(":
                tokens.take()
                resources = self.declarations()
                tokens.expect(";")
                return (*built, self._used(resources, statements.Block(self._all(), at=at), is_await=is_await, at=at))
            tokens.move(first)
            built += self._several()
        return tuple(built)

    def _used(self, resources: list[Statement], body: Statement, *, is_await: bool, at: Place) -> Statement:
        """A statement that disposes of each resource, the last one first."""
        for resource in reversed(resources):
            if isinstance(resource, statements.Declare) and resource.value is None:
                raise self._tokens.diagnostic(resource.at.start, "CS0210")
            assert isinstance(resource, statements.Declare | statements.Evaluate)
            body = statements.Using(resource, body, is_await, at=at)
        return body

    def _several(self) -> list[Statement]:
        """A statement; a declaration of two variables is two."""
        tokens = self._tokens
        if not self.is_declaration():
            return [self._statement()]
        function = self._local_function()
        if function is not None:
            return [function]
        is_constant = tokens.accept("const")
        declared = self.declarations(is_constant=is_constant)
        tokens.expect(";")
        return declared

    def is_declaration(self) -> bool:
        """Whether variables or a local function are declared: a type is followed by a name, or `var` by several."""
        tokens, first = self._tokens, self._tokens.at
        if tokens.current.text in ("const", "ref", "scoped", *_OF_FUNCTIONS):
            return not tokens.is_name() or tokens.is_name(1) or tokens.ahead(1).text in PREDEFINED_TYPES
        if tokens.is_next("var", "("):
            return tokens.behind_brackets(1).text == "="
        if tokens.is_next("await") or not (tokens.is_name() or tokens.current.text in ("(", *PREDEFINED_TYPES)):
            return False
        is_declaration = (
            self._types.attempt() is not None and tokens.is_name() and tokens.ahead(1).text in _BEHIND_NAMES
        )
        tokens.move(first)
        return is_declaration

    def _inner(self) -> Statement:
        """The statement that another one runs. CS1023."""
        if self.is_declaration():
            raise self._tokens.diagnostic(self._tokens.current.start, "CS1023")
        return self._statement()

    def _statement(self) -> Statement:
        tokens, at = self._tokens, self._tokens.place()
        tokens.enter()
        text, following = tokens.current.text, tokens.ahead(1).text
        handler = _HANDLERS.get(text)
        is_operator = text in ("checked", "unchecked") and following != "{"  # that of an expression
        if text == "await" and following in ("foreach", "using"):
            tokens.take()
            handler = _HANDLERS[following]
        if text in _REFUSED or (tokens.is_name() and following == ":"):
            word = text if text in _REFUSED else "goto"
            raise tokens.unsupported(at.start, f"A {word} statement is not supported in a lambda here")
        built = self._effect_statement() if handler is None or is_operator else handler(self)
        tokens.leave()
        return placed(built, at)

    def declarations(self, *, is_constant: bool = False) -> list[Statement]:
        """`type a = x, b`, without what ends it."""
        tokens, start = self._tokens, self._tokens.current.start
        if tokens.is_next("scoped"):
            raise tokens.unsupported(start, "scoped locals are not supported in a lambda here")
        is_reference = tokens.accept("ref")
        if is_reference:
            tokens.accept("readonly")
        kind = self._types.type() if not tokens.is_next("var") else None
        built = list[Statement]()
        if kind is None:
            tokens.take()
        while not built or tokens.accept(","):
            at = tokens.place()
            if kind is None and tokens.current.text == "(":
                names = self._names()
                tokens.expect("=")
                built.append(statements.Deconstruct(names, self._expression(), at=at))
                continue
            name = tokens.name()
            value = self._initial(kind, is_reference=is_reference) if tokens.accept("=") else None
            if value is None and (is_reference or kind is None):
                raise tokens.diagnostic(at.start, "CS8174" if is_reference else "CS0818")
            built.append(statements.Declare(kind, name, value, is_constant, is_reference, at=at))
        return built

    def _initial(self, kind: TypeSyntax | None, *, is_reference: bool) -> Node:
        """What a variable begins with; `{ 1, 2 }` is a new array of its type."""
        tokens, start = self._tokens, self._tokens.current.start
        if is_reference and not tokens.accept("ref"):
            raise tokens.diagnostic(start, "CS8172")
        if tokens.current.text != "{":
            return self._expression()
        if not isinstance(kind, syntax.ArrayTypeSyntax):
            raise tokens.diagnostic(start, "CS0622")
        return self._creations.array_of(kind)

    def _names(self) -> tuple[str, ...]:
        """`(a, b)`."""
        tokens, start, names = self._tokens, self._tokens.current.start, list[str]()
        tokens.expect("(")
        while not names or tokens.accept(","):
            if tokens.current.text == "(":
                raise tokens.unsupported(start, "A deconstruction inside another one is not supported here")
            names.append(tokens.name())
        tokens.expect(")")
        return tuple(names)

    def _effect_statement(self) -> Statement:
        built = self._typed_deconstruction(self._effect())
        self._tokens.expect(";")
        return built

    def _effect(self) -> Node:
        """An expression that may stand as a statement. CS0201."""
        start, first = self._tokens.current.start, self._tokens.at
        built = self._expression()
        effect = built.access if isinstance(built, syntax.ConditionalAccess) else built
        if not isinstance(effect, _EFFECTS) and not self._tokens.is_cut:
            raise self._tokens.diagnostic(start, "CS0201 excerpt", self._tokens.written(first))
        return built

    def _typed_deconstruction(self, effect: Node) -> Statement:
        """`(var a, var b) = value;` declares variables; other assignments are effects."""
        target = effect.target if isinstance(effect, syntax.Assignment) else None
        declared = (
            [isinstance(item, syntax.Declaration) for item in target.items] if isinstance(target, syntax.Tuple) else []
        )
        if not any(declared):
            return statements.Evaluate(effect)
        assert isinstance(effect, syntax.Assignment)
        assert isinstance(target, syntax.Tuple)
        variables = [item for item in target.items if isinstance(item, syntax.Declaration)]
        if any(item.type is not None for item in variables):
            raise self._tokens.unsupported(target.at.start, "Write 'var (a, b) = …', or declare the variables first")
        if not all(declared):
            raise self._tokens.unsupported(target.at.start, "Declare all or none of the variables")
        return statements.Deconstruct(tuple(item.name for item in variables), effect.value)

    def _in_parentheses(self) -> Node:
        self._tokens.expect("(")
        built = self._expression()
        self._tokens.expect(")")
        return built

    def _ended(self, built: Statement) -> Statement:
        """A statement of one word."""
        self._tokens.take()
        self._tokens.expect(";")
        return built

    def _empty(self) -> Statement:
        self._tokens.take()
        return statements.Block(())

    def _if(self) -> Statement:
        self._tokens.take()
        condition, then = self._in_parentheses(), self._inner()
        return statements.If(condition, then, self._inner() if self._tokens.accept("else") else None)

    def _while(self) -> Statement:
        self._tokens.take()
        return statements.While(self._in_parentheses(), self._inner(), False)

    def _do(self) -> Statement:
        self._tokens.take()
        body = self._inner()
        self._tokens.expect("while")
        condition = self._in_parentheses()
        self._tokens.expect(";")
        return statements.While(condition, body, True)

    def _for(self) -> Statement:
        tokens = self._tokens
        tokens.take()
        tokens.expect("(")
        initial: list[Statement] = []
        if self.is_declaration():
            initial = self.declarations()
        elif tokens.current.text != ";":
            initial = [statements.Evaluate(effect, at=effect.at) for effect in self._effects()]
        tokens.expect(";")
        condition = self._expression() if tokens.current.text != ";" else None
        tokens.expect(";")
        updates = self._effects() if tokens.current.text != ")" else []
        tokens.expect(")")
        return statements.For(tuple(initial), condition, tuple(updates), self._inner())

    def _effects(self) -> list[Node]:
        effects = list[Node]()
        while not effects or self._tokens.accept(","):
            effects.append(self._effect())
        return effects

    def _for_each(self) -> Statement:
        tokens = self._tokens
        is_await = tokens.tokens[tokens.at - 1].text == "await"
        tokens.take()
        tokens.expect("(")
        kind: TypeSyntax | None = None
        is_apart = tokens.current.text == "(" and tokens.behind_brackets().text == "in"
        if not is_apart:
            kind = self._types.type()
            is_apart = tokens.current.text == "("
        names = self._names() if is_apart else (tokens.name(),)
        tokens.expect("in")
        source = self._expression()
        tokens.expect(")")
        is_typed = kind is not None and not is_var(kind)
        return statements.ForEach(kind if is_typed else None, names, source, self._inner(), is_apart, is_await)

    def _switch(self) -> Statement:
        tokens, start = self._tokens, self._tokens.current.start
        tokens.take()
        value = self._in_parentheses()
        tokens.expect("{")
        sections, labels = list[statements.Section](), list[statements.Label]()
        while tokens.current.text in ("case", "default"):
            labels.append(self._label())
            if tokens.current.text not in ("case", "default", "}"):
                sections.append(statements.Section(tuple(labels), self._all()))
                labels = []
        if labels:
            raise tokens.diagnostic(start, "CS8070")
        tokens.expect("}")
        return statements.SwitchStatement(value, tuple(sections))

    def _label(self) -> statements.Label:
        tokens = self._tokens
        is_default = tokens.take().text == "default"
        pattern = self._patterns.pattern() if not is_default else None
        guard = self._expression() if tokens.accept("when") else None
        tokens.expect(":")
        return statements.Label(pattern, guard)

    def _return(self) -> Statement:
        self._tokens.take()
        value = self._expression() if self._tokens.current.text != ";" else None
        self._tokens.expect(";")
        return statements.Return(value)

    def _throw(self) -> Statement:
        at = self._tokens.place()
        self._tokens.take()
        value = self._expression() if self._tokens.current.text != ";" else None
        self._tokens.expect(";")
        return statements.Evaluate(syntax.Throw(value, at=at)) if value is not None else statements.Rethrow()

    def _try(self) -> Statement:
        tokens, start = self._tokens, self._tokens.current.start
        tokens.take()
        body, catches = self.block(), list[statements.Catch]()
        while tokens.current.text == "catch":
            catches.append(self._catch())
        final = self.block() if tokens.accept("finally") else None
        if not catches and final is None and not tokens.is_cut:
            raise tokens.diagnostic(start, "CS1524")
        return statements.Try(body, tuple(catches), final)

    def _catch(self) -> statements.Catch:
        tokens = self._tokens
        tokens.take()
        kind: TypeSyntax | None = None
        name: str | None = None
        if tokens.accept("("):
            kind = self._types.type()
            name = tokens.name() if tokens.is_name() else None
            tokens.expect(")")
        guard = self._in_parentheses() if tokens.accept("when") else None
        return statements.Catch(kind, name, guard, self.block())

    def _using(self) -> Statement:
        tokens, at = self._tokens, self._tokens.place()
        is_await = tokens.tokens[tokens.at - 1].text == "await"
        tokens.take()
        tokens.expect("(")
        resources: list[Statement]
        if self.is_declaration():
            resources = self.declarations()
        else:
            resources = [statements.Evaluate(self._expression())]
        tokens.expect(")")
        return self._used(resources, self._inner(), is_await=is_await, at=at)

    def _lock(self) -> Statement:
        self._tokens.take()
        return statements.Lock(self._in_parentheses(), self._inner())

    def _checked(self) -> Statement:
        is_checked = self._tokens.take().text == "checked"
        return statements.CheckedBlock(self.block(), is_checked)

    def _local_function(self) -> Statement | None:
        """`type name(parameters) { … }`; None, with nothing taken, for a declaration of variables."""
        tokens, start, first = self._tokens, self._tokens.current.start, self._tokens.at
        modifiers = set[str]()
        while tokens.current.text in _OF_FUNCTIONS:
            modifiers.add(tokens.take().text)
        kind = self._types.attempt()
        if kind is None or not tokens.is_name() or tokens.ahead(1).text not in ("(", "<"):
            tokens.move(first)
            return None
        if modifiers - {"static"} or tokens.ahead(1).text == "<":
            raise tokens.unsupported(start, "Such a local function is not supported here")
        at = tokens.place()
        name = tokens.name()
        names, types = self.parameters()
        is_void = kind == syntax.PredefinedTypeSyntax("void")
        if tokens.current.text == "{":
            body = self.block()
        elif tokens.accept("=>"):
            value = self._expression()
            body = statements.Block((statements.Evaluate(value) if is_void else statements.Return(value),))
            tokens.expect(";")
        else:
            raise tokens.diagnostic(at.start, "CS8112", name)
        function = syntax.Lambda(names, body, types)
        return statements.LocalFunction(name, None if is_void else kind, function, at=Place(start, start))

    def parameters(self) -> tuple[tuple[str, ...], tuple[TypeSyntax | None, ...]]:
        """The names and types of a lambda's parameters; no types where none is written."""
        tokens, start = self._tokens, self._tokens.current.start
        if tokens.current.text != "(":
            return (tokens.name(),), ()
        names, types = list[str](), list["TypeSyntax | None"]()
        tokens.take()
        while tokens.current.text != ")" or names:
            if tokens.current.text in _OF_PARAMETERS:
                said = "Parameters of a lambda cannot be ref, out, in or params here"
                raise tokens.unsupported(start, said)
            has_type = not tokens.is_name() or tokens.ahead(1).text not in (",", ")", "=")
            types.append(self._types.type() if has_type else None)
            names.append(tokens.name())
            if tokens.accept("="):
                self._expression()
            if not tokens.accept(","):
                break
        tokens.expect(")")
        return tuple(names), tuple(types) if any(types) else ()


_HANDLERS: dict[str, Callable[[StatementParser], Statement]] = {
    "{": StatementParser.block,
    ";": StatementParser._empty,
    "if": StatementParser._if,
    "while": StatementParser._while,
    "do": StatementParser._do,
    "for": StatementParser._for,
    "foreach": StatementParser._for_each,
    "switch": StatementParser._switch,
    "return": StatementParser._return,
    "throw": StatementParser._throw,
    "try": StatementParser._try,
    "using": StatementParser._using,
    "lock": StatementParser._lock,
    "break": lambda parser: parser._ended(statements.Break()),
    "continue": lambda parser: parser._ended(statements.Continue()),
    "checked": StatementParser._checked,
    "unchecked": StatementParser._checked,
}
