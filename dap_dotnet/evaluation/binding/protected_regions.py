"""`try`, `using`, `lock` and `await` in code (C# specification 13.10.6, 13.11, 13.13, 13.14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.evaluation.binding.calls import call
from dap_dotnet.evaluation.binding.conversions import implicit
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.operators import truth
from dap_dotnet.evaluation.binding.scope import Scope, framework_method, framework_type, kept_value
from dap_dotnet.evaluation.bound_tree import (
    Awaited,
    Code,
    Handler,
    Invoked,
    Operation,
    Protected,
    Refused,
    Steps,
    TypedOperation,
    Variable,
    Zero,
    assigned,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import bases_of, is_subtype, methods_named

_EXCEPTION = "System.Exception"
_MONITOR = "System.Threading.Monitor"
_LOCK = "System.Threading.Lock"


class Regions:
    """The regions around a place in a body: what `throw;`, `return` and jumps may do there."""

    def __init__(self) -> None:
        self.catches = False
        """Whether the place is in a catch clause, and in no `finally` inside of that."""
        self.is_last = False
        """Whether it is in a `finally`."""
        self._outer_catches = False

    def in_catch(self, bind: Callable[[], Code]) -> Code:
        """Code of a catch clause."""
        outer, self.catches = self.catches, True
        try:
            return bind()
        finally:
            self.catches = outer

    def in_finally(self, bind: Callable[[], Code]) -> Code:
        """Code of a `finally`."""
        kept = self.catches, self.is_last, self._outer_catches
        self._outer_catches = self.catches or self._outer_catches
        self.catches, self.is_last = False, True
        try:
            return bind()
        finally:
            self.catches, self.is_last, self._outer_catches = kept

    def rethrow(self) -> Code:
        """`throw;`. CS0156, CS0724."""
        if self.catches:
            return Operation(types.VOID, "Rethrow", ())
        if self._outer_catches:
            raise Diagnostic("CS0724")
        raise Diagnostic("CS0156")


def handler_type(scope: Scope, clause: statements.Catch, before: Sequence[Type], *, is_last: bool) -> Type:
    """The type that a catch clause catches. CS0155, CS0160, CS1017."""
    exception = framework_type(scope.universe, _EXCEPTION)
    if clause.type is None:
        if not is_last and clause.guard is None:
            raise Diagnostic("CS1017")
        return exception
    kind = scope.binder.type(clause.type)
    if _EXCEPTION not in {base.full_name for base in bases_of(scope.universe, kind)}:
        raise Diagnostic("CS0155")
    for caught in before:
        if caught is kind or is_subtype(scope.universe, kind, caught):
            raise Diagnostic("CS0160", caught.name)
    return kind


def handler(scope: Scope, clause: statements.Catch, kind: Type, bind: Callable[[], Code]) -> Handler:
    """A catch clause; `bind` binds its body."""
    variable = Variable(kind, clause.name or "")
    if clause.name is not None:
        if clause.name in scope.variables:
            raise Diagnostic("CS0136", clause.name)
        scope.variables[clause.name] = variable
    guard = truth(scope, scope.code(clause.guard)) if clause.guard is not None else None
    return Handler(variable, bind(), guard)


def used(scope: Scope, kept: Code, body: Code, *, is_await: bool = False) -> Code:
    """A body behind which a resource is disposed of. CS1674, CS8410."""
    disposed = later_disposal(scope, kept) if is_await else disposal(scope, kept)
    if disposed is None and is_await:
        raise Diagnostic("CS8410", kept.type.name)
    if disposed is None:
        raise Diagnostic("CS1674", kept.type.name)
    return Protected(types.VOID, body, (), disposed)


def disposal(scope: Scope, kept: Code, *, or_later: bool = False) -> Code | None:
    """The call of Dispose on a variable, where it is not null; None where its type is not IDisposable.

    `or_later`: of an object of a type that is not sealed, whether it is one is asked when the code runs.
    """
    disposable = framework_type(scope.universe, "System.IDisposable")
    held = kept.type.element if kept.type.kind is Kind.NULLABLE else kept.type
    if not is_subtype(scope.universe, held, disposable):
        if not or_later or not held.is_reference:
            return None
        found = scope.declare(disposable)
        asked = assigned(found, TypedOperation(disposable, "TypeAs", kept, disposable))
        return _unless_null(scope, asked, call(scope, found, "Dispose"))
    own = [one for one in methods_named(scope.universe, kept.type, "Dispose") if not one.method.signature.parameters]
    if kept.type.kind is Kind.STRUCT and own and own[0].owner is kept.type:
        return call(scope, kept, "Dispose")
    disposed = call(scope, implicit(scope, kept, disposable), "Dispose")
    return disposed if held is kept.type and not held.is_reference else _unless_null(scope, kept, disposed)


def later_disposal(scope: Scope, kept: Code) -> Code | None:
    """`await` of DisposeAsync on a variable, where it is not null; None where its type has no such method."""
    disposable = scope.universe.named("System.IAsyncDisposable")
    held = kept.type.element if kept.type.kind is Kind.NULLABLE else kept.type
    target = kept
    if held is not kept.type or not methods_named(scope.universe, held, "DisposeAsync"):
        if disposable is None or not is_subtype(scope.universe, held, disposable):
            return None
        target = implicit(scope, kept, disposable)
    disposed = awaited(scope, call(scope, target, "DisposeAsync"))
    return _unless_null(scope, kept, disposed) if kept.type.is_reference or held is not kept.type else disposed


def _unless_null(scope: Scope, value: Code, then: Code) -> Code:
    is_there = Operation(types.BOOL, "NotEqual", (implicit(scope, value, types.OBJECT), Zero(types.OBJECT)))
    return Operation(types.VOID, "IfThen", (is_there, then))


def locked(scope: Scope, value: Code, bind: Callable[[], Code]) -> tuple[Code, ...]:
    """The steps of `lock (value) body`. CS0185."""
    if value.type.is_value_type or value.type.kind is Kind.NULL:
        raise Diagnostic("CS0185", value.type.name)
    if value.type.full_name == _LOCK:
        kept = scope.declare(value.type)
        entered, left = call(scope, kept, "Enter"), call(scope, kept, "Exit")
        return assigned(kept, value), entered, Protected(types.VOID, bind(), (), left)
    kept, taken = scope.declare(types.OBJECT), scope.declare(types.BOOL)
    exited = Operation(types.VOID, "IfThen", (taken, _monitor(scope, "Exit", kept)))
    body = Steps(types.VOID, (), (_monitor(scope, "Enter", kept, taken), bind()))
    return (
        assigned(kept, implicit(scope, value, types.OBJECT)),
        assigned(taken, Zero(types.BOOL)),
        Protected(types.VOID, body, (), exited),
    )


def _monitor(scope: Scope, name: str, *arguments: Code) -> Code:
    monitor = framework_type(scope.universe, _MONITOR)
    exact = framework_method(scope.universe, monitor, name, *(one.type for one in arguments))
    return Invoked(types.VOID, exact, None, arguments)


# await (C# specification 12.9.8)


def bind_await(scope: Scope, node: syntax.Await) -> Code:
    """`await x`, in an async lambda or of what has completed. CS4034, CS4008."""
    if not scope.in_lambda:
        return _completed(scope, scope.code(node.operand))
    check_async(scope)
    return awaited(scope, scope.code(node.operand))


def _completed(scope: Scope, value: Code) -> Code:
    """`await` of what has completed: the program stands still, so that nothing else could."""
    before: list[Code] = []
    awaiter = kept_value(scope, call(scope, value, "GetAwaiter"), before)
    is_completed, result = _asked(scope, awaiter)
    is_pending = Operation(types.BOOL, "Not", (is_completed,))
    check = Operation(types.VOID, "IfThen", (is_pending, Refused(types.VOID, _WAITS)))
    return Steps(result.type, (), (*before, check, result))


_WAITS = (
    "It has not completed, and cannot while the program is stopped: evaluate it later, or read .Result, for which "
    "other threads may run"
)


def check_async(scope: Scope) -> None:
    """Raises `EvaluationError` outside of async lambdas: CS4034."""
    if scope.moves is None:
        raise Diagnostic("CS4034")


def awaited(scope: Scope, value: Code) -> Code:
    """`await` of a value, in an async lambda. CS4008."""
    moves = scope.moves
    assert moves is not None
    if value.type is types.VOID:
        raise Diagnostic("CS4008")
    found = call(scope, value, "GetAwaiter")
    awaiter = scope.declare(found.type)
    is_completed, result = _asked(scope, awaiter)
    continued = call(scope, awaiter, "OnCompleted", moves)
    return Awaited(result.type, assigned(awaiter, found), is_completed, continued, result)


def _asked(scope: Scope, awaiter: Code) -> tuple[Code, Code]:
    """Whether what is awaited has completed, and its result."""
    is_completed, result = member(scope, awaiter, "IsCompleted"), call(scope, awaiter, "GetResult")
    if is_completed is None:
        raise Diagnostic("CS1061", awaiter.type.name, "IsCompleted")
    return is_completed, result
