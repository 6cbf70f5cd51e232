"""The exit code of a process that is not our child, from the kernel, which reports it since Linux 6.15.

A pidfd that was opened while the process lived knows how it ended (PIDFD_GET_INFO, linux/pidfd.h). Older kernels show
it in `/proc/PID/stat` until the parent has taken note of the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import struct
import time
from collections.abc import Callable

from dap_dotnet.launching.procfs import wait_status_of

_PIDFD_GET_INFO = 0xC040FF0B
"""_IOWR(0xFF, 11, struct pidfd_info) of 64 bytes, the first version of that struct."""
_PIDFD_INFO_EXIT = 1 << 3
_INFO = struct.Struct("<Q52xi")
"""The mask comes first, the wait status last."""

_PATIENCE_S = 5.0
"""How long the process of an ended runtime may take to be gone."""
_POLL_S = 0.01
_LOOKS, _LOOK_S = 5, 0.001


class ExitStatus:
    """Waits for the end of one process. Session thread only."""

    def __init__(self, process_id: int) -> None:
        self._process_id = process_id
        self._pidfd: int | None = None
        with contextlib.suppress(OSError, AttributeError):  # gone already, or Python was built without it
            self._pidfd = os.pidfd_open(process_id)

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone; True where that cannot be known."""
        if self._pidfd is None:
            return True
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(0))

    def when_ended(
        self, call_later: Callable[[float, Callable[[], None]], object], then: Callable[[int | None], None]
    ) -> None:
        """Call `then` with the exit code as soon as the process is gone, or without one when that takes too long."""
        deadline = time.monotonic() + _PATIENCE_S

        def look() -> None:
            if not self.has_ended and time.monotonic() < deadline:
                call_later(_POLL_S, look)
            else:
                then(self.exit_code())

        look()

    def exit_code(self) -> int | None:
        """As a shell reports it, 128 + signal for a killed process; None when the system does not say.

        The kernel tells it in one place until the parent takes note of the end, and in the other from then on. The
        parent may do so between two looks, and for a moment neither place has it: hence some more looks.
        """
        for look in range(_LOOKS):
            for read in (self._from_pidfd, self._from_stat):
                if (status := read()) is not None:
                    return _as_shell(status)
            if self._pidfd is None:
                break
            time.sleep(_LOOK_S * look)
        return None

    def _from_pidfd(self) -> int | None:
        if self._pidfd is None:
            return None
        try:
            answer = fcntl.ioctl(self._pidfd, _PIDFD_GET_INFO, _INFO.pack(_PIDFD_INFO_EXIT, 0))
        except OSError:
            return None
        mask, status = _INFO.unpack(answer)
        return status if mask & _PIDFD_INFO_EXIT else None

    def _from_stat(self) -> int | None:
        try:
            return wait_status_of(self._process_id)
        except OSError:
            return None

    def close(self) -> None:
        """Let go of the process. Idempotent."""
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None


def _as_shell(status: int) -> int:
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
