"""`left ?? right` in code (C# specification 12.15)."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.conversions import converts, implicit
from dap_dotnet.evaluation.binding.program_code.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code, Operation, Steps, TypedOperation, Zero
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind


def coalesced(scope: Scope, left: Code, right: Code) -> Code:
    """The value of the left side, or of the right one where that is null. CS0019."""
    if left.type.kind is Kind.NULLABLE and converts(scope, right, left.type.element):
        kind = left.type.element
        return Operation(kind, "Coalesce", (left, implicit(scope, right, kind)))
    if left.type.kind is Kind.NULLABLE and not converts(scope, right, left.type):
        return _coalesced_to_right(scope, left, right)
    may_be_null = left.type.is_reference or left.type.kind in (Kind.NULLABLE, Kind.PARAMETER)
    if may_be_null and left.type.kind is not Kind.NULL:
        if converts(scope, right, left.type):
            return Operation(left.type, "Coalesce", (left, implicit(scope, right, left.type)))
        if left.type.is_reference and converts(scope, left, right.type):
            return Operation(right.type, "Coalesce", (implicit(scope, left, right.type), right))
    raise no_operator("??", left.type, right.type)


def _coalesced_to_right(scope: Scope, left: Code, right: Code) -> Code:
    """`nullable ?? right`, where only the value of the left side converts to the type of the right one."""
    kept = scope.declare(left.type)
    value = TypedOperation(left.type.element, "Convert", kept, left.type.element)
    if not converts(scope, value, right.type):
        raise no_operator("??", left.type, right.type)
    is_there = Operation(types.BOOL, "NotEqual", (kept, Zero(left.type)))
    chosen = Operation(right.type, "Condition", (is_there, implicit(scope, value, right.type), right))
    return Steps(right.type, (), (Operation(left.type, "Assign", (kept, left)), chosen))
