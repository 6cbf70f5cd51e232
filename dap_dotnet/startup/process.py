"""What makes the adapter process start fast and end well."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import types
from collections.abc import Callable

_SWITCH_INTERVAL_S = 0.005
"""Python's own."""


def hasten_imports() -> None:
    """Save about a fifth of the time until `initialize` is answered. Call before pydantic is imported."""
    # Imports make a hundred thousand objects and no garbage: one search through them takes 8 ms.
    gc.set_threshold(400_000, 20, 20)
    # pydantic looks for plugins in the metadata of every installed package when it builds its first model. This process
    # wants none: that saves 11 of 96 ms, and more the more packages are installed; PYDANTIC_DISABLE_PLUGINS saves 1 of
    # them. In a version that names the module differently this only takes longer.
    no_plugins = types.ModuleType("pydantic.plugin._loader")
    no_plugins.get_plugins = lambda: ()  # type: ignore[attr-defined]
    sys.modules.setdefault(no_plugins.__name__, no_plugins)
    # A thread that waits for the interpreter gets it after 5 ms by default, each time: while one thread imports what a
    # first stop needs, that would hold up another that starts the program.
    sys.setswitchinterval(_SWITCH_INTERVAL_S / 10)


def imports_are_over() -> None:
    """What is there now stays: the search for garbage passes over it from now on, and comes at its usual times.

    Threads wait for each other as usual, too.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


class EndSignals:
    """SIGINT, SIGTERM and SIGHUP, as something that another thread hears of.

    An exception out of a signal handler would come between any two steps of the session thread, and leave a lock taken
    for ever. And no handler runs while that thread is in a call that does not return.
    """

    def __init__(self) -> None:
        """Take them from here on. On the main thread."""
        self.received: int | None = None
        """The first of them."""
        self._came_after_the_end = False
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self._numbers = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        for number in self._numbers:
            signal.signal(number, lambda _number, _frame: None)

    @property
    def exit_code(self) -> int:
        """128 and the number of the signal that has ended what runs here; 0 where none came, or only after the end.

        Neovim sends SIGINT when a session is over, and shows any other exit code to the user.
        """
        return 0 if self.received is None or self._came_after_the_end else 128 + self.received

    def call(self, end: Callable[[], None], is_over: Callable[[], bool] = lambda: False) -> None:
        """Call `end`, on a thread of its own, when the first of them comes, or has come.

        `is_over` is asked before that whether there was nothing left to end.
        """
        threading.Thread(target=self._wait, args=(end, is_over), name="signals", daemon=True).start()

    def _wait(self, end: Callable[[], None], is_over: Callable[[], bool]) -> None:
        while self.received is None:
            received = next((one for one in os.read(self._read_end, 64) if one in self._numbers), None)
            self._came_after_the_end = received is not None and is_over()
            self.received = received
        end()
