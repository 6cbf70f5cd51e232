"""Programs that stand still for ever in a race of the runtime, which no debugger can prevent (docs/decisions/0010).

One launch in some thousands, at the program's first `await` on .NET 9. On a loaded machine with .NET Core 3.1, one step
in 110 from a stop at which the program's first thread of the pool begins. On .NET 10.0.12 where a breakpoint is bound
in precompiled code, which the library's hook for debuggers is, while another thread stops.
A test that has met it is run once more; one that waits for a stop that our adapter has lost is not.
"""

from __future__ import annotations

import pytest
from _pytest.runner import runtestprotocol

from dap_dotnet.client import DapRequestError, DapTimeoutError
from tests.support import run_again
from tests.support.session import Session

RUNTIMES = ("3.1", "9.0", "10.0")
STANDS_STILL = pytest.StashKey[bool]()
_PATIENCE_S = 15.0


def stands_still(session: Session) -> bool:
    """Whether the runtime does not answer any more: the program is not stopped, and cannot be."""
    threads = [body["threadId"] for body in session.events("thread") if body["reason"] == "started"]
    if not threads:
        return False
    try:
        session.request("stackTrace", {"threadId": threads[0]}, timeout_s=_PATIENCE_S)
    except DapTimeoutError:
        return True  # the session thread waits for the runtime: a new stepper needs the lock, too
    except DapRequestError:
        pass
    else:
        return False  # it is stopped, and the client was not told
    try:
        session.request("pause", {"threadId": threads[0]}, timeout_s=_PATIENCE_S)
        session.wait_for_stop(timeout_s=_PATIENCE_S)
    except (DapRequestError, DapTimeoutError):
        return True
    return False


def note(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Look at the program of a test that has waited in vain, while it is there."""
    session = getattr(item, "funcargs", {}).get("session")
    has_waited = call.when == "call" and call.excinfo is not None and call.excinfo.errisinstance(DapTimeoutError)
    if has_waited and isinstance(session, Session) and _is_concerned(item):
        item.stash[STANDS_STILL] = stands_still(session)


def run(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test; once more where the runtime stood still. None for tests of other runtimes: pytest runs them."""
    if not _is_concerned(item):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if item.stash.get(STANDS_STILL, False):
        item.stash[STANDS_STILL] = False
        item._initrequest()  # type: ignore[attr-defined]
        run_again.note(item)
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _is_concerned(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    runtime = callspec.params.get("runtime") if callspec is not None else None
    return runtime is not None and runtime.major in RUNTIMES
