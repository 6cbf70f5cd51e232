"""Methods that the IL machine knows without their IL: the runtime's own, and those of strings, arrays and decimals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.framework_getters import OWNERS, framework_getter
from dap_dotnet.evaluation.interpreter.stack_values import Address, typed, zero
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.operations.dispatch import method_of
from dap_dotnet.evaluation.operations.indexing import char_at
from dap_dotnet.evaluation.operations.known_members import known_method, known_static
from dap_dotnet.evaluation.operations.text import strings_equal
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, boolean
from dap_dotnet.runtime.model import Value

_DECIMAL_OPERATORS = {
    "op_Addition": "+", "op_Subtraction": "-", "op_Multiply": "*", "op_Division": "/", "op_Modulus": "%",
}  # fmt: skip
_DECIMAL_COMPARISONS = {
    "op_Equality": "==", "op_Inequality": "!=", "op_LessThan": "<", "op_LessThanOrEqual": "<=",
    "op_GreaterThan": ">", "op_GreaterThanOrEqual": ">=",
}  # fmt: skip
_MATH: dict[str, Callable[..., Any]] = {"Abs": abs, "Max": max, "Min": min}
_MATH_DOUBLE: dict[str, Callable[[float], float]] = {
    "Floor": math.floor, "Ceiling": math.ceil, "Truncate": math.trunc, "Sqrt": math.sqrt,
}  # fmt: skip


def intrinsic(env: Environment, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand | None:
    """The result; None for methods that are not known."""
    if method.owner.full_name == "System.Threading.Volatile" and method_of(env, method).name == "Read":
        place = arguments[0]
        return place.target if isinstance(place, Address) else place
    if method.owner.full_name == "System.Runtime.CompilerServices.Unsafe":
        raise NotInterpretable("memory seen as another type")
    operands = [argument for argument in arguments if isinstance(argument, Operand)]
    if len(operands) != len(arguments):
        return None
    owner = method.owner
    if owner.full_name in OWNERS:
        return framework_getter(env, method_of(env, method).name, operands, owner.full_name)
    special = _SPECIAL.get(owner.full_name)
    if special is not None:
        return special(env, method_of(env, method).name, operands)
    if owner is types.STRING or owner is types.OBJECT or owner.full_name in _OWNERS or owner.kind is Kind.NULLABLE:
        own = method_of(env, method)
        return _known(env, method, own.name, operands, is_static=own.is_static)
    return None


def _handle(env: Environment, name: str, operands: list[Operand]) -> Operand | None:
    """The object of a GCHandle: what is at the address that the handle is."""
    if name != "InternalGet" or len(operands) != 1 or type(operands[0].data) is not int:
        return None
    address = int.from_bytes(env.debuggee.read_memory(operands[0].data, 8), "little")
    return env.operand(env.debuggee.heap_object(address)) if address else Operand(types.OBJECT, None)


def _argument_exception(env: Environment, name: str, operands: list[Operand]) -> Operand | None:
    """Its Message looks the words around the parameter's name up in resources; without a text of its own others too."""
    exception = operands[0].program_value if operands else None
    if name != "get_Message" or exception is None:
        return None
    message, parameter = (env.operand(env.read_named(exception, field)) for field in ("_message", "_paramName"))
    text, parameter_name = env.text(message), env.text(parameter)
    if text is None:
        return None
    return Operand(types.STRING, f"{text} (Parameter '{parameter_name}')") if parameter_name else message


_SPECIAL: dict[str, Callable[[Environment, str, list[Operand]], Operand | None]] = {
    "System.Runtime.InteropServices.GCHandle": _handle,
    "System.ArgumentException": _argument_exception,
}
_OWNERS = frozenset({"System.Array", "System.Decimal", "System.Math"})


def _known(
    env: Environment, method: ExactMethod, name: str, operands: list[Operand], *, is_static: bool
) -> Operand | None:
    owner = method.owner
    if owner is types.STRING:
        return _string(env, name, operands, is_static=is_static)
    if owner is types.OBJECT:
        if is_static:
            return known_static(env, owner, name, operands)
        if name != "GetType" or env.wants_type_object:
            return None
        return known_method(env, operands[0], name, operands[1:])
    if owner.kind is Kind.NULLABLE:
        return _nullable(name, *operands) if operands and operands[0].type is owner else None
    if owner.full_name == "System.Array":
        data = operands[0].data if operands else None
        if isinstance(data, Value) and name in ("get_Length", "get_LongLength"):
            return Operand(types.I4 if name == "get_Length" else types.I8, data.length)
        return None
    if owner.full_name == "System.Decimal":
        return _decimal(name, operands)
    return _math(name, operands)


def _string(env: Environment, name: str, operands: list[Operand], *, is_static: bool) -> Operand | None:
    operands = [Operand(types.STRING, one.data, one.value) if _is_string(env, one) else one for one in operands]
    if name in ("op_Equality", "op_Inequality"):
        return boolean(strings_equal(env, operands[0], operands[1]) is (name == "op_Equality"))
    if is_static:
        return known_static(env, types.STRING, name, operands)
    data = operands[0].data
    if not isinstance(data, str | Value):
        raise NotInterpretable("a string that is none")
    if name == "get_Length":
        return Operand(
            types.I4, data.length if isinstance(data, Value) else len(data.encode("utf-16-le", "surrogatepass")) // 2
        )
    if name == "get_Chars":
        return char_at(env, operands[0], operands[1])
    if name == "Substring":
        return _substring(env, *operands)
    return known_method(env, operands[0], name, operands[1:])


def _substring(env: Environment, string: Operand, start: Operand, length: Operand | None = None) -> Operand | None:
    """None where the method throws."""
    units = (env.text(string) or "").encode("utf-16-le", "surrogatepass")
    end = start.data + length.data if length is not None else len(units) // 2
    if not 0 <= start.data <= end <= len(units) // 2:
        return None
    return Operand(types.STRING, units[2 * start.data : 2 * end].decode("utf-16-le", "surrogatepass"))


def _is_string(env: Environment, operand: Operand) -> bool:
    """Whether it is a string, be it seen as an object."""
    return operand.type is not types.STRING and operand.data is not None and env.own_type(operand) is types.STRING


def _nullable(name: str, operand: Operand, default: Operand | None = None) -> Operand | None:
    if name == "get_HasValue":
        return boolean(operand.data is not None)
    if name in ("get_Value", "GetValueOrDefault") and operand.data is not None:
        return Operand(operand.type.element, operand.data)
    if name == "GetValueOrDefault" and default is not None:
        return typed(operand.type.element, default)
    if name == "GetValueOrDefault" and operand.type.element.kind in (Kind.NUMBER, Kind.BOOL, Kind.ENUM):
        return zero(operand.type.element)
    return None


def _decimal(name: str, operands: list[Operand]) -> Operand | None:
    if any(not isinstance(operand.data, Decimal) for operand in operands) or len(operands) != 2:
        return None
    left, right = operands
    if name in _DECIMAL_OPERATORS:
        function = numeric.binary(_DECIMAL_OPERATORS[name], numeric.DECIMAL)
        assert function is not None
        return Operand(left.type, function(left.data, right.data))
    if name in _DECIMAL_COMPARISONS:
        return boolean(numeric.COMPARISONS[_DECIMAL_COMPARISONS[name]](left.data, right.data))
    return None


def _math(name: str, operands: list[Operand]) -> Operand | None:
    """Only what is exact: the transcendental functions may differ in their last bit from processor to processor."""
    kinds = {operand.type for operand in operands}
    if len(kinds) != 1:
        return None
    kind = operands[0].type
    values = [operand.data for operand in operands]
    if kind.kind is not Kind.NUMBER or any(isinstance(value, Value) for value in values):
        return None
    if any(value != value for value in values):  # noqa: PLR0124 - NaN
        return None
    if name in _MATH and len(operands) == (1 if name == "Abs" else 2) and 0 not in values:
        result = _MATH[name](*values)
        fits = kind.code in numeric.FLOATS or kind.code is numeric.DECIMAL or numeric.fits(result, kind.code)
        return Operand(kind, result) if fits else None
    if name in _MATH_DOUBLE and kind is types.R8 and len(operands) == 1 and values[0] > 0 and math.isfinite(values[0]):
        return Operand(kind, float(_MATH_DOUBLE[name](values[0])))
    return None
