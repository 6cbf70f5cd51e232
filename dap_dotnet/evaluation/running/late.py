"""Code that is bound when its operands have values."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Captured, Code, DynamicMember, Late, Variable, is_late
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.running.steps import in_order
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type


def late(code: Late, closures: Closures) -> Run:
    """What binds the code for the types that the operands have, and evaluates it. Bound once for the same types."""
    operands = in_order([closures.of(one) for one in code.operands])
    are_late = [is_late(one) for one in code.operands]
    bound = dict[tuple[Type, ...], tuple[list[Code], Run]]()

    def run(env: Environment) -> Operand:
        env.went_behind |= code.is_behind
        given = [_actual(env, one) if is_late else one for one, is_late in zip(operands(env), are_late, strict=True)]
        kinds = tuple(one.type for one, is_late in zip(given, are_late, strict=True) if is_late)
        if kinds not in bound:
            stand_ins = [
                _stand_in(one) if is_late else Variable(node.type, "")
                for one, is_late, node in zip(given, are_late, code.operands, strict=True)
            ]
            try:
                bound[kinds] = stand_ins, closures.of(code.bind(env, stand_ins))
            except EvaluationError as error:
                error.trail.append(code.at)
                raise
        stand_ins, evaluate = bound[kinds]
        cells, outer = env.cells, dict[object, Cell]()
        for stand_in, operand in zip(stand_ins, given, strict=True):
            if isinstance(stand_in, Variable):
                if stand_in in cells:
                    outer[stand_in] = cells[stand_in]
                cells[stand_in] = Cell(operand)
        try:
            return evaluate(env)
        finally:
            for stand_in in stand_ins:
                cells.pop(stand_in, None) if isinstance(stand_in, Variable) else None
            cells.update(outer)

    return run


def dynamic_member(code: DynamicMember, closures: Closures) -> Run:
    """The member, by what the object itself says it has."""
    target, reader = closures.of(code.target), MemberReader(code.name)
    return lambda env: reader.read(env, target(env))


def _actual(env: Environment, operand: Operand) -> Operand:
    """An operand as one of its own type."""
    if operand.data is None:
        return operand if operand.type.kind is Kind.NULLABLE else types.NULL_OPERAND
    if operand.type.is_value_type:
        return operand
    actual = env.as_dynamic(passed(env, operand))
    own = env.own_type(actual)
    if own is actual.type:
        return actual
    return Operand(own, actual.data, actual.value, actual.names, actual.place)


def _stand_in(operand: Operand) -> Code:
    if operand.type is types.NULL:
        return Captured(types.NULL, types.NULL_OPERAND, is_constant=True)
    return Variable(operand.type, "")
