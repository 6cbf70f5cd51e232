"""Looking at processes, for tests; Linux's /proc."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.support.programs import Program

_POLL_S = 0.01


def children(process_id: int) -> set[int]:
    """Of a process, dead ones too."""
    found = set()
    for folder in Path(f"/proc/{process_id}/task").iterdir():
        try:
            found |= {int(word) for word in (folder / "children").read_text().split()}
        except OSError:
            continue  # a thread that has ended
    return found


def wait_until(condition: Callable[[], bool], what: str, timeout_s: float = 10.0) -> None:
    """Waits for what has no event: `condition()`. Raises AssertionError that names `what` past the deadline."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come within {timeout_s:g} s"
        time.sleep(_POLL_S)


def has_ended(process_id: int) -> bool:
    """Whether there is no such process, or only its exit status is left of it."""
    try:
        stat = Path("/proc", str(process_id), "stat").read_bytes()
    except OSError:
        return True
    return stat.rpartition(b")")[2].split()[0] in (b"Z", b"X")


def is_stopped(process_id: int) -> bool:
    """Whether a signal has stopped every thread of the process."""
    states = [
        path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{process_id}/task").glob("*/stat")
    ]
    return set(states) == {"T"}


def start_time(process_id: int) -> int:
    """When a process began, in clock ticks since boot, as the names of its pipes have it."""
    return int(Path("/proc", str(process_id), "stat").read_bytes().rpartition(b")")[2].split()[19])


def threads_of(process_id: int) -> list[str]:
    """The names of a process's threads."""
    names = []
    for task in Path("/proc", str(process_id), "task").iterdir():
        with contextlib.suppress(OSError):
            names.append((task / "comm").read_text().strip())
    return names


def command_line(process_id: int) -> str:
    """A process's command line; "?" for one that is gone."""
    try:
        return Path("/proc", str(process_id), "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "?"


def describe_process(process_id: int) -> str:
    """A process's command line and what each of its threads waits in, as far as the system says; for failures."""
    lines = [f"{process_id} {command_line(process_id)}"]
    with contextlib.suppress(OSError):
        for task in sorted(Path("/proc", str(process_id), "task").iterdir()):
            with contextlib.suppress(OSError):
                state = (task / "stat").read_text().rpartition(")")[2].split()[0]
                lines.append(
                    f"  {task.name} {(task / 'comm').read_text().strip()} {state} {(task / 'wchan').read_text()}"
                )
    return "\n".join(lines)


class SpinProcess:
    """The program Spin, running without a debugger until `stop`."""

    def __init__(self, program: Program, folder: Path, environment: Mapping[str, str], *, seconds: int = 180) -> None:
        self.program = program
        self._stop_file, self._done_file = folder / "stop-spin", folder / "spin-is-done"
        command = [*program.command, str(self._stop_file), str(seconds), str(self._done_file)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**program.environment(), **environment}
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith(b"READY ")

    @property
    def process_id(self) -> int:
        """Of the program."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def stop(self, timeout_s: float = 10.0) -> None:
        """Asks it to end; raises AssertionError when it does not do so as it would without a debugger."""
        self._stop_file.touch()
        assert self._process.wait(timeout_s) == 0
        assert self._done_file.exists(), "the program ended without having come to its end"

    def __enter__(self) -> SpinProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self.is_running:
            self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextlib.contextmanager
def spinning(program: Program, folder: Path, environment: Mapping[str, str]) -> Iterator[SpinProcess]:
    """Starts Spin, waits until it is at work, and sees to its end, which must be an orderly one if nothing failed."""
    with SpinProcess(program, folder, environment) as process:
        yield process
        if process.is_running:
            process.stop()
