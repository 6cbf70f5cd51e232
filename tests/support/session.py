"""A debug session for tests: the installed adapter, a client that misses nothing, and a look at what is left behind.

::

    with Place() as place, Session.open(place) as session:
        session.launch_program(program, "3", stop_at=["loop"])
        stop = session.wait_for_stop()
        assert session.here() == ("Loop.Program.Main(string[] args)", program.line("loop"))

At its end a session checks the whole conversation against the protocol (tests/support/conversation.py), and that the
adapter wrote nothing to its standard error and nothing of level ERROR into its log.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from dap_dotnet.client import DapClient, RecordedMessage
from dap_dotnet.client.adapter import AdapterProcess
from dap_dotnet.protocol.messages.breakpoints import Breakpoint
from tests.support.conversation import Entry, check_conversation
from tests.support.forked_adapters import CAN_FORK, ForkedAdapter
from tests.support.processes import command_line
from tests.support.programs import Program, sources_of

SHARED_MEMORY = Path("/dev/shm")
VANISH_TIMEOUT_S = 10.0
_POLL_S = 0.02


def adapter_program() -> str:
    """The console script beside the interpreter that runs the tests."""
    script = Path(sys.executable).with_name("dap-dotnet")
    assert script.exists(), f"{script} is missing: install the project into this environment (make dev)"
    return str(script)


class Place:
    """A temporary folder (TMPDIR) for one test's adapters and debuggees; it says whose processes and files are whose.

    A context manager: at its end nothing may be left of them, or AssertionError says what is.
    """

    def __init__(self) -> None:
        # Short: a runtime puts a socket here, whose path may have 108 bytes.
        self.folder = Path(tempfile.mkdtemp(prefix="dap-"))
        self._semaphores_before = frozenset(_semaphores())

    @property
    def environment(self) -> dict[str, str]:
        """This process's environment with the folder in it."""
        return {**os.environ, "TMPDIR": str(self.folder)}

    def __enter__(self) -> Place:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close(failed=error is not None)

    def close(self, *, failed: bool = False) -> None:
        """Remove all that is left; unless the test has `failed` already, anything left is an AssertionError."""
        left: list[str] = []
        try:
            if not failed:
                left = self.leftovers()
        finally:
            for process_id in self.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process_id, signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)
        assert not left, "left behind:\n  " + "\n  ".join(left)

    def leftovers(self, timeout_s: float = VANISH_TIMEOUT_S) -> list[str]:
        """What is still there when nothing should be, after it has had `timeout_s` to vanish."""
        deadline = time.monotonic() + timeout_s
        while True:
            left = [f"process {process_id}: {command_line(process_id)}" for process_id in self.processes()]
            left += [f"file {name}" for name in self.files()]
            left += [f"semaphore {name}" for name in self.semaphores()]
            if not left or time.monotonic() >= deadline:
                return left
            time.sleep(_POLL_S)

    def processes(self) -> list[int]:
        """Processes that run with this folder as their TMPDIR."""
        marker = f"TMPDIR={self.folder}".encode()
        found = []
        for entry in os.scandir("/proc"):
            if not entry.name.isdigit():
                continue
            try:
                environment = Path(entry.path, "environ").read_bytes()
            except OSError:
                continue
            if marker in environment.split(b"\0"):
                found.append(int(entry.name))
        return found

    def files(self) -> list[str]:
        """Pipes and sockets that runtimes made in the folder."""
        kinds = ("clr-debug-pipe-", "dotnet-diagnostic-")
        return sorted(entry.name for entry in os.scandir(self.folder) if entry.name.startswith(kinds))

    def semaphores(self) -> list[str]:
        """Start-up semaphores, made since this place was, of processes that are gone."""
        return [
            name
            for name in _semaphores()
            if name not in self._semaphores_before and not Path("/proc", str(int(name[9:17], 16))).exists()
        ]


class Session(DapClient):
    """One adapter and the client of it, in a place."""

    place: Place
    log_file: Path
    checks_conversation = True
    """False for a session in which the adapter or the client breaks off on purpose."""
    sends_invalid = False
    """True where the test itself sends what the protocol does not allow."""

    @classmethod
    def open(
        cls,
        place: Place,
        *,
        options: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        prefix: Sequence[str] = (),
        timeout_s: float = 30.0,
        reverse_handlers: Mapping[str, Any] | None = None,
        forked: bool = False,
    ) -> Session:
        """Start the adapter. `env` is added to its environment, `prefix` is a command that starts it.

        `forked`: from a process that has imported everything, where that can be; it has no `prefix` then.
        """
        descriptor, log_file = tempfile.mkstemp(prefix="adapter-", suffix=".log", dir=place.folder)
        os.close(descriptor)
        os.chmod(log_file, 0o666)
        arguments = ["--log", log_file, "--log-level", "info", *options]
        environment = {**place.environment, **(env or {})}
        if forked and CAN_FORK:
            process: AdapterProcess = ForkedAdapter(arguments, env=environment, cwd=str(place.folder))
        else:
            command = [*prefix, adapter_program(), *arguments]
            process = AdapterProcess(command, env=environment, cwd=str(place.folder))
        session = cls(process.reader, process.writer, timeout_s=timeout_s, reverse_handlers=reverse_handlers)
        session.process = process
        session.place = place
        session.log_file = Path(log_file)
        return session

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self.process is not None
        self._is_disconnected |= self.process.wait(0) is not None
        super().__exit__(kind, error, traceback)
        if error is not None:
            sys.stderr.write(f"{self.describe(30)}\nLog of the adapter:\n{self.log()[-4000:]}\n")
        elif self.checks_conversation:
            self.check()

    def check(self) -> None:
        """The conversation so far, which must be over, against the protocol; and the adapter's log and error output."""
        check_conversation(entries(self.messages), foreign_client=self.sends_invalid)
        assert self.process is not None
        assert self.process.error_output == "", f"standard error of the adapter:\n{self.process.error_output}"
        errors = [line for line in self.log().splitlines() if " ERROR " in line or line.startswith("Traceback")]
        assert not errors, f"errors in the log of the adapter:\n{self.log()}"

    def log(self) -> str:
        """The adapter's log."""
        try:
            return self.log_file.read_text(encoding="utf-8")
        except OSError:
            return ""

    # beginning

    def set_early(self, path: Path, *wanted: int | Mapping[str, Any]) -> list[Breakpoint]:
        """Set breakpoints before `launch`, when no module can be loaded yet, however slow this client is."""
        self.initialize()
        return self.set_breakpoints(str(path), wanted)

    def launch_program(
        self,
        program: Program,
        *args: str,
        stop_at: Sequence[str] = (),
        exception_filters: Sequence[str] | None = None,
        env: Mapping[str, str | None] | None = None,
        executable: Path | None = None,
        **attributes: Any,
    ) -> list[Breakpoint]:
        """Launch a test program (its .dll, or `executable`) with breakpoints at markers of its only source file."""
        breakpoints = {str(program.source): [program.line(marker) for marker in stop_at]} if stop_at else None
        return self.launch(
            str(executable or program.dll),
            args,
            breakpoints=breakpoints,
            exception_filters=exception_filters,
            env={**program.env, **(env or {})},
            **attributes,
        )

    def stop_in(self, program: Program, marker: str, *args: str, **attributes: Any) -> int:
        """Launch a test program, let it run to a marker, and return the stopped thread."""
        self.launch_program(program, *args, stop_at=[marker], **attributes)
        stop = self.wait_for_stop()
        assert (stop.reason, self.line()) == ("breakpoint", program.line(marker))
        return stop.thread_id

    def stop_in_file(self, program: Program, file: str, marker: str, *args: str, **attributes: Any) -> int:
        """As `stop_in`, for a program of several source files."""
        line = program.line(marker, file)
        breakpoints = {str(program.source_dir / file): [line]}
        self.launch(str(program.dll), args, breakpoints=breakpoints, env=dict(program.env), **attributes)
        stop = self.wait_for_stop()
        assert (stop.reason, self.line()) == ("breakpoint", line)
        return stop.thread_id

    # looking

    def here(self) -> tuple[str, int]:
        """The function and the line of the stopped thread's top frame."""
        frame = self.stack(count=1)[0]
        return frame.name, frame.line

    def line(self) -> int:
        """The line of the stopped thread's top frame."""
        return self.here()[1]

    def function(self) -> str:
        """The name of the top frame's function, without its namespace and its parameters."""
        return self.here()[0].partition("(")[0].rpartition(".")[2]

    def values(self, frame_id: int | None = None) -> dict[str, str]:
        """The texts of a frame's variables by name."""
        return {name: variable.value for name, variable in self.locals(frame_id).items()}

    def debuggee(self) -> int:
        """The process id in the `process` event, which is waited for."""
        self.wait_until(lambda: bool(self.events("process")), "the event process")
        return int(self.events("process")[0]["systemProcessId"])

    def output(self, category: str = "stdout") -> str:
        """All text of a category so far."""
        return "".join(body["output"] for body in self.events("output") if body.get("category", "console") == category)

    def wait_for_output(self, text: str, category: str = "stdout") -> None:
        """Wait until `text` was written."""
        self.wait_until(lambda: text in self.output(category), f"the output {text!r}")

    def wait_for_breakpoint(self, breakpoint_id: int, *, verified: bool = True) -> dict[str, Any]:
        """Wait for a `breakpoint` event that says so of a breakpoint; its body's `breakpoint`."""
        event = self.wait_for(
            "breakpoint",
            where=lambda body: (
                body["breakpoint"].get("id") == breakpoint_id and body["breakpoint"]["verified"] == verified
            ),
        )
        found: dict[str, Any] = event.body["breakpoint"]
        return found


def entries(messages: Sequence[RecordedMessage]) -> Iterator[Entry]:
    """A client's record in the form that `check_conversation` takes."""
    return (Entry(recorded.sender, recorded.message) for recorded in messages)


def marker_at(program: Program, line: int) -> str:
    """The first marker on a line of a program's only source file, or the line's number."""
    from tests.support.markers import read_markers

    (source,) = sources_of(program.source_dir)
    return next((name for name, marked in read_markers(source).items() if marked == line), str(line))


def _semaphores() -> list[str]:
    """Those by which a starting runtime and its debugger meet: sem.clrst and 8 hex digits of process id, and so on."""
    try:
        names = [entry.name for entry in os.scandir(SHARED_MEMORY)]
    except OSError:
        return []
    return [name for name in names if name.startswith(("sem.clrst", "sem.clrco"))]
