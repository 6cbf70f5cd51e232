"""`await` in code (C# specification 12.9.8): the awaiter, and what is asked of it."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.calls import call
from dap_dotnet.evaluation.binding.program_code.evaluated_once import kept_value
from dap_dotnet.evaluation.binding.program_code.members import member
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.bound_tree import Awaited, Code, Operation, Refused, Steps, assigned
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types


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
