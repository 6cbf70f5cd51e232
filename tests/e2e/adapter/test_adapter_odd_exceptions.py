"""`exceptionInfo` of exceptions that are hard to describe: what is left out is said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
UNKNOWN = "<needs code of the program to run: evaluate {}.Message>"


def next_thrown(session: Session) -> dict[str, Any]:
    """What `exceptionInfo` says of the next exception."""
    session.last_stop = None
    stop = session.wait_for_stop()
    found = session.request("exceptionInfo", {"threadId": stop.thread_id})
    session.continue_()
    return dict(found)


def depth(details: dict[str, Any]) -> int:
    inner = details.get("innerException", [])
    return 1 + max(map(depth, inner), default=0)


def test_odd_exceptions_are_described(runtime: Runtime, session: Session) -> None:
    program = programs.build("Members", runtime)
    session.launch(str(program.dll), exception_filters=["all"], env=dict(program.env))
    for expected in (UNKNOWN.format("$exception"), UNKNOWN.format("$exception"), "own"):
        assert next_thrown(session)["details"]["message"] == expected
    some = next_thrown(session)["details"]
    assert some["message"] == "some (x) (<Members.MessageThrows>)"
    assert some["innerException"][1]["message"] == UNKNOWN.format("$exception.InnerExceptions[1]")
    cycle = next_thrown(session)["details"]
    assert (cycle["message"], depth(cycle)) == ("b", 3)
    (first,) = cycle["innerException"]
    assert first["message"] == "a"
    assert [one["message"] for one in first["innerException"]] == ["… 1 more: $exception.InnerException.InnerException"]
    deep = next_thrown(session)["details"]
    assert (deep["message"], depth(deep)) == ("29", 18)
    many = next_thrown(session)["details"]
    shown = " ".join(f"({number})" for number in range(1, 17))
    assert many["message"] == f"many {shown} (… 13 more)"
    assert [one["message"] for one in many["innerException"]][15:] == ["16", "… 13 more: $exception.InnerExceptions"]
    data = next_thrown(session)["description"].splitlines()
    assert data[1] == 'Data["self"] = {System.Exception: data}'
    assert (len(data), data[-1]) == (18, "Data: 5 more")
    limit = next_thrown(session)["details"]["message"]
    assert limit.splitlines() == [
        "It is too great. (Parameter 'limit')",
        "Actual value was 5.",
    ]
    assert next_thrown(session)["details"]["message"] == 1024 * "x" + "…"
    assert next_thrown(session)["details"]["message"] == "There is none."
    assert next_thrown(session)["details"]["message"].startswith("Could not load file or assembly 'a.txt'")
    kind = "Exception of type 'Members.Of`1+Kind[System.Int32]' was thrown."
    assert next_thrown(session)["details"]["message"] == kind
    reflected = next_thrown(session)["details"]
    assert (reflected["message"], "Members.Thrown.Reflected()" in reflected["stackTrace"]) == ("reflected", True)
    wrapped = next_thrown(session)["details"]
    trace = wrapped["innerException"][0]["stackTrace"].splitlines()
    assert f"Thrown.cs:line {program.line('reflected', 'Thrown.cs')}" in trace[0]
    session.wait_for_exit()
