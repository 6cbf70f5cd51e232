"""Lambdas and groups of methods: run here by the methods of LINQ, or given to the program as its delegates."""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.calling.expression_trees import TreeMaker
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.framework import call_framework
from dap_dotnet.evaluation.operations.linq.table import Lambda
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.running.steps import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.evaluation.types.universe import Universe


class Closure(Lambda):
    """The data of an operand that is a lambda with what it has captured."""

    __slots__ = ("_cells", "_code", "_run", "needs_program")

    def __init__(self, code: nodes.Function, run: Run, cells: Mapping[object, Cell], *, needs_program: bool) -> None:
        self._code = code
        self._run = run
        self._cells = cells
        self.needs_program = needs_program

    @override
    def invoke(self, env: Environment, *arguments: Operand) -> Operand:
        env.step()
        outer, env.cells = env.cells, {**env.cells, **self._cells}
        try:
            for parameter, argument in zip(self._code.parameters, arguments, strict=True):
                env.cells[parameter] = Cell(argument)
            return self._run(env)
        finally:
            env.cells = outer

    @override
    def in_program(self, env: Environment) -> Operand:
        _check_caller(env, self._code.type)
        for cell in self._cells.values():
            cell.is_copied = True
        captured = {key: cell.operand for key, cell in self._cells.items() if isinstance(key, nodes.Variable)}
        try:
            return TreeMaker(env, captured).made(self._code)
        except CalleeThrew as error:
            raise EvaluationError(f"The program cannot create a delegate from this lambda: {error.message}") from None


def _check_caller(env: Environment, kind: Type) -> None:
    if env.caller is None:
        raise calls_forbidden(f"A new delegate of type '{kind.name}'")


class MethodClosure(Lambda):
    """The data of an operand that is a method as a delegate."""

    __slots__ = ("_delegate", "_method", "_target")

    def __init__(self, delegate: Type, method: ExactMethod, target: Operand | None) -> None:
        self._delegate = delegate
        self._method = method
        self._target = target

    @override
    def invoke(self, env: Environment, *arguments: Operand) -> Operand:
        env.step()
        return env.runner.run(env, self._method, self._target, arguments)

    @override
    def in_program(self, env: Environment) -> Operand:
        _check_caller(env, self._delegate)
        return env.runner.delegate(env, self._delegate, self._method, self._target)


def function(code: nodes.Function, closures: Closures, *, on_stack: bool = False) -> Run:
    """A lambda; `on_stack`: what it does needs the stack of a method of the program."""
    needs_program = on_stack or only_in_program(code.body, closures.universe)
    run = closures.of(code.body) if not needs_program else _only_in_program
    captured = _captured(code)

    def make(env: Environment) -> Operand:
        cells: dict[object, Cell] = {one: env.cells[one] for one in captured if one in env.cells}
        if cells:
            env.closures.append(cells)
        return Operand(types.LAMBDA, Closure(code, run, cells, needs_program=needs_program))

    return make


def only_in_program(code: nodes.Code, universe: Universe) -> bool:
    """Whether only the program can evaluate code: `try`, `await`, variables that only a stack can hold."""
    return any(
        isinstance(part, nodes.Awaited)
        or (isinstance(part, nodes.Protected) and bool(part.handlers))
        or (isinstance(part, nodes.Operation) and part.name == "Rethrow")
        or (
            isinstance(part, nodes.Variable) and (is_stack_only(universe, part.type) or is_handler(universe, part.type))
        )
        for part in nodes.parts_of(code)
    )


_READING = (
    nodes.Captured, nodes.FieldOf, nodes.Operation, nodes.Steps, nodes.Stored, nodes.TypedOperation, nodes.Variable,
    nodes.Zero,
)  # fmt: skip


def runs_no_code(code: nodes.Code) -> bool:
    """Whether code is a lambda that only reads and computes."""
    return isinstance(code, nodes.Function) and all(isinstance(part, _READING) for part in nodes.parts_of(code.body))


def _captured(code: nodes.Code) -> list[nodes.Variable]:
    """The variables that a lambda uses of the code around it, and its parameters."""
    parts = list(nodes.parts_of(code))
    own = {one for part in parts if isinstance(part, nodes.Steps) for one in part.variables}
    return list(dict.fromkeys(part for part in parts if isinstance(part, nodes.Variable) and part not in own))


def _only_in_program(env: Environment) -> Operand:
    raise EvaluationError("A lambda with try, using, lock or await runs in the program only")


def group(code: nodes.Group, closures: Closures) -> Run:
    """A method as a delegate; its target is evaluated when the delegate is made."""
    target = closures.of(code.target) if code.target is not None else None

    def make(env: Environment) -> Operand:
        held = target(env) if target is not None else None
        if held is not None and held.data is None:
            raise null_reference("the target of the delegate")
        return Operand(types.LAMBDA, MethodClosure(code.type, code.method, held))

    return make


def _assigned_outside(code: nodes.Code) -> tuple[nodes.Variable, ...]:
    """The variables that code assigns and does not declare."""
    declared = {one for part in nodes.parts_of(code) if isinstance(part, nodes.Steps) for one in part.variables}
    assigned = [
        part.operands[0] for part in nodes.parts_of(code) if isinstance(part, nodes.Operation) and part.name == "Assign"
    ]
    return tuple(dict.fromkeys(one for one in assigned if isinstance(one, nodes.Variable) and one not in declared))


def in_program(code: nodes.Code, closures: Closures) -> Run:
    """What only the program can evaluate, as on its method's stack: in a delegate that is made for it and called."""
    name = "System.Action" if code.type is types.VOID else "System.Func`1"
    delegate = closures.universe.named(name, () if code.type is types.VOID else (code.type,))
    if delegate is None:
        raise EvaluationError(f"The program has no {name}")
    own = _assigned_outside(code)
    body = nodes.Steps(code.type, own, (code,)) if own else code
    make = function(nodes.Function(delegate, (), body), closures, on_stack=True)

    def run(env: Environment) -> Operand:
        closure = make(env).data
        assert isinstance(closure, Closure)
        return call_framework(env, closure.in_program(env), delegate, "Invoke")

    return run
