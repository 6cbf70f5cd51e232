"""Texts of framework value types that follow from their bytes alone. Pure, but for the check of their fields."""

from __future__ import annotations

import struct
from collections.abc import Callable
from uuid import UUID

from msgspec import Struct

from dap_dotnet.runtime.model import ElementType, TypeDefToken, TypeInfo, Value
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values import dates
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import own_fields
from dap_dotnet.values.primitives import format_float, format_half
from dap_dotnet.values.typenames import KEYWORDS

E = ElementType
_INTEGERS = frozenset({
    ElementType.I1, ElementType.U1, ElementType.I2, ElementType.U2, ElementType.I4, ElementType.U4, ElementType.I8,
    ElementType.U8, ElementType.CHAR, ElementType.I, ElementType.U,
})  # fmt: skip
_NULLABLE_INTEGERS = frozenset(f"{KEYWORDS[code]}?" for code in _INTEGERS if code in KEYWORDS)
_WIDE, WIDE_SIZE = ("Int128", "UInt128"), 16
_COMPLEX = "System.Numerics.Complex"


def as_binary(value: Value, type_name: str) -> str | None:
    """The bits of an integer, or of one that a nullable holds, as C# writes them: `0b0000_0101`; None for others."""
    raw = value.raw
    if type_name in _NULLABLE_INTEGERS and value.element_type is ElementType.VALUETYPE:
        raw = raw[len(raw) // 2 :] if raw[:1] == b"\1" else b""  # a flag, and the value at its own alignment
    elif type_name.rpartition(".")[2] in _WIDE and len(raw) == WIDE_SIZE:
        pass
    elif value.element_type not in _INTEGERS:
        return None
    if not raw:
        return None
    bits = f"{int.from_bytes(raw, 'little'):0{8 * len(raw)}b}"
    return "0b" + "_".join(bits[place : place + 4] for place in range(0, len(bits), 4))


class _Known(Struct, frozen=True):
    """A value type whose bytes mean what `text` reads, provided that it has exactly these fields."""

    layouts: tuple[tuple[ElementType | None, ...], ...]
    """The types of the fields, one entry for each form that a release gave them."""
    size: int
    text: Callable[[bytes], str | None]
    is_number: bool = False
    """Shown without braces."""


def is_known(name: str) -> bool:
    """Whether the texts of a value type, by its full name, follow from its bytes: its fields, one after the other."""
    return name in _KNOWN


def known_text(program: Program, name: str, info: TypeInfo, raw: bytes) -> str | None:
    """The text of a value type by its full name; None when the name, the fields or the size are others."""
    known = _KNOWN.get(name)
    if known is None or len(raw) != known.size:
        return None
    if tuple(code for _, code in own_fields(program, info)) not in known.layouts:
        return None
    text = known.text(raw)
    if name == _COMPLEX and text is not None and _is_complex_in_parentheses(program, info):
        text = f"({text[1:-1].replace(';', ',')})"
    return text if text is None or known.is_number else f"{{{text}}}"


def _guid(raw: bytes) -> str:
    return str(UUID(bytes_le=raw))


def _half(raw: bytes) -> str:
    return format_half(struct.unpack("<e", raw)[0])


def _complex(raw: bytes) -> str:
    real, imaginary = struct.unpack("<dd", raw)
    return f"<{format_float(real, single=False)}; {format_float(imaginary, single=False)}>"


def _is_complex_in_parentheses(program: Program, info: TypeInfo) -> bool:
    """Whether Complex.ToString gives `(1, 2)`, as in .NET Core 3.1, and not `<1; 2>`: by its own format."""
    module = program.modules.get(info.module)
    return module is not None and info.token is not None and _OLD_COMPLEX(module, info.token)


def _has_old_complex(module: LoadedModule, complex_type: TypeDefToken) -> bool:
    from portablepdb import PortablePdbError

    if module.metadata is None:
        return False
    texts = module.metadata.image.user_strings
    try:
        bodies = [
            method.body
            for method in module.metadata.methods_of(complex_type)
            if method.name == "ToString" and not method.signature.parameters and method.body is not None
        ]
        loaded = [one.operand for body in bodies for one in body.instructions() if one.opcode.name == "ldstr"]
        return any(isinstance(token, int) and texts[token & 0xFFFFFF].startswith(b"(\0") for token in loaded)
    except PortablePdbError:
        return False


_OLD_COMPLEX = ModuleMemo("whether Complex.ToString gives parentheses", _has_old_complex)


def _index(raw: bytes) -> str:
    number: int = struct.unpack("<i", raw)[0]
    return str(number) if number >= 0 else f"^{~number}"


def _range(raw: bytes) -> str:
    return f"{_index(raw[:4])}..{_index(raw[4:])}"


def _rune(raw: bytes) -> str | None:
    number = int.from_bytes(raw, "little")
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else None


_GUID = (E.I4, E.I2, E.I2, *[E.U1] * 8)
_KNOWN = {
    "System.DateTime": _Known(((E.U8,),), 8, dates.date_time),
    "System.TimeSpan": _Known(((E.I8,),), 8, dates.time_span),
    "System.DateOnly": _Known(((E.I4,), (E.U4,)), 4, dates.date_only),
    "System.TimeOnly": _Known(((E.I8,), (E.U8,)), 8, dates.time_only),
    "System.Guid": _Known((_GUID,), 16, _guid),
    "System.Half": _Known(((E.U2,),), 2, _half, is_number=True),
    "System.Int128": _Known(
        ((E.U8, E.U8),), 16, lambda raw: str(int.from_bytes(raw, "little", signed=True)), is_number=True
    ),
    "System.UInt128": _Known(((E.U8, E.U8),), 16, lambda raw: str(int.from_bytes(raw, "little")), is_number=True),
    "System.Index": _Known(((E.I4,),), 4, _index),
    "System.Range": _Known(((None, None),), 8, _range),
    _COMPLEX: _Known(((E.R8, E.R8),), 16, _complex),
    "System.Text.Rune": _Known(((E.U4,),), 4, _rune),
}
