"""The .NET processes that can be attached to."""

from __future__ import annotations

import os

from msgspec import Struct

from dap_dotnet.launching import procfs
from dap_dotnet.launching.environment import temporary_folder


class DotnetProcess(Struct, frozen=True):
    """A process whose runtime waits for a debugger. `runtime_version` looks like 10.0.12, or is "unknown"."""

    process_id: int
    runtime_version: str
    command_line: tuple[str, ...]

    @property
    def name(self) -> str:
        """What a user calls it: the assembly's file name without .dll, or the executable's."""
        return program_name(self.command_line)


def list_processes() -> list[DotnetProcess]:
    """All .NET processes that this user may attach to, by id. Those that end meanwhile are left out."""
    found = []
    for process_id in sorted(procfs.process_ids()):
        if process_id == os.getpid():
            continue
        try:
            process = _describe(process_id)
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if process is not None:
            found.append(process)
    return found


def find_by_name(name: str) -> list[DotnetProcess]:
    """The debuggable processes with this name, as `DotnetProcess.name` has it; `.dll` at its end may be given."""
    wanted = name.removesuffix(".dll")
    return [process for process in list_processes() if process.name == wanted]


def program_name(command_line: tuple[str, ...]) -> str:
    """The name in a command line: of the first .dll after `dotnet`, else of the executable."""
    if not command_line:
        return ""
    program = os.path.basename(command_line[0])
    if program == "dotnet":
        for argument in command_line[1:]:
            if argument.endswith(".dll"):
                return os.path.basename(argument).removesuffix(".dll")
    return program


def _describe(process_id: int) -> DotnetProcess | None:
    library = procfs.runtime_library_of(process_id)
    folder = temporary_folder(procfs.environment_of(process_id))
    if library is None or not procfs.has_debugger_pipe(process_id, folder):
        return None
    command_line = tuple(procfs.command_line_of(process_id))
    return DotnetProcess(process_id, procfs.runtime_version_of(library), command_line)
