"""Noticing the end of a process that is not a child. ICorDebug does not always do so, least of all after SIGKILL."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable

from dap_dotnet.launching import procfs

_POLL_MS = 200


class EndOfProcess:
    """Waits on a thread of its own for the end of a process, reaped or not. Any thread."""

    def __init__(self, process_id: int, callback: Callable[[], None]) -> None:
        """`callback` is called at most once, on that thread, and not after `stop`."""
        self._process_id = process_id
        self._callback = callback
        self._stopped, self._stop = os.pipe()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="end of process", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop waiting. The thread has ended when this returns, unless it is the calling one. Idempotent."""
        with self._lock:
            if not self._is_stopped:
                self._is_stopped = True
                os.close(self._stop)
        if self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        try:
            self._wait()
        finally:
            os.close(self._stopped)
        with self._lock:
            if self._is_stopped:
                return
        self._callback()

    def _wait(self) -> None:
        try:
            descriptor = os.pidfd_open(self._process_id)
        except (AttributeError, OSError):  # gone already, or a kernel before 5.3
            descriptor = -1
        try:
            poll = select.poll()
            poll.register(self._stopped, select.POLLIN)  # POLLHUP, once its other end is closed
            if descriptor >= 0:
                poll.register(descriptor, select.POLLIN)
            while not (self._is_stopped or procfs.has_ended(self._process_id)):
                poll.poll(None if descriptor >= 0 else _POLL_MS)
        finally:
            if descriptor >= 0:
                os.close(descriptor)
