"""SIGINT and SIGTERM to the command line, raised where it waits."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from dap_dotnet.client import DapClient

if TYPE_CHECKING:
    from typing_extensions import Self

GRACE_S = 2.0
"""How long the main thread may be elsewhere than in a wait before a signal breaks into what it does."""
_AGAIN_S = 0.02
"""After so long without effect it is sent to the main thread again."""


class SignalError(Exception):
    """A signal other than SIGINT asks for the end. SIGINT is a `KeyboardInterrupt`, as everywhere."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Interruptions:
    """Takes both signals while it is entered, and lets waits of the client raise them. To be used on the main thread.

    An exception out of a signal handler comes between any two steps of the main thread. Native code that calls back
    into Python may swallow it, pydantic's for one, and a lock may stay taken. So the handler only notes the signal, and
    another thread interrupts the client's wait. Where none comes soon, or a person is asked, the handler raises.
    """

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        self._arrived: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        """Its `put` is reentrant. None is the end."""
        self._previous: dict[int, Any] = {}
        self._raises = False
        self._is_over = False
        self._thread: threading.Thread | None = None
        self._main_thread = threading.get_ident()

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            # What runs in the background of a shell script is to ignore SIGINT.
            if number != signal.SIGINT or signal.getsignal(number) is not signal.SIG_IGN:
                self._previous[number] = signal.signal(number, self._received)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_over = True
        self._arrived.put(None)
        if self._thread is not None:
            self._thread.join()
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def interrupt(self, client: DapClient) -> None:
        """Let waits of this client raise the signals that come, and those that have come already."""
        self._thread = threading.Thread(target=self._pass_on, args=(client,), name="signals", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def raised_at_once(self) -> Iterator[None]:
        """Inside, a signal interrupts whatever is done, such as the wait for what somebody types."""
        self._raises = True
        try:
            yield
        finally:
            self._raises = False

    def _received(self, number: int, _frame: FrameType | None) -> None:
        if self._raises and not self._is_over:
            self._raises = False
            raise _error_of(number)
        self._arrived.put(number)

    def _pass_on(self, client: DapClient) -> None:
        pending: tuple[int, BaseException] | None = None
        while True:
            try:
                number = self._arrived.get(timeout=None if pending is None else self._grace_s)
            except queue.Empty:
                number = 0
            if number is None:
                return
            if pending is not None and client.withdraw_interrupt(pending[1]):
                # Not heard in time, or somebody insists.
                self._raise_on_main_thread(pending[0])
                pending = None
            elif number:
                pending = number, _error_of(number)
                client.interrupt(pending[1])
            else:
                pending = None

    def _raise_on_main_thread(self, number: int) -> None:
        self._raises = True
        while self._raises and not self._is_over:
            # One that comes just before the main thread enters a call of the system does not end that call.
            signal.pthread_kill(self._main_thread, number)
            time.sleep(_AGAIN_S)


def _error_of(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else SignalError(number)
