"""What may stand left of an assignment, its target and indices evaluated once: variables, fields, elements, properties.

Where a value is kept is read anew each time: a call in between ends all handles but those of operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import element_at
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.operations.storing import store
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.tuple_names import Names
from dap_dotnet.runtime.model import FieldRef, Value
from dap_dotnet.values.placed_values import read_refs


class Assignable(ABC):
    """The left side of an assignment. `type` is its declared type, None where any value goes (a slot)."""

    owner: Operand | None = None
    """The object that it is a part of; None where that is a variable of the program, or is not known."""

    def __init__(self, declared: Type | None) -> None:
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
    """What a new box of the program's, has inside: a copy of a structure."""
    return env.content(box_on_heap(env, structure).data)


def box_on_heap(env: Environment, structure: Operand) -> Operand:
    """A new box of the program's, with a copy of a structure: methods may change that."""
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
        store(env, place, self.type, operand)

    def field(self, _env: Environment, ref: FieldRef, declared: Type) -> Stored:
        """A field of the structure that is kept here."""

        def locate(env: Environment) -> Value:
            value = self.locate(env)
            if value.handle is None:
                raise EvaluationError(f"The structure cannot be changed: {value.error or 'it is not in the program'}")
            return read_refs(env.program, value, [ref])[0]

        return Stored(declared, locate, self.owner)


def field_of_object(target: Operand, ref: FieldRef, declared: Type) -> Stored:
    """A field of an object."""

    def locate(env: Environment) -> Value:
        value = target.program_value
        if value is None or value.handle is None:
            raise EvaluationError("The object's fields cannot be changed: it is not in the program")
        return read_refs(env.program, value, [ref])[0]

    return Stored(declared, locate, target)


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
    """An element of an array. Raises `EvaluationError` out of range."""
    own = env.own_type(array)
    position = element_at(env, array, indices)

    def locate(env: Environment) -> Value:
        assert array.data.handle is not None
        return env.debuggee.elements(array.data.handle, position, 1)[0]

    return Stored(own.element, locate, array)
