"""What the source says of a method's result beside its type: that it is `dynamic`, and names of tuples' elements."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import method_of
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.dynamic_types import is_dynamic_member


def as_returned(env: Environment, method: ExactMethod, result: Operand) -> Operand:
    """The result of a method as its source declares it."""
    module = env.universe.module_of(method.owner)
    if module is None or not _may_say_more(result):
        return result
    row = next((row for row in method_of(env, method).parameter_rows if row.sequence == 0), None)
    return as_declared(env, module, row.token, result) if row is not None else result


def as_declared(env: Environment, module: LoadedModule, token: int, value: Operand) -> Operand:
    """The value of a field, property or parameter as its source declares it: what is `dynamic` is of its own type."""
    if not _may_say_more(value):
        return value
    if value.type is types.OBJECT:
        return env.as_dynamic(value) if is_dynamic_member(module, token) else value
    value.names = value.names or tuple_names.of_member(module, token)
    return value


def _may_say_more(value: Operand) -> bool:
    return value.data is not None and (value.type is types.OBJECT or bool(tuple_names.count(value.type)))
