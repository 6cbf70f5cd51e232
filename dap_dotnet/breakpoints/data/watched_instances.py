"""The objects and exact types that data breakpoints watch, by numbers that clients send back. Session thread only."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from dap_dotnet.breakpoints.data.field_access import declared_field, field_token_of, is_declared_reference
from dap_dotnet.breakpoints.data.stores import FieldName
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import FieldRef, PinId, ThreadId, TypeDefToken, TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.placed_values import read_refs

MOST_INSTANCES = 1_000
"""Objects remembered for clients; the oldest are forgotten, and breakpoints on them are not hit any more."""


class _Instance(Struct, frozen=True):
    """An object by a weak handle, or an instantiation of a generic type whose static field is meant."""

    pin: PinId | None
    type: TypeId | None


class WatchedInstances:
    """Numbers from 1 for objects, and for instantiations of generic types; good for the session."""

    def __init__(self) -> None:
        self._instances: dict[int, _Instance] = {}
        self._last = 0
        self._statics: dict[tuple[FieldName, TypeId | None], FieldRef] = {}
        """Static fields by their exact types, as of the catalog's version."""
        self._references: dict[FieldName, bool] = {}
        self._version = -1

    def go_on_after(self, former: WatchedInstances) -> None:
        """Give none of the numbers that were given in the program's run before."""
        self._last = former._last

    def of_object(self, program: Program, owner: Value) -> int | None:
        """The number of an object, the same for the same one; None for a value that is not on the heap."""
        if owner.handle is None or owner.is_null:
            return None
        for number, known in self._instances.items():
            if known.pin is not None:
                there = program.debuggee.pinned(known.pin)
                if not there.is_null and there.address == owner.address:
                    return number
        try:
            pin = program.debuggee.pin(owner.handle, weak=True)
        except DapDotnetError:  # a struct: it is part of something else
            return None
        return self._add(program, _Instance(pin, None))

    def of_type(self, program: Program, type_id: TypeId) -> int:
        """The number of an exact type."""
        known = next((number for number, one in self._instances.items() if one.type == type_id), None)
        return known or self._add(program, _Instance(None, type_id))

    def _add(self, program: Program, instance: _Instance) -> int:
        if len(self._instances) >= MOST_INSTANCES:
            oldest = self._instances.pop(next(iter(self._instances)))
            if oldest.pin is not None:
                program.debuggee.unpin(oldest.pin)
        self._last += 1
        self._instances[self._last] = instance
        return self._last

    def is_there(self, program: Program, number: int) -> bool:
        """Whether the object still lives (exact types do)."""
        known = self._instances.get(number)
        if known is None or known.pin is None:
            return known is not None
        return not program.debuggee.pinned(known.pin).is_null

    def is_known(self, number: int) -> bool:
        """Whether the number was given in this session."""
        return number in self._instances

    def read(self, program: Program, number: int, field: FieldName, thread: ThreadId | None) -> Value | None:
        """A field of the object, or a static one of the exact type; None when it is gone."""
        known = self._instances.get(number)
        if known is None:
            return None
        if known.pin is None:
            return self.read_static(program, field, thread, known.type)
        owner = program.debuggee.pinned(known.pin)
        ref = declared_field(program, owner, field)
        if owner.is_null or owner.handle is None or ref is None:
            return None
        return read_refs(program, owner, [ref])[0]

    def read_static(
        self, program: Program, field: FieldName, thread: ThreadId | None, type_id: TypeId | None
    ) -> Value | None:
        """A static field; `type_id` is the exact type where it is generic. None while it is not loaded."""
        try:
            if thread is None:
                threads = program.debuggee.threads()
                if not threads:
                    return None
                thread = threads[0].thread
            ref = self._static_ref(program, field, type_id)
            value = program.debuggee.static_fields([ref], thread)[0] if ref is not None else None
        except DapDotnetError:
            return None  # not loaded yet, or the program is at its very beginning
        if value is not None and value.is_boxed and not self._is_reference(program, field):
            return replace(value, is_boxed=False, is_reference=False)  # the runtime keeps static structs in boxes
        return value

    def _is_reference(self, program: Program, field: FieldName) -> bool:
        """Whether a static field is declared with a reference type, which is where a box is the program's own."""
        known = self._references.get(field)
        if known is None:
            known = self._references[field] = is_declared_reference(program, field)
        return known

    def _static_ref(self, program: Program, field: FieldName, type_id: TypeId | None) -> FieldRef | None:
        if self._version != program.modules.version:
            self._version = program.modules.version
            self._statics.clear()
            self._references.clear()
        known = self._statics.get((field, type_id))
        if known is None:
            for loaded in program.modules:
                token = loaded.metadata.find_type(field.type_name) if loaded.metadata is not None else None
                field_token = field_token_of(program, loaded.id, token, field.name)
                if token is not None and field_token is not None:
                    exact = program.debuggee.make_type(loaded.id, TypeDefToken(token)) if type_id is None else type_id
                    known = self._statics[field, type_id] = FieldRef(exact, field_token)
                    break
        return known
