"""Answers to requests for breakpoints that come while a launch is under way.

They wait until the program's own module is loaded, where it is held for the client: so the client hears at once where a
breakpoint is, and not that it is pending. Some take that for refused. Session thread only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from dap_dotnet.breakpoints.model import BreakpointId

EARLY_ANSWER_PATIENCE_S = 8.0
"""Some clients give up after 10 s. What is answered then is pending, and an event follows when that changes."""


class EarlyAnswers:
    """The answers that wait for the program to be loaded."""

    def __init__(self, call_later: Callable[[float, Callable[[], None]], Any]) -> None:
        self._call_later = call_later
        self._waiting: list[Callable[[], None]] = []
        self._ids: set[BreakpointId] = set()

    def wait(self, ids: Collection[BreakpointId], answer: Callable[[], None]) -> None:
        """Call `answer`, which tells of these breakpoints, once: with `give`, or when the client's patience may end."""
        if not self._waiting:
            self._call_later(EARLY_ANSWER_PATIENCE_S, self.give)
        self._waiting.append(answer)
        self._ids.update(ids)

    def give(self) -> None:
        """The program is loaded, or will not be: give all answers, in the order of their requests."""
        waiting, self._waiting = self._waiting, []
        self._ids.clear()
        for answer in waiting:
            answer()

    def will_tell_of(self, breakpoint_id: BreakpointId) -> bool:
        """Whether an answer that waits will say how a breakpoint is, so that no event needs to."""
        return breakpoint_id in self._ids
