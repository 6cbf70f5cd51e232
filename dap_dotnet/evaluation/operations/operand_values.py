"""Operands as values, and conversions of values: what an evaluation gives and a call takes, boxes, nullables, casts.

Which conversion applies, the binder has decided.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.conversions import BOX_BASES
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_subtype
from dap_dotnet.runtime.model import Value


class NotPassedError(EvaluationError):
    """A function evaluation cannot take an argument as it is; reflection may. Nothing has run yet."""


class NotLoadedError(EvaluationError):
    """A call needs a type that the program has not loaded. Nothing has run yet."""


class MadeBox(Value, frozen=True):
    """A box that the expression made. There is none in the program: a handle is that of the value inside."""


def boxed(env: Environment, operand: Operand, target: Type = types.OBJECT) -> Operand:
    """A value type's value as an object."""
    if operand.type.kind is Kind.NULLABLE and operand.data is None:
        return Operand(target, None)
    value = env.to_value(operand)
    if operand.type.kind is Kind.NULLABLE and operand.value is not None:
        inner = Operand(operand.type.element, operand.data)
        value = env.to_value(inner)
    kind = operand.type.stripped
    type_id = value.type or env.universe.id_of(env.program, kind)
    box = MadeBox(value.handle, type_id, value.element_type, False, True, True, value.address, value.raw,
                value.text, value.length, parts=value.parts)  # fmt: skip
    if box.handle is not None:
        env.roots.note(box)
    return Operand(target, box, box)


def held_operand(nullable: Operand) -> Operand:
    """What a nullable that is not null holds, without the place where it is kept."""
    data = nullable.data
    return Operand(nullable.type.element, data, data if isinstance(data, Value) else None, nullable.names)


def zero_of(kind: Type) -> Any:
    """The data of a type's default value; None for structures too, which a place in the program is cleared for."""
    if kind.kind is Kind.BOOL:
        return False
    if kind.kind is Kind.NUMBER:
        return Decimal(0) if kind.code is types.DECIMAL.code else 0.0 if kind in (types.R4, types.R8) else 0
    return 0 if kind.kind in (Kind.ENUM, Kind.POINTER) else None


def default_of(env: Environment, kind: Type) -> Operand:
    """The default value of a type; that of a structure is made in the program. Raises `EvaluationError` without it."""
    if kind.kind is Kind.STRUCT:
        return env.runner.construct(env, kind, None, [])
    return Operand(kind, zero_of(kind))


def unbox(env: Environment, target: Operand) -> Operand:
    """What a box holds, or a string that is seen as an object, as an operand of its own type; others as they are."""
    data = target.data
    if target.type.kind is Kind.CLASS and data is not None and env.own_type(target) is types.STRING:
        return Operand(types.STRING, data, target.value)
    return env.opened_box(data) if isinstance(data, Value) and data.is_boxed else target


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
    convert = number_converter(source, target, checked=checked, saturates=env.saturates)
    if convert is not None:
        return Operand(target, convert(operand.data))
    if target.kind is Kind.POINTER:
        return Operand(target, operand.data & ((1 << 64) - 1))
    if source.kind is Kind.POINTER:
        return Operand(target, numeric.wrap(target.code, operand.data))
    if target.is_value_type:
        return _unboxed(env, operand, target)
    return boxed(env, operand, target) if source.is_value_type else _reference(env, operand, target)


def number_conversion(source: Type, target: Type, data: Any) -> Operand | None:
    """Among numbers and enums; None for other types."""
    convert = number_converter(source, target)
    return Operand(target, convert(data)) if convert is not None else None


def number_converter(
    source: Type, target: Type, *, checked: bool = False, saturates: bool = True
) -> Callable[[Any], Any] | None:
    """What converts a number or enum to another type of these; None for other types."""
    source_code = source.underlying.code if source.underlying is not None else source.code
    target_code = target.underlying.code if target.underlying is not None else target.code
    kinds = (Kind.NUMBER, Kind.ENUM)
    if source.kind not in kinds or target.kind not in kinds:
        return None
    return numeric.convert(source_code, target_code, checked=checked, saturates=saturates)


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
