"""Structures that only the debugger has, as values: what an expression goes on with, and what is shown."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.stack_values import MadeStruct, default
from dap_dotnet.evaluation.operations.operand_values import pack, to_value
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, FieldToken, Value
from dap_dotnet.values.inline_arrays import inline_length
from dap_dotnet.values.known_numbers import is_known
from dap_dotnet.values.made_values import MadeValue

_DEEPEST = 16


def as_made(operand: Operand) -> Operand:
    """What `as_value` gave, as the machine knows it; every other operand as it is."""
    data = operand.data
    if operand.type.kind is Kind.STRUCT and isinstance(data, MadeValue) and data.made is not None:
        return Operand(operand.type, data.made)
    return operand


def as_value(env: Environment, operand: Operand, *, may_call: bool = True) -> Operand:
    """A made structure as a value without a place; every other operand as it is.

    Raises `NotInterpretable` for what no value can be made of, and where a call could give one with a place: never for
    arguments that have none themselves (`may_call` False).
    """
    if not isinstance(operand.data, MadeStruct):
        return operand
    if env.caller is not None and may_call:
        raise NotInterpretable("a structure that was made")
    kind = operand.type.element if operand.type.kind is Kind.NULLABLE else operand.type
    value = _value_of(env, kind, operand.data, 0)
    return Operand(operand.type, value, None if operand.type is not kind else value)


def _value_of(env: Environment, kind: Type, made: MadeStruct, depth: int) -> MadeValue:
    definition = env.universe.definition_of(kind)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    type_id = env.universe.id_of(env.program, kind)
    if definition is None or module is None or module.metadata is None or type_id is None or depth > _DEEPEST:
        raise NotInterpretable("a structure of a type that the program has not loaded")
    if (module.metadata.type_def(definition[1]).layout or (0, 0))[1] or inline_length(module, definition[1]):
        raise NotInterpretable("a structure that is larger than its fields")
    parts: dict[FieldToken, Value] = {}
    for field in module.metadata.fields_of(definition[1]):
        if not field.is_static:
            stored = made.fields.get((kind, field.token)) or default(
                env.universe.of_signature(module, field.signature, kind.arguments)
            )
            parts[FieldToken(field.token)] = _part_of(env, stored, depth)
    raw = _bytes_of(env, kind, made) if is_known(kind.full_name) else b""
    return MadeValue(None, type_id, ElementType.VALUETYPE, raw=raw, parts=parts, made=made)


def _part_of(env: Environment, stored: Operand, depth: int) -> Value:
    if not isinstance(stored, Operand):
        raise NotInterpretable("a reference to a variable")
    if isinstance(stored.data, MadeStruct):
        kind = stored.type.element if stored.type.kind is Kind.NULLABLE else stored.type
        return _value_of(env, kind, stored.data, depth + 1)
    return to_value(env, stored)


def _bytes_of(env: Environment, kind: Type, made: MadeStruct) -> bytes:
    """The fields one after the other, which is how the known structures have them."""
    definition = env.universe.definition_of(kind)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or module is None or module.metadata is None or not is_known(kind.full_name):
        raise NotInterpretable("a structure that was made")
    raw = b""
    for field in module.metadata.fields_of(definition[1]):
        if not field.is_static:
            operand = made.fields.get((kind, field.token)) or default(
                env.universe.of_signature(module, field.signature, kind.arguments)
            )
            raw += _part(env, operand)
    return raw


def _part(env: Environment, operand: Operand) -> bytes:
    kind, data = operand.type, operand.data
    if isinstance(data, MadeStruct) and kind.kind is Kind.STRUCT:
        return _bytes_of(env, kind, data)
    if kind.kind is Kind.STRUCT and isinstance(data, Value) and data.raw:
        return data.raw
    underlying = kind.underlying or kind
    if kind.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
        return pack(underlying.code, data)
    raise NotInterpretable("a field that bytes do not tell")
