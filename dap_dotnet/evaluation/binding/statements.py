"""Statements of a lambda's body in code (C# specification 13): blocks, variables, branches, loops, `switch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.assignments import assigned_target, bind_deconstruction
from dap_dotnet.evaluation.binding.calls import call, on_value
from dap_dotnet.evaluation.binding.conversions import explicit, implicit, typed
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.operators import truth
from dap_dotnet.evaluation.binding.patterns import fits
from dap_dotnet.evaluation.binding.protected_regions import (
    Regions,
    awaited,
    check_async,
    disposal,
    handler,
    handler_type,
    later_disposal,
    locked,
    used,
)
from dap_dotnet.evaluation.binding.scope import (
    CONSTANT,
    Scope,
    alias,
    constant_of,
    declared,
    unsupported,
)
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Code,
    Each,
    Handler,
    Jump,
    Landing,
    Loop,
    Operation,
    Protected,
    Steps,
    Target,
    Variable,
    Zero,
    assigned,
    block,
    contains,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.variables import never_ends
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import methods_named

_STATEMENTS = (syntax.Call, syntax.Assignment, syntax.Increment, syntax.New, syntax.ConditionalAccess, syntax.Await)


def is_statement(node: syntax.Node) -> bool:
    """Whether an expression may stand alone (C# specification 13.7)."""
    return isinstance(node, _STATEMENTS)


class Body:
    """What the statements of a body share."""

    def __init__(self, scope: Scope, result: Type) -> None:
        self.scope = scope
        self.result = result
        self.returned = Target(result)
        self._ends: list[Target] = []
        self._continues: list[Target] = []
        self._regions = Regions()
        self._here: set[str] = set()
        """Names that the innermost block has declared."""

    def statement(self, node: Statement) -> Code:
        """Any statement. Raises `EvaluationError` in the compiler's words."""
        bind = _BINDERS.get(type(node))
        if bind is None:
            raise unsupported(f"A statement of this form ({type(node).__name__})")
        try:
            return bind(self, node)
        except EvaluationError as error:
            error.trail.append(node.at)
            raise

    def block(self, node: statements.Block) -> Code:
        """`{ … }`, with variables of its own."""
        return self._scoped(lambda: tuple(self.statement(inner) for inner in node.statements))

    def _scoped(self, bind: Callable[[], tuple[Code, ...]]) -> Code:
        """Code with variables of its own."""
        scope = self.scope
        outer, variables, scope.own = scope.own, scope.variables.copy(), []
        around, self._here = self._here, set()
        try:
            steps = bind()
            return Steps(types.VOID, tuple(scope.own), block(*steps).steps)
        finally:
            scope.own, scope.variables, self._here = outer, variables, around

    def declare(self, node: statements.Declare) -> Code:
        """A variable. CS0128, CS0133, CS0136, CS0815."""
        scope = self.scope
        if node.name in scope.variables:
            raise Diagnostic("CS0128" if node.name in self._here else "CS0136", node.name)
        self._here.add(node.name)
        kind = scope.binder.type(node.type) if node.type is not None else None
        if node.is_reference and node.value is not None:
            return self._reference(node.name, node.value, kind)
        if node.value is None:
            assert kind is not None
            made = declared(scope, scope.declare(kind, node.name), node.type)
            return assigned(made, Zero(kind))
        value = typed(scope, node.value, kind) if kind is not None else scope.code(node.value)
        if value.type is types.DEFAULT:
            raise Diagnostic("CS8716")
        if value.type.kind in (Kind.NULL, Kind.VOID):
            raise Diagnostic("CS0815", value.type.name)
        if node.is_constant and constant_of(value) is None:
            raise Diagnostic("CS0133", node.name)
        made = declared(scope, scope.declare(value.type, node.name), node.type, value)
        if node.is_constant:
            scope.fixed[made] = CONSTANT
        return assigned(made, value)

    def _reference(self, name: str, value: syntax.Node, kind: Type | None) -> Code:
        """`ref type name = ref value`. CS8173."""
        steps: list[Code] = []
        target = assigned_target(self.scope, value, steps)
        if kind not in (None, target.type):
            raise Diagnostic("CS8173", target.type.name)
        made = target if isinstance(target, Variable) else alias(self.scope, target, steps, name)
        self.scope.variables[name] = made
        return block(*steps)

    def local_function(self, node: statements.LocalFunction) -> Code:
        """As a delegate in a variable, which its own code may use, too."""
        scope, universe = self.scope, self.scope.universe
        kinds = [scope.binder.type(kind) for kind in node.function.types if kind is not None]
        result = scope.binder.type(node.type) if node.type is not None else None
        if len(kinds) != len(node.function.parameters):
            raise Diagnostic("CS1001")
        arguments = (*kinds, *([result] if result is not None else []))
        name = f"System.{'Action' if result is None else 'Func'}" + (f"`{len(arguments)}" if arguments else "")
        delegate = universe.named(name, tuple(arguments))
        source = scope.source(node.function)
        if delegate is None or source is None:
            raise unsupported("A local function of so many parameters")
        made = scope.declare(delegate, node.name)
        return assigned(made, scope.function(source, delegate))

    def switch(self, node: statements.SwitchStatement) -> Code:
        """`switch`."""
        ends = Target(types.VOID)

        def section(body: tuple[Statement, ...]) -> Code:
            self._ends.append(ends)
            try:
                return self.block(statements.Block(body))
            finally:
                self._ends.pop()

        return self._scoped(lambda: switched(self.scope, node, section, ends))

    def evaluate(self, node: statements.Evaluate) -> Code:
        """An expression that stands alone."""
        code = self.scope.code(node.expression)
        return implicit(self.scope, code, types.VOID) if isinstance(node.expression, syntax.Throw) else code

    def return_(self, node: statements.Return) -> Code:
        """`return`, with or without a value. CS0126, CS0157, CS8030."""
        if self._regions.is_last:
            raise _leaves_finally()
        if node.value is None:
            if self.result is not types.VOID:
                raise Diagnostic("CS0126")
            return Jump(types.VOID, self.returned)
        if self.result is types.VOID:
            raise Diagnostic("CS8030")  # fmt: skip
        return Jump(types.VOID, self.returned, typed(self.scope, node.value, self.result))

    def if_(self, node: statements.If) -> Code:
        """`if`."""
        test = truth(self.scope, self.scope.code(node.condition))
        then = self._inner(node.then)
        if node.otherwise is None:
            return Operation(types.VOID, "IfThen", (test, then))
        return Operation(types.VOID, "IfThenElse", (test, then, self._inner(node.otherwise)))

    def _inner(self, node: Statement) -> Code:
        return self.block(statements.Block((node,)))

    def checked(self, node: statements.CheckedBlock) -> Code:
        """`checked { … }` and `unchecked { … }`."""
        outer, self.scope.checked = self.scope.checked, node.is_checked
        try:
            return self.statement(node.body)
        finally:
            self.scope.checked = outer

    # loops

    def while_(self, node: statements.While) -> Code:
        """`while` and `do`."""
        return self._loop(node.condition, node.body, (), tests_first=not node.is_do)

    def for_(self, node: statements.For) -> Code:
        """`for`."""

        def bind() -> tuple[Code, ...]:
            initial = tuple(self.statement(inner) for inner in node.initial)
            return (*initial, self._loop(node.condition, node.body, node.updates))

        return self._scoped(bind)

    def _loop(
        self,
        condition: syntax.Node | None,
        body: Statement,
        updates: tuple[syntax.Node, ...],
        *,
        tests_first: bool = True,
    ) -> Code:
        test = truth(self.scope, self.scope.code(condition)) if condition is not None else None
        after = tuple(self.scope.code(update) for update in updates)
        inner, ends, continues = self._turn(lambda: self._inner(body))
        stop = (_unless(test, ends),) if test is not None else ()
        landing = Landing(types.VOID, continues)
        turn = (*stop, inner, landing, *after) if tests_first else (inner, landing, *stop)
        return Loop(types.VOID, block(*turn), ends)

    def _turn(self, bind: Callable[[], Code]) -> tuple[Code, Target, Target]:
        """The body of a loop that `bind` gives, and where `break` and `continue` in it go."""
        ends, continues = Target(types.VOID), Target(types.VOID)
        self._ends.append(ends)
        self._continues.append(continues)
        body = bind()
        self._ends.pop()
        self._continues.pop()
        return body, ends, continues

    def for_each(self, node: statements.ForEach) -> Code:
        """`foreach` and `await foreach`. CS8411."""
        return self._scoped(lambda: self._for_each(node))

    def _for_each(self, node: statements.ForEach) -> tuple[Code, ...]:
        scope, variable = self.scope, node.variable
        name, written = (variable.name, variable.type) if isinstance(variable, syntax.Declaration) else ("", None)
        if name in scope.variables:
            raise Diagnostic("CS0136", name)
        source = scope.code(node.source)
        if node.is_await:
            check_async(scope)
            if source.type.kind is Kind.ARRAY or not methods_named(scope.universe, source.type, "GetAsyncEnumerator"):
                raise Diagnostic("CS8411", source.type.name)
        else:
            source = self._enumerable(source)
        word = "Async" if node.is_await else ""
        with passing(node.source.at):
            nothing = Arguments(scope, (), ())
            enumerator = on_value(scope, source, f"Get{word}Enumerator", nothing, missing="CS1579")
        kept = scope.declare(enumerator.type)
        moved, current = call(scope, kept, f"MoveNext{word}"), member(scope, kept, "Current")
        if node.is_await:
            moved = awaited(scope, moved)
        if current is None:
            raise Diagnostic("CS1061", enumerator.type.name, "Current")
        kind = scope.binder.type(written) if written is not None else current.type

        element = Variable(current.type, "")

        def bind() -> tuple[Code, ...]:
            item = declared(scope, scope.declare(kind, name), written, current)
            scope.fixed[item] = "foreach iteration variable"
            given: Code = assigned(item, item_value)
            if isinstance(variable, syntax.Tuple):
                given = block(given, bind_deconstruction(scope, variable, item))
            return given, self.statement(node.body)

        item_value = explicit(scope, element, kind)
        body, ends, continues = self._turn(lambda: self._scoped(bind))
        turn = Steps(types.VOID, (element,), block(assigned(element, current), body).steps)
        landing = Landing(types.VOID, continues)
        loop: Code = Loop(types.VOID, block(_unless(moved, ends), turn, landing), ends)
        disposed = later_disposal(scope, kept) if node.is_await else disposal(scope, kept, or_later=True)
        last = loop if disposed is None else Protected(types.VOID, loop, (), disposed)
        begun = assigned(kept, enumerator)
        if node.is_await or scope.moves is not None:
            return begun, last
        lowered = Steps(types.VOID, (), (begun, last))
        return (Each(types.VOID, source, element, block(body, landing), ends, lowered),)

    def _enumerable(self, source: Code) -> Code:
        """Arrays, and what has the method only by an interface, as IEnumerable<T>."""
        if source.type.kind is not Kind.ARRAY:
            return source
        wanted = self.scope.universe.named("System.Collections.Generic.IEnumerable`1", (source.type.element,))
        return implicit(self.scope, source, wanted) if wanted is not None else source

    # regions

    def try_(self, node: statements.Try) -> Code:
        """`try`."""
        body = self.block(node.body)
        caught: list[Type] = []
        handlers: list[Handler] = []
        for number, clause in enumerate(node.catches, 1):
            kind = handler_type(self.scope, clause, caught, is_last=number == len(node.catches))
            if clause.guard is None:
                caught.append(kind)
            handlers.append(self._handler(clause, kind))
        final = node.final
        last = self._regions.in_finally(lambda: self._last(final)) if final is not None else None
        return Protected(types.VOID, body, tuple(handlers), last)

    def _handler(self, clause: statements.Catch, kind: Type) -> Handler:
        outer = self.scope.variables.copy()
        try:
            return handler(self.scope, clause, kind, lambda: self._regions.in_catch(lambda: self.block(clause.body)))
        finally:
            self.scope.variables = outer

    def _last(self, node: statements.Block) -> Code:
        """A `finally`: no jump leaves it."""
        outer = self._ends, self._continues
        self._ends, self._continues = [], []
        try:
            return self.block(node)
        finally:
            self._ends, self._continues = outer

    def using(self, node: statements.Using) -> Code:
        """`using` and `await using`."""
        return self._scoped(lambda: self._using(node))

    def _using(self, node: statements.Using) -> tuple[Code, ...]:
        scope, resource = self.scope, node.resource
        if isinstance(resource, statements.Declare):
            given = self.declare(resource)
            kept = scope.variables[resource.name]
            scope.fixed[kept] = "using variable"
        else:
            value = scope.code(resource.expression)
            kept = scope.declare(value.type)
            given = assigned(kept, value)
        if node.is_await:
            check_async(scope)
        return given, used(scope, kept, self.statement(node.body), is_await=node.is_await)

    def lock(self, node: statements.Lock) -> Code:
        """`lock`. CS1996."""

        def bind() -> Code:
            body = self._inner(node.body)
            if contains(body, Awaited):
                raise Diagnostic("CS1996")
            return body

        return self._scoped(lambda: locked(self.scope, self.scope.code(node.value), bind))

    def leave(self, node: statements.Leave) -> Code:
        """`break`, `continue` and `throw`."""
        if node.word == "throw":
            return self._regions.rethrow()
        targets = self._ends if node.word == "break" else self._continues
        if not targets and self._regions.is_last:
            raise _leaves_finally()
        if not targets:
            raise Diagnostic("CS0139")
        return Jump(types.VOID, targets[-1])


def _unless(test: Code, ends: Target) -> Code:
    """Leaves a loop where a test fails."""
    return Operation(types.VOID, "IfThen", (Operation(types.BOOL, "Not", (test,)), Jump(types.VOID, ends)))


def _leaves_finally() -> EvaluationError:
    return Diagnostic("CS0157")


_BINDERS: dict[type, Callable[[Body, Any], Code]] = {
    statements.Block: Body.block,
    statements.Declare: Body.declare,
    statements.Evaluate: Body.evaluate,
    statements.Return: lambda body, node: body.return_(node),
    statements.Leave: Body.leave,
    statements.CheckedBlock: Body.checked,
    statements.If: Body.if_,
    statements.While: Body.while_,
    statements.For: Body.for_,
    statements.ForEach: Body.for_each,
    statements.LocalFunction: Body.local_function,
    statements.SwitchStatement: Body.switch,
    statements.Try: Body.try_,
    statements.Using: Body.using,
    statements.Lock: Body.lock,
}


def switched(
    scope: Scope,
    node: statements.SwitchStatement,
    section: Callable[[tuple[Statement, ...]], Code],
    ends: Target,
) -> tuple[Code, ...]:
    """The sections as a chain of `if`, the default one last; `break` goes to `ends`. CS0163.

    `section` binds the body of one.
    """
    operand = scope.code(node.value)
    kept = scope.declare(operand.type)
    chain: list[tuple[Code, Code]] = []
    otherwise: Code = Zero(types.VOID)
    for one in node.sections:
        tests = [_label(scope, kept, label) for label in one.labels if label.pattern is not None]
        if not never_ends(statements.Block(one.body), breaks=True):
            raise Diagnostic("CS0163")
        body = section(one.body)
        if len(tests) < len(one.labels):
            otherwise = body
        if tests:
            joined = tests[0]
            for more in tests[1:]:
                joined = Operation(types.BOOL, "OrElse", (joined, more))
            chain.append((joined, body))
    made = otherwise
    for tested, body in reversed(chain):
        made = Operation(types.VOID, "IfThenElse", (tested, body, made))
    return assigned(kept, operand), made, Landing(types.VOID, ends)


def _label(scope: Scope, kept: Code, label: statements.Label) -> Code:
    assert label.pattern is not None
    tested = fits(scope, kept, label.pattern)
    if label.guard is None:
        return tested
    return Operation(types.BOOL, "AndAlso", (tested, truth(scope, scope.code(label.guard))))
