"""A runtime that does not answer any more: the adapter ends with its client all the same, program included."""

from __future__ import annotations

import os
import signal

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.session.watchdog import END_PATIENCE_S
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import is_stopped, wait_until
from tests.support.session import Place, Session

pytestmark = pytest.mark.e2e


def test_disconnect_is_answered_though_the_runtime_does_not_answer(
    newest_runtime: Runtime, session: Session, place: Place
) -> None:
    program = programs.build("Spin", newest_runtime)
    thread = session.stop_in(program, "round", str(place.folder / "stop"))
    process_id = session.debuggee()
    os.kill(process_id, signal.SIGSTOP)
    wait_until(lambda: is_stopped(process_id), "the program stands")  # its threads go on for a moment
    step = session.send("next", {"threadId": thread})
    session.checks_conversation = False
    session.wait_for_output("has not responded to the debugger", "important")  # before the client wants the end
    session.request("disconnect", timeout_s=END_PATIENCE_S + 20)
    with pytest.raises(DapRequestError, match="does not respond"):
        step.result()
    assert session.process is not None
    assert session.process.wait(10) is not None
    # Nothing is left: the fixture `place` looks.
