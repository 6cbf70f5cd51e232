"""Data breakpoints at work: the last known values of watched fields, and whether a store has changed them.

A static field and a field of one object are compared with their last known value after every store. For the field of
all objects the object and its value are read before the store, in the frame that is about to store, and compared after
it. Session thread only; the process must be held.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dap_dotnet.breakpoints.data.field_names import shown_field
from dap_dotnet.breakpoints.data.made_objects import MadeObjects, object_kept
from dap_dotnet.breakpoints.data.resolver import FieldResolver
from dap_dotnet.breakpoints.data.stores import FieldName, Guard, Role, Store
from dap_dotnet.breakpoints.data.watched_objects import (
    WatchedInstances,
    declared_field,
    default_text,
    exact_static_type,
)
from dap_dotnet.breakpoints.model import Bound, BreakpointId, FieldPlace, LogicalBreakpoint
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import (
    BreakpointLocation,
    FieldRef,
    PinId,
    StepKind,
    StepperId,
    ThreadId,
    TypeId,
    Value,
)
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.snapshots import Snapshot, default_snapshot, is_same, release, take

_log = logging.getLogger(__name__)


class Change(NamedTuple):
    """A data breakpoint whose field has changed, and how."""

    entry: LogicalBreakpoint
    text: str
    """Such as ``Counter.total: 3 -> 4``."""


class _Known(NamedTuple):
    """Whose last known value: of a breakpoint's field, for a thread or an instantiation (0: there is only one)."""

    entry: BreakpointId
    field: FieldName
    part: int


class _Awaited(NamedTuple):
    """A store that an activation of a method is about to make."""

    thread: ThreadId
    stack_address: int
    entry: BreakpointId
    store: Store


class _Object(NamedTuple):
    """The object of an awaited store with its value before. `pin` None: a struct, which is found again in the frame."""

    pin: PinId | None
    ref: FieldRef
    before: Snapshot


class DataBreakpoints:
    """See the module's docstring."""

    def __init__(self, resolver: FieldResolver) -> None:
        self._resolver = resolver
        self.instances = WatchedInstances()
        self._known: dict[_Known, Snapshot] = {}
        self._awaited: dict[_Awaited, _Object] = {}
        self._leaving: dict[StepperId, list[LogicalBreakpoint]] = {}
        self._made = MadeObjects()
        self._initialising: set[_Awaited] = set()
        """Initialisers under way."""
        self._with_initialisers: set[BreakpointId] = set()
        """Breakpoints on all objects that an initialiser stores to."""
        self._orphans: list[_Object] = []
        """Of threads that have ended; their handles are given back at the next hit."""
        self.unknown_objects: dict[BreakpointId, int] = {}
        """Stores whose object could not be told, by breakpoint."""

    # what is watched

    def update(self, program: Program, entries: Iterable[LogicalBreakpoint], thread: ThreadId | None) -> None:
        """Take the values of what is newly watched, and forget what is not any more.

        `thread` is one to read static fields with; None: any.
        """
        entries = [entry for entry in entries if isinstance(entry.state, Bound)]
        ids = {entry.id for entry in entries}
        for key in [key for key in self._known if key.entry not in ids]:
            release(program, self._known.pop(key))
        for awaited in [one for one in (*self._awaited, *self._initialising) if one.entry not in ids]:
            self._drop(program, awaited)
        self._made.keep_only(program, ids)
        self._with_initialisers &= ids
        for entry in entries:
            if isinstance(entry.place, FieldPlace):
                if any(store.kept_in is not None for store in self._resolver.stores(entry.place)):
                    self._with_initialisers.add(entry.id)
                self._take_first(program, entry, entry.place, thread)

    def _take_first(
        self, program: Program, entry: LogicalBreakpoint, place: FieldPlace, thread: ThreadId | None
    ) -> None:
        for store in self._resolver.stores(place):
            if not (store.is_static or place.instance):
                continue
            if self._resolver.is_several(store) and not place.instance:
                continue  # read where a store is about to be made, for its thread and its types
            key = _Known(entry.id, store.field, 0)
            if key not in self._known:
                value = self._read(program, place, store.field, thread, None)
                self._known[key] = self._first(program, store.field, value)

    def _first(self, program: Program, field: FieldName, value: Value | None) -> Snapshot:
        if value is None or value.error is not None:
            return default_snapshot(default_text(program, field))
        return take(program, value)

    def thread_exited(self, thread: ThreadId) -> None:
        """Forget the stores that a thread was about to make. The process may be running."""
        for awaited in [awaited for awaited in self._awaited if awaited.thread == thread]:
            self._orphans.append(self._awaited.pop(awaited))
        self._initialising = {awaited for awaited in self._initialising if awaited.thread != thread}
        self._made.thread_exited(thread)

    # what happens

    def hit(
        self, context: FrameContext, location: BreakpointLocation, entries: Sequence[LogicalBreakpoint]
    ) -> list[Change]:
        """A runtime breakpoint of these data breakpoints was hit: those whose field has changed."""
        changes: list[Change] = []
        address: int | None = None
        for entry in entries:
            place = entry.place
            if not isinstance(place, FieldPlace):
                continue
            try:
                guards = self._resolver.guards(place, location)
                of_one = [guard for guard in guards if guard.store.is_static or place.instance]
                changes += self._hit_one(context, entry, place, of_one)
                if len(of_one) < len(guards):
                    if address is None:
                        address = self._arrive(context)
                    others = [guard for guard in guards if guard not in of_one]
                    changes += self._hit_any(context, entry, address, others)
            except DapDotnetError as error:
                _log.warning("data breakpoint %d: %s", entry.id, error.message)
        return changes

    def is_mine(self, stepper: StepperId) -> bool:
        """Whether a stepper was armed here, to get out of a method that stores and returns at once."""
        return stepper in self._leaving

    def abandon(self, stepper: StepperId) -> None:
        """Forget a stepper that has ended where there is nothing to see."""
        self._leaving.pop(stepper, None)

    def left(self, context: FrameContext, stepper: StepperId) -> list[Change]:
        """The method was left: the data breakpoints whose field it has changed on its way."""
        changes: list[Change] = []
        for entry in self._leaving.pop(stepper, []):
            place = entry.place
            if not isinstance(place, FieldPlace):
                continue
            stores = self._resolver.stores(place)
            for store in {store.field: store for store in stores if store.leaves}.values():
                if store.is_static or place.instance:
                    changes += self._compare(context, entry, place, store)
            for awaited in [one for one in self._awaited if one.entry == entry.id and one.thread == context.thread]:
                if awaited.store.leaves:
                    changes += self._compare_object(context, entry, awaited)
        return changes

    # one value

    def _hit_one(
        self, context: FrameContext, entry: LogicalBreakpoint, place: FieldPlace, guards: list[Guard]
    ) -> list[Change]:
        changes = []
        for store in {guard.store.field: guard.store for guard in guards if guard.role is Role.AFTER}.values():
            changes += self._compare(context, entry, place, store)
        for guard in guards:
            if guard.role is Role.BEFORE:
                if self._resolver.is_several(guard.store) and not place.instance:
                    self._take_before(context, entry, place, guard.store)
                if guard.store.leaves:
                    self._step_out(context, entry)
        return changes

    def _part(self, context: FrameContext, store: Store, place: FieldPlace) -> tuple[int, TypeId | None]:
        """Which of several values a static field has here, and the exact type of a generic one."""
        if place.instance or not store.is_static or not self._resolver.is_several(store):
            return 0, None
        type_id = exact_static_type(context, store) if "`" in store.field.type_name else None
        if self._resolver.is_thread_static(store.field):
            return context.thread, type_id
        return type_id or 0, type_id

    def _take_before(self, context: FrameContext, entry: LogicalBreakpoint, place: FieldPlace, store: Store) -> None:
        part, type_id = self._part(context, store, place)
        key = _Known(entry.id, store.field, part)
        if key not in self._known:
            value = self._read(context.program, place, store.field, context.thread, type_id)
            self._known[key] = self._first(context.program, store.field, value)

    def _compare(
        self, context: FrameContext, entry: LogicalBreakpoint, place: FieldPlace, store: Store
    ) -> list[Change]:
        program = context.program
        part, type_id = self._part(context, store, place)
        key = _Known(entry.id, store.field, part)
        value = self._read(program, place, store.field, context.thread, type_id)
        if value is None or value.error is not None:
            return []
        known = self._known.get(key)
        if known is None:
            self._known[key] = take(program, value)
            return []
        if is_same(program, known, value):
            return []
        now = self._known[key] = take(program, value)
        release(program, known)
        return [Change(entry, _change_text(store.field, known, now))]

    def _read(
        self,
        program: Program,
        place: FieldPlace,
        field: FieldName,
        thread: ThreadId | None,
        type_id: TypeId | None,
    ) -> Value | None:
        """The field's present value; None while its type is not loaded, or its object is gone."""
        if place.instance:
            return self.instances.read(program, place.instance, field, thread)
        return self.instances.read_static(program, field, thread, type_id)

    def _step_out(self, context: FrameContext, entry: LogicalBreakpoint) -> None:
        stepper = context.program.debuggee.step(context.thread, StepKind.OUT, just_my_code=False)
        self._leaving.setdefault(stepper, []).append(entry)

    # any object

    def _arrive(self, context: FrameContext) -> int:
        """The identity of the top frame; awaited stores of frames that are gone are forgotten."""
        program, thread = context.program, context.thread
        while self._orphans:
            self._release(program, self._orphans.pop())
        frames = program.debuggee.stack(thread, 0, 1).frames
        address = frames[0].stack_address if frames else 0
        for awaited in [*self._awaited, *self._initialising]:
            if awaited.thread != thread:
                continue
            is_gone = awaited.stack_address < address
            is_other = awaited.stack_address == address and awaited.store.location.method != context.frame.method
            if is_gone or is_other:
                self._drop(program, awaited)
        return address

    def _hit_any(
        self, context: FrameContext, entry: LogicalBreakpoint, address: int, guards: list[Guard]
    ) -> list[Change]:
        changes = []
        for guard in guards:
            awaited = _Awaited(context.thread, address, entry.id, guard.store)
            if guard.role is Role.AFTER and awaited in self._awaited:
                changes += self._compare_object(context, entry, awaited)
            elif guard.role is Role.AFTER and awaited in self._initialising:
                self._initialising.remove(awaited)
                changes += self._compare_made(context, entry, guard.store)
        for guard in guards:
            if guard.role is Role.BEFORE:
                awaited = _Awaited(context.thread, address, entry.id, guard.store)
                self._drop(context.program, awaited)
                found = self._find_object(context, guard.store)
                if found is None and guard.store.kept_in is not None:
                    self._initialising.add(awaited)  # looked at when it is over
                    continue
                if found is None:
                    self.unknown_objects[entry.id] = self.unknown_objects.get(entry.id, 0) + 1
                    continue
                self._awaited[awaited] = found
                if guard.store.leaves:
                    self._step_out(context, entry)
        return changes

    def _find_object(self, context: FrameContext, store: Store) -> _Object | None:
        program = context.program
        owner = self._owner(context, store)
        ref = declared_field(program, owner, store.field) if owner is not None else None
        if owner is None or ref is None or owner.handle is None:
            return None
        value = program.debuggee.fields(owner.handle, [ref])[0]
        if value.error is not None:
            return None
        before = take(program, value)
        try:
            return _Object(program.debuggee.pin(owner.handle, weak=True), ref, before)
        except DapDotnetError:  # a struct: it has no identity of its own
            return _Object(None, ref, before)

    def _owner(self, context: FrameContext, store: Store) -> Value | None:
        from dap_dotnet.evaluation.interpreter.lookahead import value_on_top

        return value_on_top(context, store.before, store.object_offsets)

    def _compare_object(self, context: FrameContext, entry: LogicalBreakpoint, awaited: _Awaited) -> list[Change]:
        program = context.program
        found = self._awaited.pop(awaited)
        owner = self._owner(context, awaited.store) if found.pin is None else program.debuggee.pinned(found.pin)
        try:
            if owner is None or owner.handle is None or owner.is_null:
                return []
            value = program.debuggee.fields(owner.handle, [found.ref])[0]
            if entry.id in self._with_initialisers:
                self._made.remember(program, (entry.id, context.thread), owner, awaited.store.field, value)
            if value.error is not None or is_same(program, found.before, value):
                return []
            now = take(program, value)
            text = _change_text(awaited.store.field, found.before, now)
            self._retake(program, owner, found.ref, value)
            release(program, now)
            return [Change(entry, text)]
        finally:
            self._release(program, found)

    def _compare_made(self, context: FrameContext, entry: LogicalBreakpoint, store: Store) -> list[Change]:
        """After an initialiser: its object is in a local now."""
        program = context.program
        owner = object_kept(context, store)
        ref = declared_field(program, owner, store.field) if owner is not None else None
        if owner is None or owner.handle is None or ref is None:
            return []
        value = program.debuggee.fields(owner.handle, [ref])[0]
        key = entry.id, context.thread
        before = self._made.before(program, key, owner, store.field)
        if value.error is not None or is_same(program, before, value):
            return []
        now = take(program, value)
        text = _change_text(store.field, before, now)
        release(program, now)
        self._made.remember(program, key, owner, store.field, value)  # it is passed here again in a loop
        return [Change(entry, text)]

    def _retake(self, program: Program, owner: Value, ref: FieldRef, value: Value) -> None:
        """Other stores to the object are under way, up the stack or in other threads: their old value is another."""
        for awaited, found in list(self._awaited.items()):
            if (
                found.pin is not None
                and found.ref == ref
                and program.debuggee.pinned(found.pin).address == owner.address
            ):
                release(program, found.before)
                self._awaited[awaited] = found._replace(before=take(program, value))

    def _drop(self, program: Program, awaited: _Awaited) -> None:
        self._initialising.discard(awaited)
        found = self._awaited.pop(awaited, None)
        if found is not None:
            self._release(program, found)

    def _release(self, program: Program, found: _Object) -> None:
        release(program, found.before)
        if found.pin is not None:
            program.debuggee.unpin(found.pin)


def _change_text(field: FieldName, before: Snapshot, now: Snapshot) -> str:
    owner = field.type_name.rpartition(".")[2].rpartition("+")[2].partition("`")[0]
    name = shown_field(field.name)
    shown = name if owner.startswith("<") else f"{owner}.{name}"
    return f"{shown}: {before.text} -> {now.text}"
