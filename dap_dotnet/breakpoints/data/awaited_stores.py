"""Stores to a field of all objects that activations of methods are about to make, and what they have changed.

The object and its value are read before the store, in the frame that is about to store, and compared after it.
Session thread only; the process must be held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dap_dotnet.breakpoints.data.changes import Change, change_text
from dap_dotnet.breakpoints.data.field_access import declared_field
from dap_dotnet.breakpoints.data.made_objects import MadeObjects, object_kept
from dap_dotnet.breakpoints.data.stores import Store
from dap_dotnet.breakpoints.model import BreakpointId, LogicalBreakpoint
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import FieldRef, PinId, ThreadId, Value
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.placed_values import read_refs
from dap_dotnet.values.snapshots import Snapshot, is_same, release, take


class _Awaited(NamedTuple):
    """A store that an activation of a method is about to make."""

    thread: ThreadId
    stack_address: int
    breakpoint: BreakpointId
    store: Store


class _Object(NamedTuple):
    """The object of an awaited store with its value before. `pin` None: a struct, which is found again in the frame."""

    pin: PinId | None
    ref: FieldRef
    before: Snapshot


class AwaitedStores:
    """See the module's docstring."""

    def __init__(self) -> None:
        self._awaited: dict[_Awaited, _Object] = {}
        self._made = MadeObjects()
        self._initialising: set[_Awaited] = set()
        """Initialisers under way."""
        self._with_initialisers: set[BreakpointId] = set()
        """Breakpoints on all objects that an initialiser stores to."""
        self._orphans: list[_Object] = []
        """Of threads that have ended; their handles are given back at the next hit."""
        self.unknown_objects: dict[BreakpointId, int] = {}
        """Stores whose object could not be determined, by breakpoint."""

    def keep_only(self, program: Program, breakpoints: set[BreakpointId]) -> None:
        """Forget the stores of other breakpoints."""
        for awaited in [one for one in (*self._awaited, *self._initialising) if one.breakpoint not in breakpoints]:
            self._drop(program, awaited)
        self._made.keep_only(program, breakpoints)
        self._with_initialisers &= breakpoints

    def watch(self, logical: LogicalBreakpoint, stores: Iterable[Store]) -> None:
        """Note whether initialisers are among the stores that a breakpoint watches."""
        if any(store.kept_in is not None for store in stores):
            self._with_initialisers.add(logical.id)

    def thread_exited(self, thread: ThreadId) -> None:
        """Forget the stores that a thread was about to make. The process may be running."""
        for awaited in [awaited for awaited in self._awaited if awaited.thread == thread]:
            self._orphans.append(self._awaited.pop(awaited))
        self._initialising = {awaited for awaited in self._initialising if awaited.thread != thread}
        self._made.thread_exited(thread)

    def arrive(self, context: FrameContext) -> int:
        """The identity of the top frame; awaited stores of frames that are gone are forgotten."""
        program, thread = context.program, context.thread
        while self._orphans:
            self._release(program, self._orphans.pop())
        top = program.debuggee.top_frame(thread)
        address = top.stack_address if top is not None else 0
        for awaited in [*self._awaited, *self._initialising]:
            if awaited.thread != thread:
                continue
            is_gone = awaited.stack_address < address
            is_other = awaited.stack_address == address and awaited.store.location.method != context.frame.method
            if is_gone or is_other:
                self._drop(program, awaited)
        return address

    def expect(self, context: FrameContext, logical: LogicalBreakpoint, address: int, store: Store) -> bool:
        """Before a store in the frame with the identity `address`: read its object. False: that is not possible."""
        awaited = _Awaited(context.thread, address, logical.id, store)
        self._drop(context.program, awaited)
        found = self._find_object(context, store)
        if found is not None:
            self._awaited[awaited] = found
        elif store.kept_in is not None:
            self._initialising.add(awaited)  # looked at when it is over
        else:
            self.unknown_objects[logical.id] = self.unknown_objects.get(logical.id, 0) + 1
        return found is not None

    def compare(self, context: FrameContext, logical: LogicalBreakpoint, address: int, store: Store) -> list[Change]:
        """After a store in the frame with the identity `address`: the change, if it made one."""
        awaited = _Awaited(context.thread, address, logical.id, store)
        if awaited in self._awaited:
            return self._compare_object(context, logical, awaited)
        if awaited in self._initialising:
            self._initialising.remove(awaited)
            return self._compare_made(context, logical, store)
        return self._compare_in_handler(context, logical, awaited)

    def left(self, context: FrameContext, logical: LogicalBreakpoint) -> list[Change]:
        """A method that stores and returns at once was left: what its stores have changed."""
        changes = []
        for awaited in [one for one in self._awaited if (one.breakpoint, one.thread) == (logical.id, context.thread)]:
            if awaited.store.leaves:
                changes += self._compare_object(context, logical, awaited)
        return changes

    def _find_object(self, context: FrameContext, store: Store) -> _Object | None:
        program = context.program
        owner = self._owner(context, store)
        ref = declared_field(program, owner, store.field) if owner is not None else None
        if owner is None or ref is None or owner.handle is None:
            return None
        value = read_refs(program, owner, [ref])[0]
        if value.error is not None:
            return None
        before = take(program, value)
        try:
            return _Object(program.debuggee.pin(owner.handle, weak=True), ref, before)
        except DapDotnetError:  # a struct: it has no identity of its own
            if store.is_found_again:
                return _Object(None, ref, before)
            release(program, before)
            return None

    def _owner(self, context: FrameContext, store: Store) -> Value | None:
        from dap_dotnet.breakpoints.data.lookahead import value_on_top

        return value_on_top(context, store.object_from, store.object_offsets)

    def _compare_object(self, context: FrameContext, logical: LogicalBreakpoint, awaited: _Awaited) -> list[Change]:
        program = context.program
        found = self._awaited.pop(awaited)
        if awaited.store.is_kept and found.pin is not None:
            return self._compare_kept(program, logical, awaited, found)
        owner = self._owner(context, awaited.store) if found.pin is None else program.debuggee.pinned(found.pin)
        try:
            if owner is None or owner.handle is None or owner.is_null:
                return []
            value = read_refs(program, owner, [found.ref])[0]
            if logical.id in self._with_initialisers:
                self._made.remember(program, (logical.id, context.thread), owner, awaited.store.field, value)
            if value.error is not None or is_same(program, found.before, value):
                return []
            now = take(program, value)
            text = change_text(awaited.store.field, found.before, now)
            self._retake(program, owner, found.ref, value)
            release(program, now)
            return [Change(logical, text)]
        finally:
            self._release(program, found)

    def _compare_in_handler(self, context: FrameContext, logical: LogicalBreakpoint, handler: _Awaited) -> list[Change]:
        """In the handler of an exception, which runs in a frame of its own, further down than the method's."""
        changes = []
        for awaited, found in list(self._awaited.items()):
            is_same_store = awaited._replace(stack_address=handler.stack_address) == handler
            if is_same_store and awaited.stack_address > handler.stack_address and found.pin is not None:
                changes += self._compare_kept(context.program, logical, awaited, self._awaited.pop(awaited))
        return changes

    def _compare_kept(
        self, program: Program, logical: LogicalBreakpoint, awaited: _Awaited, found: _Object
    ) -> list[Change]:
        """The method may store once more: it is awaited until the method is left."""
        assert found.pin is not None
        owner = program.debuggee.pinned(found.pin)
        if owner.handle is None or owner.is_null:
            self._release(program, found)
            return []
        self._awaited[awaited] = found
        value = read_refs(program, owner, [found.ref])[0]
        if value.error is not None or is_same(program, found.before, value):
            return []
        now = take(program, value)
        text = change_text(awaited.store.field, found.before, now)
        release(program, now)
        self._retake(program, owner, found.ref, value)
        return [Change(logical, text)]

    def _compare_made(self, context: FrameContext, logical: LogicalBreakpoint, store: Store) -> list[Change]:
        """After an initialiser: its object is in a local now."""
        program = context.program
        owner = object_kept(context, store)
        ref = declared_field(program, owner, store.field) if owner is not None else None
        if owner is None or owner.handle is None or ref is None:
            return []
        value = read_refs(program, owner, [ref])[0]
        key = logical.id, context.thread
        before = self._made.before(program, key, owner, store.field)
        if value.error is not None or is_same(program, before, value):
            return []
        now = take(program, value)
        text = change_text(store.field, before, now)
        release(program, now)
        self._made.remember(program, key, owner, store.field, value)  # it is passed here again in a loop
        return [Change(logical, text)]

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
