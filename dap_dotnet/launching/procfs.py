"""What /proc says about a process: its variables, its runtime, its command line, where it lives.

The functions that take a process id raise ProcessLookupError when there is no such process (any more), and
PermissionError when this user may not look.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
RUNTIME_LIBRARY = "libcoreclr.so"
_STATE, _PARENT, _USER_TICKS, _KERNEL_TICKS, _WAIT_STATUS = 0, 1, 11, 12, 49
"""Places in a stat file after the command's name (proc_pid_stat(5): fields 3, 4, 14, 15 and 52)."""
_READ_CALLS = {"x86_64": 0, "aarch64": 63}
"""By processor, the number of the system call read(2)."""
_VERSIONED_FOLDER = re.compile(r"/shared/Microsoft\.NETCore\.App/([^/]+)/libcoreclr\.so$")


def _read(process_id: int, name: str) -> bytes:
    try:
        return (PROC / str(process_id) / name).read_bytes()
    except FileNotFoundError:
        raise ProcessLookupError(process_id) from None


def _fields(stat: bytes) -> list[bytes]:
    return stat.rpartition(b")")[2].split()  # the command's name before may have blanks and brackets


def _stat(process_id: int, place: int) -> bytes:
    return _fields(_read(process_id, "stat"))[place]


def process_ids() -> Iterator[int]:
    """All processes now."""
    for entry in os.scandir(PROC):
        if entry.name.isdigit():
            yield int(entry.name)


def has_ended(process_id: int) -> bool:
    """Whether there is no such process, or only its exit status is left of it."""
    try:
        return _stat(process_id, _STATE) in (b"Z", b"X")
    except ProcessLookupError:
        return True


def wait_status_of(process_id: int) -> int | None:
    """How a process has ended whose parent has not taken note of it, as waitpid(2) has it; None while it lives."""
    if _stat(process_id, _STATE) != b"Z":
        return None
    return int(_stat(process_id, _WAIT_STATUS))


def cpu_ticks_of(process_id: int, thread: int) -> int:
    """How long one thread of a process has been at work, in user and in kernel mode, in ticks of the system's clock."""
    fields = _fields(_read(process_id, f"task/{thread}/stat"))
    return int(fields[_USER_TICKS]) + int(fields[_KERNEL_TICKS])


def thread_ids(process_id: int) -> list[int]:
    """All threads of a process now."""
    try:
        return [int(entry) for entry in os.listdir(PROC / str(process_id) / "task")]
    except FileNotFoundError:
        raise ProcessLookupError(process_id) from None


def thread_name(process_id: int, thread: int) -> str:
    """As the system has it: at most 15 bytes."""
    return os.fsdecode(_read(process_id, f"task/{thread}/comm").rstrip(b"\n"))


def processor_time_of(process_id: int, thread: int) -> int:
    """How long a thread has had a processor, in nanoseconds."""
    return int(_read(process_id, f"task/{thread}/schedstat").split()[0])


def system_call_of(process_id: int, thread: int) -> tuple[int, ...]:
    """The number of the system call that a thread waits in, and its arguments; empty for one that runs, or could."""
    call, *arguments = _read(process_id, f"task/{thread}/syscall").split()
    return () if call == b"running" else (int(call), *(int(argument, 16) for argument in arguments))


def waits_for_input(process_id: int) -> bool:
    """Whether a thread of the process is in a read of its standard input, by any descriptor, that has brought nothing.

    False also where that cannot be seen: no such process, not permitted, another system or processor.
    """
    descriptors = PROC / str(process_id) / "fd"
    number = _READ_CALLS.get(os.uname().machine)
    try:
        source = os.stat(descriptors / "0")
        threads = thread_ids(process_id)
    except OSError:
        return False
    for thread in threads:
        with contextlib.suppress(OSError):
            call = system_call_of(process_id, thread)
            if call and call[0] == number and os.path.samestat(os.stat(descriptors / str(call[1])), source):
                return True
    return False


def environment_of(process_id: int) -> dict[str, str]:
    """The variables that the process was started with."""
    pairs = (entry.partition(b"=") for entry in _read(process_id, "environ").split(b"\0") if b"=" in entry)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def command_line_of(process_id: int) -> list[str]:
    """argv; empty for a kernel thread or a process that has ended."""
    text = _read(process_id, "cmdline")
    return [os.fsdecode(argument) for argument in text.split(b"\0")[:-1]]


def runtime_library_of(process_id: int) -> str | None:
    """The path of libcoreclr.so as the process sees it; None while it has not loaded one."""
    suffix = RUNTIME_LIBRARY.encode()
    for line in _read(process_id, "maps").splitlines():
        if line.endswith(suffix):
            path = os.fsdecode(line.split(maxsplit=5)[5])
            if os.path.basename(path) == RUNTIME_LIBRARY:
                return path
    return None


def mapped_files_of(process_id: int) -> set[str]:
    """The paths of the files that the process has mapped, as it sees them."""
    lines = _read(process_id, "maps").splitlines()
    return {os.fsdecode(parts[5]) for parts in (line.split(maxsplit=5) for line in lines) if len(parts) > 5}


def runtime_version_of(library: str | None) -> str:
    """The version in the path of a shared runtime; "unknown" for a runtime that a program brought along."""
    match = _VERSIONED_FOLDER.search(library or "")
    return match[1] if match else "unknown"


def id_inside_namespace(process_id: int) -> int:
    """The process's id as itself sees it: another one in a container."""
    for line in _read(process_id, "status").splitlines():
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return process_id


def parent_of(process_id: int) -> int:
    """The process that started it, or has taken it over."""
    return int(_stat(process_id, _PARENT))


def owner_of(process_id: int) -> int:
    """The effective user id."""
    for line in _read(process_id, "status").splitlines():
        if line.startswith(b"Uid:"):
            return int(line.split()[2])
    raise ProcessLookupError(process_id)


def has_debugger_pipe(process_id: int, folder: str) -> bool:
    """Whether the process's runtime has made a pipe for debuggers in its temporary folder."""
    place = PROC / str(process_id) / "root" / folder.lstrip("/")
    return any(place.glob(f"clr-debug-pipe-{id_inside_namespace(process_id)}-*-in"))


def debugger_files_of(process_id: int, folder: str) -> list[Path]:
    """The pipes and the socket for debuggers that a process of ours has in its temporary folder."""
    kinds = (f"clr-debug-pipe-{process_id}-*", f"dotnet-diagnostic-{process_id}-*-socket")
    return [path for kind in kinds for path in Path(folder).glob(kind)]


def free_memory() -> int:
    """Bytes that programs can still have, here; very many where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        return 1 << 62
