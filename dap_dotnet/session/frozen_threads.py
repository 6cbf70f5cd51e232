"""Threads that stay where they are while the program runs: frozen by the user, or kept for a run of one thread alone.

A run alone (`singleThread`) may wait for one of the others for ever, so they are let go after a while: soon where the
thread waits, later where it is at work, which may be a loop that waits. Threads that begin meanwhile run.
Session thread only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.launching.procfs import cpu_ticks_of
from dap_dotnet.runtime.model import ThreadId

if TYPE_CHECKING:
    from dap_dotnet.runtime.api import Debuggee
    from dap_dotnet.session.client_events import ClientEvents
    from dap_dotnet.session.holds import Holds

PATIENCE_S = 3.0
"""How long a thread may wait for something while the others are kept."""
_LOOKS_AT_WORK = 10
"""How many times as long a thread may be at work alone."""


class Timer(Protocol):
    """What `call_later` gives."""

    def cancel(self) -> None:
        """Do not call."""


class FrozenThreads:
    """See the module's docstring."""

    def __init__(
        self, holds: Holds, client_events: ClientEvents, call_later: Callable[[float, Callable[[], None]], Timer]
    ) -> None:
        self._holds = holds
        self._client_events = client_events
        self._call_later = call_later
        self._by_user: set[ThreadId] = set()
        self._kept: set[ThreadId] = set()
        self._alone: ThreadId | None = None
        self._timer: Timer | None = None
        self._looks = 0
        self._cpu_ticks = 0

    @property
    def by_user(self) -> frozenset[ThreadId]:
        """Those that the user has frozen."""
        return frozenset(self._by_user)

    @property
    def threads(self) -> frozenset[ThreadId]:
        """All that stay where they are."""
        return frozenset(self._by_user | self._kept)

    def freeze(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """The user wants a thread to stay. Raises `UserError` for one that is not there."""
        _need(debuggee, thread)
        debuggee.freeze(thread, True)
        self._by_user.add(thread)

    def thaw(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """The user lets a thread run again; harmless for one that is not frozen. Raises as `freeze`."""
        _need(debuggee, thread)
        debuggee.freeze(thread, False)
        self._by_user.discard(thread)

    def need_runnable(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """Raises `UserError` for a thread that is not there, or that the user has frozen."""
        _need(debuggee, thread)
        if thread in self._by_user:
            raise UserError(f"Thread {thread} is frozen: thaw it first, or it cannot go on.", code="THREAD_FROZEN")

    def run_alone(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """Keep the other threads where they are, until the next stop or until they are let go. The process is held."""
        self.stopped(debuggee)
        for info in debuggee.threads():
            if info.thread != thread and info.thread not in self._by_user:
                with contextlib.suppress(DapDotnetError):  # it has ended
                    debuggee.freeze(info.thread, True)
                    self._kept.add(info.thread)
        self._alone, self._looks = thread, 0
        self._cpu_ticks = _cpu_ticks(debuggee.process_id, thread)
        self._wait(debuggee)

    def stopped(self, debuggee: Debuggee) -> None:
        """The program has stopped: a run of one thread alone is over. The process is held."""
        kept = set(self._kept)
        self._end_run_alone()
        for thread in kept:
            with contextlib.suppress(DapDotnetError):
                debuggee.freeze(thread, False)

    def goes_on(self, debuggee: Debuggee) -> None:
        """The program is about to run: what the user has frozen stays, whatever was done to it meanwhile."""
        for thread in self._by_user:
            with contextlib.suppress(DapDotnetError):
                debuggee.freeze(thread, True)

    def exited(self, thread: ThreadId) -> None:
        """A thread is gone; another may have its number one day."""
        self._by_user.discard(thread)
        self._kept.discard(thread)

    def let_all_go(self, debuggee: Debuggee) -> None:
        """The session ends: nothing stays frozen, as soon as the process is held."""
        frozen = self.threads
        self._by_user.clear()

        def thaw() -> None:
            self.stopped(debuggee)
            for thread in frozen:
                with contextlib.suppress(DapDotnetError):
                    debuggee.freeze(thread, False)

        if frozen:
            self._holds.when_held(thaw)

    def forget(self) -> None:
        """There is no process any more."""
        self._by_user.clear()
        self._end_run_alone()

    def _end_run_alone(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._kept.clear()
        self._alone = self._timer = None

    def _wait(self, debuggee: Debuggee) -> None:
        self._timer = self._call_later(PATIENCE_S, lambda: self._look(debuggee))

    def _look(self, debuggee: Debuggee) -> None:
        if self._alone is None:
            return
        self._looks += 1
        before, self._cpu_ticks = self._cpu_ticks, _cpu_ticks(debuggee.process_id, self._alone)
        if self._cpu_ticks > before and self._looks < _LOOKS_AT_WORK:
            self._wait(debuggee)
        else:
            self._holds.when_held(lambda: self._give_up(debuggee))

    def _give_up(self, debuggee: Debuggee) -> None:
        thread = self._alone
        if thread is None:
            return  # it has stopped, or ended, meanwhile
        self.stopped(debuggee)
        self._client_events.important(
            f"Thread {thread} ran alone for {PATIENCE_S * self._looks:.0f} s and came to no stop: it may wait for "
            "another thread. All threads run again."
        )
        self._client_events.continued(thread)


def _need(debuggee: Debuggee, thread: ThreadId) -> None:
    if thread not in {info.thread for info in debuggee.threads()}:
        raise UserError(f"There is no thread {thread} in the program; ask for the threads again.")


def _cpu_ticks(process_id: int, thread: ThreadId) -> int:
    """How much a thread has worked so far; 0 where that is not known."""
    try:
        return cpu_ticks_of(process_id, thread)
    except OSError:
        return 0
