"""The names of threads, kept from stop to stop until the program gives others."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def names(session: Session) -> set[str]:
    return {one.name for one in session.threads()}


def test_names_follow_what_the_program_calls_its_threads(runtime: Runtime, session: Session) -> None:
    program = programs.build("Renamed", runtime)
    session.launch_program(program, stop_at=["begin", "renamed", "chief", "end"])
    session.wait_for_stop()
    assert {"Main Thread", "first"} <= names(session)
    assert {"Main Thread", "first"} <= names(session)
    session.continue_()
    session.wait_for_stop()
    worker = "first" if runtime.major == "3.1" else "second"  # before .NET 6 a name is given once
    assert {"Main Thread", worker} <= names(session)
    session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("chief")
    assert {"chief", worker} <= names(session)
    if runtime.major != "3.1":
        assert session.evaluate('worker.Name = "third"').result == '"third"'
        assert {"chief", "third"} <= names(session)
    session.continue_()
    session.wait_for_stop()
    assert names(session) & {"first", "second", "third"} == set()
    session.continue_()
    assert session.wait_for_exit() == 0
