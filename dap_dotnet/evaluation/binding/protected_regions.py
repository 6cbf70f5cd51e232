"""`try`, `using`, `lock` and `await` in code (C# specification 13.10.6, 13.11, 13.13, 13.14)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.calls import call
from dap_dotnet.evaluation.binding.conversions import implicit, is_there
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import bases_of, is_subtype, methods_named

_EXCEPTION = "System.Exception"
_MONITOR = "System.Threading.Monitor"
_LOCK = "System.Threading.Lock"


def handler_type(scope: Scope, clause: statements.Catch, before: Sequence[Type], *, is_last: bool) -> Type:
    """The type that a catch clause catches. CS0155, CS0160, CS1017."""
    exception = scope.framework_type(_EXCEPTION)
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


def disposal(scope: Scope, kept: Code, *, or_later: bool = False) -> Code | None:
    """The call of Dispose on a variable, where it is not null; None where its type is not IDisposable.

    `or_later`: of an object of a type that is not sealed, whether it is one is asked when the code runs.
    """
    disposable = scope.framework_type("System.IDisposable")
    held = kept.type.stripped
    if not is_subtype(scope.universe, held, disposable):
        if not or_later or not held.is_reference:
            return None
        found = scope.declare(disposable)
        asked = bound.assigned(found, bound.TypedOperation(disposable, "TypeAs", kept, disposable))
        return _unless_null(asked, call(scope, found, "Dispose"))
    own = [one for one in methods_named(scope.universe, kept.type, "Dispose") if not one.method.signature.parameters]
    if kept.type.kind is Kind.STRUCT and own and own[0].owner is kept.type:
        return call(scope, kept, "Dispose")
    disposed = call(scope, implicit(scope, kept, disposable), "Dispose")
    return disposed if held is kept.type and not held.is_reference else _unless_null(kept, disposed)


def later_disposal(scope: Scope, kept: Code) -> Code | None:
    """`await` of DisposeAsync on a variable, where it is not null; None where its type has no such method."""
    disposable = scope.universe.named("System.IAsyncDisposable")
    held = kept.type.stripped
    target = kept
    if held is not kept.type or not methods_named(scope.universe, held, "DisposeAsync"):
        if disposable is None or not is_subtype(scope.universe, held, disposable):
            return None
        target = implicit(scope, kept, disposable)
    disposed = awaited(scope, call(scope, target, "DisposeAsync"))
    return _unless_null(kept, disposed) if kept.type.is_reference or held is not kept.type else disposed


def _unless_null(value: Code, then: Code) -> Code:
    return bound.if_then(is_there(value), then)


def locked(scope: Scope, value: Code, bind: Callable[[], Code]) -> tuple[Code, ...]:
    """The steps of `lock (value) body`. CS0185."""
    if value.type.is_value_type or value.type.kind is Kind.NULL:
        raise Diagnostic("CS0185", value.type.name)
    if value.type.full_name == _LOCK:
        kept = scope.declare(value.type)
        entered, left = call(scope, kept, "Enter"), call(scope, kept, "Exit")
        return bound.assigned(kept, value), entered, bound.Protected(types.VOID, bind(), (), left)
    kept, taken = scope.declare(types.OBJECT), scope.declare(types.BOOL)
    exited = bound.if_then(taken, _monitor(scope, "Exit", kept))
    body = bound.Steps(types.VOID, (), (_monitor(scope, "Enter", kept, taken), bind()))
    return (
        bound.assigned(kept, implicit(scope, value, types.OBJECT)),
        bound.assigned(taken, bound.Zero(types.BOOL)),
        bound.Protected(types.VOID, body, (), exited),
    )


def _monitor(scope: Scope, name: str, *arguments: Code) -> Code:
    monitor = scope.framework_type(_MONITOR)
    exact = scope.framework_method(monitor, name, *(one.type for one in arguments))
    return bound.Invoked(types.VOID, exact, None, arguments)


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
    awaiter = scope.kept_value(call(scope, value, "GetAwaiter"), before)
    is_completed, result = _asked(scope, awaiter)
    check = bound.if_then(bound.negated(is_completed), bound.Refused(types.VOID, _WAITS))
    return bound.Steps(result.type, (), (*before, check, result))


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
    return bound.Awaited(result.type, bound.assigned(awaiter, found), is_completed, continued, result)


def _asked(scope: Scope, awaiter: Code) -> tuple[Code, Code]:
    """Whether what is awaited has completed, and its result."""
    is_completed, result = member(scope, awaiter, "IsCompleted"), call(scope, awaiter, "GetResult")
    if is_completed is None:
        raise Diagnostic("CS1061", awaiter.type.name, "IsCompleted")
    return is_completed, result
