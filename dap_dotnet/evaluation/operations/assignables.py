"""Storing values in the program, and what may stand left of an assignment, its target and indices evaluated once.

What is stored has the bytes of the type of the variable, field or element. Where a value is kept is read anew each
time: a call in between ends all handles but those of operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from msgspec import structs
from typing_extensions import override

from dap_dotnet.errors import EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.operand_values import MadeBox, boxed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import TUPLE_REST, Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType, FieldRef, FieldToken, TypeId, Value, ValueHandle
from dap_dotnet.values import primitives
from dap_dotnet.values.kept_objects import KeptVariable
from dap_dotnet.values.members import find_field
from dap_dotnet.values.placed_values import read_refs

_POINTER_SIZE = 8
COPIED = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.NULLABLE})
"""Kinds of which an operand has the value itself, whatever becomes of the place that it was read from."""
_NO_PRIMITIVES = frozenset({ElementType.OBJECT, ElementType.STRING, ElementType.VOID})


def store_new(env: Environment, place: Value, declared: Type, operand: Operand) -> None:
    """Store an operand of the declared type in an object that the expression has made, which nothing else has seen."""
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
        raw = primitives.encode(code, operand.data)
        if place.handle is None and place.address:  # of an enum that is not loaded
            _store_at(env, place, raw)
        else:
            debuggee.store(_handle(place), raw)
    elif operand.type is types.PAIR:
        for name, kind, item in zip(("key", "value"), declared.arguments, operand.data[:2], strict=True):
            at = _field(env, place, name)
            _store(env, at, kind, item)
    elif isinstance(operand.data, tuple):
        _store_items(env, place, declared, operand.data)
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
    env.debuggee.store(_handle(has_value), primitives.encode(types.BOOL.code, True))


def _store_items(env: Environment, place: Value, declared: Type, items: tuple[Operand, ...]) -> None:
    """A tuple that the expression made: beyond seven elements, the others are in the tuple that Rest holds."""
    for number, (kind, item) in enumerate(zip(declared.arguments[:TUPLE_REST], items, strict=False), 1):
        _store(env, _field(env, place, f"Item{number}"), kind, item)
    if len(items) > TUPLE_REST:
        rest = declared.arguments[TUPLE_REST]
        _store_items(env, _field(env, place, "Rest"), rest, items[TUPLE_REST:])


def _field(env: Environment, owner: Value, name: str) -> Value:
    found = find_field(env.program, owner.type, name)
    if found is None or owner.handle is None:
        raise EvaluationError(f"The value has no field {name}; its module's metadata may be missing.")
    return read_refs(env.program, owner, [found.ref], text_limit=0)[0]


def _handle(value: Value) -> ValueHandle:
    if value.handle is None:
        raise EvaluationError(f"Nothing can be stored here: {value.error or 'it is not in the program'}")
    return value.handle


def check_fits(env: Environment, value: Value, kind: Type | None, what: str) -> None:
    """Raise `EvaluationError` (`what`, and why) where a value is none of the type `kind`; None: it is not known.

    The runtime copies as many bytes as the type has, whatever they are: a T in the place of a T? would be taken for its
    flag, a number in the place of an object for a reference, and the program would end or go on with false values.
    """
    if kind is not None and kind.is_value_type:
        own = _value_type(env, value)
        fits = own is not None and _has_layout_of(own, kind)
    else:
        is_open = kind is not None and kind.parameter is not None  # the binder has seen to its constraints
        own, fits = None, not isinstance(value, MadeBox) and (value.is_null or value.is_reference or is_open)
    if not fits:
        own = own or env.type_of(value.type)
        shown = f"a value of type '{own.name}'" if own is not None else "a value of a type that is not known"
        raise EvaluationError(f"{what}: {shown} is not what '{kind.name if kind is not None else 'it'}' takes")


def _value_type(env: Environment, value: Value) -> Type | None:
    """The type of the bytes of a value; None where it has none, or they are not known."""
    if value.is_null:
        return None
    if value.element_type in types.PRIMITIVES and value.element_type not in _NO_PRIMITIVES:
        return types.PRIMITIVES[value.element_type]
    return env.type_of(value.type)


def _has_layout_of(one: Type, other: Type) -> bool:
    """Whether values of two value types have the same bytes: instantiations over any reference types have."""
    if one is other or (one.kind is Kind.POINTER and other.kind is Kind.POINTER):
        return True
    if other.parameter is not None:  # of the frame's code: bound by its constraints, and the actual type is `one`
        return True
    if Kind.ENUM in (one.kind, other.kind):
        return (one.underlying or one) is (other.underlying or other)
    return (
        one.definition is not None
        and one.definition == other.definition
        and all(
            (left.is_reference and right.is_reference) or _has_layout_of(left, right)
            for left, right in zip(one.arguments, other.arguments, strict=True)
        )
    )


class Assignable(ABC):
    """The left side of an assignment. `type` is its declared type."""

    def __init__(self, declared: Type) -> None:
        self.type = declared

    @abstractmethod
    def read(self, env: Environment) -> Operand:
        """Its value now."""

    @abstractmethod
    def write(self, env: Environment, operand: Operand) -> None:
        """Give it a value of its type, and an object of the program already where it is one."""


def own_copy(env: Environment, slot: Assignable) -> Stored:
    """The structure in a variable of the expression, in a box of its own, which may be changed.

    A new one each time: other variables, or the element that it was read from, may still be the one before.
    """
    old = slot.read(env)
    held = copied_to_heap(env, old)
    kept = Operand(old.type, held, held, old.names)
    slot.write(env, kept)
    return where_kept(slot.read, old)


def copied_to_heap(env: Environment, structure: Operand) -> Value:
    """The content of a new box of the program's: a copy of a structure."""
    return env.content(box_on_heap(env, structure).data)


def box_on_heap(env: Environment, structure: Operand) -> Operand:
    """A new box of the program's with a copy of a structure: methods may change that."""
    box = boxed(env, structure)
    env.runner.put_on_heap(env, box)
    return box


def where_kept(read: Callable[[Environment], Operand], found: Operand) -> Stored:
    """The structure in the program's memory that `read` gives each time, and has given as `found`."""

    def locate(env: Environment) -> Value:
        value = read(env).program_value
        assert value is not None
        env.roots.note_changed_in_place(value)
        return value

    return Stored(found.type, locate)


class Stored(Assignable):
    """What is kept in the program's memory."""

    def __init__(self, declared: Type, locate: Callable[[Environment], Value]) -> None:
        """`locate` reads the value where it is kept, with a handle of the present generation."""
        super().__init__(declared)
        self.locate = locate

    @override
    def read(self, env: Environment) -> Operand:
        return env.operand(self.locate(env), self.type)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` where nothing can be stored (optimised code), or a value has no place."""
        try:
            self.store(env, operand)
        except RuntimeCallError as error:
            raise EvaluationError(f"The runtime does not let the value be changed: {error.message}") from None
        finally:
            env.stored()

    def store(self, env: Environment, operand: Operand) -> None:
        """Store an operand, an object that is in the program already; a structure without data is its default.

        Raises `RuntimeCallError`, and as `write`.
        """
        place = structs.replace(self.locate(env))  # not what an operand may have
        env.roots.keep_apart(place)
        _store(env, place, self.type, operand)

    def field(self, _env: Environment, ref: FieldRef, declared: Type) -> Stored:
        """A field of the structure that is kept here."""

        def locate(env: Environment) -> Value:
            value = self.locate(env)
            if value.handle is None:
                raise EvaluationError(f"The structure cannot be changed: {value.error or 'it is not in the program'}")
            return read_refs(env.program, value, [ref])[0]

        return Stored(declared, locate)


# variables of the debug console


def read_kept(env: Environment, name: str) -> Operand:
    """The value of a variable. CS0103."""
    variable = env.program.kept.variable(name) if env.program.kept is not None else None
    if variable is None:
        raise Diagnostic("CS0103", name)
    if variable.pin is None:
        return Operand(variable.type, variable.data, None, variable.names)
    value = env.debuggee.pinned(variable.pin)
    operand = env.operand(value, variable.type)
    operand.names = variable.names
    return operand


def keep(env: Environment, name: str, operand: Operand, *, is_constant: bool = False) -> KeptVariable:
    """Give a variable, new or not, a value of its type, for the whole session. Raises `EvaluationError`."""
    assert env.program.kept is not None
    variable = _kept(env, operand, is_constant=is_constant)
    env.program.kept.keep(env.debuggee, name, variable)
    return variable


def _kept(env: Environment, operand: Operand, *, is_constant: bool) -> KeptVariable:
    """A value to be kept: numbers and null as they are, objects by a pin, structures in a box of the program."""
    if operand.data is None or not isinstance(operand.data, Value | str):
        return KeptVariable(None, operand.type, operand.data, operand.names, is_constant)
    kind, names = operand.type, operand.names
    if isinstance(operand.data, Value) and operand.data.parts is not None:
        raise EvaluationError(f"A value of type '{kind.name}' cannot be kept here: it has no place in the program")
    if isinstance(operand.data, Value) and (kind.is_value_type or operand.data.handle is None):
        operand = boxed(env, operand)
    if isinstance(operand.data, str) and (operand.value is None or operand.value.handle is None):
        return KeptVariable(None, kind, operand.data, (), is_constant)
    env.runner.put_on_heap(env, operand)
    held = operand.program_value
    if held is None or held.handle is None:
        raise EvaluationError(f"A value of type '{kind.name}' cannot be kept here")
    return KeptVariable(env.debuggee.pin(held.handle), kind, None, names, is_constant)


def kept_place(env: Environment, name: str) -> Assignable:
    """A variable left of an assignment: a structure is changed where it is, in a box of its own."""
    operand = read_kept(env, name)
    if operand.type.kind is not Kind.STRUCT or not isinstance(operand.data, Value):
        return KeptPlace(name, operand.type, operand.names)
    return where_kept(lambda env: read_kept(env, name), operand)


class KeptPlace(Assignable):
    """A variable of the debug console left of an assignment."""

    def __init__(self, name: str, declared: Type, names: tuple[str | None, ...]) -> None:
        super().__init__(declared)
        self._name = name
        self._names = names

    @override
    def read(self, env: Environment) -> Operand:
        return read_kept(env, self._name)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        keep(env, self._name, Operand(self.type, operand.data, operand.value, self._names))
