"""`ExitStatus`, with children of this process in the place of an attached program."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from dap_dotnet.launching.exit_status import ExitStatus

ROUNDS = 40
KERNEL_TELLS = tuple(int(part) for part in os.uname().release.split(".")[:2]) >= (6, 15)


@pytest.fixture
def program() -> Iterator[subprocess.Popen[bytes]]:
    """Ends with its input, with exit code 7."""
    command = [sys.executable, "-S", "-c", "import sys; sys.stdin.read(); sys.exit(7)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def end(program: subprocess.Popen[bytes]) -> None:
    assert program.stdin is not None
    program.stdin.close()


def ended(status: ExitStatus) -> bool:
    answers: list[int | None] = []
    timers: list[threading.Timer] = []

    def later(seconds: float, look: Callable[[], None]) -> None:
        timers.append(threading.Timer(seconds, look))
        timers[-1].start()

    status.when_ended(later, answers.append)
    for timer in timers:
        timer.join(10)
    return bool(answers)


def test_exit_code_is_known_before_the_parent_takes_note(program: subprocess.Popen[bytes]) -> None:
    status = ExitStatus(program.pid)
    end(program)
    assert ended(status)
    assert status.exit_code() == 7
    status.close()


@pytest.mark.skipif(not KERNEL_TELLS, reason="the kernel forgets the code once the parent has taken note of it")
def test_exit_code_is_known_after_the_parent_took_note(program: subprocess.Popen[bytes]) -> None:
    status = ExitStatus(program.pid)
    end(program)
    assert program.wait(10) == 7
    assert status.exit_code() == 7
    status.close()


@pytest.mark.skipif(not KERNEL_TELLS, reason="the kernel forgets the code once the parent has taken note of it")
def test_exit_code_is_known_while_the_parent_takes_note() -> None:
    # A look in the one place before the parent's and in the other after it used to find nothing.
    for _ in range(ROUNDS):
        with subprocess.Popen(["sh", "-c", "read line; exit 7"], stdin=subprocess.PIPE) as child:
            status = ExitStatus(child.pid)
            parent = threading.Thread(target=child.wait)
            parent.start()
            end(child)
            while not status.has_ended:
                pass
            assert status.exit_code() == 7
            parent.join(10)
            status.close()


def test_status_of_a_process_that_was_gone_before_is_not_known(program: subprocess.Popen[bytes]) -> None:
    end(program)
    program.wait(10)
    status = ExitStatus(program.pid)
    assert status.has_ended
    assert status.exit_code() is None
    status.close()
