"""Why a dump could not be saved, in a sentence that says what to do."""

from __future__ import annotations

import os
import re
from pathlib import Path

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.attaching import ended_meanwhile
from dap_dotnet.launching.environment import SERVER_SWITCHES, diagnostics_switch_off

CREATEDUMP = "createdump"
_NOISE = re.compile(r"^(\[createdump\] )?((Gathering state|Writing|Failure took|Target process).*)?$")
_REFUSED = re.compile(r"Could not create output file .*: ([^:]+?)( \(\d+\))?(;|$)")
_LEAST_FREE = 1 << 20
_ELSEWHERE = "`gcore PID` takes one, too, and dap-dotnet opens it."


def dump_failed(text: str) -> LaunchError:
    """`text` is what the user reads."""
    return LaunchError(text, code="DUMP_FAILED")


def unwanted() -> LaunchError:
    """Whoever asked for the dump does not wait for it any more."""
    return LaunchError("No dump was saved: it was cancelled.", code="CANCELLED")


def check_room(process_id: int, folder: Path) -> None:
    """Raises `LaunchError` where the process's own memory alone is more than the disk has free."""
    memory, free = procfs.private_memory_of(process_id), _free(folder)
    if memory > free:
        raise dump_failed(
            f"The disk of {folder} has {_megabytes(free)} free, and a dump of process {process_id} takes at least "
            f"{_megabytes(memory)}. Name a folder on another disk, or save one of the kind mini."
        )


def explained_failure(process_id: int, library: str | None, shown: str, said: str) -> LaunchError:
    """Why the runtime, or `createdump`, has not written the dump to the folder `shown`, as the process sees it.

    `said` is what it told, perhaps nothing. Raises as `procfs` does.
    """
    if procfs.has_ended(process_id):
        return ended_meanwhile(process_id, "its dump was complete")
    root = procfs.PROC / str(process_id) / "root"
    folder = root / shown.lstrip("/")
    createdump = None if library is None else os.path.join(os.path.dirname(library), CREATEDUMP)
    text = "; ".join(line.removeprefix("[createdump] ") for line in said.splitlines() if not _NOISE.match(line))
    if "No space left" in text or (not text and _free(folder) < _LEAST_FREE):
        return dump_failed(
            f"The disk of {shown} is full ({_megabytes(_free(folder))} are free): name a folder on another disk, or "
            "save a dump of the kind mini."
        )
    if "execve(" in text or (createdump is not None and not (root / createdump.lstrip("/")).exists()):
        place = createdump or f"{CREATEDUMP} beside the program"
        return dump_failed(
            f"The runtime takes dumps with {CREATEDUMP}, and there is no {place}, as in a single-file program or a "
            f"slim container. Copy it there from the same version of .NET. {_ELSEWHERE.replace('PID', str(process_id))}"
        )
    if "ptrace" in text.lower() and "not permitted" in text.lower():
        return dump_failed(
            f"The kernel does not let {CREATEDUMP} look into process {process_id} ({text}). Start a container with the "
            "capability SYS_PTRACE."
        )
    if refused := _REFUSED.search(text):
        return dump_failed(f"The folder {shown} cannot be written ({refused[1]}): name another one.")
    if text:
        return dump_failed(f"The runtime of process {process_id} could not save the dump: {text}.")
    environment = procfs.environment_of(process_id)
    switch = diagnostics_switch_off(environment, SERVER_SWITCHES)
    if switch is not None:
        return dump_failed(
            f"Process {process_id} was started with {switch}, so its runtime takes no dump when it is asked. Run "
            f"{CREATEDUMP} {process_id} where it runs, or start it without that variable."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        return dump_failed(f"The folder {shown} cannot be written: name another one.")
    return dump_failed(
        f"The runtime of process {process_id} could not save the dump, and does not say why; its own error output may. "
        f"{_ELSEWHERE.replace('PID', str(process_id))}"
    )


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"
