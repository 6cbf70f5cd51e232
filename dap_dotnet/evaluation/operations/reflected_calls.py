"""Calls by reflection in the program: with ref and out arguments, whose array then has the results, and nullables.

A function evaluation takes no place of the debugger's for a byref; `MethodBase.Invoke` stores what it gives back.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast, number_conversion
from dap_dotnet.evaluation.operations.chosen_calls import convert_arguments
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.nullables import held_operand
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import FieldToken

_DO_NOT_WRAP_EXCEPTIONS = 0x02000000
_ALL_DECLARED = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
"""BindingFlags: DeclaredOnly, Instance, Static, Public, NonPublic."""


def run_reflected(env: Environment, chosen: Chosen, target: Operand | None) -> tuple[Operand, list[Operand]]:
    """(the result, the arguments afterwards in the order of the parameters).

    Raises `EvaluationError` where code may not run, and as `MethodRunner.run`.
    """
    if env.caller is None:
        raise calls_forbidden(f"'{chosen.candidate.method.name}' with ref or out arguments")
    kinds = chosen.candidate.parameter_types(env.universe, chosen.type_arguments)
    array = _array_of_arguments(env, chosen, kinds)
    method = method_object(env, chosen.exact)
    receiver = Operand(types.OBJECT, None) if target is None else _as_object(env, target)
    made = called_by_name(
        env, method, "Invoke", [receiver, without_wrapping(env), types.NULL_OPERAND, array, types.NULL_OPERAND]
    )
    result = _typed(env, made, chosen.candidate.return_type(env.universe, chosen.type_arguments))
    assert array.data.handle is not None
    values = env.debuggee.elements(array.data.handle, 0, len(kinds))
    after = [_typed(env, env.operand(value, types.OBJECT), kind) for value, kind in zip(values, kinds, strict=True)]
    return result, after


def construct_reflected(env: Environment, kind: Type, chosen: Chosen) -> Operand:
    """`new kind(…)`, as `run_reflected`."""
    if env.caller is None:
        raise calls_forbidden(f"new {kind.name}")
    kinds = chosen.candidate.parameter_types(env.universe, chosen.type_arguments)
    array = _array_of_arguments(env, chosen, kinds)
    constructor = method_object(env, chosen.exact)
    made = called_by_name(
        env, constructor, "Invoke", [without_wrapping(env), types.NULL_OPERAND, array, types.NULL_OPERAND]
    )
    assert made.program_value is not None
    return env.operand(made.program_value, kind)


def _array_of_arguments(env: Environment, chosen: Chosen, kinds: Sequence[Type | None]) -> Operand:
    """The arguments as reflection takes them, for parameters of `kinds`."""
    given = convert_arguments(env, chosen)
    items = [_as_object(env, _as_number(operand, kind)) for operand, kind in zip(given, kinds, strict=True)]
    return env.runner.array_of(env, types.OBJECT, items)


def _as_number(operand: Operand, kind: Type | None) -> Operand:
    """A number as one of the parameter's type: reflection converts none to what a nullable holds."""
    wanted = kind.element if kind is not None and kind.kind is Kind.NULLABLE else kind
    given = held_operand(operand) if operand.type.kind is Kind.NULLABLE and operand.data is not None else operand
    if wanted is None or wanted is given.type or operand.data is None:
        return operand
    return number_conversion(given.type, wanted, operand.data) or operand


def _as_object(env: Environment, operand: Operand) -> Operand:
    if operand.data is None:
        return Operand(types.OBJECT, None)
    return boxed(env, operand) if operand.type.is_value_type else Operand(operand.type, operand.data, operand.value)


def _typed(env: Environment, operand: Operand, kind: Type | None) -> Operand:
    """What reflection gives as an object, as the type that the method declares."""
    if kind is None or kind is types.VOID:
        return Operand(types.VOID, None)
    if operand.data is None:
        return Operand(kind, None)
    return cast(env, operand, kind)


def method_object(env: Environment, exact: ExactMethod) -> Operand:
    """The MethodBase of a method, on its exact type and with its type arguments."""
    owner = exact.owner
    kind = type_object(env, owner)
    module = called_by_name(env, kind, "get_Module", [])
    method = called_by_name(env, module, "ResolveMethod", [Operand(types.I4, int(exact.token))])
    if owner.arguments:
        handle = called_by_name(env, method, "get_MethodHandle", [])
        type_handle = called_by_name(env, kind, "get_TypeHandle", [])
        base = env.universe.named("System.Reflection.MethodBase")
        found = call_method(env, None, base, "GetMethodFromHandle", Given([handle, type_handle])) if base else None
        if found is None:
            raise EvaluationError("The program's framework has no MethodBase.GetMethodFromHandle")
        method = found
    if exact.type_arguments:
        given = [type_object(env, argument) for argument in exact.type_arguments]
        array = env.runner.array_of(env, _named(env, "System.Type"), given)
        method = called_by_name(env, method, "MakeGenericMethod", [array])
    return method


def field_object(env: Environment, owner: Type, token: FieldToken) -> Operand:
    """The FieldInfo of a field, of its exact type."""
    kind = type_object(env, owner)
    module = env.universe.module_of(owner)
    if not owner.arguments or module is None or module.metadata is None:
        of_type = called_by_name(env, kind, "get_Module", [])
        return called_by_name(env, of_type, "ResolveField", [Operand(types.I4, int(token))])
    name = Operand(types.STRING, module.metadata.field(token).name)
    flags = Operand(_named(env, "System.Reflection.BindingFlags"), _ALL_DECLARED)
    return called_by_name(env, kind, "GetField", [name, flags])


def without_wrapping(env: Environment) -> Operand:
    """The BindingFlags with which Invoke lets an exception through as it was thrown."""
    return Operand(_named(env, "System.Reflection.BindingFlags"), _DO_NOT_WRAP_EXCEPTIONS)


def _named(env: Environment, name: str) -> Type:
    found = env.universe.named(name)
    if found is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return found


def called_by_name(env: Environment, target: Operand, name: str, arguments: Sequence[Operand]) -> Operand:
    """What a method of an object of the framework gives. Raises `EvaluationError` where it has none of the name."""
    made = call_method(env, target, env.own_type(target), name, Given(arguments))
    if made is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return made
