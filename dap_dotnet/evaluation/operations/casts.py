"""Conversions between types, and the type test behind casts, `is` and `as` (C# specification 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.operations.default_values import default_of
from dap_dotnet.evaluation.operations.dispatch import parameter_types
from dap_dotnet.evaluation.operations.formattable import make_formattable
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.nullables import held_operand
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.rules.conversions import cast_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Elements, Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import is_delegate
from dap_dotnet.evaluation.types.implicit_conversions import BOX_BASES, implicitly_converts
from dap_dotnet.evaluation.types.inheritance import ARRAY_INTERFACES, is_interface, is_sealed, is_subtype
from dap_dotnet.evaluation.types.string_handlers import takes_formattable
from dap_dotnet.evaluation.types.tuple_names import are_alike, is_tuple
from dap_dotnet.evaluation.types.universe import Universe
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


def converted_items(
    env: Environment,
    items: Sequence[Operand],
    kinds: Sequence[Type],
    convert: Callable[[Operand, Type, Operand | None], Operand],
) -> tuple[Operand, ...]:
    """The elements of a tuple of the expression, each as another type has it. Those given stay as they are.

    `convert` gets the element, its type, and the constant that it is.
    """
    constants = items.constants if isinstance(items, Elements) else ()
    return tuple(
        convert(Operand(item.type, item.data, item.value, item.names), kind, known)
        for item, kind, known in zip(items, kinds, constants or (None,) * len(items), strict=True)
    )


def taken_apart(env: Environment, operand: Operand, target: Type) -> Operand | None:
    """A tuple of the program as one of the expression, where a tuple of as many elements of other types is wanted."""
    wanted = target.element if target.kind is Kind.NULLABLE else target
    if operand.type is wanted or not are_alike(operand.type, wanted):
        return None
    readers = [MemberReader(f"Item{number}") for number in range(1, len(wanted.arguments) + 1)]
    return Operand(types.TUPLE, tuple(reader.read(env, operand) for reader in readers))


def _cast_items(env: Environment, items: tuple[Operand, ...], target: Type, *, checked: bool) -> tuple[Operand, ...]:
    """The elements of a tuple of the expression, each as the target has it where that is a tuple of as many."""
    wanted = target.element if target.kind is Kind.NULLABLE else target
    if not is_tuple(wanted) or len(wanted.arguments) != len(items):
        return items
    return converted_items(env, items, wanted.arguments, lambda item, kind, _: cast(env, item, kind, checked=checked))


def cast(env: Environment, operand: Operand, target: Type, *, checked: bool = False) -> Operand:
    """`(target)operand`. Raises `EvaluationError`: CS0030 when there is no conversion, or the exception it throws."""
    source = operand.type
    if source is target:
        return operand
    if source.kind is Kind.DEFAULT:
        return default_of(env, target)
    if source.kind is Kind.LAMBDA:
        delegate: Operand = operand.data.in_program(env)
        return delegate
    if takes_formattable(operand, target):
        return make_formattable(env, operand, target)
    apart = taken_apart(env, operand, target)
    if apart is not None:
        return cast(env, apart, target, checked=checked)
    if source.kind is Kind.TUPLE:
        items = operand.data if source is types.ANONYMOUS else _cast_items(env, operand.data, target, checked=checked)
        whole = Operand(source, items, None, operand.names)
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
    if source.kind is Kind.POINTER and (target.kind is Kind.POINTER or _is_integer(target)):
        data = operand.data if target.kind is Kind.POINTER else numeric.wrap(target.code, operand.data)
        return Operand(target, data)
    if target.kind is Kind.POINTER and source.kind is Kind.NULL:
        return Operand(target, 0)
    if target.kind is Kind.POINTER and _is_integer(source):
        return Operand(target, operand.data & ((1 << 64) - 1))
    if source.is_reference and target.is_value_type:
        made = user_conversion(env, operand, target, checked=checked) if _may_convert(source) else None
        return cast(env, made, target, checked=checked) if made is not None else _unboxed(env, operand, target)
    if source.is_value_type and target.is_reference:
        if is_instance(env, operand, target) or operand.data is None:
            return boxed(env, operand, target)
    elif source.is_reference and target.is_reference:
        return _reference(env, operand, target)
    made = user_conversion(env, operand, target, checked=checked)
    if made is None:
        raise Diagnostic("CS0030", source.name, target.name)
    return cast(env, made, target, checked=checked)


def _may_convert(source: Type) -> bool:
    """Whether a class may define conversions to a value type; one that boxes may have defines none."""
    return source.kind is Kind.CLASS and source is not types.OBJECT and source.full_name not in BOX_BASES


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


def _is_integer(candidate: Type) -> bool:
    return candidate.kind is Kind.NUMBER and candidate.code in numeric.BITS


def _to_nullable(env: Environment, operand: Operand, target: Type, *, checked: bool) -> Operand:
    if operand.data is None:
        return Operand(target, None)
    given = held_operand(operand) if operand.type.kind is Kind.NULLABLE else operand
    inner = cast(env, given, target.element, checked=checked)
    return Operand(target, inner.data)


def _unboxed(env: Environment, operand: Operand, target: Type) -> Operand:
    """A box opens to its exact type only; an enum also to its underlying type and back."""
    if operand.type.kind is Kind.NULL or operand.data is None:
        raise null_reference(f"the object to unbox to '{target.name}'")
    value = operand.data
    if not isinstance(value, Value):
        raise Diagnostic("CS0030", operand.type.name, target.name)
    own = env.own_type(operand)
    inner = env.opened_box(value)
    same = own is target or (own.kind is Kind.NUMBER and target.kind is Kind.NUMBER and own.code is target.code)
    if own.kind is Kind.ENUM or target.kind is Kind.ENUM:
        same = same or (own.underlying or own) is (target.underlying or target)
    if not same:
        raise EvaluationError(
            f"System.InvalidCastException: Unable to cast object of type '{own.name}' to type '{target.name}'."
        )
    return Operand(target, inner.data, inner.value)


def _reference(env: Environment, operand: Operand, target: Type) -> Operand:
    if operand.data is None:
        return Operand(target, None, operand.value)
    if not is_instance(env, operand, target):
        made = user_conversion(env, operand, target)
        if made is not None:
            return cast(env, made, target)
        own = env.own_type(operand)
        if is_never(env.universe, operand.type, target):
            raise Diagnostic("CS0030", operand.type.name, target.name)
        raise EvaluationError(
            f"System.InvalidCastException: Unable to cast object of type '{own.name}' to type '{target.name}'."
        )
    if target.kind is Kind.STRING:
        value = operand.data
        return env.operand(value) if isinstance(value, Value) else Operand(target, value)
    return Operand(target, operand.data, operand.value)


_EXACT = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRUCT, Kind.ARRAY})
"""Of these a value is of no other class than those above its type."""


def is_never(universe: Universe, source: Type, target: Type) -> bool:
    """Whether no value of one type, boxed or not, can be of a class (C# specification 10.3.5, 10.3.7)."""
    if source.parameter is not None or target.parameter is not None:
        return False
    if source.kind is Kind.ARRAY and target.kind is Kind.ARRAY:
        return _is_never_array(universe, source, target)
    if target.kind not in (Kind.CLASS, Kind.STRING, Kind.ARRAY):
        return False
    if is_interface(universe, target):
        return _is_never_interface(universe, source, target)
    if is_delegate(universe, source) and source.definition == target.definition:
        return False  # variance
    if source.kind in _EXACT:
        return not implicitly_converts(universe, source, target)
    if source.kind not in (Kind.CLASS, Kind.STRING) or is_interface(universe, source):
        return False
    return not (is_subtype(universe, source, target) or is_subtype(universe, target, source))


def _is_never_interface(universe: Universe, source: Type, target: Type) -> bool:
    """Of what is sealed the interfaces are known; arrays have those of lists of what their elements convert to."""
    if source.kind is Kind.ARRAY:
        if is_subtype(universe, source, target):
            return False
        is_list = source.rank == 1 and target.full_name in ARRAY_INTERFACES
        return not is_list or _is_never_element(universe, source.element, target.element)
    return is_sealed(universe, source) and not is_subtype(universe, source, target)


def _is_never_array(universe: Universe, source: Type, target: Type) -> bool:
    """Elements that are values convert to no others; those that are references as what the arrays hold."""
    if source.rank != target.rank or source.code is not target.code:
        return True
    return _is_never_element(universe, source.element, target.element)


def _is_never_element(universe: Universe, source: Type, target: Type) -> bool:
    if source is target:
        return False
    return source.is_value_type or target.is_value_type or is_never(universe, source, target)


def user_conversion(env: Environment, operand: Operand, target: Type, *, checked: bool = False) -> Operand | None:
    """What a user-defined conversion, implicit or explicit, makes of an operand that is cast to `target`.

    It may be of another type, which is to be cast to the target. None when there is none.
    """
    found = cast_operator(env.universe, operand.type, target, checked=checked)
    if found is None:
        return None
    (parameter,) = parameter_types(env, found[0])
    number = operand.type.kind is Kind.NUMBER and parameter is not None and parameter.kind is Kind.NUMBER
    if number and parameter is not None and parameter is not operand.type:
        convert = numeric.convert(operand.type.code, parameter.code, checked=checked)
        operand = Operand(parameter, convert(operand.data))
    return env.runner.run(env, found[0], None, [operand])
