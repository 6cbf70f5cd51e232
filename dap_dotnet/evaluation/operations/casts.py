"""Conversions of values, and the type test behind casts, `is` and `as`. Which conversion, the binder has decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import boxed, held_operand
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import BOX_BASES
from dap_dotnet.evaluation.types.inheritance import is_subtype
from dap_dotnet.runtime.model import Value


def is_instance(env: Environment, operand: Operand, target: Type) -> bool:
    """`operand is target`: the type test at run time. Null is an instance of nothing."""
    if operand.data is None:
        return False
    if target.kind is Kind.NULLABLE:
        target = target.element
    own = env.own_type(operand)
    if own.kind is Kind.ENUM and target.full_name == "System.Enum":
        return True
    if own.is_value_type and target.full_name in BOX_BASES:
        return True
    return is_subtype(env.universe, own, target)


def cast(env: Environment, operand: Operand, target: Type, *, checked: bool = False) -> Operand:
    """A value as one of a type that it converts to. Raises `EvaluationError` with the exception that this throws."""
    source = operand.type
    if source is target:
        return operand
    if source.kind is Kind.LAMBDA:
        delegate: Operand = operand.data.in_program(env)
        return delegate
    if source.kind is Kind.TUPLE:
        whole = Operand(source, operand.data, None, operand.names)
        env.runner.put_on_heap(env, whole)
        return cast(env, whole, target, checked=checked)
    if target.kind is Kind.NULLABLE:
        return _to_nullable(env, operand, target, checked=checked)
    if source.kind is Kind.NULLABLE and target.is_value_type:
        if operand.data is None:
            raise Thrown("System.InvalidOperationException", "Nullable object must have a value.")
        return cast(env, held_operand(operand), target, checked=checked)
    converted = number_conversion(source, target, operand.data, checked=checked)
    if converted is not None:
        return converted
    if target.kind is Kind.POINTER:
        return Operand(target, operand.data & ((1 << 64) - 1))
    if source.kind is Kind.POINTER:
        return Operand(target, numeric.wrap(target.code, operand.data))
    if target.is_value_type:
        return _unboxed(env, operand, target)
    return boxed(env, operand, target) if source.is_value_type else _reference(env, operand, target)


def number_conversion(source: Type, target: Type, data: Any, *, checked: bool = False) -> Operand | None:
    """Among numbers and enums; None for other types."""
    convert = number_converter(source, target, checked=checked)
    return Operand(target, convert(data)) if convert is not None else None


def number_converter(source: Type, target: Type, *, checked: bool = False) -> Callable[[Any], Any] | None:
    """What converts a number or enum to another type of these; None for other types."""
    source_code = source.underlying.code if source.underlying is not None else source.code
    target_code = target.underlying.code if target.underlying is not None else target.code
    kinds = (Kind.NUMBER, Kind.ENUM)
    if source.kind not in kinds or target.kind not in kinds:
        return None
    return numeric.convert(source_code, target_code, checked=checked)


def _to_nullable(env: Environment, operand: Operand, target: Type, *, checked: bool) -> Operand:
    if operand.data is None:
        return Operand(target, None)
    given = held_operand(operand) if operand.type.kind is Kind.NULLABLE else operand
    inner = cast(env, given, target.element, checked=checked)
    return Operand(target, inner.data)


def _unboxed(env: Environment, operand: Operand, target: Type) -> Operand:
    """A box opens to its exact type only; an enum also to its underlying type and back."""
    if operand.data is None:
        raise null_reference(f"the object to unbox to '{target.name}'")
    own = env.own_type(operand)
    same = own is target or (own.kind is Kind.NUMBER and target.kind is Kind.NUMBER and own.code is target.code)
    if own.kind is Kind.ENUM or target.kind is Kind.ENUM:
        same = same or (own.underlying or own) is (target.underlying or target)
    if not same:
        raise _invalid_cast(own, target)
    inner = env.opened_box(operand.data)
    return Operand(target, inner.data, inner.value)


def _reference(env: Environment, operand: Operand, target: Type) -> Operand:
    if operand.data is None:
        return Operand(target, None, operand.value)
    if not is_instance(env, operand, target):
        raise _invalid_cast(env.own_type(operand), target)
    if target.kind is Kind.STRING:
        value = operand.data
        return env.operand(value) if isinstance(value, Value) else Operand(target, value)
    return Operand(target, operand.data, operand.value)


def _invalid_cast(own: Type, target: Type) -> EvaluationError:
    return EvaluationError(
        f"System.InvalidCastException: Unable to cast object of type '{own.name}' to type '{target.name}'."
    )
