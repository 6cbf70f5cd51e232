"""Saves a core dump of a running process, which goes on afterwards.

The runtime is asked for it through its diagnostics server (Diagnostic IPC Protocol, command set 1; dotnet/diagnostics,
documentation/design-docs/ipc-protocol.md), which answers at a stop of a debugger, too. It starts `createdump`, which
lies beside it; where there is no server, that is started by us.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.attaching import TRUST_VARIABLE, explained, refusals, trusts_any_runtime
from dap_dotnet.launching.diagnostic_port import HEADER, MAGIC, OK, connections
from dap_dotnet.launching.environment import temporary_folder
from dap_dotnet.launching.failed_dumps import CREATEDUMP, check_room, dump_failed, explained_failure, unwanted
from dap_dotnet.launching.processes import program_name
from dap_dotnet.launching.trust import who_else_may_write
from dap_dotnet.protocol.messages.dumps import DumpType
from dap_dotnet.runtime.model import SavedDump

_DUMP_COMMANDS = 0x01
_COMMANDS = (0x03, 0x01)
"""The one that tells why it has failed (.NET 8 and later), and the one that all runtimes know."""
_NUMBERS: dict[DumpType, int] = {"mini": 1, "heap": 2, "triage": 3, "full": 4}
_OPTIONS: dict[DumpType, str] = {"mini": "--normal", "heap": "--withheap", "triage": "--triage", "full": "--full"}
_UNKNOWN_COMMAND = 0x80131385
_CONNECT_S = 2.0
_POLL_S = 0.1
_NAME = "dump"


class _Target(Struct, frozen=True):
    """A process as its dump needs it. `folder` is its TMPDIR, `library` its runtime's, both as itself sees them."""

    process_id: int
    folder: str
    library: str | None
    """None where the program has the runtime inside itself, or is none of .NET."""
    owner: int
    is_elsewhere: bool
    """Whether it sees other files than we do, as in a container."""


class _Order(Struct, frozen=True):
    """What is to be written, `there` as the process sees it; and whether that is still wanted."""

    there: str
    folder: str
    """The folder that the user knows of."""
    dump_type: DumpType
    is_unwanted: Callable[[], bool]


def save_dump(
    process_id: int, path: str, dump_type: DumpType, *, is_unwanted: Callable[[], bool] = lambda: False
) -> SavedDump:
    """Save a dump of a process in a new file, or under a new name in a folder.

    `is_unwanted` is asked meanwhile. Raises `LaunchError` with the remedy; no part of a file is left then. Blocks.
    """
    began = time.monotonic()
    with refusals(process_id):
        file = _free_file(process_id, path)
        target = _look_at(process_id)
        # It may not be able to write where we can.
        is_near = not target.is_elsewhere and target.owner == os.geteuid()
        root = Path("/") if is_near else procfs.PROC / str(process_id) / "root"
        shown = str(file.parent) if is_near else target.folder
        folder = root / shown.lstrip("/")
        if dump_type in ("heap", "full"):
            check_room(process_id, folder)
        with _unfinished(folder, target.owner) as unfinished:
            there = str(Path("/") / (unfinished / _NAME).relative_to(root))
            try:
                _take(target, _Order(there, shown, dump_type, is_unwanted))
            except BaseException:
                _end_createdump(process_id)
                raise
            _keep(unfinished / _NAME, file, target)
    return SavedDump(str(file), dump_type, file.stat().st_size, time.monotonic() - began)


@contextlib.contextmanager
def _unfinished(folder: Path, owner: int) -> Iterator[Path]:
    """A folder in another one, for a dump that is being written. Once it is gone, none can appear late."""
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=".dap-dotnet-dump-", dir=folder))
    except OSError as error:
        raise dump_failed(f"The folder {folder} cannot be written ({error.strerror}): name another one.") from error
    try:
        if owner != os.geteuid():
            os.chown(unfinished, owner, -1)
        yield unfinished
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _free_file(process_id: int, path: str) -> Path:
    file = Path(os.path.abspath(os.path.expanduser(path)))
    if file.is_dir():
        start = (
            f"{program_name(tuple(procfs.command_line_of(process_id)))}.{process_id}.{time.strftime('%Y%m%d-%H%M%S')}"
        )
        names = (f"{start}{f'-{number}' if number > 1 else ''}.dmp" for number in itertools.count(1))
        file = next(file / name for name in names if not os.path.lexists(file / name))
    elif os.path.lexists(file):
        raise dump_failed(f"{file} exists already: name another file, or a folder.")
    elif not file.parent.is_dir():
        raise dump_failed(f"There is no folder {file.parent}: create it, or name another one.")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        raise dump_failed(f"The folder {file.parent} cannot be written: name another one.")
    return file


def _look_at(process_id: int) -> _Target:
    if process_id <= 0 or procfs.has_ended(process_id):
        raise ProcessLookupError(process_id)
    return _Target(
        process_id,
        temporary_folder(procfs.environment_of(process_id)),
        procfs.runtime_library_of(process_id),
        procfs.owner_of(process_id),
        procfs.sees_other_files(process_id),
    )


def _take(target: _Target, order: _Order) -> None:
    for command in _COMMANDS:
        for connection in connections(target.process_id, target.folder, timeout_s=_CONNECT_S):
            if _ask_runtime(target, connection, command, order):
                return
            break
    if target.library is None:
        raise explained(target.process_id, LaunchError("", code="NOT_DOTNET"))
    _run_createdump(target, order)


def _ask_runtime(target: _Target, connection: socket.socket, command: int, order: _Order) -> bool:
    """Whether the runtime knows the command; then the dump is complete."""
    name = order.there.replace("%", "%%").encode("utf-16-le") + bytes(
        2
    )  # createdump has a use of its own for %p and others
    payload = struct.pack("<I", len(name) // 2) + name + struct.pack("<II", _NUMBERS[order.dump_type], 0)
    try:
        connection.sendall(HEADER.pack(MAGIC, HEADER.size + len(payload), _DUMP_COMMANDS, command, 0) + payload)
        answer = _received(target.process_id, connection, order.is_unwanted)
    except ConnectionError:
        answer = b""
    if len(answer) < HEADER.size + 4:
        raise explained_failure(target.process_id, target.library, order.folder, "")
    if HEADER.unpack(answer[: HEADER.size])[2:4] == OK:
        return True
    if int.from_bytes(answer[HEADER.size : HEADER.size + 4], "little") == _UNKNOWN_COMMAND and command != _COMMANDS[-1]:
        return False
    text = answer[HEADER.size + 8 :].decode("utf-16-le", "replace").rstrip("\0")
    raise explained_failure(target.process_id, target.library, order.folder, text)


def _received(process_id: int, connection: socket.socket, is_unwanted: Callable[[], bool]) -> bytes:
    """All that comes until the runtime closes the connection, or has ended."""
    answer = b""
    connection.settimeout(_POLL_S)
    while True:
        try:
            part = connection.recv(1 << 16)
        except TimeoutError:
            if is_unwanted():
                raise unwanted() from None
            if procfs.has_ended(process_id):  # createdump of .NET Core 3.1 has inherited the connection
                return answer
            continue
        if not part:
            return answer
        answer += part


def _run_createdump(target: _Target, order: _Order) -> None:
    """Start what the runtime would have started."""
    assert target.library is not None
    program = os.path.join(os.path.dirname(target.library), CREATEDUMP)
    if target.is_elsewhere or not os.path.exists(program):
        raise explained_failure(target.process_id, target.library, order.folder, "")
    reason = who_else_may_write(program)
    if reason is not None and not trusts_any_runtime():
        raise dump_failed(
            f"{program} is not started, since whoever can change it would act as you: {reason}. Start dap-dotnet with "
            f"{TRUST_VARIABLE}=1 if you trust them, or as the process's user."
        )
    command = [program, "--name", order.there.replace("%", "%%"), _OPTIONS[order.dump_type], str(target.process_id)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace"
    ) as process:
        try:
            while True:
                try:
                    text, _ = process.communicate(timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    if order.is_unwanted():
                        raise unwanted() from None
        finally:
            process.kill()
    if process.returncode != 0:
        raise explained_failure(target.process_id, target.library, order.folder, text)


def _end_createdump(process_id: int) -> None:
    """End what the runtime has started, so that the program goes on. That of .NET Core 3.1 outlives even its end."""
    with contextlib.suppress(OSError):
        for tracer in procfs.tracers_of(process_id):
            if procfs.thread_name(tracer, tracer) == CREATEDUMP:
                os.kill(tracer, signal.SIGKILL)


def _keep(partial: Path, file: Path, target: _Target) -> None:
    """Give the complete dump its name: only ours to read, for it has all that the program knows."""
    if partial.parent.parent == file.parent:
        partial.chmod(0o600)
        partial.rename(file)
        return
    # Whoever owns the process may have put a link in its place.
    source = os.open(partial, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(source, "rb") as reader:
        status = os.fstat(source)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != target.owner:
            raise dump_failed("The dump that the process wrote is not its own file any more.")
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as writer:
            try:
                shutil.copyfileobj(reader, writer, 1 << 20)
            except OSError as error:
                file.unlink()
                raise dump_failed(f"The dump could not be copied to {file}: {error.strerror}.") from error
