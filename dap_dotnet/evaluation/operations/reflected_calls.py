"""Calls by reflection in the program: with ref and out arguments, whose array then has the results, and nullables.

A function evaluation takes no place of the debugger's for a byref; `MethodBase.Invoke` stores what it gives back.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.framework import call_framework, framework_method, framework_type, type_object
from dap_dotnet.evaluation.operations.member_access import field_access, initialise
from dap_dotnet.evaluation.operations.operand_values import boxed, cast, held_operand, number_conversion
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_members, declared_method
from dap_dotnet.runtime.model import FieldToken

_EMIT = "System.Reflection.Emit"
_GENERATOR = f"{_EMIT}.ILGenerator"
_METHOD_BASE = "System.Reflection.MethodBase"
_DO_NOT_WRAP_EXCEPTIONS = 0x02000000
_ALL_DECLARED = 0x02 | 0x04 | 0x08 | 0x10 | 0x20
"""BindingFlags: DeclaredOnly, Instance, Static, Public, NonPublic."""


def run_reflected(
    env: Environment, exact: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> tuple[Operand, list[Operand]]:
    """(the result, the arguments afterwards in the order of the parameters); that of a constructor is the new object.

    Raises `EvaluationError` where code may not run, and as `MethodRunner.run`.
    """
    declared = declared_method(env.universe, exact)
    kinds = declared.parameter_types(env.universe, exact.type_arguments)
    if env.caller is None:
        raise calls_forbidden(f"'{declared.method.name}' with ref or out arguments")
    given = [_as_object(env, _as_number(operand, kind)) for operand, kind in zip(arguments, kinds, strict=True)]
    array = create_array(env, types.OBJECT, given)
    info = method_object(env, exact)
    if declared.method.name == ".ctor":
        kind: Type | None = exact.owner
        made = invoke_method(env, info, array)
    else:
        kind = declared.return_type(env.universe, exact.type_arguments)
        made = invoke_method(env, info, array, _as_object(env, target) if target is not None else types.NULL_OPERAND)
    result = _typed(env, made, kind)
    assert array.data.handle is not None
    values = env.debuggee.elements(array.data.handle, 0, len(kinds))
    after = [_typed(env, env.operand(value, types.OBJECT), kind) for value, kind in zip(values, kinds, strict=True)]
    return result, after


def invoke_method(env: Environment, method: Operand, array: Operand, receiver: Operand | None = None) -> Operand:
    """`MethodBase.Invoke`, which lets an exception through as it was thrown; without a receiver, a constructor's."""
    none = types.NULL_OPERAND
    given = [_flags(env, _DO_NOT_WRAP_EXCEPTIONS), none, array, none]
    if receiver is None:
        return call_framework(env, method, "System.Reflection.ConstructorInfo", "Invoke", given)
    return call_framework(env, method, _METHOD_BASE, "Invoke", [receiver, *given])


def _as_number(operand: Operand, kind: Type | None) -> Operand:
    """A number as one of the parameter's type: reflection converts none to what a nullable holds."""
    wanted = kind.stripped if kind is not None else None
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
    kind = type_object(env, exact.owner)
    module = call_framework(env, kind, "System.Type", "get_Module")
    token = Operand(types.I4, int(exact.token))
    method = call_framework(env, module, "System.Reflection.Module", "ResolveMethod", [token])
    if exact.owner.arguments:
        handle = call_framework(env, method, _METHOD_BASE, "get_MethodHandle")
        of_type = call_framework(env, kind, "System.Type", "get_TypeHandle")
        method = call_framework(env, None, _METHOD_BASE, "GetMethodFromHandle", [handle, of_type])
    if exact.type_arguments:
        items = [type_object(env, argument) for argument in exact.type_arguments]
        array = create_array(env, framework_type(env, "System.Type"), items)
        method = call_framework(env, method, "System.Reflection.MethodInfo", "MakeGenericMethod", [array])
    return method


def field_object(env: Environment, owner: Type, token: FieldToken) -> Operand:
    """The FieldInfo of a field, of its exact type."""
    kind = type_object(env, owner)
    module = env.universe.module_of(owner)
    if not owner.arguments or module is None or module.metadata is None:
        of_type = call_framework(env, kind, "System.Type", "get_Module")
        given = [Operand(types.I4, int(token))]
        return call_framework(env, of_type, "System.Reflection.Module", "ResolveField", given)
    name = Operand(types.STRING, module.metadata.field(token).name)
    return call_framework(env, kind, "System.Type", "GetField", [name, _flags(env, _ALL_DECLARED)])


def _flags(env: Environment, flags: int) -> Operand:
    return Operand(framework_type(env, "System.Reflection.BindingFlags"), flags)


# function pointers (C# specification 23.9.4)


def call_pointer(
    env: Environment, address: int, parameters: Sequence[Type], returned: Type, arguments: Sequence[Operand]
) -> Operand:
    """What the method at an address gives, which takes `parameters`, as the variable that has it is declared.

    The runtime tells neither the method that a function pointer leads to nor calls one by its address. A dynamic method
    of the program does, whose code is the instruction `calli`.
    """
    array = create_array(env, types.OBJECT, [*arguments, Operand(types.I8, address)])
    return _typed(
        env, invoke_method(env, _dynamic_method(env, parameters, returned), array, types.NULL_OPERAND), returned
    )


def _dynamic_method(env: Environment, parameters: Sequence[Type], returned: Type) -> Operand:
    """A method that takes the parameters and then the address, and calls it."""
    codes, one_code = framework_type(env, f"{_EMIT}.OpCodes"), framework_type(env, f"{_EMIT}.OpCode")
    type_type, method_type = framework_type(env, "System.Type"), framework_type(env, f"{_EMIT}.DynamicMethod")
    initialise(env, codes)

    def emit(instruction: str, *operands: Operand) -> None:
        kinds = [one_code, *(one.type for one in operands)]
        call_framework(env, code, _GENERATOR, "Emit", [_constant(env, codes, instruction), *operands], parameters=kinds)

    result = type_object(env, returned) if returned is not types.VOID else types.NULL_OPERAND
    kinds = [type_object(env, kind) for kind in (*parameters, types.I8)]
    own, taken = create_array(env, type_type, kinds), create_array(env, type_type, kinds[:-1])
    constructor = framework_method(env, method_type, ".ctor", 4, [types.STRING, type_type, own.type, types.BOOL])
    given = [Operand(types.STRING, "call"), result, own, types.TRUE]
    method = env.runner.construct(env, method_type, constructor, given)
    code = call_framework(env, method, method_type, "GetILGenerator")
    for number in range(len(parameters) + 1):
        emit("Ldarg", Operand(types.I2, number))
    emit("Conv_I")
    standard = Operand(framework_type(env, "System.Reflection.CallingConventions"), 1)
    calli = _constant(env, codes, "Calli")
    call_framework(env, code, _GENERATOR, "EmitCalli", [calli, standard, result, taken, types.NULL_OPERAND])
    emit("Ret")
    return method


def _constant(env: Environment, owner: Type, name: str) -> Operand:
    """A static field of a class of the framework that is initialised."""
    declaring, field = env.universe.id_of(env.program, owner), declared_members(env.universe, owner).field(name)
    assert field is not None
    assert declaring is not None
    return field_access(env, declaring, field)(env, types.NULL_OPERAND)
