"""Pointers as closures: reads through them, their arithmetic, and calls of function pointers.

The runtime tells neither the method that a function pointer leads to nor calls one by its address. A dynamic method
of the program, whose code is the instruction `calli`, does, with the signature that the variable is declared with
(C# specification 23.9.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.bound_tree import Operation, PointerCall
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.framework_methods import call_framework, framework_method, framework_type
from dap_dotnet.evaluation.operations.placed import pointed, size_of
from dap_dotnet.evaluation.operations.reflected_calls import invoke_method
from dap_dotnet.evaluation.operations.static_fields import initialise
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.running.steps import in_order
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_members
from dap_dotnet.runtime.model import FieldRef

_EMIT = "System.Reflection.Emit"
_GENERATOR = f"{_EMIT}.ILGenerator"
_BITS = (1 << 64) - 1


def read_pointed(code: Operation, closures: Closures) -> Run:
    """What a pointer points to."""
    operands = in_order([closures.of(one) for one in code.operands])

    def run(env: Environment) -> Operand:
        pointer, *index = operands(env)
        return pointed(env, pointer, *index).read(env)

    return run


def offset(code: Operation, closures: Closures) -> Run:
    """A pointer that is so many elements behind another."""
    operands, kind = in_order([closures.of(one) for one in code.operands]), code.type

    def run(env: Environment) -> Operand:
        pointer, count = operands(env)
        return Operand(kind, (pointer.data + count.data * _size(env, kind.element)) & _BITS)

    return run


def distance(code: Operation, closures: Closures) -> Run:
    """How many elements are between two pointers."""
    operands, element = in_order([closures.of(one) for one in code.operands]), code.operands[0].type.element

    def run(env: Environment) -> Operand:
        first, second = operands(env)
        return Operand(types.I8, int((first.data - second.data) / _size(env, element)))

    return run


def _size(env: Environment, element: Type) -> int:
    return size_of(env, element, env.universe.id_of(env.program, element))


def called(code: PointerCall, closures: Closures) -> Run:
    """A call of a function pointer."""
    pointer, parameters = closures.of(code.pointer), code.parameters
    arguments = in_order([closures.of(one) for one in code.arguments])
    returned = code.type if code.type is not types.VOID else None

    def run(env: Environment) -> Operand:
        given = [passed(env, one) for one in arguments(env)]
        value = pointer(env).program_value
        address = int.from_bytes(value.raw, "little") if value is not None else 0
        if not address:
            raise Thrown("System.NullReferenceException", "the function pointer is null")
        given.append(Operand(types.I8, address))
        method = _dynamic_method(env, parameters, returned)
        result = invoke_method(env, method, types.NULL_OPERAND, create_array(env, types.OBJECT, given))
        return cast(env, result, returned) if returned is not None else Operand(types.VOID, None)

    return run


def _dynamic_method(env: Environment, parameters: Sequence[Type], returned: Type | None) -> Operand:
    """A method that takes the parameters and then the address, and calls it."""
    codes, one_code = framework_type(env, f"{_EMIT}.OpCodes"), framework_type(env, f"{_EMIT}.OpCode")
    type_type, method_type = framework_type(env, "System.Type"), framework_type(env, f"{_EMIT}.DynamicMethod")
    initialise(env, codes)

    def emit(instruction: str, *operands: Operand) -> None:
        kinds = [one_code, *(one.type for one in operands)]
        call_framework(env, code, _GENERATOR, "Emit", [_constant(env, codes, instruction), *operands], parameters=kinds)

    result = type_object(env, returned) if returned is not None else types.NULL_OPERAND
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
    kind = env.universe.field_type(env.program, declaring, field.token)
    return env.operand(env.static(FieldRef(declaring, field.token)), kind)
