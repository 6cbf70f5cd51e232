"""Why a launch failed, in a sentence that says what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.launcher import ExitStatus, StartFailedError
from dap_dotnet.runtime.events import OutputWritten

_TAIL_CHARACTERS = 4000
_HOST_EXIT_CODES = {
    129: "the .NET host did not understand its command line",
    130: "the .NET host could not load its libraries; reinstall .NET",
    131: "the .NET host did not find its libraries; set DOTNET_ROOT in env to where .NET is installed, or rebuild",
    147: "the program's .runtimeconfig.json is damaged; build the project again",
    150: "a framework that it needs is not installed; install it, or set DOTNET_ROOT in env to an installation with it",
    156: "the frameworks that it needs are not compatible with each other",
}
"""The low byte of the host's status codes, 0x800080xx, which is all that an exit code keeps."""


class OutputRecorder:
    """Passes output events on and keeps the last of their text, while the program starts."""

    def __init__(self, sink: Callable[[OutputWritten], None]) -> None:
        self._sink = sink
        self._recording = True
        self._tails = {False: "", True: ""}

    def __call__(self, event: OutputWritten) -> None:
        """Take an event. On the output pump's thread."""
        if self._recording:
            self._tails[event.is_error] = (self._tails[event.is_error] + event.text)[-_TAIL_CHARACTERS:]
        self._sink(event)

    def stop(self) -> None:
        """Only pass on, from now on."""
        self._recording = False
        self._tails = {False: "", True: ""}

    def quotation(self) -> str:
        """What the program wrote, for the end of a message: its standard error, else its standard output."""
        text = self._tails[True].strip() or self._tails[False].strip()
        return f" It wrote:\n{text}" if text else " It wrote nothing."


def exec_failed(command: tuple[str, ...], error: StartFailedError) -> LaunchError:
    """The kernel refused to execute the program."""
    program = command[0]
    if error.errno == errno.ENOENT and not Path(program).exists():
        text = f"There is no program {program}. Correct the path, or build the project."
    elif error.errno == errno.ENOENT:
        text = (
            f"{program} cannot be started: its loader or interpreter is missing on this machine. It may be built for "
            "another C library (linux-musl-x64 and linux-x64 differ): build it for this machine, or use the .dll."
        )
    elif error.errno == errno.EACCES:
        text = (
            f"{program} cannot be executed by this user. Run chmod +x on it, and check that it is not on a file system "
            "mounted with noexec."
        )
    elif error.errno == errno.ENOEXEC:
        text = (
            f"{program} cannot run on this machine: it is damaged, or built for another architecture. Build it again."
        )
    else:
        text = f"{program} cannot be started: {os.strerror(error.errno)}."
    return LaunchError(text, code="EXEC_FAILED")


def ended_early(status: ExitStatus, recorder: OutputRecorder) -> LaunchError:
    """The process ended before a runtime in it asked for its debugger."""
    if status.signal is not None:
        what = f"The program was killed by signal {status.signal} before its .NET runtime started."
    elif status.exit_code == 0:
        what = (
            "The program ended without starting a .NET runtime. Specify a .NET program, not one "
            "that only starts another, and make sure that its environment allows diagnostics."
        )
    else:
        hint = _HOST_EXIT_CODES.get(status.exit_code)
        what = f"The program ended with exit code {status.exit_code} before its .NET runtime started" + (
            f": {hint}." if hint else "."
        )
    return LaunchError(what + recorder.quotation(), code="NO_RUNTIME")


def no_runtime_in_time(timeout_ms: int, recorder: OutputRecorder) -> LaunchError:
    """The process lives, but its runtime did not come up."""
    return LaunchError(
        f"The program started no .NET runtime within {timeout_ms / 1000:g} s, so it was ended. Specify a .NET "
        "program, not one that starts another; or start that one yourself, and attach to what it starts."
        + recorder.quotation(),
        code="NO_RUNTIME",
    )


def diagnostics_disabled(switch: str, where: str) -> LaunchError:
    """A variable disables debugging of the runtime."""
    return LaunchError(
        f"{switch} in the environment of {where} disables debugging. Remove that variable"
        + (" (null in env removes it)." if where == "the program" else " and start the process again."),
        code="DIAGNOSTICS_DISABLED",
    )
