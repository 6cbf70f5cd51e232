"""The fake process: who holds it, whether it runs, and the two threads that meet there."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec import structs

from dap_dotnet.errors import DebuggeeGoneError, RuntimeCallError, StaleHandleError
from dap_dotnet.runtime import events
from dap_dotnet.runtime.events import EventSink, RuntimeEvent


class Killed(BaseException):
    """The program's thread ends."""


def not_found(what: str) -> RuntimeCallError:
    """The refusal of a number that nothing has, or not any more."""
    return RuntimeCallError(f"There is no {what}.", hresult=0, hresult_name="")


class FakeProcess:
    """Holds add up; the process runs, in a new generation, when the last one is released."""

    def __init__(self, sink: EventSink, on_run: Callable[[], None], violations: list[str]) -> None:
        """`on_run` is called on the session thread whenever the process runs again; `violations` takes broken rules."""
        self.violations = violations
        self.resumed: list[str] = []
        """Names of the events whose hold was released, in order."""
        self.generation = 1
        self.is_detached = False
        self.is_killed = False
        self.has_exited = False
        self.is_deaf = False
        """A stop request is answered with `StopTimedOut`."""
        self.run_evaluations: Callable[[], None] = lambda: None
        """Called on the program's thread before it goes on after a hold."""
        self._sink = sink
        self._on_run = on_run
        self._changed = threading.Condition()
        self._holds: dict[int, RuntimeEvent] = {}
        self._last_hold = 0
        self._stop_requested = False
        self._session_thread: int | None = None

    # the program's side

    def report(self, event: RuntimeEvent) -> None:
        """Report an event that does not hold."""
        if not self.is_detached:
            self._sink(event)

    def report_holding(self, event: RuntimeEvent) -> None:
        """Report an event, and wait until nothing holds the process any more."""
        if self.is_detached:
            return
        with self._changed:
            if self.is_killed:
                raise Killed
            held = self.hold(event)
        self._sink(held)
        self._wait_while_held()

    def hold(self, event: RuntimeEvent) -> RuntimeEvent:
        """The event with a hold of its own, from now on."""
        self._last_hold += 1
        held: RuntimeEvent = structs.replace(event, hold=self._last_hold, generation=self.generation)
        self._holds[self._last_hold] = held
        return held

    def _wait_while_held(self) -> None:
        while True:
            with self._changed:
                while self._holds and not self.is_killed and not self._stop_requested:
                    self._changed.wait()
                if self.is_killed:
                    raise Killed
                if not self._holds:
                    break
                self._stop_requested = False
                held = self.hold(events.StopCompleted())
            self._sink(held)
        self.run_evaluations()

    def take_stop_request(self) -> bool:
        """Whether a stop was asked for since the last call. Ends the program's thread when the process was killed."""
        with self._changed:
            if self.is_killed:
                raise Killed
            wanted, self._stop_requested = self._stop_requested, False
        return wanted

    # the session's side

    @property
    def is_held(self) -> bool:
        """Whether any event's hold was not released yet."""
        return bool(self._holds)

    def check(self, what: str, *, held: bool) -> None:
        """A call of the seam that may need a held process. Raises as the real debuggee does."""
        current = threading.get_ident()
        if self._session_thread is None:
            self._session_thread = current
        if current != self._session_thread:
            self.violations.append(f"{what} on a second thread")
        if not held:
            return
        if self.is_detached or self.has_exited:
            raise DebuggeeGoneError(f"{what}: the process is gone.")
        if not self._holds:
            self.violations.append(f"{what} while the process runs")
            raise RuntimeCallError(
                f"{what}: the process is running.", hresult=0x80131302, hresult_name="CORDBG_E_PROCESS_NOT_SYNCHRONIZED"
            )

    def holds_by(self, kind: type[RuntimeEvent]) -> list[RuntimeEvent]:
        """The events of a kind that hold the process."""
        return [event for event in self._holds.values() if isinstance(event, kind)]

    def release(self, event: RuntimeEvent) -> None:
        """Release one hold. Raises `StaleHandleError` the second time, unless the process is gone."""
        if event.hold is None:
            return
        with self._changed:
            if self._holds.pop(event.hold, None) is None:
                if self.is_detached or self.is_killed or self.has_exited:
                    return
                self.violations.append(f"{type(event).__name__} was released twice")
                raise StaleHandleError("The hold was released before.")
            self.resumed.append(type(event).__name__)
            if not self._holds:
                self.generation += 1
                self._on_run()
            self._changed.notify_all()

    def request_stop(self) -> None:
        """Stop at the program's next safe point, or at once where it is held."""
        if self.is_deaf:
            self.report(events.StopTimedOut())
            return
        with self._changed:
            self._stop_requested = True
            self._changed.notify_all()

    def let_go(self) -> None:
        """Run on without a debugger: nothing is reported any more."""
        self.is_detached = True
        with self._changed:
            self._holds.clear()
            self._changed.notify_all()

    def kill(self) -> None:
        """End the program's thread at its next step. A process without a debugger runs on."""
        with self._changed:
            if not self.is_detached:
                self.is_killed = True
            self._changed.notify_all()

    def exit(self) -> None:
        """The runtime is gone."""
        with self._changed:
            self.has_exited = True
            self._holds.clear()
        self.report(events.ProcessExited())
