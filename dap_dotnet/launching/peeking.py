"""A look at a running process that nobody debugs: a copy of it, opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.attaching import check_visible, explained, trusts_any_runtime
from dap_dotnet.launching.copying import start_copier

if TYPE_CHECKING:
    from dap_dotnet.runtime.events import EventSink
    from dap_dotnet.runtime.frozen_debuggee import FrozenDebuggee


def peek(process_id: int, sink: EventSink, program: Path | None) -> FrozenDebuggee:
    """See `api.Backend`. `program` is the launcher program, by default the installed one."""
    check_visible(process_id)
    _check_namespace(process_id)
    copier = start_copier(process_id, parent_reaps=False, program=program)
    try:
        snapshot = copier.snapshot(runs=True)
        try:
            debuggee = snapshot.open(sink, trust_runtime=trusts_any_runtime())
        finally:
            snapshot.close()
    except LaunchError as error:
        copier.close()
        raise explained(process_id, error) from error
    except BaseException:
        copier.close()
        raise
    debuggee.on_closed = lambda _: copier.close()
    return debuggee


def _check_namespace(process_id: int) -> None:
    """Its threads have other numbers where it looks at them itself."""
    name = "ns/pid"
    if os.readlink(procfs.PROC / str(process_id) / name) != os.readlink(procfs.PROC / "self" / name):
        raise LaunchError(
            f"Process {process_id} runs in a container: its processes have other numbers there. Run dap-dotnet inside "
            "it, for example with docker exec.",
            code="OTHER_NAMESPACE",
        )
