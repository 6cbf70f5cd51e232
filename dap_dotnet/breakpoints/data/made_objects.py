"""Objects whose fields an object initialiser stores to: `new Cart { total = 3 }`.

Such an object is on the evaluation stack alone until the expression is over, where nothing can be read; afterwards it
is in a local. What its field held before is known from the constructor, whose stores are watched like all others, and
is zero or null when there was none. Session thread only; the process must be held.
"""

from __future__ import annotations

from collections import deque

from msgspec import Struct

from dap_dotnet.breakpoints.data.field_access import default_text
from dap_dotnet.breakpoints.data.stores import FieldName, Store
from dap_dotnet.breakpoints.model import BreakpointId
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import PinId, ThreadId, Value
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.snapshots import Snapshot, default_snapshot, release, take

_REMEMBERED = 8
"""Objects that each thread may have under construction for one breakpoint."""


class _Made(Struct, frozen=True):
    pin: PinId
    field: FieldName
    held: Snapshot


class MadeObjects:
    """The last objects that each thread has stored to."""

    def __init__(self) -> None:
        self._made: dict[tuple[BreakpointId, ThreadId], deque[_Made]] = {}
        self._left: list[_Made] = []
        """Of threads that have ended; let go at the next occasion."""

    def remember(
        self, program: Program, key: tuple[BreakpointId, ThreadId], owner: Value, field: FieldName, value: Value
    ) -> None:
        """A store to an object is over: what its field holds now."""
        while self._left:
            _let_go(program, self._left.pop())
        if owner.handle is None:
            return
        try:
            made = _Made(program.debuggee.pin(owner.handle, weak=True), field, take(program, value))
        except DapDotnetError:  # a struct
            return
        known = self._made.setdefault(key, deque())
        known.append(made)
        if len(known) > _REMEMBERED:
            _let_go(program, known.popleft())

    def before(self, program: Program, key: tuple[BreakpointId, ThreadId], owner: Value, field: FieldName) -> Snapshot:
        """What the field of an object held when its constructor was over."""
        for made in reversed(self._made.get(key, ())):
            if made.field == field and program.debuggee.pinned(made.pin).address == owner.address:
                return made.held
        return default_snapshot(default_text(program, field))

    def thread_exited(self, thread: ThreadId) -> None:
        """Forget what a thread has made. The process may be running."""
        for key in [key for key in self._made if key[1] == thread]:
            self._left += self._made.pop(key)

    def keep_only(self, program: Program, breakpoints: set[BreakpointId]) -> None:
        """Forget those of other breakpoints."""
        while self._left:
            _let_go(program, self._left.pop())
        for key in [key for key in self._made if key[0] not in breakpoints]:
            for made in self._made.pop(key):
                _let_go(program, made)


def object_kept(context: FrameContext, store: Store) -> Value | None:
    """The object of an initialiser, from the local that it was put into; None where it went elsewhere."""
    if store.kept_in is None:
        return None
    values = context.program.debuggee.locals(context.thread, context.frame.index, text_limit=0)
    found = values[store.kept_in] if store.kept_in < len(values) else None
    return found if found is not None and found.handle is not None and not found.is_null else None


def _let_go(program: Program, made: _Made) -> None:
    release(program, made.held)
    program.debuggee.unpin(made.pin)
