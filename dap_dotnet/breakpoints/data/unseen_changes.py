"""Changes of watched fields that no watched store has made, found at the program's stops.

Static fields and fields of one object are compared there with what they held when they were last looked at. Session
thread only; the process must be held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dap_dotnet.breakpoints.data.changes import Change
from dap_dotnet.breakpoints.data.known_values import KnownValues
from dap_dotnet.breakpoints.data.resolver import FieldResolver
from dap_dotnet.breakpoints.data.stores import Store
from dap_dotnet.breakpoints.model import BreakpointId, FieldPlace, LogicalBreakpoint
from dap_dotnet.runtime.model import Frame, ThreadId
from dap_dotnet.values.context import Program

_FRAMES = 1_000
"""Of a thread, that are asked whether they are in the midst of a store."""


class Unseen(NamedTuple):
    """How often a breakpoint's field was found changed, and the text of the last time."""

    times: int
    text: str


class UnseenChanges:
    """See the module's docstring."""

    def __init__(self, resolver: FieldResolver, values: KnownValues) -> None:
        self._resolver = resolver
        self._values = values
        self._found: dict[BreakpointId, Unseen] = {}

    def of(self, breakpoint_id: BreakpointId) -> Unseen | None:
        """What was found of a breakpoint; None: nothing."""
        return self._found.get(breakpoint_id)

    def keep_only(self, breakpoints: set[BreakpointId]) -> None:
        """Forget what was found of other breakpoints."""
        self._found = {known: found for known, found in self._found.items() if known in breakpoints}

    def look(
        self, program: Program, breakpoints: Iterable[LogicalBreakpoint], thread: ThreadId, *, has_arrived: bool
    ) -> list[Change]:
        """Compare the fields at a stop of `thread`: what has changed unseen, for the first time of each breakpoint.

        `has_arrived`: the thread has come to its place and is not merely interrupted there.
        """
        first: list[Change] = []
        frames: list[tuple[Frame, bool]] | None = None
        for logical in breakpoints:
            place = logical.place
            if not isinstance(place, FieldPlace) or not self._values.differ(program, logical, place, thread):
                continue
            if frames is None:
                frames = _frames(program, thread, has_arrived=has_arrived)
            if _is_storing(frames, self._resolver.stores(place)):
                continue  # the store is seen when it is over
            for change in self._values.take_unseen(program, logical, place, thread):
                known = self._found.get(logical.id)
                self._found[logical.id] = Unseen(known.times + 1 if known else 1, change.text)
                if known is None:
                    first.append(change)
        return first


def _frames(program: Program, stopped: ThreadId, *, has_arrived: bool) -> list[tuple[Frame, bool]]:
    """All frames of the program, each with whether it has come to a place where all stores before it were looked at."""
    return [
        (frame, has_arrived and number == 0 and info.thread == stopped)
        for info in program.debuggee.threads()
        for number, frame in enumerate(program.debuggee.stack(info.thread, 0, _FRAMES).frames)
        if frame.method is not None
    ]


def _is_storing(frames: Sequence[tuple[Frame, bool]], stores: Sequence[Store]) -> bool:
    """Whether a frame is where one of the stores may have been made and was not looked at yet."""
    by_method: dict[tuple[int, int], list[Store]] = {}
    for store in stores:
        by_method.setdefault((store.location.module, store.location.method), []).append(store)
    for frame, has_arrived in frames:
        for store in by_method.get((frame.module or 0, frame.method or 0), ()):
            offset = frame.il_offset
            if offset is None:
                return True
            if has_arrived and (offset in store.after or offset == store.before):
                continue
            if store.before <= offset and (store.leaves or store.is_kept or offset <= max(store.after, default=offset)):
                return True
    return False
