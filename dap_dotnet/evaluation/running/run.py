"""The closure of a bound tree."""

from __future__ import annotations

from dap_dotnet.evaluation import bound_tree as code
from dap_dotnet.evaluation.rules.conversions import is_handler
from dap_dotnet.evaluation.running import (
    calls,
    functions,
    late,
    operators,
    pointers,
    references,
    steps,
    stores,
    structures,
    values,
)
from dap_dotnet.evaluation.running.closures import Closures, Make, Run
from dap_dotnet.evaluation.types.universe import Universe


def _operation(node: code.Operation, closures: Closures) -> Run:
    make = {"Assign": stores.assign, "Alias": stores.alias}.get(node.name, operators.operation)
    return make(node, closures)


def _invoked(node: code.Invoked, closures: Closures) -> Run:
    positions = references.referenced(node, closures)
    if positions:
        return references.invoked(node, positions, closures)
    changed = node.target if structures.changes_variable(node, closures) else None
    return calls.invoked(node, closures, stores.place_of(changed, closures) if changed is not None else None)


def _steps(node: code.Steps, closures: Closures) -> Run:
    if any(is_handler(closures.universe, variable.type) for variable in node.variables) or any(
        references.constructs_by_reference(part, closures) for part in code.parts_of(node.steps, into_functions=False)
    ):
        return functions.in_program(node, closures)
    return steps.steps(node, closures)


_MAKERS: dict[type, Make] = {
    code.Captured: values.captured,
    code.Stored: values.stored,
    code.Variable: steps.variable,
    code.Alias: stores.aliased,
    code.PointerCall: pointers.called,
    code.FieldOf: values.field_of,
    code.Invoked: _invoked,
    code.Made: calls.made,
    code.Items: calls.items,
    code.ArrayPart: calls.array_part,
    code.AnonymousObject: calls.anonymous_object,
    code.Operation: _operation,
    code.TypedOperation: operators.typed_operation,
    code.Text: operators.text,
    code.Zero: operators.zero,
    code.Steps: _steps,
    code.Jump: steps.jump,
    code.Landing: steps.landing,
    code.Loop: steps.loop,
    code.Each: steps.each,
    code.Protected: steps.protected,
    code.Late: late.late,
    code.DynamicMember: late.dynamic_member,
    code.Refused: steps.refused,
    code.Function: functions.function,
    code.Group: functions.group,
}


def closure(universe: Universe, tree: code.Code) -> Run:
    """What evaluates a bound tree in any environment at its site. Session thread."""
    return Closures(universe, _MAKERS).of(tree)
