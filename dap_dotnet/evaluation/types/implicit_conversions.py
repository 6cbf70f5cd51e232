"""Implicit conversions between types, and casts that always fail (C# specification 10.2, 10.3): from metadata alone.

Interpolated strings also convert to handlers, types that take one piece by piece (12.8.3), and to FormattableString.
"""

from __future__ import annotations

from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import READ_ONLY_SPAN, SPAN, SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, WrittenText
from dap_dotnet.evaluation.types.declared_methods import is_delegate
from dap_dotnet.evaluation.types.inheritance import ARRAY_INTERFACES, is_interface, is_sealed, is_stack_only, is_subtype
from dap_dotnet.evaluation.types.universe import Universe

_HANDLER = "System.Runtime.CompilerServices.InterpolatedStringHandlerAttribute"
FORMATTABLE = frozenset({"System.FormattableString", "System.IFormattable"})
"""What an interpolated string converts to, besides string."""
BOX_BASES = frozenset({"System.ValueType", "System.Object"})
"""The classes that every boxed value is an instance of."""


def implicitly_converts(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is an implicit conversion, user-defined ones left out."""
    if source is target:
        return True
    if source.kind is Kind.DEFAULT:
        return target.is_value_type or target.is_reference or target.kind is Kind.PARAMETER
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
    if source.kind is Kind.NULLABLE and target.is_reference:
        source = source.element  # a box holds what the nullable does
    if target.is_reference and is_stack_only(universe, source):
        return False  # no box holds one
    if source.kind is Kind.ENUM and target.full_name == "System.Enum":
        return True
    if Kind.POINTER in (source.kind, target.kind):
        return source.kind is target.kind and target.element is types.VOID
    if source.is_value_type and target.full_name in BOX_BASES:
        return True
    if target.is_value_type:
        return False
    return is_subtype(universe, source, target)


def converts_to_span(universe: Universe, source: Type, target: Type) -> bool:
    """Whether there is an implicit span conversion (C# 14), which an operator of the framework carries out."""
    if target.full_name not in SPANS:
        return False
    element = target.arguments[0]
    if source.kind is Kind.STRING:
        return target.full_name == READ_ONLY_SPAN and element is types.CHAR
    if source.kind is not Kind.ARRAY and source.full_name not in SPANS:
        return False
    if source.kind is Kind.ARRAY and source.rank > 1:
        return False
    own = source.arguments[0]
    if target.full_name == SPAN:
        return source.kind is Kind.ARRAY and own is element
    return own is element or (own.is_reference and is_subtype(universe, own, element))


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


def is_handler(universe: Universe, kind: Type) -> bool:
    """Whether a type is a handler of interpolated strings."""
    return universe.has_attribute(kind, _HANDLER)


def takes_handler(universe: Universe, operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string in code that is to become a handler."""
    return isinstance(operand.data, WrittenText) and is_handler(universe, target)


def prefers_handler(universe: Universe, given: Operand, one: Type | None, other: Type | None) -> int:
    """Below 0 when an interpolated string converts better to `one` (12.6.4.5), above 0: to `other`; else 0.

    A handler of the framework does what string.Format does, which takes less.
    """
    if not isinstance(given.data, WrittenText) or not given.data.has_holes:
        return 0
    ranks = [kind is not None and is_handler(universe, kind) and not _is_framework(kind) for kind in (one, other)]
    return int(ranks[1]) - int(ranks[0])


def _is_framework(kind: Type) -> bool:
    return kind.full_name.startswith("System.")


def takes_formattable(operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string that is to become a FormattableString."""
    return isinstance(operand.data, WrittenText) and target.full_name in FORMATTABLE
