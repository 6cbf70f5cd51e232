"""Types of delegates: what a lambda takes and gives as a value of one."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda, Signature
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import delegate_signature

_SEQUENCES = frozenset({
    "System.Collections.Generic.IEnumerable`1", "System.Collections.IEnumerable",
    "System.Linq.IOrderedEnumerable`1", "System.Linq.IGrouping`2",
})  # fmt: skip


def as_declared(env: Environment, operand: Operand, declared: Type, constant: Operand | None = None) -> Operand:
    """The value of a variable of a type, which may be a lambda or a query. Raises as `convert_implicitly`."""
    if isinstance(operand.data, Lambda):
        found = delegate_signature(env.universe, declared)
        if found is None or len(found.parameters) != operand.data.count:
            raise Diagnostic("CS1660", declared.name)
        return Operand(operand.type, operand.data.typed(Signature(found.parameters, found.result)))
    if operand.type.kind is Kind.SEQUENCE and declared.full_name in _SEQUENCES:
        return operand
    return convert_implicitly(env, operand, declared, constant)
