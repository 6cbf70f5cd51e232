"""A start in progress: a launch or an attach that runs on a thread of its own, and may be given up meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError, InternalError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.session import leaving

_log = logging.getLogger(__name__)


class StartThread:
    """Runs `start` at once on a daemon thread and posts the outcome, unless it was given up before."""

    def __init__(
        self,
        start: Callable[[], Debuggee],
        post: Callable[[Callable[[], None]], None],
        succeed: Callable[[Debuggee], None],
        fail: Callable[[DapDotnetError], None],
    ) -> None:
        """`succeed` and `fail` are called on the session thread, through `post`; one of them, once."""
        self._start = start
        self._post = post
        self._succeed = succeed
        self._fail = fail
        self._lock = threading.Lock()
        self._is_given_up = False
        self._debuggee: Debuggee | None = None
        self._thread = threading.Thread(target=self._run, name="start", daemon=True)
        self._thread.start()

    @property
    def is_given_up(self) -> bool:
        """Whether nobody waits for the outcome any more. Any thread."""
        return self._is_given_up

    def give_up(self, timeout_s: float) -> bool:
        """The client has left: close what comes of it. Waits up to `timeout_s`; whether all is closed.

        Session thread. Harmless when the outcome was taken before.
        """
        with self._lock:
            self._is_given_up = True
        self._thread.join(timeout_s)
        debuggee, self._debuggee = self._debuggee, None
        if debuggee is not None:  # posted, and nobody will take it any more
            leaving.close(debuggee)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            debuggee = self._start()
        except DapDotnetError as error:
            self._failed(error)
        except Exception as error:
            _log.exception("the start failed")
            text = f"The program could not be started: {error!r}. See the log for details (--log FILE)."
            self._failed(InternalError(text))
        else:
            with self._lock:
                if not self._is_given_up:
                    self._debuggee = debuggee
                    self._post(self._take)
                    return
            leaving.close(debuggee)

    def _take(self) -> None:
        debuggee, self._debuggee = self._debuggee, None
        if debuggee is not None and not self._is_given_up:
            self._succeed(debuggee)

    def _failed(self, error: DapDotnetError) -> None:
        self._post(lambda: None if self._is_given_up else self._fail(error))
