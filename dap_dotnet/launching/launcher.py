"""The Python side of the launcher process, the debuggee's parent.

`cordebug_shim/launcher/protocol.h` describes the program, its command line and the lines on its control socket.
A `Launcher` is one debuggee that is forked, waits at a gate, and is reaped and reported. It ends with its adapter: the
kernel closes the control socket, and the launcher process cleans up.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import InternalError, LaunchError
from dap_dotnet.launching.output import NoOutput, OutputPump
from dap_dotnet.launching.spawning import launcher_path, spawn_launcher
from dap_dotnet.launching.standard_streams import make_streams
from dap_dotnet.runtime.events import OutputWritten
from dap_dotnet.runtime.model import WindowSize

if TYPE_CHECKING:
    from dap_dotnet.launching.input_pipe import InputPipe
    from dap_dotnet.launching.pseudo_terminal import PseudoTerminal

_CONTROL_FD, _FIRST_DRAIN_FD = 3, 4
_START_TIMEOUT_SECONDS = 10.0
_CLOSE_TIMEOUT_SECONDS = 5.0
_SIGNAL_EXIT_BASE = 128
_SIGKILL = 9


class ExitStatus(Struct, frozen=True):
    """How a debuggee ended. `exit_code` is what a shell reports: 128 + signal for one killed by a signal."""

    exit_code: int
    signal: int | None = None
    core_dumped: bool = False


class StartFailedError(LaunchError):
    """The debuggee could not be forked or executed. `step` is chdir, pipe, fork or exec; `errno` says why."""

    def __init__(self, message: str, *, step: str, errno: int) -> None:
        super().__init__(message)
        self.step = step
        self.errno = errno


class Launcher:
    """One debuggee under the launcher process. Any thread may call."""

    process_id: int
    """The debuggee's process id."""
    start_time: int
    """The debuggee's start time in clock ticks since boot; 0 where it is not known."""
    input: InputPipe | PseudoTerminal | None = None
    """Its standard input, where that is ours."""

    def __init__(self, launcher_process_id: int | None, control: socket.socket, pump: OutputPump | NoOutput) -> None:
        """Use `Launcher.start` or `Launcher.adopt`. `launcher_process_id` None: it is not our child."""
        self._launcher_process_id = launcher_process_id
        self._control = control
        self._pump = pump
        self._changed = threading.Condition()
        self._start_line: list[str] | None = None
        self._running = False
        self._exec_errno: int | None = None
        self._status: ExitStatus | None = None
        self._launcher_gone = False
        self._output_finished = False
        self._callback: Callable[[ExitStatus], None] | None = None
        self._closed = False
        self._released = False
        self._thread = threading.Thread(target=self._read_lines, name="launcher control", daemon=True)

    @classmethod
    def start(
        cls,
        command: Sequence[str],
        working_directory: str,
        environment: Mapping[str, str],
        on_output: Callable[[OutputWritten], None],
        *,
        program: Path | None = None,
        takes_input: bool = False,
        window: WindowSize | None = None,
        ends_children: bool = False,
    ) -> Launcher:
        """Fork a debuggee that waits at its gate; its output goes to `on_output` (on the pump's thread).

        `command` is the full argv, its first element a path that is not searched for; `environment` is the whole
        environment. `program` is the launcher program, by default the installed one. With `takes_input` the debuggee
        reads from `input`, else nothing; with a `window` input and output are a pseudo-terminal of that size. With
        `ends_children` all that it has started and that has stayed in its
        process group ends with it. Raises StartFailedError when the working directory cannot be entered or no process
        can be made, LaunchError for a command or an environment that no process can have.
        """
        program = program or launcher_path()
        streams = make_streams(takes_input=takes_input, window=window)
        ours, theirs = socket.socketpair()
        drained = {_FIRST_DRAIN_FD + index: stream.read_fd for index, stream in enumerate(streams.output)}
        drains = [word for fd in drained for word in ("--drain", str(fd))]
        group = ["--end-group", "yes"] if ends_children else []
        arguments = ["--control", str(_CONTROL_FD), *drains, *group, "--cwd", working_directory, "--", *command]
        descriptors = {**streams.program_ends, _CONTROL_FD: theirs.fileno(), **drained}
        try:
            launcher_process_id = spawn_launcher(program, arguments, environment, descriptors)
        except (OSError, ValueError) as error:
            streams.abandon()
            ours.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise LaunchError(
                f"No process can be started with these arguments and environment variables: {reason}. "
                "Check args and env of the launch configuration."
            ) from error
        finally:
            streams.close_program_ends()
            theirs.close()
        launcher: Launcher

        def output_finished() -> None:
            launcher._on_output_finished()

        pump = OutputPump(streams.output, on_output, output_finished)
        launcher = cls(launcher_process_id, ours, pump)
        launcher.input = streams.input
        launcher._await_start(working_directory)
        return launcher

    @classmethod
    def adopt(cls, control: socket.socket, working_directory: str) -> Launcher:
        """A launcher process that a terminal has started, and that has connected to us: its debuggee waits at its gate.

        Raises as `start` does.
        """
        launcher: Launcher

        def output_finished() -> None:
            launcher._on_output_finished()

        launcher = cls(None, control, NoOutput(output_finished))
        launcher._await_start(working_directory)
        return launcher

    def open_gate(self) -> None:
        """Let the debuggee exec."""
        self._send("go")

    def kill(self) -> None:
        """SIGKILL the debuggee, if it still runs."""
        self._send("kill")

    def flush_output(self) -> None:
        """Deliver what the debuggee has written until now. Any thread; the debuggee stands."""
        self._pump.flush()

    def release(self) -> None:
        """Let the debuggee live on after this adapter; its output is discarded and its end not reported from now on."""
        self._send("release")
        with self._changed:
            self._callback = None
            self._released = True
        self._pump.discard()

    def is_alive(self) -> bool:
        """Whether the debuggee has neither ended nor failed to start."""
        with self._changed:
            return self._status is None and self._exec_errno is None

    def await_exec(self, timeout_seconds: float) -> bool:
        """After `open_gate`: wait until the program runs; False when it did not in time, or ended before.

        Raises StartFailedError when exec failed.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._running or not self._alive_unlocked(), timeout_seconds)
            if self._exec_errno is not None:
                raise StartFailedError(os.strerror(self._exec_errno), step="exec", errno=self._exec_errno)
            return self._running

    def wait(self, timeout_seconds: float) -> ExitStatus | None:
        """Wait until the debuggee has ended and all its output is delivered; None when that takes longer."""
        with self._changed:
            self._changed.wait_for(self._is_complete, timeout_seconds)
            return self._status if self._is_complete() else None

    def when_ended(self, callback: Callable[[ExitStatus], None]) -> None:
        """Have `callback` called once, on an internal thread, after the debuggee's end and all its output.

        Called at once when that has happened. Not called after `release`.
        """
        with self._changed:
            self._callback = callback
        self._report()

    def close(self) -> None:
        """Kill the debuggee and end the launcher process. Idempotent; waits for both.

        No output is delivered any more. Does nothing after `release`: debuggee and launcher process stay.
        """
        with self._changed:
            if self._closed or self._released:
                return
            self._closed = True
        self._pump.discard()
        if self.input is not None:
            self.input.close()
        self._let_go()
        self._thread.join(_CLOSE_TIMEOUT_SECONDS)
        if not self._thread.is_alive():
            self._pump.stop()

    def _await_start(self, working_directory: str) -> None:
        self._pump.start()
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._start_line is not None or self._launcher_gone, _START_TIMEOUT_SECONDS)
            line = self._start_line
        if line is None:
            self.close()
            raise InternalError("The launcher program did not start the debuggee: reinstall dap-dotnet with pip.")
        if line[0] == "start-failed":
            self.close()
            step, errno = line[1], int(line[2])
            reason = os.strerror(errno)
            if step == "chdir":
                message = f"The working directory {working_directory} cannot be entered: {reason}. Correct cwd."
            else:
                message = f"No process could be created for the program ({step}: {reason}). Close other programs."
            raise StartFailedError(message, step=step, errno=errno)
        self.process_id, self.start_time = int(line[1]), int(line[2])

    def _send(self, command: str) -> None:
        try:
            self._control.sendall(f"{command}\n".encode())
        except OSError:
            pass  # the launcher is gone and so is the debuggee: _read_lines reports it

    def _let_go(self) -> None:
        """End of file for the launcher process: it ends its debuggee, unless released, and itself."""
        try:
            self._control.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the launcher is gone

    def _read_lines(self) -> None:
        with self._control.makefile("r", encoding="ascii") as lines:
            try:
                for line in lines:
                    self._take(line.split())
            except OSError:
                pass
        if self._launcher_process_id is not None:
            try:
                os.waitpid(self._launcher_process_id, 0)
            except ChildProcessError:
                pass  # somebody else in this process waited for it
        with self._changed:
            self._launcher_gone = True
            if self._alive_unlocked():
                # Somebody killed the launcher, and the kernel killed the debuggee with it.
                self._status = ExitStatus(_SIGNAL_EXIT_BASE + _SIGKILL, _SIGKILL)
            self._changed.notify_all()
        self._control.close()
        self._pump.program_ended()
        self._report()

    def _take(self, line: list[str]) -> None:
        with self._changed:
            if line[0] in ("pid", "start-failed"):
                self._start_line = line
            elif line[0] == "running":
                self._running = True
            elif line[0] == "exec-failed":
                self._exec_errno = int(line[1])
            elif line[0] == "exit":
                self._status = ExitStatus(int(line[1]))
            elif line[0] == "signal":
                number = int(line[1])
                self._status = ExitStatus(_SIGNAL_EXIT_BASE + number, number, core_dumped=line[2] == "1")
            self._changed.notify_all()
            ended = not self._alive_unlocked()
        if ended:
            self._let_go()
            self._pump.program_ended()
            self._report()

    def _alive_unlocked(self) -> bool:
        return self._status is None and self._exec_errno is None

    def _is_complete(self) -> bool:
        return self._output_finished and not self._alive_unlocked()

    def _on_output_finished(self) -> None:
        with self._changed:
            self._output_finished = True
            self._changed.notify_all()
        self._report()

    def _report(self) -> None:
        with self._changed:
            if self._status is None or not self._output_finished:
                return
            callback, self._callback = self._callback, None
            status = self._status
        if callback is not None:
            callback(status)
