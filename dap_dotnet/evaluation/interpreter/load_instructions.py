"""Fields, static fields and array elements for the IL machine: read from the program, never written in it."""

from __future__ import annotations

from typing import Any

from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.machine import Activation
from dap_dotnet.evaluation.interpreter.stack_values import MadeObject, declaring_id, typed, zero
from dap_dotnet.evaluation.interpreter.tokens import ExactField
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import FieldRef, Value


def load_field(frame: Activation, token: int) -> None:
    """`ldfld`, and `ldflda`, whose address nobody can write to."""
    field = frame.code.scope.field(token)
    operand = frame.pop()
    if field is None:
        raise NotInterpretable("a field that is not known")
    if isinstance(operand.data, MadeObject):
        frame.push(_made_field(operand.data, field))
        return
    if operand.type.kind is Kind.NULLABLE:
        frame.push(_nullable_field(operand, field))
        return
    value = operand.program_value
    if value is None or value.handle is None or operand.data is None:
        raise NotInterpretable("a field of null or of a computed value")
    declaring = declaring_id(frame.env, value, field.owner)
    if declaring is None:
        raise NotInterpretable("a field of another type")
    read = frame.env.fields(value, [FieldRef(declaring, field.token)])[0]
    frame.push(frame.env.operand(read, field.type))


def _nullable_field(operand: Operand, field: ExactField) -> Operand:
    if field.name == "hasValue":
        return types.boolean(operand.data is not None)
    if operand.data is None or isinstance(operand.data, Value):
        raise NotInterpretable("the value of a nullable without one")
    return Operand(operand.type.element, operand.data)


def _made_field(made: MadeObject, field: ExactField) -> Operand:
    stored = made.fields.get((field.owner, field.token))
    if isinstance(stored, Operand):
        return stored
    if field.type is None or field.type.kind in (Kind.STRUCT, Kind.NULLABLE):
        raise NotInterpretable("a structure that was never set")
    return zero(field.type)


def store_field(frame: Activation, token: int) -> None:
    """`stfld`, into objects that only the debugger has."""
    field = frame.code.scope.field(token)
    stored, target = frame.pop(), frame.pop()
    if field is None or field.type is None or not isinstance(target.data, MadeObject):
        raise NotInterpretable("a write")
    target.data.fields[field.owner, field.token] = typed(field.type, stored)


def load_static(frame: Activation, token: int) -> None:
    """`ldsfld`. A zero that a static constructor may not have replaced yet is not believed: a call would run it."""
    field = frame.code.scope.field(token)
    if field is None:
        raise NotInterpretable("a static field that is not known")
    env = frame.env
    owner = env.type_of(env.universe.id_of(env.program, field.owner))
    type_id = env.universe.id_of(env.program, field.owner)
    if owner is None or type_id is None:
        raise NotInterpretable("a type that is not loaded")
    operand = read_static(env, None, FieldRef(type_id, field.token), field.type, field.name)
    if not operand.data and field.owner not in env.universe.initialised and _has_static_constructor(frame, field):
        raise NotInterpretable("a static field that may not be initialised")
    frame.push(operand)


def _has_static_constructor(frame: Activation, field: ExactField) -> bool:
    return any(entry.method.name == ".cctor" for entry in candidates(frame.env.universe, field.owner))


def load_element(frame: Activation, _: Any) -> None:
    """`ldelem` and `ldelema`."""
    index, array = frame.pop(), frame.pop()
    value = array.data
    if not isinstance(value, Value) or value.handle is None or not 0 <= index.data < value.length:
        raise NotInterpretable("an element that is not there")
    read = frame.env.element(value, index.data, index.value)
    frame.push(frame.env.operand(read, array.type.element if array.type.kind is Kind.ARRAY else None))
