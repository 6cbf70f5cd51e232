"""Lambdas in code: their bodies, what these return, and the tasks of async ones (see `awaits`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.awaits import Resumable
from dap_dotnet.evaluation.binding.calls import call
from dap_dotnet.evaluation.binding.conversions import common, implicit, item_of, typed
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.binding.statements import STATEMENTS, Body
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.variables import check_assigned, never_ends
from dap_dotnet.evaluation.syntax import statement_tree as statements
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type, is_tuple
from dap_dotnet.evaluation.types.declarations import DelegateSignature

_TASKS = "System.Threading.Tasks"
_TASK_TYPES = frozenset(f"{_TASKS}.{name}" for name in ("Task", "Task`1", "ValueTask", "ValueTask`1"))
_BUILDERS = "System.Runtime.CompilerServices.Async"


def _bind_block(
    scope: Scope, node: statements.Block, wanted: Type | None, refused: str = "CS8030"
) -> tuple[Code, bound.Variable | None]:
    """A body in braces, and the variable that it gives the value that it returns; None: it returns none.

    `wanted` None: of the type that its values have in common. `refused`: see `Body`.
    """
    kind = _returned_type(scope, node, wanted)
    result = bound.Variable(kind, "") if kind is not types.VOID else None
    body = Body(scope, result, refused)
    made = body.statement(node)
    if result is not None and not never_ends(node):
        raise Diagnostic("CS1643")
    return bound.Steps(types.VOID, (), (made, bound.Landing(types.VOID, body.returned))), result


def _bind_expression(scope: Scope, node: syntax.Node, wanted: Type | None) -> Code:
    """An expression that is the body, of the type that it has itself where none is wanted. CS0201."""
    if wanted is not None and wanted is not types.VOID:
        return typed(scope, node, wanted)
    body = scope.code(node)
    if wanted is None or isinstance(node, STATEMENTS):
        return body
    if isinstance(node, syntax.Throw):
        return implicit(scope, body, types.VOID)
    raise Diagnostic("CS0201")


def _returned_type(scope: Scope, node: statements.Block, wanted: Type | None) -> Type:
    check_assigned(node)
    if wanted is not None:
        return wanted
    found = _Returns(scope)
    found.statement(node)
    return found.kind()


class _Returns(Body):
    """Goes through a body for the values that it returns, to find the type that they have in common."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope, None)
        self._values: list[Code] = []

    def return_(self, node: statements.Return) -> Code:
        if node.value is not None:
            self._values.append(self.scope.code(node.value))
        return bound.Zero(types.VOID)

    def kind(self) -> Type:
        """VOID where nothing is returned."""
        if not self._values:
            return types.VOID
        found = common(self.scope, self._values)
        if found is None:
            raise Diagnostic("CS8917")
        return found


# async lambdas


def bind_async(scope: Scope, node: syntax.Node, wanted: Type | None) -> Code:
    """The body of an async lambda that gives `wanted`: a task or nothing; None: the task of what the body returns."""
    action = scope.framework_type("System.Action")
    scope.moves = bound.Variable(action, "")
    inner = wanted if wanted is None else wanted.arguments[0] if wanted.arguments else types.VOID
    if isinstance(node, statements.Block):
        body, result = _bind_block(scope, node, inner, "CS8030" if wanted is types.VOID else "CS8031")
    else:
        body, result = _of_expression(scope, node, inner)
    if wanted is None:
        given = (result.type,) if result is not None else ()
        wanted = scope.framework_type(f"{_TASKS}.Task`1" if given else f"{_TASKS}.Task", given)
    return _built(scope, body, result, wanted, action)


def _of_expression(scope: Scope, node: syntax.Node, inner: Type | None) -> tuple[Code, bound.Variable | None]:
    value = _bind_expression(scope, node, inner)
    if value.type is types.VOID:
        return value, None
    if value.type.kind is Kind.NULL:
        raise Diagnostic("CS8917")
    result = bound.Variable(value.type, "")
    return bound.assigned(result, value), result


def _built(scope: Scope, body: Code, result: bound.Variable | None, wanted: Type, action: Type) -> Code:
    """The lambda's own body: it makes the builder, lets the body run, and gives the builder's task."""
    kind, moves = _builder(scope, wanted), scope.moves
    assert moves is not None
    builder, state, current = bound.Variable(kind, ""), bound.Variable(types.I4, ""), bound.Variable(types.I4, "")
    error = bound.Variable(scope.framework_type("System.Exception"), "")
    made = Resumable(scope, body, state, current)
    failed = call(scope, builder, "SetException", error)
    done = call(scope, builder, "SetResult", *([result] if result is not None else []))
    caught = bound.Handler(error, bound.block(failed, bound.Jump(types.VOID, made.leaves)), None)
    move = bound.Steps(
        types.VOID,
        (current,),
        (
            bound.assigned(current, state),
            bound.Protected(types.VOID, bound.block(*made.steps), (caught,), None),
            done,
            bound.Landing(types.VOID, made.leaves),
        ),
    )
    own = (builder, state, moves, *([result] if result is not None else []), *scope.own, *made.kept)
    scope.own = []
    steps: list[Code] = [
        bound.assigned(builder, bound.Invoked(kind, scope.framework_method(kind, "Create"), None, ())),
        bound.assigned(state, bound.integer(-1)),
        bound.assigned(moves, bound.Function(action, (), move)),
        _started(scope, moves),
    ]
    if wanted is types.VOID:
        return bound.Steps(types.VOID, own, (*steps, bound.Zero(types.VOID)))
    task = member(scope, builder, "Task")
    if task is None:
        raise Diagnostic("CS1061", kind.name, "Task")
    return bound.Steps(wanted, own, (*steps, task))


def _started(scope: Scope, moves: bound.Variable) -> Code:
    """The first run, in a context of its own: what it changes of that is nothing of the caller's."""
    context, callback = (
        scope.framework_type(f"System.Threading.{name}") for name in ("ExecutionContext", "ContextCallback")
    )
    captured = bound.Invoked(context, scope.framework_method(context, "Capture"), None, ())
    run = bound.Function(callback, (bound.Variable(types.OBJECT, ""),), call(scope, moves, "Invoke"))
    return bound.Invoked(
        types.VOID,
        scope.framework_method(context, "Run", context, callback, types.OBJECT),
        None,
        (captured, run, bound.Zero(types.OBJECT)),
    )


def _builder(scope: Scope, wanted: Type) -> Type:
    if wanted is types.VOID:
        return scope.framework_type(f"{_BUILDERS}VoidMethodBuilder")
    name = "ValueTask" if wanted.full_name.startswith(f"{_TASKS}.ValueTask") else "Task"
    made = f"{_BUILDERS}{name}MethodBuilder"
    return scope.framework_type(f"{made}`1" if wanted.arguments else made, wanted.arguments)


class LambdaSource(bound.FunctionSource):
    """A lambda."""

    def __init__(self, scope: Scope, node: syntax.Lambda) -> None:
        self._scope = scope
        self._node = node
        self._results: dict[tuple[object, ...], Type | None] = {}
        self.is_async = node.is_async

    def takes(self, count: int) -> bool:
        """See `FunctionSource`."""
        return len(self._node.parameters) == count

    def written_types(self) -> Sequence[Type | None]:
        """See `FunctionSource`."""
        if not self._node.types:
            return ()
        return [self._scope.binder.type(kind) if kind is not None else None for kind in self._node.types]

    def result_type(self, parameters: Sequence[Type]) -> Type | None:
        """See `FunctionSource`."""
        key = (*parameters, *self.names_by_type.items())
        if key not in self._results:
            try:
                self._results[key] = self._built(parameters, None)[1].type
            except EvaluationError as error:
                self.fault = error
                self._results[key] = None
        return self._results[key]

    def code(self, delegate: Type, signature: DelegateSignature) -> Code:
        """See `FunctionSource`."""
        if not self.takes(len(signature.parameters)):
            raise Diagnostic("CS1593", delegate.name, len(self._node.parameters))
        if signature.has_references or signature.result is None:
            raise unsupported("A parameter by reference")
        kinds = [kind for kind in signature.parameters if kind is not None]
        if len(kinds) != len(signature.parameters):
            raise unsupported("A parameter of a type that is not loaded")
        for number, written in enumerate(self.written_types(), 1):
            if written is not None and written is not kinds[number - 1]:
                raise Diagnostic("CS1678", number, written.name, kinds[number - 1].name)
        gives_task = signature.result is types.VOID or signature.result.full_name in _TASK_TYPES
        if self.is_async and not gives_task:
            raise Diagnostic("CS4010", delegate.name)
        parameters, body = self._built(kinds, signature.result)
        return bound.Function(delegate, parameters, body)

    def _built(self, kinds: Sequence[Type], result: Type | None) -> tuple[tuple[bound.Variable, ...], Code]:
        """Its parameters and its body; `result` None: of the type that the body shows."""
        with passing(self._node.at):
            return self._bound(kinds, result)

    def _bound(self, kinds: Sequence[Type], result: Type | None) -> tuple[tuple[bound.Variable, ...], Code]:
        node, parameters, by_name = self._node, list[bound.Variable](), dict[str, bound.Variable]()
        for name, kind in zip(node.parameters, kinds, strict=True):
            parameters.append(bound.Variable(kind, name if isinstance(name, str) else ""))
            if isinstance(name, str) and (name != "_" or node.parameters.count(name) == 1):  # several are discards
                by_name[name] = parameters[-1]
        scope = self._scope.inner(by_name)
        before: list[Code] = []
        if self.names_by_type:
            scope.names_by_type = {**scope.names_by_type, **self.names_by_type}
        for name, parameter, written in zip_longest(node.parameters, parameters, node.types):
            scope.declared(parameter, written)
            if not isinstance(name, str):
                _take_apart(scope, name, parameter, before)
        if node.is_async:
            body = bind_async(scope, node.body, result)
        elif isinstance(node.body, statements.Block):
            body, kept = _bind_block(scope, node.body, result)
            body = bound.Steps(kept.type, (kept,), (body, kept)) if kept is not None else body
        else:
            body = _bind_expression(scope, node.body, result)
        if scope.own:
            body = bound.Steps(body.type, tuple(scope.own), (*before, body))
        return tuple(parameters), body


def _take_apart(scope: Scope, names: Sequence[str], value: Code, before: list[Code]) -> None:
    """The variables of a query that travel in one tuple. CS8132."""
    if not is_tuple(value.type) or len(value.type.arguments) != len(names):
        raise Diagnostic("CS8132", len(value.type.arguments), len(names))
    for number, name in enumerate(names, 1):
        item = item_of(scope, value, number)
        kept = scope.declare(item.type, name, value=item)
        before.append(bound.assigned(kept, item))
