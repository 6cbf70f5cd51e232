"""Fixtures: an adapter played by a process of its own, so that it can be killed and that runtimes do not meet."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

PLAYER = Path(__file__).with_name("player.py")
DEADLINE_S = 60.0


class Player:
    """A running player.py; its events are awaited with a deadline."""

    def __init__(self, arguments: list[str], environment: dict[str, str], folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(PLAYER), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=folder,
            text=True,
        )
        self.seen: list[dict[str, Any]] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def wait(self, *kinds: str) -> dict[str, Any]:
        """The next event of one of these kinds; the others on the way are in `seen`."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"none of {kinds} in {DEADLINE_S:g} s, but {self.seen}")
            if line is None:
                pytest.fail(f"the player ended ({self.process.wait(5)}) before {kinds}; it said {self.seen}")
            event = json.loads(line)
            self.seen.append(event)
            if event["kind"] in kinds:
                return event

    def wait_for_output(self, text: str) -> str:
        """All output so far, once `text` is in it."""
        while text not in self.output():
            self.wait("output")
        return self.output()

    def output(self, *, is_error: bool = False) -> str:
        """What the program wrote to one of its streams so far."""
        texts = (event for event in self.seen if event["kind"] == "output" and event["is_error"] == is_error)
        return "".join(event["text"] for event in texts)

    def do(self, command: str) -> None:
        """Give the player a command."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(BrokenPipeError):  # of a command that it has not lived to read
            self.process.stdin.close()


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Callable[..., Player]]:
    """Start a player. `env` is added to this process's environment, `program_env` to the debuggee's only."""
    players: list[Player] = []

    def start(*arguments: object, env: dict[str, str] | None = None, **options: Any) -> Player:
        environment = {**os.environ, **(env or {}), "PLAYER_ENV": json.dumps(options.pop("program_env", {}))}
        environment.update({f"PLAYER_{name.upper().strip('_')}": str(value) for name, value in options.items()})
        players.append(Player([str(argument) for argument in arguments], environment, tmp_path))
        return players[-1]

    yield start
    for player in players:
        player.end()


def is_gone(process_id: int) -> bool:
    """Whether a process has ended; a zombie has."""
    try:
        stat = Path(f"/proc/{process_id}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] in ("Z", "X")


def traces(process_id: int, start_time: int, folder: str = "/tmp") -> list[Path]:
    """The semaphores, pipes and sockets that a runtime and its debugger left of a process."""
    names = [f"/dev/shm/sem.clr{kind}{process_id:08x}{start_time:016x}" for kind in ("st", "co")]
    names += [f"{folder}/clr-debug-pipe-{process_id}-{start_time}-{direction}" for direction in ("in", "out")]
    names.append(f"{folder}/dotnet-diagnostic-{process_id}-{start_time}-socket")
    return [Path(name) for name in names if Path(name).exists()]


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Poll a fact of the operating system that nothing announces."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, f"not in {DEADLINE_S:g} s: {what}"
        time.sleep(0.01)


def wait_until_nothing_is_left(forked: dict[str, Any], folder: str = "/tmp") -> None:
    """The debuggee is gone and so is all that it and its debugger made."""
    process_id, start_time = forked["process_id"], forked["start_time"]
    wait_until(lambda: is_gone(process_id), f"the end of process {process_id}")
    wait_until(lambda: not traces(process_id, start_time, folder), f"{traces(process_id, start_time, folder)} removed")
