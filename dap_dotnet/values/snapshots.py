"""A value remembered while the process runs, to be compared with what is there later.

Objects are remembered by weak handles of the runtime, as the garbage collector moves them; value types by all their
fields. Session thread only; the process must be held.
"""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, PinId, TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import instance_fields, read_fields
from dap_dotnet.values.rendering import render

_MAX_DEPTH = 8
_SHOWN_DEPTH = 3
_SHOWN_PARTS = 8
"""Fields of a struct that its text has."""
_STRUCTS = (ElementType.VALUETYPE, ElementType.GENERICINST)


class Snapshot(Struct):
    """A remembered value. `text` is what it was shown as."""

    text: str
    is_default: bool
    """Null or zero in all its bytes; then nothing else is compared."""
    type: TypeId | None = None
    raw: bytes = b""
    string: tuple[int, str] | None = None
    pin: PinId | None = None
    parts: tuple[Snapshot, ...] = ()


def default_snapshot(text: str) -> Snapshot:
    """What a field holds before anything was stored."""
    return Snapshot(text, True)


def take(program: Program, value: Value, depth: int = 0) -> Snapshot:
    """Remember a value that could be read. `release` it afterwards."""
    text = render(program, value).text if depth < _SHOWN_DEPTH else ""
    if value.is_null:
        return Snapshot(text, True)
    if _is_struct(value) and depth < _MAX_DEPTH and value.handle is not None:
        fields = read_fields(program, value, instance_fields(program, value.type))
        parts = tuple(take(program, part, depth + 1) for _, part in fields)
        if parts and text.startswith("{"):
            shown = [f"{one.field.shown_name} = {part.text}" for (one, _), part in zip(fields, parts, strict=True)]
            text = f"{{{', '.join(shown[:_SHOWN_PARTS])}{', …' if len(shown) > _SHOWN_PARTS else ''}}}"
        if parts:
            is_default = not value.is_boxed and all(part.is_default for part in parts)
            return Snapshot(text, is_default, value.type, parts=parts)
    if value.element_type is ElementType.STRING:
        return Snapshot(text, False, string=(value.length, value.text or ""), pin=_pin(program, value))
    if _is_object(value):
        return Snapshot(text, False, value.type, pin=_pin(program, value))
    return Snapshot(text, not any(value.raw) and not value.is_boxed, value.type, value.raw)


def is_same(program: Program, known: Snapshot, value: Value, depth: int = 0) -> bool:
    """Whether a value that is there now is the one that was remembered; one that cannot be read counts as the same."""
    if value.error is not None:
        return True
    if _is_struct(value) and depth < _MAX_DEPTH and value.handle is not None:
        fields = read_fields(program, value, instance_fields(program, value.type))
        if fields and known.is_default and not known.parts:
            return not value.is_boxed and all(_is_default(program, part) for _, part in fields)
        if fields:
            return (
                known.type == value.type
                and len(known.parts) == len(fields)
                and all(
                    is_same(program, part, now, depth + 1) for part, (_, now) in zip(known.parts, fields, strict=True)
                )
            )
    if value.is_null or known.is_default:
        return known.is_default and _is_default(program, value)
    if value.element_type is ElementType.STRING:
        if known.string is None:
            return False
        whole = len(known.string[1]) == known.string[0]
        same_text = known.string == (value.length, value.text or "")
        return same_text and (whole or _is_pinned(program, known, value))
    if _is_object(value):
        return known.string is None and not known.raw and _is_pinned(program, known, value)
    return known.raw == value.raw and known.type == value.type and known.string is None


def release(program: Program, known: Snapshot) -> None:
    """Give back the handles of a snapshot."""
    if known.pin is not None:
        program.debuggee.unpin(known.pin)
        known.pin = None
    for part in known.parts:
        release(program, part)


def _is_struct(value: Value) -> bool:
    """Whether a value has fields instead of an identity; a box has neither to the one who compares."""
    return value.element_type in _STRUCTS and not value.is_null and (value.is_boxed or not value.is_reference)


def _is_object(value: Value) -> bool:
    return value.is_reference and not value.is_boxed and value.handle is not None


def _is_default(program: Program, value: Value) -> bool:
    if value.is_null:
        return True
    if value.is_boxed or value.is_reference or value.element_type is ElementType.STRING:
        return False
    if _is_struct(value) and value.handle is not None:
        fields = read_fields(program, value, instance_fields(program, value.type))
        return all(_is_default(program, part) for _, part in fields)
    return not any(value.raw)


def _pin(program: Program, value: Value) -> PinId | None:
    try:
        return program.debuggee.pin(value.handle, weak=True) if value.handle is not None else None
    except DapDotnetError:
        return None


def _is_pinned(program: Program, known: Snapshot, value: Value) -> bool:
    if known.pin is None:
        return False
    pinned = program.debuggee.pinned(known.pin)
    return not pinned.is_null and pinned.address == value.address
