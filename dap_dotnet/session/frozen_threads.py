"""Threads that stay where they are while the program runs: frozen by the user, or kept for a run of one thread alone.

A run alone (`singleThread`) may wait for one of the others for ever, so they are let go after a while: soon where the
thread waits, later where it is at work, which may be a loop that waits. Threads that begin meanwhile run.

A function evaluation is such a run, too. Whatever is asked of the runtime takes it 70 us, so that the others stay from
one evaluation to the next, for a moment or until the program runs.
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
    from dap_dotnet.session.event_queue import DeferredEvents
    from dap_dotnet.session.holds import Holds

PATIENCE_S = 3.0
"""How long a thread may wait for something while the others are kept."""
_STAY_S = 0.05
"""How long threads are kept for further evaluations: clients that ask one thing after the other do so at once."""
_LOOKS_AT_WORK = 10
"""How many times as long a thread may be at work alone."""


class Timer(Protocol):
    """What `call_later` gives."""

    def cancel(self) -> None:
        """Do not call."""


class FrozenThreads:
    """See the module's docstring."""

    def __init__(
        self,
        holds: Holds,
        client_events: ClientEvents,
        deferred: DeferredEvents,
        call_later: Callable[[float, Callable[[], None]], Timer],
    ) -> None:
        """`deferred` keeps threads frozen, too: for what they ran into during an evaluation."""
        self._holds = holds
        self._client_events = client_events
        self._deferred = deferred
        self._call_later = call_later
        self._by_user: set[ThreadId] = set()
        self._kept: set[ThreadId] = set()
        self._alone: ThreadId | None = None
        self._timer: Timer | None = None
        self._looks = 0
        self._cpu_ticks = 0
        self._calls: tuple[Debuggee, ThreadId] | None = None
        """The thread that makes calls, for which all others stay; None: they do not."""
        self._is_uncertain = False
        """Whether others may run all the same."""
        self._is_end_awaited = False
        holds.before_running.append(self._program_runs)

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
        self.has_changed()

    def thaw(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """The user lets a thread run again; harmless for one that is not frozen. Raises as `freeze`."""
        _need(debuggee, thread)
        debuggee.freeze(thread, False)
        self._by_user.discard(thread)
        self.has_changed()

    def need_runnable(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """Raises `UserError` for a thread that is not there, or that the user has frozen."""
        _need(debuggee, thread)
        if thread in self._by_user:
            raise UserError(f"Thread {thread} is frozen: thaw it first.", code="THREAD_FROZEN")

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

    @property
    def stay_for_calls(self) -> bool:
        """Whether threads are kept for function evaluations."""
        return self._calls is not None

    def keep_for_call(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """A thread is to make a call: it can run, and all others stay until `let_go_after_calls`. The process is held.

        They are let go by themselves a moment later, and before the program runs. Raises as `Debuggee.freeze_all`.
        """
        calls = (debuggee, thread)
        if self._calls != calls or self._is_uncertain:
            debuggee.freeze_all(True, but=thread)
            if self._calls is not None or thread in self.threads | self._deferred.threads:
                debuggee.freeze(thread, False)
            if self._calls is None:
                self._is_uncertain = False
            self._calls = calls
        if not self._is_end_awaited:
            self._is_end_awaited = True
            self._call_later(_STAY_S, self._moment_is_over)

    def let_go_after_calls(self) -> None:
        """The threads that were kept for calls can run again as soon as the process is held; at once where it is."""
        if self._calls is not None:
            self._holds.when_held(self._let_go)

    def has_changed(self) -> None:
        """A thread has begun, or is frozen or let go for another reason: each call freezes all others anew."""
        self._is_uncertain = True

    def _let_go(self) -> None:
        if self._calls is None:
            return
        (debuggee, _), self._calls = self._calls, None
        self._is_uncertain = False
        with contextlib.suppress(DapDotnetError):
            debuggee.freeze_all(False)
        for thread in self._deferred.threads | self.threads:
            with contextlib.suppress(DapDotnetError):  # it has ended
                debuggee.freeze(thread, True)

    def _moment_is_over(self) -> None:
        self._is_end_awaited = False
        self.let_go_after_calls()

    def _program_runs(self) -> None:
        if not self._deferred.is_evaluating:
            self._let_go()

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
        self.let_go_after_calls()
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
        self._calls = None
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
            f"Thread {thread} ran alone for {PATIENCE_S * self._looks:.0f} s and did not stop: it may be waiting for "
            "another thread. All threads run again."
        )
        self._client_events.continued(thread)


def _need(debuggee: Debuggee, thread: ThreadId) -> None:
    if thread not in {info.thread for info in debuggee.threads()}:
        raise UserError(f"There is no thread {thread}; ask for the threads again.")


def _cpu_ticks(process_id: int, thread: ThreadId) -> int:
    """How much a thread has worked so far; 0 where that is not known."""
    try:
        return cpu_ticks_of(process_id, thread)
    except OSError:
        return 0
