"""Data breakpoints at work: which of those that a runtime breakpoint stands for see their field changed at a hit.

A static field and a field of one object are compared with their last known value after every store (`KnownValues`);
the field of all objects is read in the frame that is about to store, and compared after it (`AwaitedStores`).
Session thread only; the process must be held.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from dap_dotnet.breakpoints.data.awaited_stores import AwaitedStores
from dap_dotnet.breakpoints.data.changes import Change
from dap_dotnet.breakpoints.data.known_values import KnownValues
from dap_dotnet.breakpoints.data.resolver import FieldResolver
from dap_dotnet.breakpoints.data.stores import Role, StoreWatch
from dap_dotnet.breakpoints.data.unseen_changes import UnseenChanges
from dap_dotnet.breakpoints.data.watched_instances import WatchedInstances
from dap_dotnet.breakpoints.model import Bound, BreakpointId, FieldPlace, LogicalBreakpoint
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import BreakpointLocation, StepKind, StepperId, ThreadId
from dap_dotnet.values.context import FrameContext, Program

_log = logging.getLogger(__name__)


class DataBreakpoints:
    """See the module's docstring."""

    def __init__(self, resolver: FieldResolver) -> None:
        self._resolver = resolver
        self.instances = WatchedInstances()
        self._values = KnownValues(resolver, self.instances)
        self._stores = AwaitedStores()
        self._unseen = UnseenChanges(resolver, self._values)
        self._leaving: dict[StepperId, list[LogicalBreakpoint]] = {}

    @property
    def unknown_objects(self) -> dict[BreakpointId, int]:
        """How many stores had an object that could not be determined, by breakpoint."""
        return self._stores.unknown_objects

    def update(self, program: Program, breakpoints: Iterable[LogicalBreakpoint], thread: ThreadId | None) -> None:
        """Take the values of what is newly watched, and forget what is not any more.

        `thread` is one to read static fields with; None: any.
        """
        breakpoints = [logical for logical in breakpoints if isinstance(logical.state, Bound)]
        ids = {logical.id for logical in breakpoints}
        self._values.keep_only(program, ids)
        self._stores.keep_only(program, ids)
        self._unseen.keep_only(ids)
        for logical in breakpoints:
            if isinstance(logical.place, FieldPlace):
                self._stores.watch(logical, self._resolver.stores(logical.place))
                self._values.take_first(program, logical, logical.place, thread)

    def look_for_unseen(
        self, program: Program, breakpoints: Iterable[LogicalBreakpoint], thread: ThreadId, *, has_arrived: bool
    ) -> list[Change]:
        """See `UnseenChanges.look`."""
        bound = [logical for logical in breakpoints if isinstance(logical.state, Bound)]
        try:
            return self._unseen.look(program, bound, thread, has_arrived=has_arrived)
        except DapDotnetError as error:
            _log.warning("looking for unseen changes: %s", error.message)
            return []

    def unseen_text(self, logical: LogicalBreakpoint) -> str:
        """A sentence about changes that no watched store has made; empty when none was found."""
        unseen = self._unseen.of(logical.id)
        if unseen is None:
            return ""
        how_often = f"{unseen.times:,} times, the last time: " if unseen.times > 1 else ""
        return f"It has changed without a watched store: {how_often}{unseen.text}."

    def fate(self, logical: LogicalBreakpoint, program: Program | None, thread: ThreadId | None) -> str:
        """In words, whether the field of a breakpoint that was not hit has changed. `program` None: it runs."""
        place = logical.place
        unseen = self.unseen_text(logical)
        if unseen:
            return unseen
        if program is None or thread is None or not isinstance(place, FieldPlace):
            return "No change has been seen."
        is_known = self._values.are_known(logical) and not self._values.differ(program, logical, place, thread)
        return "It has not changed yet." if is_known else "No change has been seen."

    def thread_exited(self, thread: ThreadId) -> None:
        """Forget the stores that a thread was about to make. The process may be running."""
        self._stores.thread_exited(thread)

    def hit(
        self, context: FrameContext, location: BreakpointLocation, breakpoints: Sequence[LogicalBreakpoint]
    ) -> list[Change]:
        """A runtime breakpoint of these data breakpoints was hit: those whose field has changed."""
        changes: list[Change] = []
        address: int | None = None
        for logical in breakpoints:
            place = logical.place
            if not isinstance(place, FieldPlace):
                continue
            try:
                watches = self._resolver.watches(place, location)
                of_one = [watch for watch in watches if watch.store.is_static or place.instance]
                changes += self._hit_one(context, logical, place, of_one)
                if len(of_one) < len(watches):
                    if address is None:
                        address = self._stores.arrive(context)
                    others = [watch for watch in watches if watch not in of_one]
                    changes += self._hit_any(context, logical, address, others)
            except DapDotnetError as error:
                _log.warning("data breakpoint %d: %s", logical.id, error.message)
        return changes

    def _hit_one(
        self, context: FrameContext, logical: LogicalBreakpoint, place: FieldPlace, watches: list[StoreWatch]
    ) -> list[Change]:
        """Of a static field, or of one object."""
        changes = []
        for store in {watch.store.field: watch.store for watch in watches if watch.role is Role.AFTER}.values():
            changes += self._values.compare(context, logical, place, store)
        for watch in watches:
            if watch.role is Role.BEFORE:
                self._values.take_before(context, logical, place, watch.store)
                if watch.store.leaves:
                    self._step_out(context, logical)
        return changes

    def _hit_any(
        self, context: FrameContext, logical: LogicalBreakpoint, address: int, watches: list[StoreWatch]
    ) -> list[Change]:
        """Of any object."""
        changes = []
        for watch in watches:
            if watch.role is Role.AFTER:
                changes += self._stores.compare(context, logical, address, watch.store)
        for watch in watches:
            if watch.role is Role.BEFORE:
                is_awaited = self._stores.expect(context, logical, address, watch.store)
                if is_awaited and watch.store.leaves:
                    self._step_out(context, logical)
        return changes

    def _step_out(self, context: FrameContext, logical: LogicalBreakpoint) -> None:
        """To see the change when a method stores and returns at once."""
        stepper = context.program.debuggee.step(context.thread, StepKind.OUT, just_my_code=False)
        self._leaving.setdefault(stepper, []).append(logical)

    def is_mine(self, stepper: StepperId) -> bool:
        """Whether a stepper was armed here, to get out of a method that stores and returns at once."""
        return stepper in self._leaving

    def abandon(self, stepper: StepperId) -> None:
        """Forget a stepper that has ended where there is nothing to see."""
        self._leaving.pop(stepper, None)

    def left(self, context: FrameContext, stepper: StepperId) -> list[Change]:
        """The method was left: the data breakpoints whose field it has changed on its way."""
        changes: list[Change] = []
        for logical in self._leaving.pop(stepper, []):
            place = logical.place
            if not isinstance(place, FieldPlace):
                continue
            stores = self._resolver.stores(place)
            for store in {store.field: store for store in stores if store.leaves}.values():
                if store.is_static or place.instance:
                    changes += self._values.compare(context, logical, place, store)
            changes += self._stores.left(context, logical)
        return changes
