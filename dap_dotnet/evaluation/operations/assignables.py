"""What may stand left of an assignment, its target and indices evaluated once: variables, fields, elements, properties.

Where a value is kept is read anew each time: a call in between ends all handles, but not the operands in flight.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import element_at, read_index
from dap_dotnet.evaluation.operations.lambdas import UNASSIGNED
from dap_dotnet.evaluation.operations.methods_by_name import IndexerSetter
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.operations.storing import store
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.tuple_names import Names
from dap_dotnet.runtime.model import FieldRef, Value
from dap_dotnet.values.members import read_field
from dap_dotnet.values.placed_values import read_refs, size_at


class Assignable(ABC):
    """The left side of an assignment. `type` is its declared type, None where any value goes (a slot)."""

    owner: Operand | None = None
    """The object that it is a part of, in flight; None where that is a variable of the program, or is not known."""

    def __init__(self, declared: Type | None) -> None:
        self.type = declared

    @abstractmethod
    def read(self, env: Environment) -> Operand:
        """Its value now."""

    @abstractmethod
    def write(self, env: Environment, operand: Operand) -> None:
        """Give it a value of its type, which is in flight, and an object of the program already where it is one."""


class OnlyRead(Assignable):
    """What is not assigned itself, but a member of what it gives: an element or a property, with a setter or not."""

    def __init__(self, read: Callable[[Environment], Operand]) -> None:
        """`read` gives it, of operands that were evaluated already."""
        super().__init__(None)
        self._read = read

    @override
    def read(self, env: Environment) -> Operand:
        return self._read(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        raise Diagnostic("CS0131")


class Slot(Assignable):
    """A variable of the expression itself: of a pattern, a lambda, an `out var`."""

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._name = name

    @override
    def read(self, env: Environment) -> Operand:
        return env.slots[self._name]

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        env.slots[self._name] = operand


class BodyLocal(Slot):
    """A variable of a lambda's body, which other lambdas may have captured: it is changed, not replaced."""

    def __init__(self, env: Environment, name: str, declared: Type | None) -> None:
        """`declared` None: the type is that of its value."""
        super().__init__(name)
        kept = env.slots[name].type
        self.type = declared or (None if kept.kind in _NO_TYPES else kept)

    @override
    def read(self, env: Environment) -> Operand:
        kept = env.slots[self._name]
        if kept.type is UNASSIGNED:
            raise Diagnostic("CS0165", self._name)
        return Operand(kept.type, kept.data, kept.value, kept.names)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        kept = env.slots[self._name]
        kept.type, kept.data, kept.value, kept.names = operand.type, operand.data, operand.value, operand.names


_NO_TYPES = frozenset({Kind.NULL, Kind.VOID, Kind.LAMBDA, Kind.SEQUENCE})


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
    """What a new box of the program's, which is in flight, has inside: a copy of a structure."""
    return env.content(box_on_heap(env, structure).data)


def box_on_heap(env: Environment, structure: Operand) -> Operand:
    """A new box of the program's, in flight, with a copy of a structure: methods may change that."""
    box = boxed(env, structure)
    env.live.append(box)
    env.runner.put_on_heap(env, box)
    return box


def keep_apart(env: Environment, changed: Operand) -> bool:
    """Copy the structures in flight that share the memory of what is to be changed; False: there are none."""
    place = changed.program_value
    if place is None or not place.address or env.caller is None:
        return False
    end = place.address + _size(env, place)
    shared = list[Operand]()
    for one in env.in_flight():
        value = one.program_value
        if one is changed or one.type.kind is not Kind.STRUCT or value is None or value is place:
            continue
        if value.handle is not None and value.address < end and place.address < value.address + _size(env, value):
            shared.append(one)
    before = len(env.live)
    try:
        for one in shared:
            one.data = one.value = copied_to_heap(env, one)
    finally:
        del env.live[before:]
    return bool(shared)


def _size(env: Environment, value: Value) -> int:
    """How many bytes a structure takes from its address, which may be that of the box that holds it."""
    return _HEADER + ((size_at(env.program, value.type) or 0) if value.type is not None else len(value.raw))


_HEADER = 8
"""Bytes of the pointer that is before the content of a box."""


def where_kept(read: Callable[[Environment], Operand], found: Operand) -> Stored:
    """The structure in the program's memory that `read` gives each time, and has given as `found`."""

    def locate(env: Environment) -> Value:
        value = read(env).program_value
        assert value is not None
        return value

    made = Stored(found.type, locate)
    made.names = found.names
    return made


class Stored(Assignable):
    """What is kept in the program's memory."""

    type: Type

    def __init__(self, declared: Type, locate: Callable[[Environment], Value], owner: Operand | None = None) -> None:
        """`locate` reads the value where it is kept, with a handle of the present generation."""
        super().__init__(declared)
        self.locate = locate
        self.owner = owner
        self.names: Names = ()
        """Of the elements, where it is a tuple that the source gives names."""
        self.property_name = ""
        """The automatic property whose field it is; empty for others."""

    @override
    def read(self, env: Environment) -> Operand:
        operand = env.operand(self.locate(env), self.type)
        if self.names:
            operand.names = self.names
        return operand

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        place = self.locate(env)
        if keep_apart(env, Operand(self.type, place, place)):
            place = self.locate(env)
        store(env, place, self.type, operand)

    def field(self, _env: Environment, ref: FieldRef, declared: Type) -> Stored:
        """A field of the structure that is kept here."""

        def locate(env: Environment) -> Value:
            value = self.locate(env)
            if value.handle is None:
                raise EvaluationError(f"The structure cannot be changed: {value.error or 'it is not in the program'}")
            return read_refs(env.program, value, [ref])[0]

        return Stored(declared, locate, self.owner)


class Untyped(Stored):
    """A variable of a reference type that is not known, so that only its object can be changed."""

    def __init__(self, own: Type, locate: Callable[[Environment], Value], name: str) -> None:
        """`own` is the type of the object that is there now."""
        super().__init__(own, locate)
        self._name = name

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        raise EvaluationError(f"The type of '{self._name}' is not known, so that nothing can be stored in it")


def field_of_object(target: Operand, ref: FieldRef, declared: Type) -> Stored:
    """A field of an object, which is an operand in flight."""

    def locate(env: Environment) -> Value:
        value = target.program_value
        if value is None or value.handle is None:
            raise EvaluationError("The object's fields cannot be changed: it is not in the program")
        return read_refs(env.program, value, [ref])[0]

    return Stored(declared, locate, target)


class ContentOfNullable(Stored):
    """What a nullable that is kept somewhere holds: its members may be changed where the user sees them, it may not."""

    def __init__(self, outer: Stored, element: Type) -> None:
        def locate(env: Environment) -> Value:
            content = read_field(env.program, outer.locate(env), "value")
            if content is None:
                raise EvaluationError("What the nullable holds cannot be read")
            return content

        super().__init__(element, locate, outer.owner)
        self.property_name = f"{outer.type.name}.Value"

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        raise Diagnostic("CS0200", self.property_name)


class StaticField(Stored):
    """A static field: its class is initialised before it is changed, as by any access."""

    def __init__(self, owner: Type | None, ref: FieldRef, declared: Type, name: str) -> None:
        super().__init__(declared, lambda env: env.static(ref))
        self._owner, self._ref, self._name = owner, ref, name

    @override
    def read(self, env: Environment) -> Operand:
        return read_static(env, self._owner, self._ref, self.type, self._name)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        self.read(env)
        super().write(env, operand)


def element(env: Environment, array: Operand, indices: Sequence[IndexValue]) -> Stored:
    """An element of an array, which is an operand in flight. Raises `EvaluationError` out of range."""
    own = env.own_type(array)
    position = element_at(env, array, indices)

    def locate(env: Environment) -> Value:
        assert array.data.handle is not None
        return env.debuggee.elements(array.data.handle, position, 1)[0]

    return Stored(own.element, locate, array)


class Property(Assignable):
    """A property that is changed by its setter."""

    def __init__(
        self,
        declared: Type,
        target: Operand | None,
        accessors: tuple[ExactMethod | None, ExactMethod],
        *,
        outer: Stored | None = None,
        is_virtual: bool = True,
    ) -> None:
        """`target` None: static. `accessors`: getter (None: write-only), setter. `outer`: where a structure is kept."""
        super().__init__(declared)
        self.owner = outer.owner if outer is not None else target
        self._target = target
        self._getter, self._setter = accessors
        self._outer = outer
        self._is_virtual = is_virtual

    @override
    def read(self, env: Environment) -> Operand:
        if self._getter is None:
            raise Diagnostic("CS0154 unnamed")
        return env.runner.run(env, self._getter, self._target, [], is_virtual=self._is_virtual)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        if self._target is not None and self._target.type.is_value_type:
            self._write_structure(env, self._target, operand)
        else:
            env.runner.run(env, self._setter, self._target, [operand], is_virtual=self._is_virtual)
        env.stored()

    def _write_structure(self, env: Environment, target: Operand, operand: Operand) -> None:
        """The setter changes a copy in a box, which is then stored where the structure is kept."""
        if self._outer is None:
            raise Diagnostic("CS1612 typed", target.type.name)
        copy = box_on_heap(env, self._outer.read(env))
        env.runner.run(env, self._setter, copy, [operand])
        held = env.content(copy.data)
        self._outer.write(env, Operand(target.type, held, held))


class Indexer(Assignable):
    """An element that is changed by the setter of an indexer."""

    def __init__(self, target: Operand, indices: Sequence[IndexValue], setter: IndexerSetter) -> None:
        self.owner = self._target = target
        self._indices = indices
        self._setter = setter
        super().__init__(setter.value_type)

    @override
    def read(self, env: Environment) -> Operand:
        return read_index(env, self._target, self._indices)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        env.runner.run(env, self._setter.exact, self._target, [*self._setter.indices, operand])
        env.stored()
