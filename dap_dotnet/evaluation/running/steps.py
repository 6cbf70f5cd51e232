"""A bound tree as one closure: what makes that of each kind of node, and the nodes of which code consists.

Those are variables, several steps one after the other, jumps among them (C# specification 13); and lambdas and groups
of methods: run here by the methods of LINQ, or given to the program as its delegates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.caller import CalleeThrew
from dap_dotnet.evaluation.calling.expression_trees import TreeMaker
from dap_dotnet.evaluation.diagnostics import calls_forbidden, null_reference
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.assignables import Assignable
from dap_dotnet.evaluation.operations.framework import call_framework
from dap_dotnet.evaluation.operations.linq.sequences import sequence_of
from dap_dotnet.evaluation.operations.linq.table import Lambda
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.evaluation.types.universe import Universe

Run = Callable[[Environment], Operand]
Make = Callable[[Any, "Closures"], Run]


class Closures:
    """Makes closures of the nodes of one tree."""

    def __init__(self, universe: Universe, makers: Mapping[type, Make], last: nodes.Code | None) -> None:
        self.universe = universe
        self._makers = makers
        self.last = last
        """The node with whose result all is done; None where others may be needed then."""

    def of(self, code: nodes.Code) -> Run:
        """What evaluates a node in an environment at its site."""
        return self._makers[type(code)](code, self)


NOTHING = Operand(types.VOID, None)


class Jumped(Exception):
    """A jump on its way to its target."""

    def __init__(self, target: nodes.Target) -> None:
        super().__init__()
        self.target = target


def in_order(runs: Sequence[Run]) -> Callable[[Environment], list[Operand]]:
    """What several closures give, one after the other."""
    return lambda env: [run(env) for run in runs]


def steps(code: nodes.Steps, closures: Closures) -> Run:
    """Its value is the last one's. Each entry has variables of its own."""
    if any(is_handler(closures.universe, variable.type) for variable in code.variables):
        return in_program(code, closures)
    run, variables = _sequence(code, closures), code.variables
    if not variables:
        return run

    def scoped(env: Environment) -> Operand:
        cells = env.cells
        outer = [cells.get(variable) for variable in variables]
        for variable in variables:
            cells[variable] = Cell(Operand(types.UNASSIGNED, None))
        try:
            return run(env)
        finally:
            for variable, cell in zip(variables, outer, strict=True):
                if cell is None:
                    del cells[variable]
                else:
                    cells[variable] = cell

    return scoped


def _sequence(code: nodes.Steps, closures: Closures) -> Run:
    landings = {step.target: place for place, step in enumerate(code.steps) if isinstance(step, nodes.Landing)}
    runs = [closures.of(step) for step in code.steps]
    if not landings:
        *first, last = runs

        def straight(env: Environment) -> Operand:
            for one in first:
                one(env)
            return last(env)

        return straight if first else last

    def run(env: Environment) -> Operand:
        place, result = 0, NOTHING
        while place < len(runs):
            try:
                result = runs[place](env)
            except Jumped as jumped:
                landing = landings.get(jumped.target)
                if landing is None:
                    raise
                place = landing
            place += 1
        return result

    return run


def jump(code: nodes.Jump, closures: Closures) -> Run:
    """`return`, `break`, `continue`."""
    target = code.target

    def run(env: Environment) -> Operand:
        raise Jumped(target)

    return run


def landing(code: nodes.Landing, closures: Closures) -> Run:
    """Where jumps arrive."""
    return lambda env: NOTHING


def loop(code: nodes.Loop, closures: Closures) -> Run:
    """Until a jump to its end."""
    body, ends = closures.of(code.body), code.ends

    def run(env: Environment) -> Operand:
        try:
            while True:
                env.turn()
                body(env)
        except Jumped as jumped:
            if jumped.target is not ends:
                raise
        return NOTHING

    return run


def each(code: nodes.Each, closures: Closures) -> Run:
    """`foreach`, over what the adapter goes through itself, else by the enumerator."""
    source, body, lowered = closures.of(code.source), closures.of(code.body), closures.of(code.lowered)

    def run(env: Environment) -> Operand:
        operand = source(env)
        if operand.data is None:
            raise null_reference("the sequence")
        sequence = sequence_of(env, operand)
        if sequence is None:
            return lowered(env)
        outer = env.cells.get(code.current)
        try:
            for item in sequence:
                env.turn()
                env.cells[code.current] = Cell(item)
                body(env)
        except Jumped as jumped:
            if jumped.target is not code.ends:
                raise
        finally:
            if outer is not None:
                env.cells[code.current] = outer
        return NOTHING

    return run


def protected(code: nodes.Protected, closures: Closures) -> Run:
    """`try` and `finally`; clauses that catch run in the program only."""
    assert code.final is not None
    body, final = closures.of(code.body), closures.of(code.final)

    def run(env: Environment) -> Operand:
        try:
            result = body(env)
        except (Jumped, EvaluationError):
            final(env)
            raise
        final(env)
        return result

    return run


def refused(code: nodes.Refused, closures: Closures) -> Run:
    """Raises `EvaluationError`."""

    def run(env: Environment) -> Operand:
        raise EvaluationError(code.reason)

    return run


def variable(code: nodes.Variable, closures: Closures) -> Run:
    """A variable of the code. A copy: the variable itself may change."""

    def run(env: Environment) -> Operand:
        cell = env.cells[code]
        cell.is_own = False
        return _copied(cell.operand)

    return run


def _copied(operand: Operand) -> Operand:
    return Operand(operand.type, operand.data, operand.value, operand.names, operand.place)


def check_changes(cell: Cell, variable: nodes.Variable) -> None:
    """Raises `EvaluationError` where a delegate of the program would keep the old value of a variable that changes."""
    if cell.is_copied and variable.name:
        raise EvaluationError(
            f"'{variable.name}' changes after the program has got a delegate that uses it, and keeps the old value: "
            "give the delegate a variable of its own"
        )


class CellPlace(Assignable):
    """A variable of the code."""

    def __init__(self, variable: nodes.Variable) -> None:
        super().__init__(variable.type)
        self._variable = variable

    @override
    def read(self, env: Environment) -> Operand:
        return _copied(env.cells[self._variable].operand)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        check_changes(env.cells[self._variable], self._variable)
        env.cells[self._variable].operand = _copied(operand)


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
