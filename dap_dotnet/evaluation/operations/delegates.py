"""Types of delegates: what a lambda takes and gives as a value of one."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda, Signature
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe

_SEQUENCES = frozenset({
    "System.Collections.Generic.IEnumerable`1", "System.Collections.IEnumerable",
    "System.Linq.IOrderedEnumerable`1", "System.Linq.IGrouping`2",
})  # fmt: skip


def signature_of(universe: Universe, kind: Type) -> Signature | None:
    """What a type of delegates takes and gives; None for other types."""
    if kind.kind is not Kind.CLASS or not any(one.full_name == "System.Delegate" for one in bases_of(universe, kind)):
        return None
    for candidate in candidates(universe, kind):
        if candidate.method.name == "Invoke":
            return Signature(tuple(candidate.parameter_types(universe)), candidate.return_type(universe))
    return None


def as_declared(env: Environment, operand: Operand, declared: Type, constant: Operand | None = None) -> Operand:
    """The value of a variable of a type, which may be a lambda or a query. Raises as `convert_implicitly`."""
    if isinstance(operand.data, Lambda):
        signature = signature_of(env.universe, declared)
        if signature is None or len(signature.parameters) != operand.data.count:
            raise EvaluationError(f"error CS1660: Cannot convert the lambda expression to type '{declared.name}'")
        return Operand(operand.type, operand.data.typed(signature))
    if operand.type.kind is Kind.SEQUENCE and declared.full_name in _SEQUENCES:
        return operand
    return convert_implicitly(env, operand, declared, constant)
