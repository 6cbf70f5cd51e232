"""Who keeps the process stopped: every holding event that was not released yet, and work that waits for a hold.

Session thread only. Nothing else in dap-dotnet resumes a debuggee; `tests/unit/session/test_invariants.py` checks that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import RuntimeEvent

_log = logging.getLogger(__name__)

STOP_TIMEOUT_MS = 5_000
"""How long a running program is given to stop, for pause and for changes of breakpoints."""


class Holds:
    """The holds of one debuggee."""

    def __init__(self) -> None:
        self._debuggee: Debuggee | None = None
        self._events: list[RuntimeEvent] = []
        self._for_configuration: RuntimeEvent | None = None
        self._actions: list[Callable[[], None]] = []
        self._stop_requested = False
        self.is_quiet = False
        """Whether nobody would miss a stop that was asked for and does not come."""
        self.before_running: list[Callable[[], None]] = []
        """Called while the process is still held by the one hold that is about to be given up."""

    def attach(self, debuggee: Debuggee) -> None:
        """The debuggee whose holds these are."""
        self._debuggee = debuggee

    @property
    def is_held(self) -> bool:
        """Whether the process is stopped for us."""
        return bool(self._events)

    @property
    def is_for_configuration(self) -> bool:
        """Whether the program is kept before Main until the client has sent its breakpoints."""
        return self._for_configuration is not None

    def has(self, event: RuntimeEvent) -> bool:
        """Whether an event's own hold was not given up yet: the process has not run since it came."""
        return any(held is event for held in self._events)

    def add(self, event: RuntimeEvent) -> None:
        """A holding event arrived; waiting actions run now."""
        self._events.append(event)
        self.run_actions()

    def keep_for_configuration(self, event: RuntimeEvent) -> None:
        """Keep the hold of an event, which was added, until `configured`."""
        self._for_configuration = event

    def configured(self) -> None:
        """The client has sent its breakpoints: give up the hold that was kept for that, if there is one."""
        event, self._for_configuration = self._for_configuration, None
        if event is not None:
            self.release(event)

    def release(self, event: RuntimeEvent) -> None:
        """Give up one hold; the process runs when it was the last. Events that are not held are ignored."""
        if event in self._events:
            if len(self._events) == 1:
                for action in self.before_running:
                    action()
            self._events.remove(event)
            self.pass_over(event)

    def pass_over(self, event: RuntimeEvent) -> None:
        """Give up the hold of an event that was never added: the process is not stopped for it at all."""
        if self._debuggee is None:
            return
        try:
            self._debuggee.resume(event)
        except DapDotnetError as error:
            _log.info("resume: %s", error.message)

    def release_all(self) -> None:
        """Give up all holds: the process runs."""
        for event in tuple(self._events):
            self.release(event)

    def forget(self) -> None:
        """The process is gone: nothing is held, and actions, waiting or to come, run to find that out themselves."""
        self._debuggee = None
        self._events.clear()
        self._for_configuration = None
        self.run_actions()

    def when_held(self, action: Callable[[], None], *, quietly: bool = False) -> None:
        """Run `action` now if the process is held or there is none, else at the next hold, which is asked for.

        `quietly`: the user need not hear of it where the process cannot be stopped.
        """
        if self._debuggee is None or self.is_held:
            action()
            return
        is_quiet = quietly and (self.is_quiet or not self._stop_requested)
        self._actions.append(action)
        self.request_stop()
        self.is_quiet = is_quiet

    def request_stop(self) -> None:
        """Ask the running process to stop, once until the answer comes."""
        self.is_quiet = False
        if self._debuggee is not None and not self._stop_requested:
            self._stop_requested = True
            self._debuggee.request_stop(STOP_TIMEOUT_MS)

    def stop_arrived(self) -> None:
        """The runtime answered `request_stop`, in time or not: a next one may be sent."""
        self._stop_requested = False

    def run_actions(self) -> None:
        """Run what waits for a hold. An action that fails is logged; the others still run."""
        actions, self._actions = self._actions, []
        for action in actions:
            try:
                action()
            except DapDotnetError as error:
                _log.warning("a change to the stopped program failed: %s", error.message)
