"""What the source says of a method's result beside its type: that it is `dynamic`, and names of tuples' elements."""

from __future__ import annotations

from itertools import zip_longest

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import method_of
from dap_dotnet.evaluation.operations.element_names import GivenNames, names_in_signature, names_of_arguments, renamed
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type, TypeArguments
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.dynamic_types import is_dynamic_member


def as_returned(env: Environment, method: ExactMethod, result: Operand, target: Operand | None = None) -> Operand:
    """The result of a method, of a value or none, as its source declares it."""
    module = env.universe.module_of(method.owner)
    if module is None or not _may_say_more(result):
        return result
    row = next((row for row in method_of(env, method).parameter_rows if row.sequence == 0), None)
    if result.type is not types.OBJECT:
        own = tuple_names.of_member(module, row.token) if row is not None else ()
        given = GivenNames(own, names_of_arguments(env, target, method.owner), names_of_methods(method))
        names = names_in_signature(env, module, method_of(env, method).signature.return_type, given)
        if len(names) == tuple_names.count(result.type):
            result.names = names if any(names) else ()
        else:
            result.names = result.names or own
        return result
    return as_declared(env, module, row.token, result) if row is not None else result


def as_given_back(env: Environment, chosen: Chosen, number: int, value: Operand, target: Operand | None) -> Operand:
    """What a method has given to a parameter by reference, with the names of tuples' elements."""
    module, method = chosen.candidate.module, chosen.candidate.method
    if module is None or value.names or not tuple_names.count(value.type):
        return value
    row = next((row for row in method.parameter_rows if row.sequence == number + 1), None)
    own = tuple_names.of_member(module, row.token) if row is not None else ()
    given = GivenNames(own, names_of_arguments(env, target, chosen.candidate.owner), names_of_methods(chosen.exact))
    names = names_in_signature(env, module, method.signature.parameters[number], given)
    return renamed(value, value.type, names if any(names) else ())


def names_of_methods(method: ExactMethod) -> list[tuple_names.Names]:
    """The names in each of a method's own type arguments."""
    kinds = method.type_arguments
    given = kinds.names if isinstance(kinds, TypeArguments) else ()
    pairs = zip_longest(kinds, given[: len(kinds)], fillvalue=())
    return [names or (None,) * tuple_names.count(kind) for kind, names in pairs if isinstance(kind, Type)]


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
