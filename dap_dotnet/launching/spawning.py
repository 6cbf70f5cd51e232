"""Starting the launcher program with the descriptors that it is given, and no others."""

from __future__ import annotations

import fcntl
import os
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

import dap_dotnet
from dap_dotnet.errors import InternalError

LAUNCHER_NAME = "dap-dotnet-launcher"
_FIRST_PRIVATE_FD = 10
_CONTROL_FD = 3


def launcher_path() -> Path:
    """Where the launcher program is installed: in the dap_dotnet package. Raises InternalError when it is not there."""
    for folder in dap_dotnet.__path__:
        path = Path(folder) / LAUNCHER_NAME
        if path.is_file():
            return path
    raise InternalError(
        f"dap-dotnet is installed without its launcher program ({LAUNCHER_NAME}): reinstall it with pip."
    )


def spawn_launcher(
    program: Path, arguments: Sequence[str], environment: Mapping[str, str], descriptors: Mapping[int, int]
) -> int:
    """Start it with our `descriptors` under other numbers (theirs: ours, theirs below 10) and an empty standard input.

    Returns its process id, for the caller to wait for. Raises OSError or ValueError for arguments or variables that no
    process can have.
    """
    # Copies whose numbers the file actions below do not overwrite.
    copies = {
        theirs: fcntl.fcntl(ours, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE_FD) for theirs, ours in descriptors.items()
    }
    try:
        return os.posix_spawn(
            program,
            [LAUNCHER_NAME, *arguments],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                *((os.POSIX_SPAWN_DUP2, copy, theirs) for theirs, copy in copies.items()),
            ],
        )
    finally:
        for copy in copies.values():
            os.close(copy)


def spawn_controlled(
    program: Path | None, arguments: Sequence[str], environment: Mapping[str, str]
) -> tuple[socket.socket, int]:
    """A launcher program that starts nothing: the socket on which it is told what to do, and its process id.

    `program` None: the one that comes with us. Raises as `spawn_launcher`.
    """
    ours, theirs = socket.socketpair()
    # Not our standard output: it must not keep the client's pipe open.
    sink = os.open(os.devnull, os.O_WRONLY)
    try:
        launcher = spawn_launcher(
            program or launcher_path(),
            ["--control", str(_CONTROL_FD), *arguments],
            environment,
            {1: sink, 2: sink, _CONTROL_FD: theirs.fileno()},
        )
    except BaseException:
        ours.close()
        raise
    finally:
        os.close(sink)
        theirs.close()
    return ours, launcher
