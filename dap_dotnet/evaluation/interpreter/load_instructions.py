"""Fields, static fields and array elements for the IL machine: read from the program, never written in it."""

from __future__ import annotations

from typing import Any

from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.machine import Activation
from dap_dotnet.evaluation.interpreter.stack_values import (
    Address,
    MadeObject,
    MadeStruct,
    declaring_id,
    default,
    in_program,
    integer,
    made_struct,
    typed,
)
from dap_dotnet.evaluation.interpreter.tokens import ExactField
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import ElementType, FieldRef, FieldToken, Value

_LONGEST_OPENED = 32_768
"""In UTF-16 units: longer strings are read from memory only, for the runtime's interface would copy them."""


def load_field(frame: Activation, token: int) -> None:
    """`ldfld`."""
    field = _known_field(frame, token)
    found = _field_of(frame, frame.pop(), field)
    frame.push(in_program(found) if field.is_reference else found)


def load_field_address(frame: Activation, token: int) -> None:
    """`ldflda`. Only fields of structures that the machine itself has can be written to through it."""
    field = _known_field(frame, token)
    top = frame.pop_any()
    place = top.place if isinstance(top, Address) else in_program(top)
    target = place.slots[place.index]
    if made_struct(target) is not None or isinstance(target.data, MadeObject):
        frame.stack.append(Address(_FieldOfMade(place, field), 0))
    else:
        frame.stack.append(in_program(_field_of(frame, target, field)))


class _FieldOfMade:
    """The slots of an `Address`: the one field of a structure or an object that the machine has in a variable."""

    __slots__ = ("_field", "_target")

    def __init__(self, target: Address, field: ExactField) -> None:
        self._target = target
        self._field = field

    def __getitem__(self, _index: int) -> Operand:
        made = self._target.slots[self._target.index].data
        if not isinstance(made, (MadeObject, MadeStruct)):
            raise NotInterpretable("a structure that was replaced")
        return _made_field(made, self._field)

    def __setitem__(self, _index: int, operand: Operand) -> None:
        _store_in(self._target, self._field, operand)


def _known_field(frame: Activation, token: int) -> ExactField:
    field = frame.code.scope.field(token)
    if field is None:
        raise NotInterpretable("a field that is not known")
    return field


def _field_of(frame: Activation, operand: Operand, field: ExactField) -> Operand:
    if isinstance(operand.data, (MadeObject, MadeStruct)) and operand.type.kind is not Kind.NULLABLE:
        return _made_field(operand.data, field)
    if operand.type.kind is Kind.NULLABLE:
        return _nullable_field(operand, field)
    value = operand.program_value
    if value is not None and value.parts is not None and FieldToken(field.token) in value.parts:
        return frame.env.operand(value.parts[FieldToken(field.token)], field.type)
    if value is None or value.handle is None or operand.data is None:
        raise NotInterpretable("a field of null or of a computed value")
    if value.element_type is ElementType.STRING and value.length > _LONGEST_OPENED:
        raise NotInterpretable("a field of a long string")
    declaring = declaring_id(frame.env, value, field.owner)
    if declaring is None:
        raise NotInterpretable("a field of another type")
    read = frame.env.fields(value, [FieldRef(declaring, field.token)])[0]
    return frame.env.operand(read, field.type)


def _nullable_field(operand: Operand, field: ExactField) -> Operand:
    if field.name == "hasValue":
        return types.boolean(operand.data is not None)
    if operand.data is None or isinstance(operand.data, Value):
        raise NotInterpretable("the value of a nullable without one")
    return Operand(operand.type.element, operand.data)


def _made_field(made: MadeObject | MadeStruct, field: ExactField) -> Operand:
    stored = made.fields.get((field.owner, field.token))
    if isinstance(stored, Operand):
        return stored
    if field.type is None:
        raise NotInterpretable("a field of an unknown type")
    return default(field.type)


def store_field(frame: Activation, token: int) -> None:
    """`stfld`, into objects and structures that only the debugger has."""
    field = _known_field(frame, token)
    stored, target = frame.pop_direct(), frame.pop_any()
    _store_in(target.place if isinstance(target, Address) else in_program(target), field, stored)


def _store_in(place: Address, field: ExactField, stored: Operand) -> None:
    """Into an object that only the machine has, or a structure that it has in a variable."""
    target = place.slots[place.index]
    if field.type is None or field.overlaps or field.is_reference:
        raise NotInterpretable("a write to a field that is not known as such")
    made, stored = made_struct(target), typed(field.type, stored)
    if isinstance(target.data, MadeObject):
        target.data.fields[field.owner, field.token] = stored
    elif made is not None and not isinstance(place.slots, tuple):
        place.slots[place.index] = Operand(target.type, made.changed(field.owner, field.token, stored))
    else:
        raise NotInterpretable("a write")


def load_static(frame: Activation, token: int) -> None:
    """`ldsfld`. A zero that a static constructor may not have replaced yet is not believed: a call would run it."""
    field = frame.code.scope.field(token)
    if field is None:
        raise NotInterpretable("a static field that is not known")
    if field.owner in (types.I, types.U) and field.name == "Zero":  # before anything has read it, it has no place
        frame.push(default(field.owner))
        return
    env = frame.env
    owner = env.type_of(env.universe.id_of(env.program, field.owner))
    type_id = env.universe.id_of(env.program, field.owner)
    if owner is None or type_id is None:
        raise NotInterpretable("a type that is not loaded")
    operand = read_static(env, None, FieldRef(type_id, field.token), field.type, field.name)
    if not operand.data and field.owner not in env.universe.initialised and _has_static_constructor(frame, field):
        raise NotInterpretable("a static field that may not be initialised")
    frame.push(operand)


def load_static_address(frame: Activation, token: int) -> None:
    """`ldsflda`, whose address nobody can write to."""
    load_static(frame, token)
    frame.stack.append(in_program(frame.pop()))


def _has_static_constructor(frame: Activation, field: ExactField) -> bool:
    return any(entry.method.name == ".cctor" for entry in candidates(frame.env.universe, field.owner))


def load_element(frame: Activation, _: Any) -> None:
    """`ldelem`."""
    index, array = frame.pop(), frame.pop()
    value = array.data
    if not isinstance(value, Value) or value.handle is None or not 0 <= integer(index) < value.length:
        raise NotInterpretable("an element that is not there")
    read = frame.env.element(value, index.data, index.value)
    frame.push(frame.env.operand(read, array.type.element if array.type.kind is Kind.ARRAY else None))


def load_element_address(frame: Activation, operand: Any) -> None:
    """`ldelema`, whose address nobody can write to."""
    load_element(frame, operand)
    frame.stack.append(in_program(frame.pop()))
