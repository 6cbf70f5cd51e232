"""Hostile messages to an adapter that debugs a real program: none of them does harm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.hostile import COMMANDS, flood, names_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

RUNNING = {"continue", "next", "stepIn", "stepOut"}


@pytest.mark.parametrize("stays_stopped", [True, False])
def test_hostile_messages_do_not_end_a_session_with_a_real_program(
    runtime: Runtime, open_session: Callable[..., Session], stays_stopped: bool
) -> None:
    program = programs.build("Spin", runtime)
    session = open_session()
    session.checks_conversation = False
    assert session.process is not None
    session.launch_program(program, "/nowhere", stop_at=["work"])
    session.wait_for_stop()
    commands = [name for name in COMMANDS if not (stays_stopped and name in RUNNING)]
    path = str(program.source)
    flood(session, session.process.writer, commands, 40, look=lambda: names_of(session, path), messages=2000)
    assert session.threads()
    assert not [line for line in session.log().splitlines() if " ERROR " in line or line.startswith("Traceback")]
