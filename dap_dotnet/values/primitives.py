"""Primitive values: bytes to Python, Python to C# text. Pure."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

from dap_dotnet.runtime.model import ElementType

_FORMATS = {
    ElementType.BOOLEAN: "<?",
    ElementType.CHAR: "<H",
    ElementType.I1: "<b",
    ElementType.U1: "<B",
    ElementType.I2: "<h",
    ElementType.U2: "<H",
    ElementType.I4: "<i",
    ElementType.U4: "<I",
    ElementType.I8: "<q",
    ElementType.U8: "<Q",
    ElementType.R4: "<f",
    ElementType.R8: "<d",
    ElementType.I: "<q",
    ElementType.U: "<Q",
}
_LAYOUTS = {code: struct.Struct(layout) for code, layout in _FORMATS.items()}
SIZES = {code: layout.size for code, layout in _LAYOUTS.items()}
"""Bytes that a primitive takes; native integers in processes of 64 bits."""
_NATIVE_32 = {ElementType.I: struct.Struct("<i"), ElementType.U: struct.Struct("<I")}

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}

_KEPT = '"\\'
"""What only quotes make ambiguous."""


def decode(element_type: ElementType, raw: bytes) -> bool | int | float | None:
    """The Python value of a primitive's little-endian bytes; None for other types and short reads.

    A char is its UTF-16 unit as an int.
    """
    layout = _LAYOUTS.get(element_type)
    if layout is None:
        return None
    if len(raw) == 4:
        layout = _NATIVE_32.get(element_type, layout)
    if len(raw) < layout.size:
        return None
    value: bool | int | float = layout.unpack_from(raw)[0]
    return value


def format_primitive(element_type: ElementType, value: bool | int | float, *, hexadecimal: bool = False) -> str:
    """Text as C# shows it: true, 97 'a', 42, 1.5, 1E+20, NaN. `hexadecimal` applies to integers and chars."""
    if element_type is ElementType.BOOLEAN:
        return "true" if value else "false"
    if element_type is ElementType.CHAR:
        code = int(value)
        return f"{f'0x{code:04x}' if hexadecimal else code} {quote_char(chr(code))}"
    if element_type in (ElementType.R4, ElementType.R8):
        return format_float(float(value), single=element_type is ElementType.R4)
    if hexadecimal:
        bits = 8 * SIZES[element_type]
        return f"0x{int(value) & ((1 << bits) - 1):0{bits // 4}x}"
    return str(int(value))


def format_float(value: float, *, single: bool) -> str:
    """The shortest text that reads back the same, as .NET Core 3.0 and later write it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    digits, exponent, sign = _shortest(value, single)
    point = exponent + len(digits)  # digits before the decimal point
    if digits == "0":
        return sign + "0"
    if -4 < point <= (9 if single else 17):  # as many digits as it may take to read the same back
        if point <= 0:
            return f"{sign}0.{'0' * -point}{digits}"
        if point >= len(digits):
            return sign + digits + "0" * (point - len(digits))
        return f"{sign}{digits[:point]}.{digits[point:]}"
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    shown = point - 1
    return f"{sign}{mantissa}E{'+' if shown >= 0 else '-'}{abs(shown):02d}"


def format_half(value: float) -> str:
    """System.Half: the shortest text that reads back the same."""
    if math.isnan(value) or math.isinf(value):
        return format_float(value, single=False)
    wanted = struct.pack("<e", value)
    for precision in range(1, 6):
        try:
            shortest = float(f"{value:.{precision}g}")
            if struct.pack("<e", shortest) == wanted:
                return format_float(shortest, single=False)
        except OverflowError:
            continue  # rounded up beyond the largest half
    return format_float(value, single=False)


def _shortest(value: float, single: bool) -> tuple[str, int, str]:
    """(significant digits, exponent of the last digit, sign) of the shortest round-trip representation."""
    text = repr(value)
    if single:
        for precision in range(1, 10):
            text = f"{value:.{precision}g}"
            try:
                rounded = struct.pack("<f", float(text))
            except OverflowError:
                continue  # rounded up beyond the largest float
            if rounded == struct.pack("<f", value):
                break
    sign = "-" if text.startswith("-") else ""
    mantissa, _, exponent = text.lstrip("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    shift = int(exponent or 0) - len(fraction)
    stripped = digits.rstrip("0")
    return stripped or "0", shift + len(digits) - len(stripped), sign


def encode(element_type: ElementType, value: bool | int | float | Decimal) -> bytes:
    """The little-endian bytes of a primitive, a pointer or a decimal."""
    if isinstance(value, Decimal):
        return pack_decimal(value)
    return _LAYOUTS.get(element_type, _LAYOUTS[ElementType.U]).pack(value)


def decode_decimal(raw: bytes) -> Decimal | None:
    """From the 16 bytes of a System.Decimal (flags, high, low, middle); None when they are not one."""
    if len(raw) < 16:
        return None
    flags, high, low, middle = struct.unpack("<IIII", raw[:16])
    scale = (flags >> 16) & 0xFF
    if scale > 28:
        return None
    magnitude = (high << 64) | (middle << 32) | low
    return Decimal((flags >> 31, tuple(map(int, str(magnitude))), -scale))


def format_decimal(raw: bytes) -> str | None:
    """System.Decimal from its 16 bytes; None when the bytes are not a decimal.

    Zero has no sign, as in what decimal.ToString writes.
    """
    value = decode_decimal(raw)
    return f"{value if value else abs(value):f}" if value is not None else None


def pack_decimal(value: Decimal) -> bytes:
    """The 16 bytes of a System.Decimal, of a value that is one: it has a scale of 0 to 28 and fits."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    magnitude = int("".join(map(str, digits))) * 10 ** max(exponent, 0)
    flags = (sign << 31) | (max(-exponent, 0) << 16)
    return struct.pack("<IIII", flags, magnitude >> 64, magnitude & 0xFFFFFFFF, (magnitude >> 32) & 0xFFFFFFFF)


def quote(text: str) -> str:
    """A string as a C# literal: control characters and lone surrogates are escaped."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:  # as most are
        return f'"{text}"'
    return f'"{"".join(map(_escape, text))}"'


def one_line(text: str) -> str:
    """A text with its line ends, tabs and other control characters escaped as in a C# literal, and nothing else."""
    if text.isprintable():  # as most are
        return text
    return "".join(character if character in _KEPT else _escape(character) for character in text)


def quote_char(character: str) -> str:
    """A char as a C# literal."""
    if character == "'":
        return "'\\''"
    return "'\"'" if character == '"' else f"'{_escape(character)}'"


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000 or code in (0x2028, 0x2029):
        return f"\\u{code:04x}"
    return character
