"""Async lambdas in code: what they give, and the task's builder around the body that goes on (see `awaits`)."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.assignments import typed
from dap_dotnet.evaluation.binding.program_code.awaits import Resumable
from dap_dotnet.evaluation.binding.program_code.bodies import bind_async_body
from dap_dotnet.evaluation.binding.program_code.calls import on_value
from dap_dotnet.evaluation.binding.program_code.conversions import implicit
from dap_dotnet.evaluation.binding.program_code.members import checked_type, member
from dap_dotnet.evaluation.binding.program_code.scope import Scope, unsupported
from dap_dotnet.evaluation.binding.program_code.statements import is_statement
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    Function,
    Handler,
    Invoked,
    Jump,
    Landing,
    Operation,
    Protected,
    Steps,
    Variable,
    Zero,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken

_TASKS = "System.Threading.Tasks"
_TASK_TYPES = frozenset(f"{_TASKS}.{name}" for name in ("Task", "Task`1", "ValueTask", "ValueTask`1"))
_BUILDERS = "System.Runtime.CompilerServices.Async"


def bind_async(scope: Scope, node: syntax.Node, wanted: Type | None) -> Code:
    """The body of an async lambda that gives `wanted`: a task or nothing; None: the task of what the body returns."""
    action = _named(scope, "System.Action")
    scope.moves = Variable(action, "")
    inner = _result_of(wanted) if wanted is not None else None
    if isinstance(node, statements.Block):
        body, result = bind_async_body(scope, node, inner, is_void=wanted is types.VOID)
    else:
        body, result = _of_expression(scope, node, inner)
    if wanted is None:
        given = (result.type,) if result is not None else ()
        wanted = _named(scope, f"{_TASKS}.Task`1" if given else f"{_TASKS}.Task", given)
    return _built(scope, body, result, wanted, action)


def _named(scope: Scope, name: str, arguments: tuple[Type, ...] = ()) -> Type:
    found = scope.universe.named(name, arguments)
    if found is None:
        raise Diagnostic("CS0518", name)
    return found


def gives_tasks(result: Type) -> bool:
    """Whether an async lambda may give it."""
    return result is types.VOID or result.full_name in _TASK_TYPES


def _result_of(wanted: Type) -> Type:
    """What the body returns for a task: VOID for nothing."""
    return wanted.arguments[0] if wanted.arguments else types.VOID


def _of_expression(scope: Scope, node: syntax.Node, inner: Type | None) -> tuple[Code, Variable | None]:
    if inner is types.VOID:
        body = scope.code(node)
        if isinstance(node, syntax.Throw):
            body = implicit(scope, body, types.VOID)
        elif not is_statement(node):
            raise Diagnostic("CS0201")
        return body, None
    value = scope.code(node) if inner is None else typed(scope, node, checked_type(scope, inner))
    if value.type is types.VOID:
        return value, None
    if value.type.kind is Kind.NULL:
        raise Diagnostic("CS8917")
    result = Variable(value.type, "")
    return Operation(value.type, "Assign", (result, value)), result


def _built(scope: Scope, body: Code, result: Variable | None, wanted: Type, action: Type) -> Code:
    """The lambda's own body: it makes the builder, lets the body run, and gives the builder's task."""
    kind, moves = _builder(scope, wanted), scope.moves
    assert moves is not None
    builder, state, current = Variable(kind, ""), Variable(types.I4, ""), Variable(types.I4, "")
    error = Variable(_named(scope, "System.Exception"), "")
    made = Resumable(scope.universe, body, state, current)
    failed = on_value(scope, builder, "SetException", Arguments.of_codes(scope, [error]))
    done = on_value(scope, builder, "SetResult", Arguments.of_codes(scope, [result] if result is not None else []))
    caught = Handler(error, _block(failed, Jump(types.VOID, made.leaves)), None)
    move = Steps(
        types.VOID,
        (current,),
        (
            Operation(types.I4, "Assign", (current, state)),
            Protected(types.VOID, _block(*made.steps), (caught,), None),
            done,
            Landing(types.VOID, made.leaves),
        ),
    )
    start = Captured(types.I4, Operand(types.I4, -1), is_constant=True)
    own = (builder, state, moves, *([result] if result is not None else []), *scope.own, *made.kept)
    scope.own = []
    steps: list[Code] = [
        Operation(kind, "Assign", (builder, Invoked(kind, _method(scope, kind, "Create"), None, ()))),
        Operation(types.I4, "Assign", (state, start)),
        Operation(action, "Assign", (moves, Function(action, (), move))),
        _started(scope, moves),
    ]
    if wanted is types.VOID:
        return Steps(types.VOID, own, (*steps, Zero(types.VOID)))
    task = member(scope, builder, "Task")
    if task is None:
        raise Diagnostic("CS1061", kind.name, "Task")
    return Steps(wanted, own, (*steps, task))


def _started(scope: Scope, moves: Variable) -> Code:
    """The first run, in a context of its own: what it changes of that is nothing of the caller's."""
    context, callback = (_named(scope, f"System.Threading.{name}") for name in ("ExecutionContext", "ContextCallback"))
    captured = Invoked(context, _method(scope, context, "Capture"), None, ())
    move = on_value(scope, moves, "Invoke", Arguments(scope, (), ()))
    run = Function(callback, (Variable(types.OBJECT, ""),), move)
    return Invoked(types.VOID, _method(scope, context, "Run"), None, (captured, run, Zero(types.OBJECT)))


def _builder(scope: Scope, wanted: Type) -> Type:
    if wanted is types.VOID:
        return _named(scope, f"{_BUILDERS}VoidMethodBuilder")
    name = "ValueTask" if wanted.full_name.startswith(f"{_TASKS}.ValueTask") else "Task"
    made = f"{_BUILDERS}{name}MethodBuilder"
    return _named(scope, f"{made}`1" if wanted.arguments else made, wanted.arguments)


def _method(scope: Scope, kind: Type, name: str) -> ExactMethod:
    """The only method of a name of the framework's type."""
    for candidate in candidates(scope.universe, kind):
        if candidate.method.name == name:
            return ExactMethod(kind, MethodToken(candidate.method.token))
    raise unsupported(f"'{kind.name}'")


def _block(*steps: Code) -> Code:
    return Steps(types.VOID, (), (*steps, Zero(types.VOID)))
