"""Says in the debug console that the runtime does not answer, while the session thread waits for it.

A runtime can meet a deadlock of its own that no debugger can end (docs/decisions/0010); a program that was stopped from
outside answers nothing either. Without a word the user sees an editor in which nothing moves.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from types import FrameType

_log = logging.getLogger(__name__)

PATIENCE_S = 10.0
"""How long one call of the runtime's interface may take before the user hears of it: no deadline of ours is longer."""
_LOOKS = 5
_RUNTIME = "dap_dotnet.runtime."
_LONG = frozenset({"dap_dotnet.runtime.cordebug_heap"})
"""What may take as long as it takes: going through the whole heap."""


class StallNotice:
    """Looks at one thread a few times in each `patience_s`, from a thread of its own, until `end`."""

    def __init__(
        self,
        watched: int,
        tell: Callable[[str], None],
        is_end_wanted: Callable[[], bool],
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`watched`: the identity of the session thread. `tell` shows a line, `is_end_wanted`: nobody wants one."""
        self._watched = watched
        self._tell = tell
        self._is_end_wanted = is_end_wanted
        self._patience_s = patience_s
        self._ended = threading.Event()
        threading.Thread(target=self._run, name="stall notice", daemon=True).start()

    def end(self) -> None:
        """Look no more. Any thread."""
        self._ended.set()

    def _run(self) -> None:
        call: FrameType | None = None
        place = looks = 0
        while not self._ended.wait(self._patience_s / _LOOKS):
            now = _runtime_call(self._watched)
            # The frame is kept: as long as it is, no other is the same object.
            if now is not None and now is call and now.f_lasti == place:
                looks += 1
            else:
                if call is not None and looks >= _LOOKS:
                    self._say("The .NET runtime responds again.")
                looks = 0
            call, place = now, now.f_lasti if now is not None else 0
            if looks == _LOOKS:
                _log.error("a call of the runtime's interface does not return")
                self._say(
                    f"The .NET runtime has not responded to the debugger for {self._patience_s:g} s. Unless the "
                    "program was suspended from outside, it has hit a deadlock in the runtime that no debugger can "
                    "end: stop the session, and start it again."
                )

    def _say(self, text: str) -> None:
        if not self._is_end_wanted():
            self._tell(text)


def _runtime_call(thread: int) -> FrameType | None:
    """The frame in which a thread is inside the native part; None while it is elsewhere."""
    frame = sys._current_frames().get(thread)
    name = frame.f_globals.get("__name__", "") if frame is not None else ""
    return frame if name.startswith(_RUNTIME) and name not in _LONG else None
