"""Statements of a lambda's body in code (C# specification 13): blocks, variables, branches, loops, `switch`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding import protected_regions as regions
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.assignments import assigned_target, bind_deconstruction
from dap_dotnet.evaluation.binding.calls import call, on_value
from dap_dotnet.evaluation.binding.conversions import explicit, implicit, typed
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.operators import truth
from dap_dotnet.evaluation.binding.patterns import fits
from dap_dotnet.evaluation.binding.scope import CONSTANT, Scope, constant_of, unsupported
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.variables import never_ends
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.statement_tree import Statement
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import methods_named

STATEMENTS = (syntax.Call, syntax.Assignment, syntax.Increment, syntax.New, syntax.ConditionalAccess, syntax.Await)
"""The expressions that may stand alone (C# specification 13.7)."""


class _Around(Struct, frozen=True):
    """What is around a place in a body: it says what jumps, `return` and `throw;` may do there."""

    ends: bound.Target | None = None
    """Where `break` goes."""
    continues: bound.Target | None = None
    catches: bool = False
    """Whether the place is in a catch clause, and in no `finally` inside of that."""
    outer_catches: bool = False
    is_last: bool = False
    """Whether it is in a `finally`."""


class Body:
    """What the statements of a body share."""

    def __init__(self, scope: Scope, result: bound.Variable | None, refused: str = "CS8030") -> None:
        """`result` gets the value that is returned; None: none is, else that is `refused` by this code."""
        self.scope = scope
        self.returned = bound.Target()
        self._result = result
        self._refused = refused
        self._around = _Around()
        self._here: set[str] = set()
        """Names that the innermost block has declared."""

    def statement(self, node: Statement) -> Code:
        """Any statement. Raises `EvaluationError` in the compiler's words."""
        bind = _BINDERS.get(type(node))
        if bind is None:
            raise unsupported(f"A statement of this form ({type(node).__name__})")
        with passing(node.at):
            return bind(self, node)

    @contextmanager
    def _inside(self, around: _Around) -> Iterator[None]:
        outer, self._around = self._around, around
        try:
            yield
        finally:
            self._around = outer

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
            return bound.Steps(types.VOID, tuple(scope.own), bound.block(*steps).steps)
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
            made = scope.declare(kind, node.name, node.type)
            return bound.assigned(made, bound.Zero(kind))
        value = typed(scope, node.value, kind) if kind is not None else scope.code(node.value)
        if value.type is types.DEFAULT:
            raise Diagnostic("CS8716")
        if value.type.kind in (Kind.NULL, Kind.VOID):
            raise Diagnostic("CS0815", value.type.name)
        if node.is_constant and constant_of(value) is None:
            raise Diagnostic("CS0133", node.name)
        made = scope.declare(value.type, node.name, node.type, value)
        if node.is_constant:
            scope.fixed[made] = CONSTANT
        return bound.assigned(made, value)

    def _reference(self, name: str, value: syntax.Node, kind: Type | None) -> Code:
        """`ref type name = ref value`. CS8173."""
        steps: list[Code] = []
        target = assigned_target(self.scope, value, steps)
        if kind not in (None, target.type):
            raise Diagnostic("CS8173", target.type.name)
        made = target if isinstance(target, bound.Variable) else self.scope.alias(target, steps, name)
        self.scope.variables[name] = made
        return bound.block(*steps)

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
        source = scope.code_or_source(node.function)
        if delegate is None or isinstance(source, Code):
            raise unsupported("A local function of so many parameters")
        made = scope.declare(delegate, node.name)
        return bound.assigned(made, scope.function(source, delegate))

    def switch(self, node: statements.SwitchStatement) -> Code:
        """`switch`: its sections as a chain of `if`, the default one last. CS0163."""
        return self._scoped(lambda: self._switched(node))

    def _switched(self, node: statements.SwitchStatement) -> tuple[Code, ...]:
        scope, ends = self.scope, bound.Target()
        operand = scope.code(node.value)
        kept = scope.declare(operand.type)
        chain: list[tuple[Code, Code]] = []
        made: Code = bound.Zero(types.VOID)
        for one in node.sections:
            tests = [self._label(kept, label) for label in one.labels if label.pattern is not None]
            if not never_ends(statements.Block(one.body), breaks=True):
                raise Diagnostic("CS0163")
            with self._inside(replace(self._around, ends=ends)):
                body = self.block(statements.Block(one.body))
            if len(tests) < len(one.labels):
                made = body
            if tests:
                chain.append((bound.all_of(*tests, name="OrElse"), body))
        for tested, body in reversed(chain):
            made = bound.Operation(types.VOID, "IfThenElse", (tested, body, made))
        return bound.assigned(kept, operand), made, bound.Landing(types.VOID, ends)

    def _label(self, kept: Code, label: statements.Label) -> Code:
        assert label.pattern is not None
        tested = fits(self.scope, kept, label.pattern)
        if label.guard is None:
            return tested
        return bound.all_of(tested, truth(self.scope, self.scope.code(label.guard)))

    def evaluate(self, node: statements.Evaluate) -> Code:
        """An expression that stands alone."""
        code = self.scope.code(node.expression)
        return implicit(self.scope, code, types.VOID) if isinstance(node.expression, syntax.Throw) else code

    def return_(self, node: statements.Return) -> Code:
        """`return`, with or without a value. CS0126, CS0157, CS8030, CS8031."""
        if self._around.is_last:
            raise Diagnostic("CS0157")
        if node.value is not None and self._result is None:
            raise Diagnostic(self._refused)
        jump = bound.Jump(types.VOID, self.returned)
        if self._result is None:
            return jump
        if node.value is None:
            raise Diagnostic("CS0126")
        given = bound.assigned(self._result, typed(self.scope, node.value, self._result.type))
        return bound.Steps(types.VOID, (), (given, jump))

    def if_(self, node: statements.If) -> Code:
        """`if`."""
        test = truth(self.scope, self.scope.code(node.condition))
        then = self._inner(node.then)
        if node.otherwise is None:
            return bound.if_then(test, then)
        return bound.Operation(types.VOID, "IfThenElse", (test, then, self._inner(node.otherwise)))

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
        landing = bound.Landing(types.VOID, continues)
        turn = (*stop, inner, landing, *after) if tests_first else (inner, landing, *stop)
        return bound.Loop(types.VOID, bound.block(*turn), ends)

    def _turn(self, bind: Callable[[], Code]) -> tuple[Code, bound.Target, bound.Target]:
        """The body of a loop that `bind` gives, and where `break` and `continue` in it go."""
        ends, continues = bound.Target(), bound.Target()
        with self._inside(replace(self._around, ends=ends, continues=continues)):
            body = bind()
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
            regions.check_async(scope)
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
            moved = regions.awaited(scope, moved)
        if current is None:
            raise Diagnostic("CS1061", enumerator.type.name, "Current")
        kind = scope.binder.type(written) if written is not None else current.type

        element = bound.Variable(current.type, "")

        def bind() -> tuple[Code, ...]:
            item = scope.declare(kind, name, written, current)
            scope.fixed[item] = "foreach iteration variable"
            given: Code = bound.assigned(item, item_value)
            if isinstance(variable, syntax.Tuple):
                given = bound.block(given, bind_deconstruction(scope, variable, item))
            return given, self.statement(node.body)

        item_value = explicit(scope, element, kind)
        body, ends, continues = self._turn(lambda: self._scoped(bind))
        turn = bound.Steps(types.VOID, (element,), bound.block(bound.assigned(element, current), body).steps)
        landing = bound.Landing(types.VOID, continues)
        loop: Code = bound.Loop(types.VOID, bound.block(_unless(moved, ends), turn, landing), ends)
        disposed = (
            regions.later_disposal(scope, kept) if node.is_await else regions.disposal(scope, kept, or_later=True)
        )
        last = loop if disposed is None else bound.Protected(types.VOID, loop, (), disposed)
        begun = bound.assigned(kept, enumerator)
        if node.is_await or scope.moves is not None:
            return begun, last
        lowered = bound.Steps(types.VOID, (), (begun, last))
        return (bound.Each(types.VOID, source, element, bound.block(body, landing), ends, lowered),)

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
        handlers: list[bound.Handler] = []
        for number, clause in enumerate(node.catches, 1):
            kind = regions.handler_type(self.scope, clause, caught, is_last=number == len(node.catches))
            if clause.guard is None:
                caught.append(kind)
            handlers.append(self._handler(clause, kind))
        last: Code | None = None
        if node.final is not None:
            around = self._around
            with self._inside(_Around(outer_catches=around.catches or around.outer_catches, is_last=True)):
                last = self.block(node.final)
        return bound.Protected(types.VOID, body, tuple(handlers), last)

    def _handler(self, clause: statements.Catch, kind: Type) -> bound.Handler:
        scope, outer = self.scope, self.scope.variables.copy()
        variable = bound.Variable(kind, clause.name or "")
        try:
            if clause.name in outer:
                raise Diagnostic("CS0136", clause.name)
            if clause.name is not None:
                scope.variables[clause.name] = variable
            guard = truth(scope, scope.code(clause.guard)) if clause.guard is not None else None
            with self._inside(replace(self._around, catches=True)):
                return bound.Handler(variable, self.block(clause.body), guard)
        finally:
            scope.variables = outer

    def using(self, node: statements.Using) -> Code:
        """`using` and `await using`. CS1674, CS8410."""
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
            given = bound.assigned(kept, value)
        if node.is_await:
            regions.check_async(scope)
        body = self.statement(node.body)
        disposed = regions.later_disposal(scope, kept) if node.is_await else regions.disposal(scope, kept)
        if disposed is None:
            raise Diagnostic("CS8410" if node.is_await else "CS1674", kept.type.name)
        return given, bound.Protected(types.VOID, body, (), disposed)

    def lock(self, node: statements.Lock) -> Code:
        """`lock`. CS1996."""

        def bind() -> Code:
            body = self._inner(node.body)
            if bound.contains(body, bound.Awaited):
                raise Diagnostic("CS1996")
            return body

        return self._scoped(lambda: regions.locked(self.scope, self.scope.code(node.value), bind))

    def leave(self, node: statements.Leave) -> Code:
        """`break`, `continue` and `throw`. CS0156, CS0724."""
        around = self._around
        if node.word == "throw":
            if around.catches:
                return bound.Operation(types.VOID, "Rethrow", ())
            raise Diagnostic("CS0724" if around.outer_catches else "CS0156")
        target = around.ends if node.word == "break" else around.continues
        if target is None:
            raise Diagnostic("CS0157" if around.is_last else "CS0139")
        return bound.Jump(types.VOID, target)


def _unless(test: Code, ends: bound.Target) -> Code:
    """Leaves a loop where a test fails."""
    return bound.if_then(bound.negated(test), bound.Jump(types.VOID, ends))


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
