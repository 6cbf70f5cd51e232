"""What the user hears of a runtime that does not answer."""

from __future__ import annotations

import queue
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from dap_dotnet.session.stall_notice import StallNotice

DEADLINE_S = 10


def calling(module: str) -> Callable[..., None]:
    """A function of a module of that name that waits for a lock: natively, as a call of the runtime does."""
    space = types.ModuleType(module).__dict__
    exec("def call(lock, entered):\n    entered.set()\n    lock.acquire()", space)
    return space["call"]  # type: ignore[no-any-return]


@contextmanager
def notice_of(module: str, *, is_end_wanted: bool = False) -> Iterator[tuple[queue.Queue[str], Callable[[], None]]]:
    """What is told of a thread that is inside a call of a module; and what lets the call return."""
    lock, entered, told = threading.Lock(), threading.Event(), queue.Queue[str]()
    lock.acquire()
    thread = threading.Thread(target=calling(module), args=(lock, entered), daemon=True)
    thread.start()
    assert entered.wait(DEADLINE_S)
    assert thread.ident is not None
    notice = StallNotice(thread.ident, told.put, lambda: is_end_wanted, patience_s=0.05)
    try:
        yield told, lock.release
    finally:
        notice.end()
        if lock.locked() and thread.is_alive():
            lock.release()
        thread.join(DEADLINE_S)


def test_stall_notice_says_that_a_call_does_not_return_once_and_that_it_has() -> None:
    with notice_of("dap_dotnet.runtime.cordebug_debuggee") as (told, let_return):
        assert "has not responded to the debugger for 0.05 s" in told.get(timeout=DEADLINE_S)
        with pytest.raises(queue.Empty):
            told.get(timeout=0.3)
        let_return()
        assert told.get(timeout=DEADLINE_S) == "The .NET runtime responds again."


@pytest.mark.parametrize("module", ["dap_dotnet.evaluation.evaluator", "dap_dotnet.runtime.cordebug_heap"])
def test_stall_notice_says_nothing_of_work_that_takes_long(module: str) -> None:
    with notice_of(module) as (told, _), pytest.raises(queue.Empty):
        told.get(timeout=0.3)


def test_stall_notice_says_nothing_to_who_wants_the_end() -> None:
    module = "dap_dotnet.runtime.cordebug_debuggee"
    with notice_of(module, is_end_wanted=True) as (told, _), pytest.raises(queue.Empty):
        told.get(timeout=0.3)
