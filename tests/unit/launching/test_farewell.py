"""The guardian's farewell to a runtime that is played here: what it sends, and what it makes of the answers."""

from __future__ import annotations

import os
import struct
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dap_dotnet.launching import procfs
from dap_dotnet.launching.guardian import Guardian

HEADER = struct.Struct("<12I")
REQUEST, ACCEPT, RESYNC, CLOSE, EVENT = 0, 1, 3, 4, 5
SYNC_COMPLETE, ASYNC_BREAK, DETACH = 0x102, 0x200, 0x22F
EXIT_CANNOT_START = 71


class PlayedRuntime:
    """The pipes of a process that only sleeps, and the runtime's half of the conversation."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(["/bin/sleep", "60"])
        stem = f"clr-debug-pipe-{self.process.pid}-{procfs.start_time(self.process.pid)}"
        self._paths = [folder / f"{stem}-in", folder / f"{stem}-out"]
        self._made: list[Path] = []
        self.make_pipes()
        self._in = self._out = -1

    def make_pipes(self) -> None:
        """New ones in the place of the old, as a runtime does that has lost its debugger."""
        for path in self._paths:
            scratch = path.with_suffix(".new")
            os.mkfifo(scratch)
            if path.exists():
                path.rename(path.with_suffix(f".old{len(self._made)}"))  # so that its inode is not given out again
            scratch.rename(path)
            self._made.append(path)

    def accept(self) -> None:
        """Wait for a debugger."""
        self._in = os.open(self._paths[0], os.O_RDONLY)
        self._out = os.open(self._paths[1], os.O_WRONLY)

    def hang_up(self) -> None:
        """As when the session has been closed; the next debugger finds new pipes."""
        self.make_pipes()
        os.close(self._in)
        os.close(self._out)

    def read(self) -> tuple[int, int, int]:
        """A message's type, major version and event."""
        header = HEADER.unpack(self._read(HEADER.size))
        self._read(header[1])
        return header[0], header[6], header[7]

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = os.read(self._in, size - len(data))
            assert part, "the farewell hung up"
            data += part
        return data

    def write(self, kind: int, *, version: int = 0, event: int = 0, data: bytes = b"") -> None:
        os.write(self._out, HEADER.pack(kind, len(data), 0, 0, 0, 0, version, event, 0, 0, 0, 0) + data)

    def say_goodbye(self) -> None:
        """Answer the stop and the detach, and see the session closed."""
        assert self.read() == (EVENT, 0, ASYNC_BREAK)
        self.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))
        assert self.read() == (EVENT, 0, DETACH)
        self.write(EVENT, event=DETACH, data=bytes(48))
        assert self.read() == (CLOSE, 0, 0)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[PlayedRuntime]:
    runtime = PlayedRuntime(tmp_path)
    yield runtime
    runtime.process.kill()
    runtime.process.wait()


@pytest.fixture
def farewell(played: PlayedRuntime, launcher_program: Path, tmp_path: Path) -> Callable[[Callable[[], None]], int]:
    """Let the adapter die, with `answer` as the runtime; returns the guardian's exit code."""

    def run(answer: Callable[[], None]) -> int:
        guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
        guardian.attached()
        assert guardian._control is not None
        guardian._control.close()
        played.make_pipes()
        failures: list[BaseException] = []

        def play() -> None:
            try:
                answer()
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=play)
        thread.start()
        _, status = os.waitpid(guardian._launcher_process_id, 0)
        thread.join(20)
        assert not failures, failures
        return os.waitstatus_to_exitcode(status)

    return run


def resync(played: PlayedRuntime) -> None:
    played.accept()
    assert played.read() == (RESYNC, 0, 0)
    played.write(RESYNC)


def test_process_that_stops_and_answers_is_left_alone(played, farewell):
    def answer() -> None:
        resync(played)
        played.say_goodbye()
        played.hang_up()
        # The process does nothing: it is asked whether it could be stopped.
        played.accept()
        assert played.read() == (REQUEST, 2, 0)
        played.write(ACCEPT, version=2)
        played.say_goodbye()
        played.hang_up()

    assert farewell(answer) == 0


def test_unexpected_answer_ends_the_farewell(played, farewell):
    def answer() -> None:
        played.accept()
        played.read()
        played.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))

    assert farewell(answer) == EXIT_CANNOT_START


def test_other_version_of_the_protocol_is_not_spoken(played, farewell):
    def answer() -> None:
        resync(played)
        played.say_goodbye()
        played.hang_up()
        played.accept()
        assert played.read() == (REQUEST, 2, 0)
        played.write(ACCEPT, version=3)
        with pytest.raises(AssertionError, match="hung up"):
            played.read()

    assert farewell(answer) == EXIT_CANNOT_START


def test_message_that_is_too_large_is_none(played, farewell):
    def answer() -> None:
        resync(played)
        assert played.read() == (EVENT, 0, ASYNC_BREAK)
        os.write(played._out, HEADER.pack(EVENT, 0x7FFFFFFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        assert played.read() == (EVENT, 0, DETACH)
        os.close(played._out)

    assert farewell(answer) == EXIT_CANNOT_START
