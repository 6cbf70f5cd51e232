"""A program that is let go runs on, also when events come by the thousand at that moment."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.e2e.launching.test_attach import watchers
from tests.support.dotnet import Runtime
from tests.support.flood import Flood

pytestmark = pytest.mark.e2e

# Before letting go was seen to work, more than a third of the messages' and a twentieth of the others' stood for ever.
TURNS = 6
TURNS_BETWEEN = 3
"""On runtimes that are neither the oldest nor the newest."""
MOST_CRASHES = 2
"""Of the runtime in these turns; it does in one of about two hundred."""


@pytest.fixture
def flood(runtime: Runtime, kind: str, tmp_path: Path) -> Iterator[Flood]:
    running = Flood(runtime, kind, tmp_path)
    yield running
    running.close()


def has_crashed(flood: Flood, runtime: Runtime, kind: str) -> bool:
    """Whether .NET Core 3.1 has crashed, as it may where modules come and go while any debugger attaches.

    Its debugger thread lists the assemblies then (Debugger::IterateAppDomainsForPdbs), and meets one that goes.
    """
    return runtime.id == "net3.1" and kind == "modules" and flood.process.poll() == -signal.SIGSEGV


def survives(player, kind, act) -> bool:
    """False for an adapter that the runtime's library has crashed, as it may where modules go around its attach."""
    try:
        act()
    except (pytest.fail.Exception, BrokenPipeError):
        if kind != "modules" or player.process.wait(10) != -signal.SIGSEGV:
            raise
        return False
    return True


def leave(player, way):
    player.do(way)
    # Where the runtime does not answer the detach, the guardian comes after the player's end.
    player.wait("closed", "detached", "not-detached")


@pytest.mark.parametrize("kind", ["log", "exceptions", "modules"])
@pytest.mark.parametrize("way", ["close", "detach", "kill"])
def test_flooding_program_runs_after_it_was_let_go(play, flood, runtime, *, installation, kind, way):
    moments = random.Random(1)
    crashes = 0
    for turn in range(TURNS if runtime in (installation.runtimes[0], installation.runtimes[-1]) else TURNS_BETWEEN):
        process_id = flood.pid
        player = play("attach", process_id)
        if survives(player, kind, partial(player.wait, "connected")):
            time.sleep(moments.uniform(0, 0.3))  # the random moment that this test is about
            if way != "kill":
                survives(player, kind, partial(leave, player, way))
        player.end()
        if not flood.runs():
            assert has_crashed(flood, runtime, kind), f"turn {turn} exit {flood.process.poll()}"
            crashes += 1
            assert crashes <= MOST_CRASHES
            flood.close()
            flood.start()
        deadline = time.monotonic() + 20
        while watchers(process_id):
            assert time.monotonic() < deadline, "the watch does not end"
            time.sleep(0.01)


@pytest.mark.parametrize("kind", ["none"])
def test_quiet_program_runs_after_it_was_let_go(play, flood):
    for _ in range(3):
        player = play("attach", flood.pid)
        player.wait("connected")
        player.do("detach")
        player.wait("detached")
        assert watchers(flood.pid) == []
        assert flood.runs()
        player.end()
