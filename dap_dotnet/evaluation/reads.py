"""What one evaluation has read of the program: variables of its frame, in bulk, and the objects that it still has.

A variable is read at most once, until the program runs (a call). A run ends all handles. So each value that becomes an
operand is noted: before a run what anything still refers to is pinned, or, where it is a structure in a variable or a
field, taken apart; afterwards it gets handles of the new generation. Whoever holds an operand over a call need not do
anything. Counts of references tell what is needed, which is cheaper than weak references; where an interpreter has
none, all that was noted is carried over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from sys import getrefcount

from msgspec import Struct, structs

from dap_dotnet.errors import DapDotnetError, EvaluationError, RuntimeCallError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, FieldRef, FieldToken, PinId, ReadKind, Value, ValueHandle
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.frame_slots import frame_arguments, frame_locals
from dap_dotnet.values.members import instance_fields, read_fields
from dap_dotnet.values.placed_values import has_references, read_refs, size_at


class FrameReads:
    """The reading half of an `environment.Environment`. Session thread."""

    def __init__(self, context: FrameContext) -> None:
        self.context = context
        self.program = context.program
        self.debuggee = context.program.debuggee
        self.calls = 0
        """How often the program ran so far: handles read before the last time are dead."""
        self.has_stored = False
        """Whether the expression has changed variables, fields or elements."""
        reads = context.reads
        self.reads = reads if reads is not None and reads.generation == context.program.clock.generation else None
        """What the event of the breakpoint brought along; None when the program ran since."""
        self._variables: dict[ReadKind, list[Value]] = {}

    def argument(self, index: int) -> Value:
        """An argument of the frame; `this` is number 0 where there is one."""
        return self._variable(ReadKind.ARGUMENT, index)

    def local(self, slot: int) -> Value:
        """A local slot of the frame."""
        return self._variable(ReadKind.LOCAL, slot)

    def local_count(self) -> int:
        """How many local slots the frame has."""
        return len(self._all(ReadKind.LOCAL))

    def _variable(self, kind: ReadKind, index: int) -> Value:
        reads = self.reads
        if reads is not None and (planned := reads.variable(kind, index)) is not None:
            return planned
        values, word = self._all(kind), kind.name.lower()
        if index >= len(values):
            error = f"the {word} is not available at this point in the code"
            return Value(None, None, ElementType.END, error=error)
        if reads is not None and values[index].error is None:
            reads.note_variable(kind, index, values[index])
        return values[index]

    def _all(self, kind: ReadKind) -> list[Value]:
        if kind not in self._variables:
            read = frame_arguments if kind is ReadKind.ARGUMENT else frame_locals
            self._variables[kind] = read(self.context)
        return self._variables[kind]

    def fields(self, target: Value, wanted: list[FieldRef]) -> list[Value]:
        """Instance fields of a value that has a handle, in one call, or of its parts."""
        handle, owner, reads = target.handle, target.type, self.reads
        if target.parts is not None:
            return [target.parts[ref.field] for ref in wanted]
        assert handle is not None
        if reads is None:
            return read_refs(self.program, target, wanted)
        planned = [value for ref in wanted if (value := reads.field(handle, owner, ref)) is not None]
        if len(planned) == len(wanted):
            return planned
        values = read_refs(self.program, target, wanted)
        for ref, value in zip(wanted, values, strict=True):
            reads.note_field(handle, owner, ref, value)
        return values

    def static(self, ref: FieldRef) -> Value:
        """A static field."""
        reads = self.reads
        if reads is not None and (planned := reads.static(ref)) is not None:
            return planned
        frame = self.context.frame
        value = self.debuggee.static_fields([ref], self.context.thread, frame.index, text_limit=TEXT_LIMIT)[0]
        if reads is not None:
            reads.note_static(ref, value)
        return value

    def element(self, array: Value, position: int, source: Value | None = None) -> Value:
        """An element of an array that has a handle, by its flat position; `source` is where the position comes from."""
        handle, reads = array.handle, self.reads
        assert handle is not None
        if reads is not None and (planned := reads.element(handle, position, source)) is not None:
            return planned
        read = self.debuggee.elements(handle, position, 1, text_limit=TEXT_LIMIT)
        if not read:  # a collection that another thread was changing has an array too small for its items
            raise EvaluationError(
                f"System.IndexOutOfRangeException: Index {position} was outside the bounds of the collection's array."
            )
        value = read[0]
        if reads is not None:
            reads.note_element(handle, position, source, value)
        return value

    def program_runs(self) -> None:
        """A call is about to be made: what was read of the frame is of an earlier generation after it."""
        self.calls += 1
        self._variables, self.reads = {}, None

    def stored(self) -> None:
        """Something was stored in the program: what was read before may be false now. Handles live on."""
        self.has_stored = True
        self._variables, self.reads = {}, None


_FIRST_LIMIT = 1024
_OF_ENUM = "value__"
_HEADER = 8
"""Bytes of the pointer that is before the content of a box."""


def _counts(values: Iterable[object]) -> list[int]:
    return [getrefcount(value) for value in values]


(_ALONE,) = _counts({0: object()}.values())
"""References to what is in a dictionary only, as `getrefcount` counts them in a loop."""


class _Survivor(Struct):
    """A value that is carried over a run of the program, with what it is renewed from."""

    value: Value
    pin: PinId | None = None
    parts: Mapping[FieldToken, Value] | None = None
    read_again: Callable[[], Value] | None = None


class Roots:
    """Of one evaluation. Session thread."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._noted: list[Value] = []
        self._limit = _FIRST_LIMIT
        self._places: list[tuple[Value, Callable[[], Value]]] = []
        self._changed_in_place: dict[int, Value] = {}
        self._pins: dict[ValueHandle, PinId] = {}
        """Pins by the handles of the present generation that were read from them: such values need no other."""
        self._survivors: list[_Survivor] = []

    def note(self, value: Value) -> None:
        """Keep a value valid for as long as anything refers to it."""
        self._noted.append(value)
        if len(self._noted) > self._limit:
            self._limit = max(_FIRST_LIMIT, 2 * len(self._live()))

    def forget(self) -> None:
        """What was noted is needed until the program runs, and no longer. What is pinned is what that is given."""
        self._noted = [value for value in self._noted if value.handle in self._pins]
        self._places.clear()

    def note_changed_in_place(self, value: Value) -> None:
        """A value stands for the variable that it is kept in: it changes with that."""
        self._changed_in_place[id(value)] = value

    def note_parts(self, value: Value) -> None:
        """As `note`, of the parts of a structure that has no place in the program."""
        for part in (value.parts or {}).values():
            self.note(part)
            self.note_parts(part)

    def note_place(self, value: Value, read_again: Callable[[], Value]) -> None:
        """As `note`, of what no object can hold: a span or another `ref struct` of the frame is read again."""
        self._places.append((value, read_again))

    def _live(self) -> list[Value]:
        """The values that anything still refers to, each once; the others are forgotten."""
        once = {id(value): value for value in self._noted}
        self._noted.clear()
        counts = _counts(once.values())
        self._noted = [value for value, count in zip(once.values(), counts, strict=True) if count > _ALONE]
        return self._noted

    def before_run(self) -> None:
        """The program is about to run."""
        self._survivors = [_Survivor(value, read_again=read_again) for value, read_again in self._places]
        placed = {id(one.value) for one in self._survivors}
        values = [value for value in self._live() if id(value) not in placed]
        used = set[PinId]()
        for value in values:  # grows by the parts of structures
            if value.handle is None:
                continue
            survivor = _Survivor(value, self._pin(value))
            if survivor.pin is not None:
                used.add(survivor.pin)
            elif not value.is_null:
                survivor.parts = self._taken_apart(value)
                values.extend((survivor.parts or {}).values())
            self._survivors.append(survivor)
        for pin in set(self._pins.values()) - used:
            self._program.debuggee.unpin(pin)

    def _pin(self, value: Value) -> PinId | None:
        """The pin of an object; None for what is none."""
        if value.is_null or value.handle is None:
            return None
        known = self._pins.get(value.handle)
        if known is None:
            try:
                known = self._pins[value.handle] = self._program.debuggee.pin(value.handle)
            except RuntimeCallError:
                return None
        return known

    def _taken_apart(self, value: Value) -> Mapping[FieldToken, Value] | None:
        """The fields of a structure that is kept in a variable, a field or an element; None for what is none."""
        if value.element_type is not ElementType.VALUETYPE:
            return None
        fields = instance_fields(self._program, value.type)
        if any(declared.field.name == _OF_ENUM for declared in fields):
            return None  # its bytes are all of it
        try:
            parts = {declared.field.token: part for declared, part in read_fields(self._program, value, fields)}
        except DapDotnetError:
            return None
        for part in parts.values():
            self.note(part)
        return parts or None

    def after_run(self) -> None:
        """The program is held again."""
        self._pins.clear()
        read = dict[PinId, Value]()
        for survivor in reversed(self._survivors):  # parts before what they are parts of
            if survivor.read_again is not None:
                again = survivor.read_again()
                for name in Value.__struct_fields__:
                    structs.force_setattr(survivor.value, name, getattr(again, name))
            elif survivor.pin is None:
                _lose_place(survivor.value, survivor.parts)
            else:
                if survivor.pin not in read:
                    read[survivor.pin] = self._read(survivor.pin, survivor.value)
                _become_object(survivor.value, read[survivor.pin])
        self._survivors.clear()

    def lose_control(self) -> None:
        """The program runs, and cannot be stopped: what is pinned stays so."""
        self._survivors.clear()
        self._pins.clear()

    def _read(self, pin: PinId, old: Value) -> Value:
        try:
            again = self._program.debuggee.pinned(pin)
        except DapDotnetError as error:
            again = Value(None, old.type, old.element_type, error=error.message)
        if again.handle is not None:
            self._pins[again.handle] = pin
        return again

    def keep_apart(self, place: Value) -> None:
        """What is kept at a place is about to be changed: values that were read from there stay what they are.

        `place` itself, which must be nobody else's, goes on to mean the place.
        """
        values = [value for value in self._live() if value is not place and self._may_be_at(value, place)]
        apart = list[tuple[Value, Mapping[FieldToken, Value] | None]]()
        for value in values:  # grows by the parts of structures
            pin = self._pin(value) if value.is_reference else None
            if pin is not None:
                _become_object(value, self._read(pin, value))
                self._places = [one for one in self._places if one[0] is not value]  # there is another one now
                continue
            parts = self._taken_apart(value)
            apart.append((value, parts))
            values.extend((parts or {}).values())
        for value, parts in reversed(apart):
            _lose_place(value, parts)

    def _may_be_at(self, value: Value, place: Value) -> bool:
        """Whether a value may have been read from a place, or from a part of it."""
        if value.handle is None or value.is_boxed or id(value) in self._changed_in_place:
            return False
        if ElementType.PTR in (value.element_type, place.element_type):
            return False  # the address of a pointer is where it leads
        if value.is_reference:  # the addresses are those of the objects
            return place.is_reference and (value.is_null or value.address == place.address)
        if place.is_reference and not place.is_boxed:
            return False
        return value.address < place.address + self._size(place) and place.address < value.address + self._size(value)

    def _size(self, value: Value) -> int:
        """How many bytes a value takes from its address, which may be that of the box that holds it."""
        return _HEADER + ((size_at(self._program, value.type) or 0) if value.type is not None else len(value.raw))

    def release(self, result: Value | None = None) -> None:
        """Unpin all at the end of the evaluation but the result's object."""
        kept = self._pins.get(result.handle) if result is not None and result.handle is not None else None
        for pin in set(self._pins.values()):
            if pin != kept:
                self._program.debuggee.unpin(pin)
        self._pins.clear()


def _become_object(value: Value, again: Value) -> None:
    """What a pin gives, seen as before: its type and its text, which a pin does not bring, are the same."""
    structs.force_setattr(value, "handle", again.handle)
    structs.force_setattr(value, "address", again.address)
    structs.force_setattr(value, "error", again.error)


def _lose_place(value: Value, parts: Mapping[FieldToken, Value] | None) -> None:
    """What is left of a value that is not on the heap: its bytes or its parts; else that it is lost."""
    structs.force_setattr(value, "handle", None)
    structs.force_setattr(value, "address", 0)
    structs.force_setattr(value, "parts", parts)
    if parts is not None and any(map(has_references, parts.values())):
        structs.force_setattr(value, "raw", b"")
    if parts is None and not value.raw and not value.is_null:
        structs.force_setattr(value, "error", "it was lost when the program ran a call")
