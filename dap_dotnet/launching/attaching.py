"""Whether a running process can be attached to, and if not, why and what to do."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.diagnostic_port import resume_if_suspended
from dap_dotnet.launching.environment import diagnostics_switch_off, temporary_folder
from dap_dotnet.launching.failures import diagnostics_disabled
from dap_dotnet.launching.processes import program_name
from dap_dotnet.launching.spawning import LAUNCHER_NAME

_T = TypeVar("_T")

_ATTACH_S = 15.0
"""How long another attach to the same process is waited for; it takes a tenth of a second."""
_POLL_S = 0.01
_LEAVE_S = 5.0
"""How long the guardian of a session that was lost may take to leave; it takes one or two seconds."""
_YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
_SEE_PS = "`dap-dotnet ps` lists the processes that can be debugged."


def check_attachable(process_id: int) -> str:
    """Look at a process before its debugger does; returns its temporary folder (TMPDIR).

    Raises LaunchError for what the shim cannot know: no such process, not permitted, diagnostics disabled.
    """
    if process_id == os.getpid():
        raise LaunchError(f"Process {process_id} is dap-dotnet itself. {_SEE_PS}", code="NOT_DOTNET")
    with _refusals(process_id):
        return _check(process_id)


def check_visible(process_id: int) -> None:
    """Raises LaunchError for no such process, or one that this user may not look into."""
    with _refusals(process_id):
        if process_id <= 0 or procfs.has_ended(process_id):
            raise ProcessLookupError(process_id)
        _check_memory(process_id)


def let_start(process_id: int, folder: str) -> bool:
    """Let a runtime go on that waits at its start for a diagnostic tool; whether it did. `folder` is its TMPDIR.

    Raises LaunchError when it waits for another tool than us, and as `check_attachable`.
    """
    with _refusals(process_id):
        return resume_if_suspended(process_id, folder)


@contextlib.contextmanager
def no_other_attaches(process_id: int) -> Iterator[None]:
    """Keep other adapters and guardians from this process meanwhile. Raises LaunchError when one is at it for long.

    Two debuggers that come in the same millisecond both take the runtime's pipes, and neither gets an answer; a
    guardian comes as a debugger does. The lock is on a file that only those can open who may attach, and it ends with
    this process.
    """
    with _refusals(process_id):
        lock = os.open(procfs.PROC / str(process_id) / "environ", os.O_RDONLY)
    try:
        deadline = time.monotonic() + _ATTACH_S
        while not _is_locked(lock):
            if time.monotonic() > deadline:
                raise LaunchError(
                    f"Another debugger is attaching to or detaching from process {process_id}; a .NET process can "
                    "have only one.",
                    code="ALREADY_DEBUGGED",
                )
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(lock)


def once_guardian_has_left(attach: Callable[[], _T]) -> _T:
    """Do `attach` again, for some seconds, while a guardian is detaching in the place of a debugger that was killed."""
    deadline = time.monotonic() + _LEAVE_S
    while True:
        try:
            return attach()
        except LaunchError as error:
            is_leaving = error.code == "ALREADY_DEBUGGED" and f"({LAUNCHER_NAME})" in error.message
            if not is_leaving or time.monotonic() > deadline:
                raise
        time.sleep(_POLL_S)


def _is_locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _refusals(process_id: int) -> Iterator[None]:
    try:
        yield
    except (ProcessLookupError, FileNotFoundError):
        raise LaunchError(f"There is no process {process_id}. {_SEE_PS}", code="NO_PROCESS") from None
    except PermissionError:
        raise LaunchError(not_permitted(process_id), code="NO_PERMISSION") from None


def not_permitted(process_id: int) -> str:
    """Why this user may not look into a process. Raises ProcessLookupError when it is gone."""
    owner = procfs.owner_of(process_id)
    if owner != os.geteuid() and os.geteuid() != 0:
        return (
            f"Process {process_id} belongs to user {_user_name(owner)}, not to {_user_name(os.geteuid())}. Run "
            f"dap-dotnet as {_user_name(owner)}."
        )
    scope = _yama_scope()
    if scope:
        remedy = (
            "Launch the program under dap-dotnet, or allow attaching until the next reboot: "
            "sudo sysctl kernel.yama.ptrace_scope=0."
            if scope == 1
            else "Launch the program under dap-dotnet. Only root may attach."
            if scope == 2
            else "Launch the program under dap-dotnet. Attaching can only be allowed by a reboot."
        )
        return f"The kernel forbids attaching to process {process_id}: kernel.yama.ptrace_scope is {scope}. {remedy}"
    return (
        f"This user is not allowed to inspect process {process_id}. Start a container with the capability SYS_PTRACE. "
        "A program with more rights than yours (setuid, file capabilities) can only be debugged without them."
    )


TRUST_VARIABLE = "DAP_DOTNET_TRUST_RUNTIME"
"""Set to 1 in our environment: attach also where others could have written the runtime's debugger library."""


def trusts_any_runtime() -> bool:
    """Whether the user has switched the check of the debugger library's owner off."""
    return os.environ.get(TRUST_VARIABLE) == "1"


def name_of(process_id: int) -> str | None:
    """The name of the program that a process runs; None for one that is gone."""
    try:
        return program_name(tuple(procfs.command_line_of(process_id)))
    except OSError:
        return None


def explained(process_id: int, error: LaunchError) -> LaunchError:
    """The shim's refusal to attach, with what a user of dap-dotnet can do."""
    name = name_of(process_id)
    who = f"Process {process_id} ({name})" if name else f"Process {process_id}"
    texts = {
        "NOT_DOTNET": f"{who} is not a .NET process, or has not started its runtime yet. {_SEE_PS}",
        "SINGLE_FILE": f"{who} is a self-contained single-file program, whose runtime has no debugger interface. "
        "Start a build without PublishSingleFile, or one published with --self-contained false.",
        "OTHER_NAMESPACE": f"{error.message} For example with docker exec.",
        "UNTRUSTED_RUNTIME": f"{error.message} Change its owner and mode, run dap-dotnet as the process's user, or "
        f"start dap-dotnet with {TRUST_VARIABLE}=1 if you trust whoever can write there.",
    }
    return LaunchError(texts.get(error.code, error.message), code=error.code)


def ended_meanwhile(process_id: int) -> LaunchError:
    """For a process that was there when the attach began."""
    return LaunchError(f"Process {process_id} has ended before it could be attached to.", code="NO_PROCESS")


class UnansweredError(LaunchError):
    """The runtime did not take a debugger in time. `is_freed` when it waited for a lost one, and now does not."""

    def __init__(self, process_id: int, *, is_freed: bool) -> None:
        reason = (
            "It was waiting for a debugger that is gone, and has been released: attach again."
            if is_freed
            else "It may have no processor, or be stopped; or it takes no debugger any more. The program goes on as it "
            "did. Attach again, and restart the program if that fails, too."
        )
        super().__init__(f"The runtime of process {process_id} did not answer. {reason}", code="NO_ANSWER")
        self.is_freed = is_freed


def _check(process_id: int) -> str:
    if process_id <= 0 or procfs.has_ended(process_id):
        raise ProcessLookupError(process_id)
    environment = procfs.environment_of(process_id)
    library = procfs.runtime_library_of(process_id)
    _check_memory(process_id)
    switch = diagnostics_switch_off(environment)
    if library is not None and switch is not None:
        raise diagnostics_disabled(switch, f"process {process_id}")
    return temporary_folder(environment)


def _check_memory(process_id: int) -> None:
    """Reading memory asks for more than looking does. Raises PermissionError."""
    try:
        os.close(os.open(procfs.PROC / str(process_id) / "mem", os.O_RDONLY))
    except FileNotFoundError:
        raise ProcessLookupError(process_id) from None


def _yama_scope() -> int:
    try:
        return int(_YAMA.read_text())
    except (OSError, ValueError):
        return 0


def _user_name(user_id: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)
