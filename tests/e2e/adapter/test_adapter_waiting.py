"""What the threads of a deadlocked program wait for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def look(session: Session) -> dict[str, Any]:
    """What the threads wait for at this moment."""
    session.pause()
    answer: dict[str, Any] = session.request("dap-dotnet/waiting")
    return answer


def waiting_names(answer: dict[str, Any]) -> dict[int, str]:
    """The waiting threads' names by their ids."""
    return {one["threadId"]: one["threadName"] for one in answer["waiting"]}


def ring_of(answer: dict[str, Any], name: str) -> list[int]:
    """The thread ids of the ring in which a thread is."""
    thread = next((thread for thread, known in waiting_names(answer).items() if known == name), None)
    return next((ring for ring in answer["cycles"] if thread in ring), [])


def named_rings(answer: dict[str, Any]) -> set[frozenset[str]]:
    """The names of the threads of each ring."""
    names = waiting_names(answer)
    return {frozenset(names[thread] for thread in ring) for ring in answer["cycles"]}


EXPECTED = {
    "joins": "join",
    "waits": "task",
    "result": "task",
    "set": "event",
    "handle": "event",
    "count": "semaphore",
    "counted": "semaphore",  # of which a task waits, too: a thread then waits by one of its own
    "item": "collection",
    "writer": "sleep",
    "reader": "readerWriterLock",
    "old-reader": "readerWriterLock",
    "pulse": "pulse",
    "Main Thread": "sleep",
}


def has_settled(answer: dict[str, Any], rings: set[frozenset[str]]) -> bool:
    """Whether all threads have come to where they wait."""
    kinds = {one["threadName"]: one["kind"] for one in answer["waiting"]}
    return rings <= named_rings(answer) and len(ring_of(answer, "waits")) == 2 and EXPECTED.items() <= kinds.items()


def awaits_of(program: Program) -> list[tuple[str, int]]:
    return [("Outer", program.line("await-inner")), ("Inner", program.line("await-delay"))]


def test_deadlock_is_found(runtime: Runtime, session: Session) -> None:
    program = programs.build("Deadlock", runtime)
    session.launch_program(program)
    session.wait_for_output("started")
    has_new_locks = int(runtime.major.partition(".")[0]) >= 9
    rings = {frozenset(["one", "two"]), frozenset(["joins", "joined"])}
    rings |= {frozenset(["three", "four"])} if has_new_locks else set()
    answer = look(session)
    for _ in range(50):  # the threads come to their locks in their own time
        if has_settled(answer, rings):
            break
        session.continue_()
        answer = look(session)
    assert has_settled(answer, rings), answer["text"]
    assert len(answer["cycles"]) == len(rings) + 1
    assert session.last_stop is not None
    assert session.last_stop.thread_id == session.debuggee()  # all of them wait: the main one is shown
    found = {one["threadName"]: one for one in answer["waiting"]}
    if int(runtime.major.partition(".")[0]) >= 8:
        assert ".NET Finalizer" in [thread.name for thread in session.threads()]
    assert (found["one"]["kind"], found["one"]["ownerName"], found["one"]["acquisitions"]) == ("enter", "two", 1)
    assert found["one"]["place"].endswith(f"Program.cs:{program.line('locks')}")
    assert found["joins"]["ownerName"] == "joined"
    assert f"Program.cs:{program.line('waits')}" in found["waits"]["place"]
    awaits = [f"Deadlock.Program.{one}(), Program.cs:{line}" for one, line in awaits_of(program)]
    assert found["result"]["task"] == f"{awaits[0]}, which awaits {awaits[1]}, which waits for Task.Delay"
    assert found["result"]["task"] in answer["text"]
    assert found["reader"]["ownerName"] == "writer"
    assert found["old-reader"]["type"] == "ReaderWriterLock"
    assert found["handle"]["type"] == "AutoResetEvent"
    assert "semaphore SemaphoreSlim (Current Count = 0)" in answer["text"]
    if has_new_locks:
        assert (found["three"]["kind"], found["three"]["ownerName"]) == ("lock", "four")
