"""Which process `attach` means: by its id, by its name, or by a list to choose from."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.arguments import AttachArguments
from dap_dotnet.launching.processes import DotnetProcess, find_by_name, list_processes

_SHOWN = 10


def chosen_process(arguments: AttachArguments) -> int:
    """The process id. Raises LaunchError, with the processes that there are, unless it is clear which one is meant."""
    if arguments.process_id is not None:
        return arguments.process_id
    name = arguments.process_name.strip()
    if not name:
        raise LaunchError(f"attach needs processId, or processName. {_listing(list_processes())}", code="NO_PROCESS")
    found = find_by_name(name)
    if len(found) == 1:
        return found[0].process_id
    if found:
        raise LaunchError(
            f"{len(found)} processes are called {name}: say which with processId. {_listing(found)}", code="NO_PROCESS"
        )
    raise LaunchError(
        f"There is no .NET process called {name} that can be debugged. {_listing(list_processes())}", code="NO_PROCESS"
    )


def _listing(processes: Sequence[DotnetProcess]) -> str:
    if not processes:
        return "No .NET process of yours is running."
    shown = "; ".join(
        f"{process.process_id} ({shlex.join(process.command_line)[:120]})" for process in processes[:_SHOWN]
    )
    more = f"; and {len(processes) - _SHOWN} more" if len(processes) > _SHOWN else ""
    return f"There are: {shown}{more}."
