"""What of the accelerator (docs/decisions/0006-dac-accelerator.md) fits a runtime, found out in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from msgspec import Struct

from dap_dotnet.errors import LaunchError

_TIMEOUT_S = 20.0
_ROOT = Path(__file__).resolve().parents[2]
_SCRIPT = (
    f"import sys; sys.path.append({str(_ROOT)!r}); from dap_dotnet.runtime.accelerator import look; look(sys.argv[1])"
)


class Fit(Struct, frozen=True):
    """The parts, each with "on", "ready, …" or why it is not in use; or why the libraries cannot be loaded."""

    parts: dict[str, str] = {}
    problem: str = ""
    problem_code: str = ""
    """That of the `LaunchError`; empty without one."""


@cache
def fit(runtime_folder: Path) -> Fit:
    """Load the debugger libraries in the folder of a libcoreclr.so, in another process, the first time. Any thread."""
    command = [sys.executable, "-I", "-c", _SCRIPT, str(runtime_folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
        record = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError) as error:
        return Fit(problem=str(error))
    if record is None:
        return Fit(problem=done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}")
    return Fit(**record)


def look(runtime_folder: str) -> None:
    """The other process's part: writes the fields of a `Fit` as JSON."""
    from dap_dotnet.runtime import _shim

    try:
        _shim.check(_shim.lib.cds_accelerator_install(os.fsencode(runtime_folder), 0))
    except LaunchError as error:
        print(json.dumps({"problem": error.message, "problem_code": error.code}))
        return
    print(json.dumps({"parts": _shim.accelerator_reasons()}))
