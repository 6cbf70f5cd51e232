"""The guardian's farewell to a runtime that is played here: what it sends, and what it makes of the answers."""

from __future__ import annotations

import os
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dap_dotnet.launching.guardian import Guardian
from tests.support.processes import start_time

HEADER = struct.Struct("<12I")
REQUEST, ACCEPT, REJECT, RESYNC, CLOSE, EVENT = 0, 1, 2, 3, 4, 5
HIT, SYNC_COMPLETE, ASYNC_BREAK, CONTINUE, REMOVE, DETACH = 0x100, 0x102, 0x200, 0x201, 0x20A, 0x22F
BREAKPOINT_AT = 48
"""Where an event of a breakpoint has the runtime's name for it; 8 bytes."""
VERSION, OTHER_VERSION = 2, 3
HAS_DEBUGGER = 1
EXIT_CANNOT_START = 71
MOST_BREAKPOINTS = 64


class PlayedRuntime:
    """The pipes of a process that does nothing, and the runtime's half of the conversation."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            # Has the pipe of its second line open until the third.
            [
                "/bin/sh",
                "-c",
                'read pipe; [ "$pipe" ] || while :; do :; done; '
                'exec 3<"$pipe"; echo open; read done; exec 3<&-; exec sleep 60',
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        stem = f"clr-debug-pipe-{self.process.pid}-{start_time(self.process.pid)}"
        self._paths = [folder / f"{stem}-in", folder / f"{stem}-out"]
        self._made: list[Path] = []
        self.make_pipes()
        self._in = self._out = -1
        self._is_resumed = False
        self.data = b""

    def make_pipes(self) -> None:
        """New ones in the place of the old, as a runtime does that has lost its debugger."""
        for path in self._paths:
            scratch = path.with_suffix(".new")
            os.mkfifo(scratch)
            if path.exists():
                path.rename(path.with_suffix(f".old{len(self._made)}"))  # so that its inode is not given out again
            scratch.rename(path)
            self._made.append(path)

    def open_pipe(self) -> int:
        """Have the process open its pipe, as a runtime does that a debugger has come to; returns the debugger's end."""
        self.process.stdin.write(f"{self._paths[0]}\n".encode())
        self.process.stdin.flush()
        ours = os.open(self._paths[0], os.O_WRONLY)
        assert self.process.stdout.readline() == b"open\n"
        return ours

    def close_pipe(self) -> None:
        """Have the process close it, as a runtime does that notices its debugger's end."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def keep_busy(self) -> None:
        """Have the process work from now on, and no longer do nothing; instead of `open_pipe`."""
        self.close_pipe()

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
        """A message's type, major version and event; what comes with it is in `data`."""
        header = HEADER.unpack(self._read(HEADER.size))
        self.data = self._read(header[1])
        return header[0], header[6], header[7]

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = os.read(self._in, size - len(data))
            assert part, "the farewell hung up"
            data += part
        return data

    def write(self, kind: int, *, detail: int = 0, event: int = 0, data: bytes = b"") -> None:
        os.write(self._out, HEADER.pack(kind, len(data), 0, 0, 0, 0, detail, event, 0, 0, 0, 0) + data)

    def refuse(self, version: int = VERSION) -> None:
        """Meet whoever comes with the word that there is a session, which has lost its debugger, and hang up."""
        self.accept()
        self.write(RESYNC)
        assert self.read() == (REQUEST, VERSION, 0)
        self.write(REJECT, detail=HAS_DEBUGGER, event=version)
        self.hang_up()

    def resume(self) -> None:
        """Go on with the session."""
        self.accept()
        assert self.read() == (RESYNC, 0, 0)
        self.write(RESYNC)
        self._is_resumed = True

    def begin(self, version: int = VERSION) -> None:
        """Begin a new session."""
        self.accept()
        assert self.read() == (REQUEST, VERSION, 0)
        self.write(ACCEPT, detail=version)
        self._is_resumed = False

    def stop(self, *hits: int) -> None:
        """Report breakpoints that were hit, and that all threads stand."""
        for breakpoint in hits:
            self.write(EVENT, event=HIT, data=bytes(BREAKPOINT_AT) + struct.pack("<Q", breakpoint) + bytes(56))
        self.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))

    def run_on(self) -> None:
        """Run for a moment in which nothing is hit, and be stopped."""
        assert self.read() == (EVENT, 0, CONTINUE)
        assert self.read() == (EVENT, 0, ASYNC_BREAK)
        self.stop()

    def run_into(self, *stops: tuple[int, ...]) -> list[int]:
        """Run into one stop after the other, each time that it may, up to the request to detach.

        A stop has the breakpoints that were hit. Returns those that were removed.
        """
        left, removed, is_stopped = list(stops), list[int](), True
        while (event := self.read()[2]) != DETACH:
            if event == REMOVE:
                removed += struct.unpack_from("<Q", self.data, BREAKPOINT_AT)
            elif event == CONTINUE or not is_stopped:
                is_stopped = event == ASYNC_BREAK or bool(left)
                if is_stopped:
                    self.stop(*(left.pop(0) if event == CONTINUE else ()))
        return removed

    def say_goodbye(self) -> None:
        """Answer the stop and the detach, and see the session closed."""
        assert self.read() == (EVENT, 0, ASYNC_BREAK)
        self.stop()
        if self._is_resumed:
            self.run_on()
        assert self.read() == (EVENT, 0, DETACH)
        self.be_left()

    def be_left(self) -> None:
        """Answer a detach that was read, and see the session closed."""
        self.write(EVENT, event=DETACH, data=bytes(48))
        assert self.read() == (CLOSE, 0, 0)
        self.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))  # nobody may have hung up, or the session would go on
        self.hang_up()


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

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        _, status = os.waitpid(guardian._launcher_process_id, 0)
        thread.join(20)
        assert not failures, failures
        assert not thread.is_alive(), "the farewell has ended too soon"
        return os.waitstatus_to_exitcode(status)

    return run


def test_process_that_stops_and_answers_is_left_alone(played, farewell):
    def answer() -> None:
        played.refuse()
        played.resume()
        played.say_goodbye()
        # The process does nothing: it is asked whether it could be stopped.
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_session_that_goes_on_after_the_detach_is_ended_too(played, farewell):
    def answer() -> None:
        played.refuse()
        played.resume()
        played.say_goodbye()
        # A runtime that had something to report while it was being left, and waits for its debugger again.
        played.refuse()
        played.resume()
        played.say_goodbye()
        # That a session could be resumed does not show that the process runs.
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


@pytest.mark.parametrize(
    ("stops", "removed"),
    [
        pytest.param([(1001,)], [1001], id="one"),
        pytest.param([(1001,), (1002, 1001, 1003), (), (1004,)], [1001, 1002, 1003, 1004], id="each once"),
        pytest.param([(number,) for number in range(100)], list(range(MOST_BREAKPOINTS)), id="as many as it keeps"),
        pytest.param([(), ()], [], id="what is no hit"),
    ],
)
def test_breakpoints_that_are_hit_are_removed_before_the_detach(played, farewell, stops, removed):
    """A thread that is getting over one would run on behind the copy of the instruction that it executes."""

    def answer() -> None:
        played.refuse()
        played.resume()
        played.stop(*stops[0])  # reported before, to whom did not hear it
        assert played.run_into(*stops[1:]) == removed
        played.be_left()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_runtime_that_has_no_session_is_left_too(played, farewell):
    def answer() -> None:
        played.begin()
        played.say_goodbye()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_detach_that_is_cut_short_is_made_again(played, farewell):
    def answer() -> None:
        played.refuse()
        played.resume()
        assert played.read() == (EVENT, 0, ASYNC_BREAK)
        played.stop()
        played.run_on()
        assert played.read() == (EVENT, 0, DETACH)
        played.hang_up()
        # The session has lost its debugger once more.
        played.refuse()
        played.resume()
        played.say_goodbye()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_runtime_is_not_left_waiting_for_whoever_looks_whether_it_runs(played, farewell):
    """A program that runs is not enough: a session that was begun to see it run would keep other debuggers out."""

    def answer() -> None:
        played.begin()
        played.say_goodbye()
        played.begin()
        played.hang_up()
        played.keep_busy()
        played.refuse()
        played.resume()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_runtime_that_did_not_answer_is_freed_of_its_lost_debugger(played, launcher_program, tmp_path):
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    played.make_pipes()
    freed: list[bool] = []
    thread = threading.Thread(target=lambda: freed.append(guardian.free_unanswering()), daemon=True)
    thread.start()
    played.refuse()
    played.resume()
    played.say_goodbye()
    played.begin()
    played.say_goodbye()
    thread.join(20)
    assert freed == [True]
    assert not guardian.free_unanswering()


def test_program_whose_parent_has_not_waited_for_it_has_ended(played, launcher_program, tmp_path, monkeypatch):
    log = tmp_path / "guardian.log"
    monkeypatch.setenv("DAP_DOTNET_GUARDIAN_LOG", str(log))
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    guardian.attached()
    played.process.kill()
    os.waitid(os.P_PID, played.process.pid, os.WEXITED | os.WNOWAIT)
    guardian.release()
    assert log.read_text().splitlines()[-1].endswith("it runs, or is gone; alive: 0")


def test_runtime_that_speaks_another_version_is_not_freed(played, launcher_program, tmp_path):
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    played.make_pipes()
    freed: list[bool] = []
    thread = threading.Thread(target=lambda: freed.append(guardian.free_unanswering()), daemon=True)
    thread.start()
    played.refuse(OTHER_VERSION)
    thread.join(20)
    assert freed == [False]


def test_pipe_that_the_process_still_has_open_is_not_used(played, launcher_program, tmp_path, monkeypatch):
    log = tmp_path / "guardian.log"
    monkeypatch.setenv("DAP_DOTNET_GUARDIAN_LOG", str(log))
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    # Made after the guardian's look: as when the debugger before this one has only just gone.
    played.make_pipes()
    debugger = played.open_pipe()
    ours = os.open(played._paths[0], os.O_RDONLY | os.O_NONBLOCK)
    guardian.attached()
    guardian._control.close()
    deadline = time.monotonic() + 10
    while "the debugger is gone" not in log.read_text():
        assert time.monotonic() < deadline, log.read_text()
    os.close(debugger)
    played.make_pipes()
    played.close_pipe()
    played.refuse(OTHER_VERSION)
    _, status = os.waitpid(guardian._launcher_process_id, 0)
    assert os.waitstatus_to_exitcode(status) == EXIT_CANNOT_START
    assert os.read(ours, HEADER.size) == b""
    os.close(ours)


def test_unexpected_answer_ends_the_farewell(played, farewell):
    def answer() -> None:
        played.accept()
        played.read()
        played.write(EVENT, event=SYNC_COMPLETE, data=bytes(48))

    assert farewell(answer) == EXIT_CANNOT_START


@pytest.mark.parametrize("has_session", [True, False])
def test_other_version_of_the_protocol_is_not_spoken(played, farewell, has_session):
    def answer() -> None:
        if has_session:
            played.refuse(OTHER_VERSION)
            return
        played.begin(OTHER_VERSION)
        with pytest.raises(AssertionError, match="hung up"):
            played.read()

    assert farewell(answer) == EXIT_CANNOT_START


def test_message_that_is_too_large_is_none(played, farewell):
    def answer() -> None:
        played.refuse()
        played.resume()
        assert played.read() == (EVENT, 0, ASYNC_BREAK)
        os.write(played._out, HEADER.pack(EVENT, 0x7FFFFFFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        assert played.read() == (EVENT, 0, DETACH)
        os.close(played._out)
        played.process.kill()  # else it would be waited for

    assert farewell(answer) == EXIT_CANNOT_START


def test_log_says_what_the_guardian_did(played, farewell, tmp_path, monkeypatch):
    log = tmp_path / "guardian.log"
    monkeypatch.setenv("DAP_DOTNET_GUARDIAN_LOG", str(log))

    assert farewell(lambda: played.refuse(OTHER_VERSION)) == EXIT_CANNOT_START
    said = [line.split(": ", 1)[1] for line in log.read_text().splitlines()]
    assert said[0].startswith(f"looked at process {played.process.pid}, its pipe is ")
    assert said[1] == "the debugger is gone"
    assert said[-2:] == ["answer 3, 0, 0", "answer 2, 1, 3"]
