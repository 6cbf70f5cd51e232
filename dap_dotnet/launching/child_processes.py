"""What is known of a .NET process that waits at its start (`child_port`)."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.launching import procfs
from dap_dotnet.launching.environment import diagnostics_switch_off
from dap_dotnet.launching.processes import program_name

_MOST_GENERATIONS = 1000
_OLD_VERSIONS = frozenset({"2", "3", "5"})


class ChildProcess(Struct, frozen=True):
    """A process, and why it cannot be debugged, None where it can."""

    name: str
    problem: str | None


def describe_child(process_id: int) -> ChildProcess:
    """Look at a process that waits at its start. Raises `OSError` when it has ended."""
    name = program_name(tuple(procfs.command_line_of(process_id))) or str(process_id)
    switch = diagnostics_switch_off(procfs.environment_of(process_id))
    problem = None
    if switch is not None:
        problem = f"{switch} disables debugging"
    elif procfs.runtime_library_of(process_id) is None:
        problem = "its executable contains its runtime, which has no debugger interface"
    elif procfs.id_inside_namespace(process_id) != process_id:
        problem = "it runs in another container"
    return ChildProcess(name, problem)


def calls_ports(process_id: int) -> bool:
    """Whether a process's runtime is one that calls the port, as far as is known: .NET 6 or later."""
    try:
        version = procfs.runtime_version_of(procfs.runtime_library_of(process_id))
    except OSError:
        return True
    return version.partition(".")[0] not in _OLD_VERSIONS


def descends_from(process_id: int, ancestor: int) -> bool:
    """Whether a process was started by another, or by one that it started, as long as those in between live."""
    try:
        for _ in range(_MOST_GENERATIONS):
            process_id = procfs.parent_of(process_id)
            if process_id <= 1:
                return False
            if process_id == ancestor:
                return True
    except OSError:
        pass  # one of them has ended meanwhile
    return False
