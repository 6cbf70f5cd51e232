"""The binary and unary operators over typed operands: which one applies, and what it does.

Bound by the operands' types, then applied any number of times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import call_framework, is_object_of
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.operations.text import concatenation, strings_equal
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import InternedText, Kind, Operand, Type, boolean
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType

Apply = Callable[[Environment, Operand, Operand], Operand]
UnaryApply = Callable[[Environment, Operand], Operand]

BITWISE = frozenset({"&", "|", "^"})
SHIFTS = frozenset({"<<", ">>", ">>>"})
EQUALITY = frozenset({"==", "!="})
ORDER = frozenset({"<", "<=", ">", ">="})


class Operation(Struct, frozen=True):
    """An operator bound to operand types. `type` is that of its result."""

    type: Type
    apply: Apply
    operands: tuple[Type, Type] | None = None
    """Of numbers, enums and bools: what the program converts them to first, or what their nullables hold."""


class Flags(Struct, frozen=True):
    """How operators are bound: the constants among the operands, and whether overflow is checked."""

    left: Any = None
    right: Any = None
    checked: bool = False


def binary_operation(universe: Universe, operator: str, left: Type, right: Type, flags: Flags) -> Operation | None:
    """The predefined operator for the types; None when there is none (a user-defined one may exist)."""
    if operator == "+" and (left.kind is Kind.STRING or right.kind is Kind.STRING):
        return Operation(types.STRING, concatenation)
    if left.kind is Kind.NULLABLE or right.kind is Kind.NULLABLE:
        return _lifted(universe, operator, left, right, flags)
    if (
        Kind.NULL in (left.kind, right.kind)
        and operator not in EQUALITY
        and (left.is_value_type or right.is_value_type)
    ):
        return _lifted(universe, operator, left, right, flags)  # what `?.` gives of null, or the literal
    if left.kind is Kind.NUMBER and right.kind is Kind.NUMBER:
        return _numeric(operator, left, right, flags)
    if left.kind is Kind.BOOL and right.kind is Kind.BOOL:
        return _logical(operator)
    if left.kind is Kind.ENUM or right.kind is Kind.ENUM:
        return _enumeration(operator, left, right, flags)
    if operator in EQUALITY:
        return _equality(operator, left, right)
    return _comparison(operator) if left.kind is right.kind is Kind.POINTER and operator in ORDER else None


def _comparison(operator: str, operands: tuple[Type, Type] | None = None) -> Operation:
    """Of two values that Python compares as C# does."""
    compare = numeric.COMPARISONS[operator]
    return Operation(types.BOOL, lambda env, a, b: boolean(compare(a.data, b.data)), operands)


# numbers


def _numeric(operator: str, left: Type, right: Type, flags: Flags) -> Operation | None:
    if operator in SHIFTS:
        return _shift(operator, left, right)
    code = numeric.promote(left.code, right.code, flags.left, flags.right)
    if code is None:
        return None
    to_left, to_right, result = _converter(left.code, code), _converter(right.code, code), _number_type(code)
    operands = result, result
    if operator in EQUALITY or operator in ORDER:
        if to_left is None and to_right is None:
            return _comparison(operator, operands)
        compare = numeric.COMPARISONS[operator]
        first, second = to_left or _same, to_right or _same
        return Operation(types.BOOL, lambda env, a, b: boolean(compare(first(a.data), second(b.data))), operands)
    function = numeric.binary(operator, code, checked=flags.checked)
    if function is None:
        return None
    first, second = to_left or _same, to_right or _same
    return Operation(result, lambda env, a, b: Operand(result, function(first(a.data), second(b.data))), operands)


def _same(value: Any) -> Any:
    return value


def _converter(source: ElementType, target: ElementType) -> Callable[[Any], Any] | None:
    """The conversion, or None where Python's value is the same anyway: among integers, and to double."""
    if source is target or (source in numeric.BITS and target in numeric.BITS):
        return None
    return numeric.convert(source, target)


def _number_type(code: ElementType) -> Type:
    return types.DECIMAL if code is numeric.DECIMAL else types.PRIMITIVES[code]


def _shift(operator: str, left: Type, right: Type) -> Operation | None:
    code = numeric.shift_type(left.code)
    if code is None or not numeric.widens(right.code, ElementType.I4):
        return None
    function, result = numeric.shift(operator, code), types.PRIMITIVES[code]
    return Operation(result, lambda env, a, b: Operand(result, function(a.data, b.data)), (result, types.I4))


def _logical(operator: str) -> Operation | None:
    functions: dict[str, Callable[[bool, bool], bool]] = {
        "&": lambda a, b: a and b,
        "|": lambda a, b: a or b,
        "^": lambda a, b: a is not b,
        "==": lambda a, b: a is b,
        "!=": lambda a, b: a is not b,
    }
    function, operands = functions.get(operator), (types.BOOL, types.BOOL)
    return Operation(types.BOOL, lambda env, a, b: boolean(function(a.data, b.data)), operands) if function else None


# enums


def _enumeration(operator: str, left: Type, right: Type, flags: Flags) -> Operation | None:
    """C# specification 12.10.7, 12.12.10, 12.13.3: both of one enum, or one with a number of the underlying type."""
    is_zero = (flags.left == 0 and left.code is ElementType.I4) or (flags.right == 0 and right.code is ElementType.I4)
    enum, other, constant = (left, right, flags.right) if left.kind is Kind.ENUM else (right, left, flags.left)
    underlying, is_comparison = enum.underlying, operator in EQUALITY or operator in ORDER
    assert underlying is not None
    code = numeric.promote(underlying.code, underlying.code)  # the program has no operators on bytes and shorts
    wide = _number_type(code) if code is not None else underlying
    if left is right or (is_zero and (is_comparison or operator in BITWISE)):
        if is_comparison:
            return _comparison(operator, (wide, wide))
        result = enum if operator in BITWISE else underlying if operator == "-" else None
    else:
        converts = other.kind is Kind.NUMBER and (
            numeric.widens(other.code, underlying.code)
            if constant is None
            else numeric.constant_widens(other.code, constant, underlying.code)
        )
        result = enum if converts and (operator == "+" or (operator == "-" and enum is left)) else None
    function = numeric.binary(operator, underlying.code, checked=flags.checked)
    if result is None or function is None:
        return None
    made, compute = result, function
    return Operation(made, lambda env, a, b: Operand(made, compute(a.data, b.data)), (wide, wide))


# nullables


def _lifted(universe: Universe, operator: str, left: Type, right: Type, flags: Flags) -> Operation | None:
    if left.kind is Kind.NULL or right.kind is Kind.NULL:
        if operator in EQUALITY:
            wanted = operator == "=="
            return Operation(types.BOOL, lambda env, a, b: boolean((a.data is None and b.data is None) is wanted))
        other = left if right.kind is Kind.NULL else right
        left = right = other
    first = left.stripped
    second = right.stripped
    if first.kind is Kind.BOOL and second.kind is Kind.BOOL and operator in "&|":
        return _three_valued(universe, operator)
    inner = binary_operation(universe, operator, first, second, flags)
    if inner is None:
        return None
    apply = inner.apply
    if operator in EQUALITY or operator in ORDER:

        def compare(env: Environment, a: Operand, b: Operand) -> Operand:
            if a.data is None or b.data is None:
                both = a.data is None and b.data is None
                return boolean((operator == "==" and both) or (operator == "!=" and not both))
            return apply(env, Operand(first, a.data), Operand(second, b.data))

        return Operation(types.BOOL, compare, inner.operands)
    result = universe.nullable(inner.type)

    def compute(env: Environment, a: Operand, b: Operand) -> Operand:
        if a.data is None or b.data is None:
            return Operand(result, None)
        return Operand(result, apply(env, Operand(first, a.data), Operand(second, b.data)).data)

    return Operation(result, compute, inner.operands)


def _three_valued(universe: Universe, operator: str) -> Operation:
    """bool? & bool?, bool? | bool?: null unless the other one decides."""
    result, decides = universe.nullable(types.BOOL), operator == "|"

    def apply(env: Environment, a: Operand, b: Operand) -> Operand:
        if a.data is decides or b.data is decides:
            return Operand(result, decides)
        return Operand(result, None if a.data is None or b.data is None else not decides)

    return Operation(result, apply, (types.BOOL, types.BOOL))


# equality of the others


def _equality(operator: str, left: Type, right: Type) -> Operation | None:
    wanted = operator == "=="
    strings = (Kind.STRING, Kind.NULL)
    if left.kind in strings and right.kind in strings:
        return Operation(types.BOOL, lambda env, a, b: boolean(strings_equal(env, a, b) is wanted))
    if left.kind is Kind.POINTER or right.kind is Kind.POINTER:
        return Operation(types.BOOL, lambda env, a, b: boolean(((a.data or 0) == (b.data or 0)) is wanted))
    if left.is_reference and right.is_reference:
        return Operation(types.BOOL, lambda env, a, b: boolean(same_reference(env, a, b) is wanted))
    if Kind.NULL in (left.kind, right.kind) and left.kind is not Kind.TUPLE and right.kind is not Kind.TUPLE:
        return Operation(types.BOOL, lambda env, a, b: boolean(not wanted))  # a value type is never null
    return None


def same_reference(env: Environment, left: Operand, right: Operand) -> bool:
    """Reference equality, of a `typeof` too, and of constant strings: those the program has interned, or not.

    Raises `EvaluationError` where only the program knows, and may not run.
    """
    one, other = left.data, right.data
    if isinstance(one, Type) is not isinstance(other, Type) and one is not None and other is not None:
        return is_object_of(env, one, right) if isinstance(one, Type) else is_object_of(env, other, left)
    is_first, is_second = type(one) is InternedText, type(other) is InternedText
    if is_first and is_second:
        return bool(one == other)
    if not (is_first or is_second) or one is None or other is None:
        return same_object(left, right)
    constant, kept = (left, right) if is_first else (right, left)
    if kept.program_value is None or env.own_type(kept) is not types.STRING:
        return False
    if not strings_equal(env, constant, kept):
        return False
    if env.caller is None:
        raise calls_forbidden("Whether two strings of the same text are one object")
    given = [Operand(types.STRING, str(constant.data))]
    interned = call_framework(env, None, types.STRING, "IsInterned", given, parameters=[types.STRING])
    return same_object(interned, kept)


def same_object(left: Operand, right: Operand) -> bool:
    """Reference equality of objects of the program; none of a string that the expression made."""
    a, b = left.data, right.data
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, Type | MadeBox) or isinstance(b, Type | MadeBox):
        return a is b  # a box that the expression makes is a new object
    first, second = left.program_value, right.program_value
    return first is not None and second is not None and first.address == second.address and first.address != 0


# unary


def unary_operation(
    universe: Universe, operator: str, operand: Type, *, checked: bool
) -> tuple[Type, UnaryApply] | None:
    """The predefined prefix operator for a type: + - ~ !; None when there is none."""
    if operand.kind is Kind.NULLABLE:
        inner = unary_operation(universe, operator, operand.element, checked=checked)
        if inner is None:
            return None
        element, (inner_type, apply) = operand.element, inner
        result = universe.nullable(inner_type)

        def lifted(env: Environment, a: Operand) -> Operand:
            return Operand(result, None if a.data is None else apply(env, Operand(element, a.data)).data)

        return result, lifted
    if operator == "!":
        return (types.BOOL, lambda env, a: boolean(not a.data)) if operand.kind is Kind.BOOL else None
    if operand.kind is Kind.ENUM and operator == "~" and operand.underlying is not None:
        code = operand.underlying.code
        return operand, lambda env, a: Operand(operand, numeric.wrap(code, ~a.data))
    if operand.kind is not Kind.NUMBER or operator not in "+-~":
        return None
    promoted = numeric.unary_type(operator, operand.code)
    if promoted is None:
        return None
    number = operand if promoted is operand.code else types.PRIMITIVES[promoted]
    function: Callable[[Any], Any]
    if operator == "~":
        function = lambda value: numeric.wrap(promoted, ~value)  # noqa: E731
    else:
        function = numeric.negate(promoted, checked=checked) if operator == "-" else _same
    return number, lambda env, a: Operand(number, function(a.data))
