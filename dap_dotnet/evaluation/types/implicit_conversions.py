"""Implicit conversions between types (C# specification 10.2), from metadata alone.

Interpolated strings also convert to handlers, types that take one piece by piece (12.8.3), and to FormattableString.
"""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import READ_ONLY_SPAN, SPAN, SPANS
from dap_dotnet.evaluation.types.csharp_types import InterpolatedText, Kind, Operand, Type, WrittenText
from dap_dotnet.evaluation.types.inheritance import is_stack_only, is_subtype
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


def not_made(kind: Type) -> EvaluationError:
    """An interpolated string is to become a handler, where none can be made."""
    error = EvaluationError(
        f"The interpolated string would become a '{kind.name}', a handler of such strings, which cannot be created "
        'here: pass a string instead, as text + value, or as (string)$"…" where the method takes one'
    )
    error.lacks_handler = True
    return error


def takes_formattable(operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string that is to become a FormattableString."""
    return isinstance(operand.data, InterpolatedText | WrittenText) and target.full_name in FORMATTABLE
