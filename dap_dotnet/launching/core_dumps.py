"""Opens core dumps: finds the runtime of the very build that the process had."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.attaching import trusts_any_runtime
from dap_dotnet.launching.hosts import find_hosts

if TYPE_CHECKING:
    from dap_dotnet.runtime.cordebug import CoreDump
    from dap_dotnet.runtime.events import EventSink
    from dap_dotnet.runtime.frozen_debuggee import FrozenDebuggee

_LIBRARY = "libcoreclr.so"


def open_core(path: str, folders: Mapping[str, str], sink: EventSink) -> FrozenDebuggee:
    """See `api.Backend`."""
    from dap_dotnet.runtime import cordebug

    dump = cordebug.describe_core(path)
    tried = []
    for folder in _runtime_folders(dump, folders):
        if not os.path.isfile(os.path.join(folder, _LIBRARY)):
            tried.append(f"{folder}: there is no {_LIBRARY}")
            continue
        try:
            return cordebug.open_core(path, dump, folder, sink, trust_runtime=trusts_any_runtime())
        except LaunchError as error:
            if error.code != "NO_RUNTIME_DEBUGGER":
                raise
            tried.append(error.message)
    version = PurePosixPath(dump.runtime_path).parent.name
    raise LaunchError(
        f"The dump is of a process with the .NET runtime {version}, build {dump.build_id or 'unknown'}, and can be "
        "read only with the libraries of that very build. Install that version, set DOTNET_ROOT to where it is, or map "
        f"its folder in coreDumpFolders. Tried: {'; '.join(tried)}.",
        code="NO_RUNTIME_DEBUGGER",
    )


def _runtime_folders(dump: CoreDump, folders: Mapping[str, str]) -> Iterator[str]:
    """Where the runtime may be: where it was, where its folder is said to be, and in the installations of .NET here."""
    recorded = PurePosixPath(dump.runtime_path).parent
    seen = set()
    installed = (host.root for host in find_hosts(os.environ) if host.root is not None)
    shared = (str(root / "shared" / recorded.parent.name / recorded.name) for root in installed)
    for folder in (*_mapped(str(recorded), folders), str(recorded), *shared):
        if folder not in seen:
            seen.add(folder)
            yield folder


def _mapped(folder: str, folders: Mapping[str, str]) -> Iterator[str]:
    for there, here in sorted(folders.items(), key=lambda item: -len(item[0])):
        start = there.rstrip("/")
        if folder == start or folder.startswith(start + "/"):
            yield here.rstrip("/") + folder[len(start) :]
