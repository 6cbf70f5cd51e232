"""Strings: equality, concatenation, and values as the text that string interpolation gives them.

What the invariant culture would print; nothing here calls into the program but `ToString` of other types, and of
numbers with a custom format.
"""

from __future__ import annotations

import decimal
import math
import re
from decimal import Decimal
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.numbers.numeric import BITS
from dap_dotnet.evaluation.operations import type_objects
from dap_dotnet.evaluation.operations.methods_by_name import call_formatted, call_to_string
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.enums import enum_name

_MAX_TEXT = 1 << 22
_STANDARD = re.compile(r"^([CcDdEeFfGgNnPpRrXxBb])(\d{0,3})$")


def strings_equal(env: Environment, left: Operand, right: Operand) -> bool:
    """Ordinal equality, by length and head first, so that long strings are seldom read whole."""
    a, b = left.data, right.data
    if a is None or b is None:
        return a is None and b is None
    if isinstance(a, str) and isinstance(b, str):
        return a == b
    if _length(left) != _length(right):
        return False
    return env.text(left) == env.text(right)


def _length(operand: Operand) -> int:
    return operand.data.length if isinstance(operand.data, Value) else utf16_length(operand.data)


def concatenation(env: Environment, left: Operand, right: Operand) -> Operand:
    """`left + right` where one is a string."""
    env.live += left, right  # the text of one may run the program, before the other is read
    try:
        text = to_text(env, left) + to_text(env, right)
    finally:
        del env.live[-2:]
    if len(text) > _MAX_TEXT:
        raise EvaluationError(f"The text would have more than {_MAX_TEXT} characters")
    return Operand(types.STRING, text)


def to_text(env: Environment, operand: Operand, format_text: str | None = None) -> str:
    """What `ToString()` gives; with a format what a hole of an interpolated string gives ("": none). Null is empty.

    Raises `EvaluationError` for values of other types when calls are forbidden.
    """
    kind, data = operand.type.kind, operand.data
    if data is None:
        return ""
    if kind is Kind.STRING:
        return env.text(operand) or ""
    if kind is Kind.NULLABLE:
        return to_text(env, Operand(operand.type.element, data), format_text)
    if kind is Kind.BOOL:
        return "True" if data else "False"
    if kind is Kind.NUMBER:
        if env.caller is not None and not is_standard(format_text or ""):
            return call_formatted(env, operand, format_text or "")
        return number_text(operand.type.code, data, format_text or "")
    if kind is Kind.ENUM:
        return _enum_text(env, operand, format_text or "")
    if kind is Kind.TUPLE and isinstance(data, tuple):
        return _items_text(env, operand)
    if kind is Kind.TYPE:
        return type_objects.text(data)
    if kind is Kind.CLASS and isinstance(data, Value):
        own = env.opened_box(data) if data.is_boxed else env.operand(data)
        if own.type.kind is not Kind.CLASS and own.type is not operand.type:
            return to_text(env, own, format_text)
    return call_to_string(env, operand) if format_text is None else call_formatted(env, operand, format_text)


def _items_text(env: Environment, operand: Operand) -> str:
    """Of a tuple or an anonymous object that the expression made."""
    env.live.append(operand)
    try:
        texts = [to_text(env, item) for item in operand.data]
    finally:
        env.live.pop()
    if operand.type is not types.ANONYMOUS:
        return f"({', '.join(texts)})"
    members = zip(operand.names, texts, strict=True)
    return f"{{ {', '.join(f'{name} = {text}' for name, text in members)} }}" if texts else "{ }"


def _enum_text(env: Environment, operand: Operand, format_text: str) -> str:
    if format_text in ("D", "d", "X", "x"):
        assert operand.type.underlying is not None
        code = operand.type.underlying.code
        digits = str(BITS.get(code, 32) // 4) if format_text in "Xx" else ""
        return number_text(code, operand.data, format_text.upper() + digits)
    type_id = env.universe.id_of(env.program, operand.type)
    underlying = operand.type.underlying
    if type_id is None or underlying is None:
        return str(operand.data)
    size = BITS.get(underlying.code, 32) // 8
    raw = (operand.data & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    shown = enum_name(env.program, env.debuggee.type_info(type_id), raw)
    return str(operand.data) if shown is None else shown.replace(" | ", ", ")


def is_standard(format_text: str) -> bool:
    """Whether a format is one of the standard ones that are known here."""
    return not format_text or _STANDARD.match(format_text) is not None


def number_text(code: ElementType, value: Any, format_text: str = "") -> str:
    """A number in the invariant culture. Raises `EvaluationError` for formats that are not standard ones."""
    if code is ElementType.CHAR:
        return chr(value)
    match = _STANDARD.match(format_text) if format_text else None
    if format_text and match is None:
        raise EvaluationError(
            f"The format '{format_text}' is not supported: use a standard one such as F2, N0, D4, X8, P1"
        )
    kind = match[1].upper() if match else "G"
    digits = int(match[2]) if match and match[2] else None
    if kind in "DXB":
        return _integer_text(code, value, kind, digits or 0, lower=bool(match and match[1].islower()))
    if kind in "GR" and digits is None:
        return _plain(code, value)
    if isinstance(value, float) and not math.isfinite(value):
        return primitives.format_float(value, single=False)
    return _fixed(value, kind, digits, lower=bool(match and match[1].islower()))


def _plain(code: ElementType, value: Any) -> str:
    if isinstance(value, float):
        return primitives.format_float(value, single=code is ElementType.R4)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _integer_text(code: ElementType, value: Any, kind: str, digits: int, *, lower: bool) -> str:
    bits = BITS.get(code)
    if bits is None:
        raise EvaluationError(f"System.FormatException: The format '{kind}' is for integers only")
    if kind == "D":
        return ("-" if value < 0 else "") + str(abs(value)).rjust(digits, "0")
    text = format(value & ((1 << bits) - 1), "x" if kind == "X" else "b")
    return (text if lower else text.upper()).rjust(digits, "0")


def _fixed(value: Any, kind: str, digits: int | None, *, lower: bool) -> str:
    exact = Decimal(value)
    # .NET rounds the exact value of a binary number to even, and the digits of all others away from zero.
    rounding = decimal.ROUND_HALF_EVEN if isinstance(value, float) else decimal.ROUND_HALF_UP
    if kind == "G":
        shown = decimal.Context(prec=max(digits or 1, 1), rounding=rounding).create_decimal(exact)
        return format(shown.normalize(), "f") if -5 <= shown.adjusted() < (digits or 1) else _exponent(
            shown.normalize(), None, "e" if lower else "E", 2
        )  # fmt: skip
    if kind == "E":
        places = 6 if digits is None else digits
        exact = decimal.Context(prec=places + 1, rounding=rounding).create_decimal(exact)
        return _exponent(exact, places, "e" if lower else "E", 3)
    if kind == "P":
        exact *= 100
    places = 2 if digits is None else digits
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=decimal.Context(prec=800))
    text = format(rounded, f"{',' if kind in 'NPC' else ''}.{places}f")
    if not rounded and isinstance(value, (int, Decimal)):
        text = text.removeprefix("-")
    return text + " %" if kind == "P" else f"¤{text}" if kind == "C" else text


def _exponent(value: Decimal, places: int | None, letter: str, width: int) -> str:
    text = format(value, "E" if places is None else f".{places}E") if value else f"0.{'0' * (places or 0)}E+0"
    mantissa, _, exponent = text.partition("E")
    return f"{mantissa.rstrip('.')}{letter}{exponent[:1]}{exponent[1:].rjust(width, '0')}"
