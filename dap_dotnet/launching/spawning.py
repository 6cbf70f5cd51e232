"""Starting the launcher program with the descriptors that it is given, and no others."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import dap_dotnet
from dap_dotnet.errors import InternalError

LAUNCHER_NAME = "dap-dotnet-launcher"
_FIRST_PRIVATE_FD = 10


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
