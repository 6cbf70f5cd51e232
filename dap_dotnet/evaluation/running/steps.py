"""A bound tree as one closure: what makes that of each kind of node, and the nodes of which code consists: constants,
variables, several steps one after the other, jumps among them (C# specification 13).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.assignables import Assignable
from dap_dotnet.evaluation.operations.linq.sequences import sequence_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.evaluation.types.universe import Universe

Run = Callable[[Environment], Operand]
Make = Callable[[Any, "Closures"], Run]


class Closures:
    """Makes closures of the nodes of one tree."""

    def __init__(self, universe: Universe, makers: Mapping[type, Make]) -> None:
        self.universe = universe
        self._makers = makers

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
    run = _sequence(code, closures)
    variables = code.variables
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
