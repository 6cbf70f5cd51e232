"""The stops that were: each leaves a copy of the program when that goes on, and can be shown again.

Session thread only.

The program itself stays at its present stop meanwhile. What reads is answered from the moment that is shown
(`PastSession`); steps and `continue` lead through the moments back to the present, from which the program runs again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.session.phase import HistoryLimits
from dap_dotnet.session.stops import Stop, StopReason

if TYPE_CHECKING:
    from dap_dotnet.runtime.api import Copier, Snapshot
    from dap_dotnet.session.past_session import PastSession
    from dap_dotnet.session.session_facts import SessionFacts

_log = logging.getLogger(__name__)

_BY_PLACE = frozenset(
    {
        StopReason.BREAKPOINT,
        StopReason.FUNCTION_BREAKPOINT,
        StopReason.DATA_BREAKPOINT,
        StopReason.INSTRUCTION_BREAKPOINT,
        StopReason.EXCEPTION,
        StopReason.ENTRY,
    }
)
"""The reasons of stops at which `continue` and `reverseContinue` stop; the others were steps and pauses."""


class Moment(Struct, frozen=True):
    """One of them."""

    stop: Stop
    snapshot: Snapshot


class History:
    """See the module's docstring."""

    def __init__(
        self,
        session: SessionFacts,
        start_copier: Callable[[], Copier],
        limits: HistoryLimits,
        free_memory: Callable[[], int],
    ) -> None:
        """`free_memory` gives bytes."""
        self._session = session
        self._start_copier = start_copier
        self._limits = limits
        self._free_memory = free_memory
        self._free_at_first = free_memory()
        self._copier: Copier | None = None
        self._moments: list[Moment] = []
        self._shown: tuple[int, PastSession] | None = None
        """Which moment is shown, by its place among them; None: the present."""
        self._present: Stop | None = None
        """The stop at which the program stands while a moment is shown."""
        self._has_ended = False

    @property
    def past(self) -> PastSession | None:
        """The moment that is shown; None: the present."""
        return self._shown[1] if self._shown is not None else None

    def leave(self, stop: Stop) -> None:
        """The program is about to go on from a stop, and is still held: remember it. Never raises."""
        if self._has_ended:
            return
        try:
            if self._copier is None:
                self._copier = self._start_copier()
            snapshot = self._copier.snapshot()
        except DapDotnetError as error:
            self._end(f"No more stops are remembered: {error.message}")
            return
        self._moments.append(Moment(structs.replace(stop, frame=None), snapshot))
        _log.debug("a copy took %.1f ms", snapshot.pause_ms)
        if snapshot.pause_ms > self._limits.slowest_ms:
            self._end(
                f"No more stops are remembered: the program is so large that a copy takes {snapshot.pause_ms:.0f} ms. "
                'Allow more in launch.json: "history": {"slowestMs": …}.'
            )
        self._thin_out()

    def _end(self, why: str) -> None:
        self._has_ended = True
        self._session.client_events.important(why)

    def _thin_out(self) -> None:
        """Let go of every other one of the older half, beginning with the oldest but one, until they are few enough."""
        while len(self._moments) > 2 and (len(self._moments) > self._limits.copies or self._is_memory_short()):
            for number in range(max(1, len(self._moments) // 4), 0, -1):
                self._moments.pop(2 * number - 1).snapshot.close()

    def _is_memory_short(self) -> bool:
        most = self._free_at_first * self._limits.memory_share
        if self._free_memory() > self._free_at_first - most:
            return False
        return sum(moment.snapshot.memory() for moment in self._moments) > most  # else other programs have it

    # going there and back

    def back(self) -> None:
        """Show the stop before. Raises `NotStoppedError`, and `UserError` at the first one."""
        self._show_past(self._position() - 1)

    def back_to_breakpoint(self) -> None:
        """Show the last stop before that was at a breakpoint or an exception, else the first stop of all."""
        position = self._position() - 1
        while position > 0 and self._moments[position].stop.reason not in _BY_PLACE:
            position -= 1
        self._show_past(position)

    def forward(self) -> bool:
        """From the past, show the stop after. False: the present is shown, from which the program has to run."""
        return self._go_forward(lambda stop: True)

    def forward_to_breakpoint(self) -> bool:
        """As `forward`, to the next stop that was at a breakpoint or an exception, else to the present."""
        return self._go_forward(lambda stop: stop.reason in _BY_PLACE)

    def _go_forward(self, is_wanted: Callable[[Stop], bool]) -> bool:
        if self._shown is None:
            return False
        position = self._shown[0] + 1
        while position < len(self._moments) and not is_wanted(self._moments[position].stop):
            position += 1
        if position < len(self._moments):
            self._show_past(position)
        else:
            self._show_present()
        return True

    def _position(self) -> int:
        self._session.need_stop()
        return self._shown[0] if self._shown is not None else len(self._moments)

    def _show_past(self, position: int) -> None:
        from dap_dotnet.session.past_session import PastSession

        if position < 0:
            raise UserError("This is the first stop that is remembered: there is none before.", code="NO_PAST")
        session, moment = self._session, self._moments[position]
        past = PastSession(session, moment.snapshot)
        self._leave_shown()
        self._shown = position, past
        text = f"Paused in the past, at stop {position + 1} of {len(self._moments) + 1}"
        self._report(structs.replace(moment.stop, description=text))

    def _show_present(self) -> None:
        self._leave_shown()
        self._shown = None
        assert self._present is not None
        self._report(self._present)
        self._present = None

    def _leave_shown(self) -> None:
        """What the client knows of the stop that is shown is stale from here on."""
        state = self._session.stop_state
        if self._shown is None:
            self._present = state.current
        state.clear()
        if self._shown is not None:
            self._shown[1].close()

    def _report(self, stop: Stop) -> None:
        session = self._session
        session.stop_state.current = stop
        session.server.after_response(lambda: session.client_events.stopped(stop))

    def close(self) -> None:
        """The program has ended, or was left: nothing is remembered. Idempotent."""
        self._has_ended = True
        if self._shown is not None:
            self._shown[1].close()
            self._shown = None
        for moment in self._moments:
            moment.snapshot.close()
        self._moments.clear()
        copier, self._copier = self._copier, None
        if copier is not None:
            copier.close()
