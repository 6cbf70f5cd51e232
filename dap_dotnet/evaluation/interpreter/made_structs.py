"""Structures that only the debugger has, as values: what an expression goes on with, and what is shown.

Only those can be shown whose text follows from their bytes alone. Others would need a place in the program to be opened
and to have their members read.
"""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.interpreter.stack_values import MadeStruct, default
from dap_dotnet.evaluation.operations.operand_values import pack
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.known_numbers import is_known, known_text


class MadeValue(Value, frozen=True):
    """A made structure as a value without a place; getters can be followed on it."""

    made: MadeStruct | None = None


def as_made(operand: Operand) -> Operand:
    """What `in_bytes` gave, as the machine knows it; every other operand as it is."""
    data = operand.data
    if operand.type.kind is Kind.STRUCT and isinstance(data, MadeValue) and data.made is not None:
        return Operand(operand.type, data.made)
    return operand


def in_bytes(env: Environment, operand: Operand) -> Operand:
    """A made structure as a value without a place; every other operand as it is.

    Raises `NotInterpretable` for structures that bytes do not tell, and where a call could give one with a place.
    """
    if not isinstance(operand.data, MadeStruct):
        return operand
    if env.caller is not None:
        raise NotInterpretable("a structure that was made")
    kind = operand.type.element if operand.type.kind is Kind.NULLABLE else operand.type
    raw = _bytes_of(env, kind, operand.data)
    type_id = env.universe.id_of(env.program, kind)
    if type_id is None or known_text(env.program, kind.full_name, env.debuggee.type_info(type_id), raw) is None:
        raise NotInterpretable("a structure that was made")
    value = MadeValue(None, type_id, ElementType.VALUETYPE, raw=raw, made=operand.data)
    return Operand(operand.type, value, None if operand.type is not kind else value)


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
