"""Pointers as closures: reads through them, their arithmetic, and calls of function pointers.

The runtime tells neither the method that a function pointer leads to nor calls one by its address. A dynamic method
of the program, whose code is the instruction `calli`, does, with the signature that the variable is declared with
(C# specification 23.9.4).
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.bound_tree import Operation, PointerCall
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.creation import create, create_array
from dap_dotnet.evaluation.operations.placed import size_of
from dap_dotnet.evaluation.operations.pointers import pointed
from dap_dotnet.evaluation.operations.reflected_calls import called_by_name, without_wrapping
from dap_dotnet.evaluation.operations.static_fields import initialise
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.running.closures import Closures, Run
from dap_dotnet.evaluation.running.steps import in_order
from dap_dotnet.evaluation.running.structures import passed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.runtime.model import FieldRef
from dap_dotnet.symbols.types import members

_EMIT = "System.Reflection.Emit"
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
        boxes = create_array(env, types.OBJECT, given)
        none = types.NULL_OPERAND
        result = called_by_name(env, method, "Invoke", [none, without_wrapping(env), none, boxes, none])
        return cast(env, result, returned) if returned is not None else Operand(types.VOID, None)

    return run


def _dynamic_method(env: Environment, parameters: Sequence[Type], returned: Type | None) -> Operand:
    """A method that takes the parameters and then the address, and calls it."""

    def emit(instruction: str, *operands: Operand, by: str = "Emit") -> None:
        called_by_name(env, code, by, [_constant(env, f"{_EMIT}.OpCodes", instruction), *operands])

    type_type, method_type = env.universe.named("System.Type"), env.universe.named(f"{_EMIT}.DynamicMethod")
    if type_type is None or method_type is None:
        raise EvaluationError("The program's framework makes no dynamic methods: call the method by its name")
    result = type_object(env, returned) if returned is not None else types.NULL_OPERAND
    own = create_array(env, type_type, [Operand(types.TYPE, kind) for kind in (*parameters, types.I8)])
    taken = create_array(env, type_type, [Operand(types.TYPE, kind) for kind in parameters])
    method = create(env, method_type, Given([Operand(types.STRING, "call"), result, own, types.TRUE]))
    code = called_by_name(env, method, "GetILGenerator", [])
    for number in range(len(parameters) + 1):
        emit("Ldarg", Operand(types.I2, number))
    emit("Conv_I")
    standard = Operand(_named(env, "System.Reflection.CallingConventions"), 1)
    emit("Calli", standard, result, taken, types.NULL_OPERAND, by="EmitCalli")
    emit("Ret")
    return method


def _named(env: Environment, name: str) -> Type:
    found = env.universe.named(name)
    if found is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return found


def _constant(env: Environment, owner_name: str, name: str) -> Operand:
    """A static field of the framework."""
    owner = _named(env, owner_name)
    initialise(env, owner)
    definition, declaring = env.universe.definition_of(owner), env.universe.id_of(env.program, owner)
    module = env.universe.module_of(owner)
    field = members(module, definition[1] if definition is not None else None).field(name)
    assert field is not None
    assert declaring is not None
    kind = env.universe.field_type(env.program, declaring, field.token)
    return env.operand(env.static(FieldRef(declaring, field.token)), kind)
