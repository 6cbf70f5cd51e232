"""The last known values of static fields and of fields of one object, compared after every store.

Session thread only; the process must be held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dap_dotnet.breakpoints.data.changes import Change, change_text
from dap_dotnet.breakpoints.data.field_access import default_text
from dap_dotnet.breakpoints.data.resolver import FieldResolver
from dap_dotnet.breakpoints.data.stores import FieldName, Store
from dap_dotnet.breakpoints.data.watched_instances import WatchedInstances
from dap_dotnet.breakpoints.model import BreakpointId, FieldPlace, LogicalBreakpoint
from dap_dotnet.runtime.model import FieldToken, ThreadId, TypeId, Value
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.snapshots import Snapshot, default_snapshot, is_same, release, take


class _Known(NamedTuple):
    """Whose last known value: of a breakpoint's field, for a thread or an instantiation (0: there is only one)."""

    breakpoint: BreakpointId
    field: FieldName
    part: int


class KnownValues:
    """See the module's docstring."""

    def __init__(self, resolver: FieldResolver, instances: WatchedInstances) -> None:
        self._resolver = resolver
        self._instances = instances
        self._known: dict[_Known, Snapshot] = {}

    def keep_only(self, program: Program, breakpoints: set[BreakpointId]) -> None:
        """Forget the values of other breakpoints."""
        for key in [key for key in self._known if key.breakpoint not in breakpoints]:
            release(program, self._known.pop(key))

    def take_first(
        self, program: Program, logical: LogicalBreakpoint, place: FieldPlace, thread: ThreadId | None
    ) -> None:
        """Take the values of what is newly watched. `thread` is one to read static fields with; None: any."""
        for store in self._resolver.stores(place):
            if not (store.is_static or place.instance):
                continue
            if self._resolver.is_several(store) and not place.instance:
                continue  # read where a store is about to be made, for its thread and its types
            key = _Known(logical.id, store.field, 0)
            if key not in self._known:
                value = self._read(program, place, store.field, thread, None)
                self._known[key] = _first(program, store.field, value)

    def take_before(self, context: FrameContext, logical: LogicalBreakpoint, place: FieldPlace, store: Store) -> None:
        """Before a store to a static field that has several values: take the one that it changes."""
        if place.instance or not self._resolver.is_several(store):
            return
        part, type_id = self._part(context, store, place)
        key = _Known(logical.id, store.field, part)
        if key not in self._known:
            value = self._read(context.program, place, store.field, context.thread, type_id)
            self._known[key] = _first(context.program, store.field, value)

    def compare(
        self, context: FrameContext, logical: LogicalBreakpoint, place: FieldPlace, store: Store
    ) -> list[Change]:
        """After a store: the change, if it made one."""
        program = context.program
        part, type_id = self._part(context, store, place)
        key = _Known(logical.id, store.field, part)
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
        return [Change(logical, change_text(store.field, known, now))]

    def are_known(self, logical: LogicalBreakpoint) -> bool:
        """Whether there are values of a breakpoint's field; there are none of the field of all objects."""
        return any(key.breakpoint == logical.id for key in self._known)

    def differ(self, program: Program, logical: LogicalBreakpoint, place: FieldPlace, thread: ThreadId) -> bool:
        """Whether any of the values is another now than when it was last looked at."""
        return any(True for _ in self._changed(program, logical, place, thread))

    def take_unseen(
        self, program: Program, logical: LogicalBreakpoint, place: FieldPlace, thread: ThreadId
    ) -> list[Change]:
        """Take what the values are now; the changes."""
        changes = []
        for key, value in list(self._changed(program, logical, place, thread)):
            known, now = self._known[key], take(program, value)
            self._known[key] = now
            changes.append(Change(logical, change_text(key.field, known, now)))
            release(program, known)
        return changes

    def _changed(
        self, program: Program, logical: LogicalBreakpoint, place: FieldPlace, thread: ThreadId
    ) -> Iterator[tuple[_Known, Value]]:
        for key, known in self._known.items():
            if key.breakpoint != logical.id:
                continue
            is_of_thread = key.part and not place.instance and self._resolver.is_thread_static(key.field)
            is_generic = key.part and "`" in key.field.type_name
            if is_of_thread and is_generic:
                continue  # which instantiation it is of is not known here
            asked = ThreadId(key.part) if is_of_thread else thread
            value = self._read(program, place, key.field, asked, TypeId(key.part) if is_generic else None)
            if value is not None and value.error is None and not is_same(program, known, value):
                yield key, value

    def _part(self, context: FrameContext, store: Store, place: FieldPlace) -> tuple[int, TypeId | None]:
        """Which of several values a static field has here, and the exact type of a generic one."""
        if place.instance or not store.is_static or not self._resolver.is_several(store):
            return 0, None
        from dap_dotnet.breakpoints.data.lookahead import exact_owner

        type_id = exact_owner(context, FieldToken(store.token)) if "`" in store.field.type_name else None
        if self._resolver.is_thread_static(store.field):
            return context.thread, type_id
        return type_id or 0, type_id

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
            return self._instances.read(program, place.instance, field, thread)
        return self._instances.read_static(program, field, thread, type_id)


def _first(program: Program, field: FieldName, value: Value | None) -> Snapshot:
    if value is None or value.error is not None:
        return default_snapshot(default_text(program, field))
    return take(program, value)
