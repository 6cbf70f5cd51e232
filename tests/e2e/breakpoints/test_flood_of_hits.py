"""Two threads hit a condition that is never true, without a pause: the program is stopped and let go all the same."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.flood import Flood
from tests.support.processes import wait_until
from tests.support.session import Place, Session

pytestmark = pytest.mark.e2e

TURNS = 2


@pytest.fixture
def flood(runtime: Runtime, tmp_path: Path) -> Iterator[Flood]:
    running = Flood(runtime, "calls", tmp_path)
    yield running
    running.close()


def attached(place: Place, flood: Flood, runtime: Runtime, *, forked: bool) -> Session:
    """A session whose condition has been decided some hundred times."""
    program = programs.build("Flood", runtime)
    session = Session.open(place, forked=forked)
    line = {"line": program.line("call"), "condition": "number == half && number < -1"}
    (made,) = session.attach(flood.pid, breakpoints={str(program.source): [line]})

    def tested() -> int:
        answer = session.request("dap-dotnet/explainBreakpoint", {"breakpointId": made.id})
        return int(answer["condition"]["tested"])

    wait_until(lambda: tested() > 300, "hundreds of hits", 30)
    return session


@pytest.mark.parametrize("way", ["disconnect", "pause", "SIGTERM"])
def test_program_under_a_flood_of_hits_is_let_go(place: Place, flood: Flood, runtime: Runtime, way: str) -> None:
    for turn in range(TURNS):
        with attached(place, flood, runtime, forked=turn > 0) as session:
            assert session.process is not None
            if way.startswith("SIG"):
                session.checks_conversation = False
                os.kill(session.process.process_id, getattr(signal, way))
                session.process.wait(20)
            else:
                if way == "pause":
                    session.pause()
                session.disconnect()
        assert flood.runs(), f"turn {turn}: the program stands, exit {flood.process.poll()}"
