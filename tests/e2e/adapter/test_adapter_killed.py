"""kill -9 of the adapter at any moment: no launched program is left, an attached one runs on unharmed.

The moments are spread over the time that each phase takes; `DAP_DOTNET_TEST_LONG=1` takes many more of them.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import spinning, wait_until
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]

LONG = bool(os.environ.get("DAP_DOTNET_TEST_LONG"))
ROUNDS = 40 if LONG else 3
# Longer than a start takes.
START_S = 0.6


def kill(session: Session) -> None:
    session.checks_conversation = False
    assert session.process is not None
    session.process.kill()
    assert session.process.wait(10) == -9


def moments(seed: str) -> list[float]:
    """Random moments, one in each of as many equal parts of a start: the same ones in every run."""
    numbers = random.Random(seed)
    return [START_S * (part + numbers.random()) / ROUNDS for part in range(ROUNDS)]


@pytest.mark.parametrize("state", ["held before Main", "stopped", "running", "stepping"])
def test_kill_of_the_adapter_ends_the_launched_program(
    runtime: Runtime, session: Session, place: Place, state: str
) -> None:
    program = programs.build("Spin", runtime)
    arguments = {"program": str(program.dll), "args": [str(place.folder / "stop")], "env": dict(program.env)}
    if state == "held before Main":
        session.start("launch", arguments)
        session.debuggee()
    else:
        thread = session.stop_in(program, "round", str(place.folder / "stop"))
        if state != "stopped":
            session.set_breakpoints(str(program.source), [])
            session.send("continue" if state == "running" else "next", {"threadId": thread})
    kill(session)
    # Nothing is left: the fixture `place` looks.


@pytest.mark.parametrize("part", range(ROUNDS))
def test_kill_of_the_adapter_while_it_starts_a_program(
    runtime: Runtime, session: Session, place: Place, part: int
) -> None:
    program = programs.build("Spin", runtime)
    session.initialize()
    arguments = {"program": str(program.dll), "args": [str(place.folder / "stop")], "env": dict(program.env)}
    session.send("launch", arguments)
    session.send("configurationDone")
    time.sleep(moments(runtime.id)[part])  # the moment is the test
    kill(session)


@pytest.mark.parametrize("state", ["attached", "stopped", "frozen", "running", "stepping"])
def test_kill_of_the_adapter_leaves_the_attached_program_running(
    runtime: Runtime, place: Place, open_session: Callable[..., Session], state: str
) -> None:
    program = programs.build("Spin", runtime)
    with spinning(program, place.folder, place.environment) as spin:
        session = open_session()
        session.attach(spin.process_id)
        if state != "attached":
            session.set_breakpoints(str(program.source), [program.line("round")])
            thread = session.wait_for_stop().thread_id
            if state == "frozen":
                session.request("dap-dotnet/freezeThread", {"threadId": thread})
            elif state != "stopped":
                session.send("continue" if state == "running" else "next", {"threadId": thread})
        kill(session)
        # Its guardian detaches in its place, and ends.
        wait_until(lambda: place.processes() == [spin.process_id], "the end of the guardian")
        assert_attachable_again(open_session(), spin.process_id)
        spin.stop()


@pytest.mark.parametrize("part", range(ROUNDS))
def test_kill_of_the_adapter_while_it_attaches(
    runtime: Runtime, place: Place, open_session: Callable[..., Session], part: int
) -> None:
    program = programs.build("Spin", runtime)
    with spinning(program, place.folder, place.environment) as spin:
        session = open_session()
        session.initialize()
        session.send("attach", {"processId": spin.process_id})
        session.send("configurationDone")
        time.sleep(moments(runtime.id)[part] / 2)  # the moment is the test
        kill(session)
        # Its guardian detaches in its place, and ends.
        wait_until(lambda: place.processes() == [spin.process_id], "the end of the guardian")
        assert_attachable_again(open_session(), spin.process_id)
        spin.stop()
    forget_pipes(place, spin.process_id)


def assert_attachable_again(session: Session, process_id: int) -> None:
    session.attach(process_id)
    assert session.pause().reason == "pause"
    session.disconnect()


def forget_pipes(place: Place, process_id: int) -> None:
    """A runtime makes its pipes anew after a detach, and leaves them behind when it ends at that moment."""
    for name in place.files():
        if name.startswith(f"clr-debug-pipe-{process_id}-"):
            (place.folder / name).unlink(missing_ok=True)
