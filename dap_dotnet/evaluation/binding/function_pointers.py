"""Calls of function pointers (C# specification 23.9.4): a dynamic method of the program makes the call for them.

The runtime tells neither the method that a pointer leads to nor calls one by its address. A method whose code is the
instruction `calli` does, with the signature that the variable is declared with.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.creation import create, create_array
from dap_dotnet.evaluation.operations.dispatch import is_by_reference
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.reflected_calls import called_by_name, without_wrapping
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.stack_only import is_stack_only
from dap_dotnet.symbols.modules import LoadedModule
from portablepdb.signatures import FunctionPointerType, TypeSignature

_EMIT = "System.Reflection.Emit"
_VOID = 0x01
_CONVENTION, _MANAGED = 0x0F, 0x00
"""The bits of a signature's header that say how it is called (ECMA-335 II.23.2.1)."""


def bind_pointer_call(binder: NameBinder, node: syntax.Call, name: str) -> Bound | None:
    """`pointer(…)`, of a variable of the frame; None where that is no function pointer.

    Raises `EvaluationError` for signatures whose values cannot be passed as objects, CS1593 for the wrong number of
    arguments.
    """
    if binder.variables is None:
        return None
    known = binder.variables.signature(binder.env, name)
    if known is None or not isinstance(known[1], FunctionPointerType):
        return None
    module, signature = known[0], known[1].signature
    if signature.header & _CONVENTION != _MANAGED:
        raise EvaluationError("Pointers to unmanaged functions are not called")
    parameters = [_type(binder, module, parameter) for parameter in signature.parameters]
    returns_nothing = getattr(signature.return_type, "code", None) == _VOID
    returned = None if returns_nothing else _type(binder, module, signature.return_type)
    if len(node.arguments) != len(parameters):
        count = len(node.arguments)
        raise Diagnostic("CS1593 function pointer", name, count)
    arguments = [binder.typed(argument.value, kind) for argument, kind in zip(node.arguments, parameters, strict=True)]
    pointer = binder.expression(syntax.Name(name)).run

    def call(env: Environment) -> Operand:
        first = len(env.live)
        try:
            for argument, kind in zip(arguments, parameters, strict=True):
                env.live.append(convert_implicitly(env, argument.run(env), kind, argument.constant))
            passed = env.live[first:]
            value = pointer(env).program_value
            address = int.from_bytes(value.raw, "little") if value is not None else 0
            if not address:
                raise Thrown("System.NullReferenceException", "the function pointer is null")
            passed.append(Operand(types.I8, address))
            method = _dynamic_method(binder, env, parameters, returned)
            boxes = _live(env, create_array(env, types.OBJECT, passed))
            none = types.NULL_OPERAND
            result = called_by_name(env, method, "Invoke", [none, without_wrapping(env), none, boxes, none])
            return cast(env, result, returned) if returned is not None else Operand(types.VOID, None)
        finally:
            del env.live[first:]

    return Bound(call, returned)


def _type(binder: NameBinder, module: LoadedModule, signature: TypeSignature) -> Type:
    """A type of the signature whose values can be boxed."""
    kind = binder.universe.of_signature(module, signature) if not is_by_reference(signature) else None
    if kind is None or kind.kind is Kind.POINTER or is_stack_only(binder.universe, kind):
        raise EvaluationError("Function pointers with references, pointers or ref structs in their type are not called")
    return kind


def _dynamic_method(binder: NameBinder, env: Environment, parameters: Sequence[Type], returned: Type | None) -> Operand:
    """A method that takes the parameters and then the address, and calls it."""

    def emit(instruction: str, *operands: Operand, by: str = "Emit") -> None:
        called_by_name(env, code, by, [_constant(binder, env, f"{_EMIT}.OpCodes.{instruction}"), *operands])

    type_type, method_type = env.universe.named("System.Type"), env.universe.named(f"{_EMIT}.DynamicMethod")
    if type_type is None or method_type is None:
        raise EvaluationError("The program's framework makes no dynamic methods: call the method by its name")
    result = _live(env, type_object(env, returned)) if returned is not None else types.NULL_OPERAND
    own = _live(env, create_array(env, type_type, [Operand(types.TYPE, kind) for kind in (*parameters, types.I8)]))
    called = _live(env, create_array(env, type_type, [Operand(types.TYPE, kind) for kind in parameters]))
    method = _live(env, create(env, method_type, Given([Operand(types.STRING, "call"), result, own, types.TRUE])))
    code = _live(env, called_by_name(env, method, "GetILGenerator", []))
    for number in range(len(parameters) + 1):
        emit("Ldarg", Operand(types.I2, number))
    emit("Conv_I")
    standard = _constant(binder, env, "System.Reflection.CallingConventions.Standard")
    emit("Calli", standard, result, called, types.NULL_OPERAND, by="EmitCalli")
    emit("Ret")
    return method


def _constant(binder: NameBinder, env: Environment, name: str) -> Operand:
    return _live(env, binder.expression(parse(name)).run(env))


def _live(env: Environment, operand: Operand) -> Operand:
    env.live.append(operand)
    return operand
