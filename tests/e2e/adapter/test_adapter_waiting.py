"""What the threads of a deadlocked program wait for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
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


def named_rings(answer: dict[str, Any]) -> set[frozenset[str]]:
    """The names of the threads of each ring."""
    names = waiting_names(answer)
    return {frozenset(names[thread] for thread in ring) for ring in answer["cycles"]}


def test_deadlock_is_found(runtime: Runtime, session: Session) -> None:
    program = programs.build("Deadlock", runtime)
    session.launch_program(program)
    session.wait_for_output("started")
    has_new_locks = int(runtime.major.partition(".")[0]) >= 9
    rings = {frozenset(["one", "two"]), *([frozenset(["three", "four"])] if has_new_locks else [])}
    answer = look(session)
    for _ in range(50):  # the threads come to their locks in their own time
        if named_rings(answer) == rings and "pulse" in waiting_names(answer).values():
            break
        session.continue_()
        answer = look(session)
    assert named_rings(answer) == rings, answer["text"]
    found = {one["threadName"]: one for one in answer["waiting"]}
    if int(runtime.major.partition(".")[0]) >= 8:
        assert ".NET Finalizer" in [thread.name for thread in session.threads()]
    assert (found["one"]["kind"], found["one"]["ownerName"], found["one"]["acquisitions"]) == ("enter", "two", 1)
    assert found["one"]["place"].endswith(f"Program.cs:{program.line('locks')}")
    assert found["pulse"]["kind"] == "pulse"
    if has_new_locks:
        assert (found["three"]["kind"], found["three"]["ownerName"]) == ("lock", "four")
