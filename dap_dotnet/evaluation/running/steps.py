"""Several closures one after the other, and jumps among them (C# specification 13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import (
    Each,
    Jump,
    Landing,
    Loop,
    Protected,
    Refused,
    Steps,
    Target,
    Variable,
)
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.linq.sequences import sequence_of
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand

NOTHING = Operand(types.VOID, None)


class Jumped(Exception):
    """A jump on its way to its target."""

    def __init__(self, target: Target, value: Operand) -> None:
        super().__init__()
        self.target = target
        self.value = value


def in_order(runs: Sequence[Run]) -> Callable[[Environment], list[Operand]]:
    """What several closures give, one after the other."""
    return lambda env: [run(env) for run in runs]


def steps(code: Steps, closures: Closures) -> Run:
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


def _sequence(code: Steps, closures: Closures) -> Run:
    landings = {step.target: place for place, step in enumerate(code.steps) if isinstance(step, Landing)}
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
                place, result = landing, jumped.value
            place += 1
        return result

    return run


def jump(code: Jump, closures: Closures) -> Run:
    """`return value`, `break`, `continue`."""
    target, value = code.target, closures.of(code.value) if code.value is not None else None

    def run(env: Environment) -> Operand:
        raise Jumped(target, value(env) if value is not None else NOTHING)

    return run


def landing(code: Landing, closures: Closures) -> Run:
    """Where jumps arrive: its own value is for those who come without one."""
    return closures.of(code.otherwise) if code.otherwise is not None else lambda env: NOTHING


def loop(code: Loop, closures: Closures) -> Run:
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


def each(code: Each, closures: Closures) -> Run:
    """`foreach`, over what the adapter goes through itself, else by the enumerator."""
    source, body, lowered = closures.of(code.source), closures.of(code.body), closures.of(code.lowered)

    def run(env: Environment) -> Operand:
        operand = source(env)
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


def protected(code: Protected, closures: Closures) -> Run:
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


def refused(code: Refused, closures: Closures) -> Run:
    """Raises `EvaluationError`."""

    def run(env: Environment) -> Operand:
        raise EvaluationError(code.reason)

    return run


def variable(code: Variable, closures: Closures) -> Run:
    """A variable of the code. A copy: the variable itself may change."""

    def run(env: Environment) -> Operand:
        cell = env.cells[code]
        operand, cell.is_own = cell.operand, False
        return Operand(operand.type, operand.data, operand.value, operand.names, operand.place)

    return run
