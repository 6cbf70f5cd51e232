"""The closure of a bound tree, also of code that is bound when its operands have values."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.environment import Cell, Environment
from dap_dotnet.evaluation.operations import known_members
from dap_dotnet.evaluation.running import calls, members, operators, steps, stores
from dap_dotnet.evaluation.running.members import passed
from dap_dotnet.evaluation.running.steps import Closures, Make, Run, in_order
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import Universe


def late(code: nodes.Late, closures: Closures) -> Run:
    """What binds the code for the types that the operands have, and evaluates it. Bound once for the same types."""
    operands = in_order([_actual(one, closures) for one in code.operands])
    bound = dict[tuple[Type, ...], tuple[list[nodes.Code], Run]]()

    def run(env: Environment) -> Operand:
        env.went_behind |= code.is_behind
        given = operands(env)
        kinds = tuple(one.type for one in given)
        if kinds not in bound:
            stand_ins = [_stand_in(node, one) for node, one in zip(code.operands, given, strict=True)]
            try:
                bound[kinds] = stand_ins, closures.of(code.bind(env, stand_ins))
            except EvaluationError as error:
                error.trail.append(code.at)
                raise
        stand_ins, evaluate = bound[kinds]
        outer, env.cells = env.cells, {**env.cells, **dict(zip(stand_ins, map(Cell, given), strict=True))}
        try:
            return evaluate(env)
        finally:
            env.cells = outer

    return run


def _actual(code: nodes.Code, closures: Closures) -> Run:
    """An operand, as one of its own type where that shows at run time only."""
    evaluate = closures.of(code)

    def run(env: Environment) -> Operand:
        operand = evaluate(env)
        if operand.data is None:
            return operand if operand.type.kind is Kind.NULLABLE else types.NULL_OPERAND
        if operand.type.is_value_type:
            return operand
        actual = env.as_dynamic(passed(env, operand))
        own = env.own_type(actual)
        if own is actual.type:
            return actual
        return Operand(own, actual.data, actual.value, actual.names, actual.place)

    return run if nodes.is_late(code) else evaluate


def _stand_in(code: nodes.Code, operand: Operand) -> nodes.Code:
    """What stands for an operand in the code that is bound for it."""
    if not nodes.is_late(code):
        return nodes.Variable(code.type, "")
    if operand.type is types.NULL:
        return nodes.Captured(types.NULL, types.NULL_OPERAND, is_constant=True)
    return nodes.Variable(operand.type, "")


def dynamic_member(code: nodes.DynamicMember, closures: Closures) -> Run:
    """The member, by what the object itself says it has."""
    target = closures.of(code.target)
    return lambda env: known_members.dynamic_member(env, target(env), code.name)


_STORES = {"Assign": stores.assign, "Alias": stores.alias}


def _invoked(node: nodes.Invoked, closures: Closures) -> Run:
    positions = calls.referenced(node, closures)
    if positions:
        return calls.invoked_by_reference(node, positions, closures)
    changed = node.target if members.changes_variable(node, closures) else None
    return calls.invoked(node, closures, stores.place_of(changed, closures) if changed is not None else None)


_MAKERS: dict[type, Make] = {
    nodes.Captured: members.captured,
    nodes.Stored: members.stored,
    nodes.Variable: steps.variable,
    nodes.Alias: stores.aliased,
    nodes.PointerCall: calls.pointer_call,
    nodes.FieldOf: members.field_of,
    nodes.Invoked: _invoked,
    nodes.Made: calls.made,
    nodes.Items: calls.items,
    nodes.ArrayPart: calls.array_part,
    nodes.AnonymousObject: calls.anonymous_object,
    nodes.Operation: lambda node, closures: _STORES.get(node.name, operators.operation)(node, closures),
    nodes.TypedOperation: operators.typed_operation,
    nodes.Text: operators.text,
    nodes.Zero: operators.zero,
    nodes.Steps: steps.steps,
    nodes.Jump: steps.jump,
    nodes.Landing: steps.landing,
    nodes.Loop: steps.loop,
    nodes.Each: steps.each,
    nodes.Protected: steps.protected,
    nodes.Late: late,
    nodes.DynamicMember: dynamic_member,
    nodes.Refused: steps.refused,
    nodes.Function: steps.function,
    nodes.Group: steps.group,
}


def closure(universe: Universe, tree: nodes.Code, *, is_whole: bool = False) -> Run:
    """What evaluates a bound tree in any environment at its site: a `whole` evaluation, or a part. Session thread."""
    return Closures(universe, _MAKERS, tree if is_whole else None).of(tree)
