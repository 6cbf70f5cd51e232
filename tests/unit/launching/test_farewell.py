"""The guardian's farewell to a runtime that is played here: what it sends, and what it makes of the answers."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dap_dotnet.launching.attaching import no_other_attaches
from dap_dotnet.launching.guardian import Guardian

from .played_runtime import (
    ASYNC_BREAK,
    DETACH,
    EVENT,
    EXIT_CANNOT_START,
    HEADER,
    MOST_BREAKPOINTS,
    OTHER_VERSION,
    SYNC_COMPLETE,
    PlayedRuntime,
)


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


@contextlib.contextmanager
def freeing(guardian: Guardian) -> Iterator[list[bool]]:
    """Have the guardian meet a runtime that did not answer, which is played meanwhile; then whether that has helped."""
    freed: list[bool] = []
    thread = threading.Thread(target=lambda: freed.append(guardian.free_unanswering()), daemon=True)
    thread.start()
    yield freed
    thread.join(20)


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
        played.resume(lambda: played.stop(*stops[0]))  # reported before, to whom did not confirm it
        assert played.read() == (EVENT, 0, ASYNC_BREAK)  # it stands already, and does not answer
        assert played.run_into(*stops[1:]) == removed
        played.be_left()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_program_that_runs_is_not_continued_for_a_stop_that_is_long_over(played, farewell):
    """A debugger may continue a process before it confirms its stop, and the runtime then tells of that stop again.

    Who continues a process that runs has its runtime give away a lock that it does not hold.
    """

    def answer() -> None:
        played.refuse()
        played.resume(played.stop)
        assert played.read() == (EVENT, 0, ASYNC_BREAK)
        assert not played.says_something(0.1), "the program was continued"
        played.stop()
        played.thaw()
        played.run_on()
        assert played.read() == (EVENT, 0, DETACH)
        played.be_left()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_program_that_stops_late_is_continued_once(played, farewell):
    def answer() -> None:
        played.refuse()
        played.resume(played.stop)
        assert played.read() == (EVENT, 0, ASYNC_BREAK)
        played.keep_busy()
        assert not played.says_something(0.5), "a program at work was taken for one that stands"
        played.stop()
        played.thaw()
        played.run_on()
        assert played.read() == (EVENT, 0, DETACH)
        played.be_left()

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
        played.thaw()
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


def test_program_that_runs_for_a_moment_alone_is_freed_once_more(played, farewell):
    """A thread that had something to report stops all others, on a busy machine only after they were seen to run."""

    def answer() -> None:
        played.begin()
        played.say_goodbye()
        played.run_for_a_moment()
        played.begin()
        played.say_goodbye()

    assert farewell(answer) == 0


def test_runtime_that_did_not_answer_is_freed_of_its_lost_debugger(played, launcher_program, tmp_path):
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    played.make_pipes()
    with freeing(guardian) as freed:
        played.refuse()
        played.resume()
        played.say_goodbye()
        played.begin()
        played.say_goodbye()
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


def test_runtime_that_a_debugger_has_met_by_half_is_freed(played, launcher_program, tmp_path):
    """Of a debugger that was killed between its two pipes: the runtime would wait for the other one for ever."""
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    played.be_met_by_half()
    with freeing(guardian) as freed:
        played.notice()
        played.begin()
        played.say_goodbye()
        played.begin()
        played.say_goodbye()
    assert freed == [True]


def test_guardian_waits_for_whoever_is_at_the_process(played, launcher_program, tmp_path, monkeypatch):
    """Two at the same pipes would each take a part of what the runtime says, and the program would stand."""
    log = tmp_path / "guardian.log"
    monkeypatch.setenv("DAP_DOTNET_GUARDIAN_LOG", str(log))
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    guardian.attached()
    with no_other_attaches(played.process.pid):
        guardian._control.close()
        played.make_pipes()
        deadline = time.monotonic() + 10
        while "another debugger or guardian is at the process" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
        assert "has its turn" not in log.read_text()
    played.begin()
    played.say_goodbye()
    played.begin()
    played.say_goodbye()
    _, status = os.waitpid(guardian._launcher_process_id, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "has its turn: 1" in log.read_text()


def test_attach_waits_for_a_guardian_at_work(played, launcher_program, tmp_path):
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    guardian.attached()
    guardian._control.close()
    played.make_pipes()
    played.begin()  # the guardian is in the middle of its conversation
    order: list[str] = []

    def attach() -> None:
        with no_other_attaches(played.process.pid):
            order.append("attach")

    thread = threading.Thread(target=attach, daemon=True)
    thread.start()
    played.say_goodbye()
    played.begin()
    order.append("guardian")
    played.say_goodbye()
    thread.join(20)
    os.waitpid(guardian._launcher_process_id, 0)
    assert order == ["guardian", "attach"]


def test_runtime_that_speaks_another_version_is_not_freed(played, launcher_program, tmp_path):
    guardian = Guardian(played.process.pid, str(tmp_path), program=launcher_program)
    played.make_pipes()
    with freeing(guardian) as freed:
        played.refuse(OTHER_VERSION)
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
    assert said[1:3] == ["has its turn: 1", "the debugger is gone"]
    assert said[-2:] == ["answer 3, 0, 0", "answer 2, 1, 3"]
