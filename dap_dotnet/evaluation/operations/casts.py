"""Conversions between types, and the type test behind casts, `is` and `as` (C# specification 10)."""

from __future__ import annotations

from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment, content_of
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, TypeDefToken, Value

_ARRAY_BASES = frozenset({
    "System.Array", "System.ICloneable", "System.Collections.IList", "System.Collections.ICollection",
    "System.Collections.IEnumerable", "System.Collections.IStructuralComparable",
    "System.Collections.IStructuralEquatable",
})  # fmt: skip
_ARRAY_INTERFACES = frozenset({
    "System.Collections.Generic.IEnumerable`1", "System.Collections.Generic.ICollection`1",
    "System.Collections.Generic.IList`1", "System.Collections.Generic.IReadOnlyList`1",
    "System.Collections.Generic.IReadOnlyCollection`1",
})  # fmt: skip
_BOX_BASES = frozenset({"System.ValueType", "System.Object"})
_MAX_BASES = 256


def is_subtype(universe: Universe, source: Type, target: Type) -> bool:
    """Whether an object of exact type `source` is a `target`: identity, base classes, interfaces, array covariance.

    From metadata alone.
    """
    if source is target or target is types.OBJECT:
        return True
    if source.kind is Kind.NUMBER and target.kind is Kind.NUMBER:
        return source.code is target.code
    if source.kind is Kind.ARRAY:
        return _array_is(universe, source, target)
    definition = universe.definition_of(source)
    if definition is None:
        return False
    return any(
        found is target or _variant(universe, found, target)
        for found in ancestors(universe, definition, source.arguments)
    )


def _array_is(universe: Universe, source: Type, target: Type) -> bool:
    if target.kind is Kind.ARRAY:
        same_shape = source.rank == target.rank and source.code is target.code
        return same_shape and _element_is(universe, source.element, target.element)
    if target.full_name in _ARRAY_BASES:
        return True
    is_vector = source.code is ElementType.SZARRAY and target.full_name in _ARRAY_INTERFACES
    return is_vector and _element_is(universe, source.element, target.arguments[0])


def _element_is(universe: Universe, source: Type, target: Type) -> bool:
    return source is target or (not source.is_value_type and is_subtype(universe, source, target))


def _variant(universe: Universe, source: Type, target: Type) -> bool:
    """Whether an instantiation converts by variance of its interface's or delegate's type parameters."""
    if source.definition is None or source.definition != target.definition or not source.arguments:
        return False
    module = universe.modules.get(source.definition[0])
    if module is None or module.metadata is None:
        return False
    parameters = module.metadata.generic_parameters_of(source.definition[1])
    for parameter, given, wanted in zip(parameters, source.arguments, target.arguments, strict=False):
        variance = parameter.flags & 3
        if given is wanted:
            continue
        if variance == 0 or given.is_value_type or wanted.is_value_type:
            return False
        if not (is_subtype(universe, given, wanted) if variance == 1 else is_subtype(universe, wanted, given)):
            return False
    return True


def ancestors(universe: Universe, definition: types.Definition, arguments: tuple[Type, ...]) -> list[Type]:
    """The type itself, its base classes and all their interfaces, each once; nearest first."""
    found: list[Type] = []
    pending = [(definition, arguments)]
    while pending and len(found) < _MAX_BASES:
        (module_id, token), given = pending.pop(0)
        made = universe.of_definition((module_id, token), given)
        if made is not None:
            if made in found:
                continue
            found.append(made)
        module = universe.modules.get(module_id)
        if module is None or module.metadata is None:
            continue
        type_def = module.metadata.type_def(token)
        for base in ([type_def.base] if type_def.base else []) + [entry for _, entry in type_def.interfaces]:
            next_type = universe.of_token(module, base, given)
            next_definition = universe.definition_of(next_type) if next_type is not None else None
            if next_type is not None and next_definition is not None:
                pending.append((next_definition, next_type.arguments))
    return found


def bases(universe: Universe, definition: types.Definition, arguments: tuple[Type, ...]) -> list[Type]:
    """The type and its base classes, most derived first."""
    found: list[Type] = []
    while len(found) < _MAX_BASES:
        made = universe.of_definition(definition, arguments)
        if made is None:
            break
        found.append(made)
        module = universe.modules.get(definition[0])
        if module is None or module.metadata is None:
            break
        base = module.metadata.type_def(TypeDefToken(definition[1])).base
        following = universe.of_token(module, base, arguments) if base else None
        next_definition = universe.definition_of(following) if following is not None else None
        if following is None or next_definition is None:
            break
        definition, arguments = next_definition, following.arguments
    return found


def is_instance(env: Environment, operand: Operand, target: Type) -> bool:
    """`operand is target`: the type test at run time. Null is an instance of nothing."""
    if operand.data is None:
        return False
    if target.kind is Kind.NULLABLE:
        target = target.element
    own = env.own_type(operand)
    if own.kind is Kind.ENUM and target.full_name == "System.Enum":
        return True
    if own.is_value_type and target.full_name in _BOX_BASES:
        return True
    return is_subtype(env.universe, own, target)


def cast(env: Environment, operand: Operand, target: Type, *, checked: bool = False) -> Operand:
    """`(target)operand`. Raises `EvaluationError`: CS0030 when there is no conversion, or the exception it throws."""
    source = operand.type
    if source is target:
        return operand
    if target.kind is Kind.NULLABLE:
        return _to_nullable(env, operand, target, checked=checked)
    if source.kind is Kind.NULLABLE and target.is_value_type:
        if operand.data is None:
            raise EvaluationError("System.InvalidOperationException: Nullable object must have a value.")
        return cast(env, Operand(source.element, operand.data), target, checked=checked)
    converted = number_conversion(source, target, operand.data, checked=checked)
    if converted is not None:
        return converted
    if source.kind is Kind.POINTER and (target.kind is Kind.POINTER or _is_integer(target)):
        data = operand.data if target.kind is Kind.POINTER else numeric.wrap(target.code, operand.data)
        return Operand(target, data)
    if target.kind is Kind.POINTER and _is_integer(source):
        return Operand(target, operand.data & ((1 << 64) - 1))
    if source.is_reference and target.is_value_type:
        return _unboxed(env, operand, target)
    if source.is_value_type and target.is_reference:
        if is_instance(env, operand, target) or operand.data is None:
            return boxed(env, operand, target)
    elif source.is_reference and target.is_reference:
        return _reference(env, operand, target)
    from dap_dotnet.evaluation.operations.methods import user_conversion

    made = user_conversion(env, operand, target)
    if made is None:
        raise diagnostics.no_conversion(source, target, explicit=True)
    return made


def number_conversion(source: Type, target: Type, data: Any, *, checked: bool = False) -> Operand | None:
    """Among numbers and enums; None for other types."""
    source_code = source.underlying.code if source.underlying is not None else source.code
    target_code = target.underlying.code if target.underlying is not None else target.code
    kinds = (Kind.NUMBER, Kind.ENUM)
    if source.kind not in kinds or target.kind not in kinds:
        return None
    return Operand(target, numeric.convert(source_code, target_code, checked=checked)(data))


def _is_integer(candidate: Type) -> bool:
    return candidate.kind is Kind.NUMBER and candidate.code in numeric.BITS


def _to_nullable(env: Environment, operand: Operand, target: Type, *, checked: bool) -> Operand:
    if operand.data is None:
        return Operand(target, None)
    source = operand.type.element if operand.type.kind is Kind.NULLABLE else operand.type
    inner = cast(env, Operand(source, operand.data, operand.value), target.element, checked=checked)
    return Operand(target, inner.data)


def _unboxed(env: Environment, operand: Operand, target: Type) -> Operand:
    """A box opens to its exact type only; an enum also to its underlying type and back."""
    if operand.type.kind is Kind.NULL or operand.data is None:
        raise diagnostics.null_reference(f"the object to unbox to '{target.name}'")
    value = operand.data
    if not isinstance(value, Value):
        raise diagnostics.no_conversion(operand.type, target, explicit=True)
    own = env.own_type(operand)
    inner = env.operand(content_of(value))
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
        from dap_dotnet.evaluation.operations.methods import user_conversion

        made = user_conversion(env, operand, target)
        if made is not None:
            return made
        own = env.own_type(operand)
        raise EvaluationError(
            f"System.InvalidCastException: Unable to cast object of type '{own.name}' to type '{target.name}'."
        )
    if target.kind is Kind.STRING:
        value = operand.data
        return env.operand(value) if isinstance(value, Value) else Operand(target, value)
    return Operand(target, operand.data, operand.value)


def implicitly_converts(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is an implicit conversion, user-defined ones left out."""
    if source is target:
        return True
    if source.kind is Kind.NULL:
        return target.is_reference or target.kind in (Kind.NULLABLE, Kind.POINTER)
    if target.kind is Kind.NULLABLE:
        inner = source.element if source.kind is Kind.NULLABLE else source
        return implicitly_converts(universe, inner, target.element, constant)
    if source.kind is Kind.NUMBER and target.kind is Kind.NUMBER:
        if constant is not None:
            return numeric.constant_widens(source.code, constant.data, target.code)
        return numeric.widens(source.code, target.code)
    if target.kind is Kind.ENUM:
        return constant is not None and constant.data == 0 and source.kind is Kind.NUMBER
    if source.kind is Kind.ENUM and target.full_name == "System.Enum":
        return True
    if source.is_value_type and target.full_name in _BOX_BASES:
        return True
    if target.is_value_type:
        return False
    return is_subtype(universe, source, target)
