"""Values on the evaluation stack of the IL machine (ECMA-335 I.12.1 and III.1.1), and back in their own types."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.evaluation.operations.operand_values import zero_of
from dap_dotnet.evaluation.operations.placed import pointed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, FieldToken, Value
from dap_dotnet.runtime.model import ElementType as E
from dap_dotnet.values.inline_arrays import inline_length
from dap_dotnet.values.known_numbers import is_known
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.members import hierarchy

_STACK_TYPE = {
    E.BOOLEAN: types.I4, E.CHAR: types.I4, E.I1: types.I4, E.U1: types.I4, E.I2: types.I4, E.U2: types.I4,
    E.I4: types.I4, E.U4: types.I4, E.I8: types.I8, E.U8: types.I8, E.I: types.I, E.U: types.I, E.R4: types.R8,
    E.R8: types.R8,
}  # fmt: skip
_LONGEST_CHAIN = 64
_DEEPEST = 16
_HELD_AS_NUMBERS = frozenset({Kind.NUMBER, Kind.BOOL, Kind.ENUM, Kind.POINTER})


class Address(Struct):
    """A managed pointer: to a local or an argument of an activation, or to a field of a structure that is in one.

    One into the program has a tuple for its slots: what is there is read, and never written.
    """

    slots: Any
    index: int

    @property
    def place(self) -> Address:
        """Where the value itself is: the end of a chain of pointers."""
        found = self
        for _ in range(_LONGEST_CHAIN):
            inner = found.slots[found.index]
            if not isinstance(inner, Address):
                return found
            found = inner
        raise NotInterpretable("a pointer that leads to itself")

    @property
    def target(self) -> Operand:
        """The value that it leads to."""
        place = self.place
        found: Operand = place.slots[place.index]
        return found


def in_program(operand: Operand) -> Address:
    """A pointer to where the program has a value."""
    return Address((operand,), 0)


def reference(env: Environment, kind: Type | None, operand: Operand | Address) -> Address:
    """A stack value where a managed pointer is expected: an unmanaged one may stand there (III.1.1.5).

    Raises `EvaluationError` where there is no memory.
    """
    if isinstance(operand, Address):
        return operand
    if kind is None or (operand.type.kind is not Kind.POINTER and operand.type not in (types.I, types.U)):
        raise NotInterpretable("a reference that is no address")
    return in_program(pointed(env, operand, kind).read(env))


class MadeObject:
    """The data of an object that only the debugger has: its fields by the exact class and Field token."""

    __slots__ = ("fields",)

    def __init__(self) -> None:
        self.fields: dict[tuple[Type, int], Any] = {}


class MadeStruct:
    """The data of a structure that only the debugger has. It never changes, so that copies can share it.

    A field that has not been set is zero.
    """

    __slots__ = ("fields",)

    def __init__(self, fields: dict[tuple[Type, int], Operand] | None = None) -> None:
        self.fields = fields or {}

    def changed(self, owner: Type, token: int, operand: Operand) -> MadeStruct:
        """The same with another value in a field."""
        return MadeStruct({**self.fields, (owner, token): operand})


def made_struct(operand: Operand) -> MadeStruct | None:
    """The data of a made structure; None for what the program has."""
    return operand.data if isinstance(operand.data, MadeStruct) and operand.type.kind is Kind.STRUCT else None


def default(kind: Type | None) -> Operand:
    """`default` of a type: what a local holds before it is set."""
    if kind is None:
        return Operand(types.OBJECT, None)
    return Operand(kind, MadeStruct() if kind.kind is Kind.STRUCT else zero_of(kind))


def on_stack(operand: Operand) -> Operand:
    """A value as the stack has it: int32, int64, native int or F for numbers, bools and enums; others as they are."""
    own = operand.type
    if own.kind is Kind.ENUM and own.underlying is not None:
        own = own.underlying
    elif own.kind not in (Kind.NUMBER, Kind.BOOL) or own.code is numeric.DECIMAL:
        return operand
    wanted = _STACK_TYPE[own.code]
    if wanted is operand.type:
        return operand
    data = operand.data
    if wanted is not types.R8:
        data = numeric.wrap(wanted.code, int(data))
    return Operand(wanted, data)


def typed(kind: Type, operand: Operand) -> Operand:
    """A stack value as a value of a declared type. Raises `NotInterpretable` for one that cannot stand for it."""
    if operand.type is kind:
        return operand
    if kind.kind in _HELD_AS_NUMBERS:
        return _number(kind, operand)
    if operand.type.is_value_type:
        return operand
    return Operand(kind, operand.data, operand.value)


def integer(operand: Operand) -> int:
    """The value of an integer on the stack. Raises `NotInterpretable` for all else."""
    if operand.type.kind is not Kind.NUMBER or operand.type.code not in numeric.BITS:
        raise NotInterpretable("an integer that is none")
    number: int = operand.data
    return number


def _number(kind: Type, operand: Operand) -> Operand:
    data, code = operand.data, (kind.underlying or kind).code
    if not isinstance(data, int | float) or kind is types.DECIMAL:
        raise NotInterpretable("a number that is none")
    if kind.kind is Kind.BOOL:
        return types.boolean(bool(data))
    if code in numeric.FLOATS:
        return Operand(kind, numeric.single(data) if code is E.R4 else float(data))
    if isinstance(data, float):
        raise NotInterpretable("a float as an integer")
    if kind.kind is Kind.POINTER:
        return Operand(kind, data)
    return Operand(kind, numeric.wrap(code, data)) if code in numeric.BITS else operand


def declaring_id(env: Environment, value: Value, owner: Type) -> Any:
    """The exact type among a value's own and its bases that a field's owner is; None when it is none of them."""
    key = (value.type, owner)
    known = env.universe.declaring_ids.get(key)
    if known is not None:
        return known
    definition = env.universe.definition_of(owner)
    for declaring, _ in hierarchy(env.program, value.type):
        info = env.debuggee.type_info(declaring)
        if definition is not None and (info.module, info.token) == definition:
            env.universe.declaring_ids[key] = declaring
            return declaring
    return None


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
    value = _value_of(env, operand, 0)
    return Operand(operand.type, value, value if operand.type.kind is Kind.NULLABLE else None)


def _value_of(env: Environment, operand: Operand, depth: int) -> Value:
    """`depth`: in how many structures it is."""
    made = operand.data
    if not isinstance(made, MadeStruct):
        return env.to_value(operand)
    kind = operand.type.stripped
    declared, type_id = env.universe.declaration(kind), env.universe.id_of(env.program, kind)
    if declared is None or type_id is None or depth > _DEEPEST:
        raise NotInterpretable("a structure of a type that the program has not loaded")
    module, metadata, token = declared
    if (metadata.type_def(token).layout or (0, 0))[1] or inline_length(module, token):
        raise NotInterpretable("a structure that is larger than its fields")
    parts: dict[FieldToken, Value] = {}
    for field in metadata.fields_of(token):
        if not field.is_static:
            stored = made.fields.get((kind, field.token))
            if stored is None:
                stored = default(env.universe.of_signature(module, field.signature, kind.arguments))
            parts[FieldToken(field.token)] = _value_of(env, stored, depth + 1)
    raw = b""
    if is_known(kind.full_name):  # they have their fields one after the other
        if not all(part.raw for part in parts.values()):
            raise NotInterpretable("a field that bytes do not tell")
        raw = b"".join(part.raw for part in parts.values())
    return MadeValue(None, type_id, ElementType.VALUETYPE, raw=raw, parts=parts, made=made)
