"""Storing a value in the program: in a variable, a field or an element, by its declared type."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import structs

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.fitting import check_fits
from dap_dotnet.evaluation.operations.operand_values import pack
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import FieldRef, FieldToken, TypeId, Value, ValueHandle
from dap_dotnet.values.members import find_field
from dap_dotnet.values.placed_values import read_refs

_POINTER_SIZE = 8
COPIED = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.NULLABLE})
"""Kinds of which an operand has the value itself, whatever becomes of the place that it was read from."""


def store(env: Environment, place: Value, declared: Type, operand: Operand) -> None:
    """Store an operand of the declared type where `place` was read from; objects are in the program already.

    A structure without data is its default.

    Raises `EvaluationError` where nothing can be stored (optimised code), or the value has no place in the program.
    """
    place = structs.replace(place)  # not what an operand may have
    env.roots.keep_apart(place)
    try:
        _store(env, place, declared, operand)
    except RuntimeCallError as error:
        raise EvaluationError(f"The runtime does not let the value be changed: {error.message}") from None
    finally:
        env.stored()


def store_new(env: Environment, place: Value, declared: Type, operand: Operand) -> None:
    """As `store`, in an object that the expression has made, and that nothing else has seen yet."""
    try:
        _store(env, place, declared, operand)
    except RuntimeCallError as error:
        raise EvaluationError(f"The new object cannot be filled: {error.message}") from None


def _store(env: Environment, place: Value, declared: Type, operand: Operand) -> None:
    debuggee = env.debuggee
    check_fits(env, place, declared, "Nothing can be stored here")
    if declared.kind is Kind.POINTER:
        # The runtime's interface has pointers as references, and takes what they point to for an object.
        _store_at(env, place, (operand.data or 0).to_bytes(_POINTER_SIZE, "little"))
    elif declared.is_reference:
        debuggee.store_reference(_handle(place), _reference(operand))
    elif declared.kind is Kind.NULLABLE:
        _store_nullable(env, place, declared, operand)
    elif declared.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
        code = declared.underlying.code if declared.underlying is not None else declared.code
        raw = pack(code, operand.data)
        if place.handle is None and place.address:  # of an enum that is not loaded
            _store_at(env, place, raw)
        else:
            debuggee.store(_handle(place), raw)
    elif operand.type is types.PAIR:
        for name, kind, item in zip(("key", "value"), declared.arguments, operand.data[:2], strict=True):
            at = _field(env, place, name)
            _store(env, at, kind, item)
    elif isinstance(operand.data, tuple):
        _store_items(env, place, operand.data)
    else:
        _store_structure(env, _handle(place), declared, operand)


def _store_at(env: Environment, place: Value, raw: bytes) -> None:
    if not place.address:
        raise EvaluationError(f"Nothing can be stored here: {place.error or 'it is not in memory'}")
    env.debuggee.write_memory(place.address, raw)


def _reference(operand: Operand) -> ValueHandle | None:
    value = operand.program_value
    if operand.data is None or (value is not None and value.is_null):
        return None
    if value is None or value.handle is None:
        raise EvaluationError(f"The value of type '{operand.type.name}' is not an object of the program")
    return value.handle


def _store_structure(env: Environment, handle: ValueHandle, declared: Type, operand: Operand) -> None:
    value = operand.program_value
    if operand.data is not None and value is not None:
        check_fits(env, value, declared, "The value cannot be stored")
    if operand.data is None:
        env.debuggee.store(handle, b"")
    elif value is not None and value.handle is not None and not value.is_null:
        env.debuggee.store_copy(handle, value.handle)
    elif value is not None and value.raw:
        env.debuggee.store(handle, value.raw)
    elif value is not None and value.parts is not None and value.type is not None:
        _store_parts(env, handle, value.type, value.parts)
    else:
        raise EvaluationError(f"The value of type '{operand.type.name}' has no place in the program to copy it from")


def _store_parts(env: Environment, handle: ValueHandle, kind: TypeId, parts: Mapping[FieldToken, Value]) -> None:
    """The fields of a structure that has no place in the program, one by one."""
    debuggee = env.debuggee
    places = debuggee.fields(handle, [FieldRef(kind, token) for token in parts], text_limit=0)
    for place, part in zip(places, parts.values(), strict=True):
        if part.error is not None:
            raise EvaluationError(f"A part of the value cannot be read: {part.error}")
        if part.is_reference:
            debuggee.store_reference(_handle(place), None if part.is_null else part.handle)
        elif part.handle is not None:
            debuggee.store_copy(_handle(place), part.handle)
        elif part.parts is not None and part.type is not None:
            _store_parts(env, _handle(place), part.type, part.parts)
        else:
            debuggee.store(_handle(place), part.raw)


def _store_nullable(env: Environment, place: Value, declared: Type, operand: Operand) -> None:
    """null clears it all; a value sets both of its fields."""
    if operand.data is None:
        env.debuggee.store(_handle(place), b"")
        return
    has_value, held = (_field(env, place, name) for name in ("hasValue", "value"))
    element = declared.element
    inner = Operand(element, operand.data, operand.data if isinstance(operand.data, Value) else None)
    _store(env, held, element, inner)
    env.debuggee.store(_handle(has_value), pack(types.BOOL.code, True))


def _store_items(env: Environment, place: Value, items: tuple[Operand, ...]) -> None:
    """A tuple that the expression made: beyond seven elements, the others are in the tuple that Rest holds."""
    for number, item in enumerate(items[:7], 1):
        at = _field(env, place, f"Item{number}")
        _store(env, at, item.type, item)
    if len(items) > 7:
        _store_items(env, _field(env, place, "Rest"), items[7:])


def _field(env: Environment, owner: Value, name: str) -> Value:
    found = find_field(env.program, owner.type, name)
    if found is None or owner.handle is None:
        raise EvaluationError(f"The value has no field {name}; its module's metadata may be missing.")
    return read_refs(env.program, owner, [found.ref], text_limit=0)[0]


def _handle(value: Value) -> ValueHandle:
    if value.handle is None:
        raise EvaluationError(f"Nothing can be stored here: {value.error or 'it is not in the program'}")
    return value.handle
