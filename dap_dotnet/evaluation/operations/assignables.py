"""What may stand left of an assignment, its target and indices evaluated once: variables, fields, elements.

Where a value is kept is read anew each time: a call in between ends all handles but those of operands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.dispatch import method_of, shown_name
from dap_dotnet.evaluation.operations.indexing import flat_position
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.static_fields import read_static
from dap_dotnet.evaluation.operations.storing import store
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import FieldRef, Value
from dap_dotnet.values.kept_objects import KeptVariable
from dap_dotnet.values.placed_values import read_refs


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


class Missing(Assignable):
    """What is in no object, or in no array: that shows when it is read or stored, behind the value's own calls."""

    def __init__(self, error: Thrown, declared: Type) -> None:
        super().__init__(declared)
        self.error = error

    @override
    def read(self, env: Environment) -> Operand:
        raise self.error

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        raise self.error


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
        place = self.locate(env)
        store(env, place, self.type, operand)

    def field(self, _env: Environment, ref: FieldRef, declared: Type) -> Stored:
        """A field of the structure that is kept here."""

        def locate(env: Environment) -> Value:
            value = self.locate(env)
            if value.handle is None:
                raise EvaluationError(f"The structure cannot be changed: {value.error or 'it is not in the program'}")
            return read_refs(env.program, value, [ref])[0]

        return Stored(declared, locate)


def field_of_object(target: Operand, ref: FieldRef, declared: Type) -> Stored:
    """A field of an object."""

    def locate(env: Environment) -> Value:
        value = target.program_value
        if value is None or value.handle is None:
            raise EvaluationError("The object's fields cannot be changed: it is not in the program")
        return read_refs(env.program, value, [ref])[0]

    return Stored(declared, locate)


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


def element(env: Environment, array: Operand, indices: Sequence[Operand]) -> Stored:
    """An element of an array. Raises `EvaluationError` out of range."""
    own = env.own_type(array)
    position = flat_position(env, array.data, indices)

    def locate(env: Environment) -> Value:
        assert array.data.handle is not None
        return env.debuggee.elements(array.data.handle, position, 1)[0]

    return Stored(own.element, locate)


class Returned(Stored):
    """What a method returns by reference: it runs when the variable is first read or written."""

    def __init__(
        self,
        env: Environment,
        declared: Type,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
    ) -> None:
        """Operands are in flight; `target` None: a static method. `declared`: the type of the variable."""
        if target is not None and target.type.is_value_type:
            raise EvaluationError("The reference that a member of a structure gives cannot be followed here")
        super().__init__(declared, self._located)
        self._call = method, target, arguments
        self._name = shown_name(method.owner, method_of(env, method).name)
        self._found: tuple[Value, int] | None = None
        """The variable, and the number of calls after which it was."""
        self._only_reads = False
        self._written: Operand | None = None

    @override
    def read(self, env: Environment) -> Operand:
        return self._written or super().read(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        super().write(env, operand)
        self._written = operand  # what was read of the variable before is old, and a second run may do more than read

    def _located(self, env: Environment) -> Value:
        value, calls = self._found or (None, 0)
        if value is None or (self._only_reads and calls != env.calls):
            value, self._only_reads = env.runner.reference(env, *self._call)
            self._found = value, env.calls
            env.roots.note_changed_in_place(value)
        elif calls != env.calls:
            raise EvaluationError(
                f"The program has run since {self._name} gave its reference, which may be of something else now: "
                "compute the value first, in a variable of the console"
            )
        return value


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
