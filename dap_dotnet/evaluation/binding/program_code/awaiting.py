"""`await` in code (C# specification 12.9.8): the awaiter, and what is asked of it."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.calls import on_value
from dap_dotnet.evaluation.binding.program_code.evaluated_once import kept_value
from dap_dotnet.evaluation.binding.program_code.members import member
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.bound_tree import Awaited, Code, Operation, Refused, Steps
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types


def bind_await(scope: Scope, node: syntax.Await) -> Code:
    """`await x`, in an async lambda or of what has completed. CS4034, CS4008."""
    if scope.is_live and not scope.in_lambda:
        return _completed(scope, scope.code(node.operand))
    check_async(scope)
    return awaited(scope, scope.code(node.operand))


def _completed(scope: Scope, value: Code) -> Code:
    """`await` of what has completed: the program stands still, so that nothing else could."""
    nothing, before = Arguments(scope, (), ()), list[Code]()
    awaiter = kept_value(scope, on_value(scope, value, "GetAwaiter", nothing), before)
    is_completed, result = member(scope, awaiter, "IsCompleted"), on_value(scope, awaiter, "GetResult", nothing)
    if is_completed is None:
        raise Diagnostic("CS1061", awaiter.type.name, "IsCompleted")
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
    nothing = Arguments(scope, (), ())
    found = on_value(scope, value, "GetAwaiter", nothing)
    awaiter = scope.declare(found.type)
    is_completed, result = member(scope, awaiter, "IsCompleted"), on_value(scope, awaiter, "GetResult", nothing)
    if is_completed is None:
        raise Diagnostic("CS1061", awaiter.type.name, "IsCompleted")
    continued = on_value(scope, awaiter, "OnCompleted", Arguments.of_codes(scope, [moves]))
    started = Operation(awaiter.type, "Assign", (awaiter, found))
    return Awaited(result.type, started, is_completed, continued, result)
