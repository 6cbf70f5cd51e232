"""Variables of an environment that decide whether programs can be debugged, and projects built."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterable, Mapping

_SWITCHES = ("EnableDiagnostics", "EnableDiagnostics_Debugger")
SERVER_SWITCHES = ("EnableDiagnostics", "EnableDiagnostics_IPC")
"""Those of the diagnostics server."""
_PREFIXES = ("DOTNET_", "COMPlus_")
DEFAULT_TEMPORARY_FOLDER = "/tmp"


def diagnostics_switch_off(environment: Mapping[str, str], switches: Iterable[str] = _SWITCHES) -> str | None:
    """NAME=VALUE of the variable that disables debugging, or what else `switches` are for; None when none does.

    The runtime reads its numbers as hexadecimal, and DOTNET_ before COMPlus_.
    """
    for switch in switches:
        for prefix in _PREFIXES:
            value = environment.get(prefix + switch)
            if value is None:
                continue
            try:
                is_off = int(value, 16) == 0
            except ValueError:
                is_off = False
            if is_off:
                return f"{prefix}{switch}={value}"
            break
    return None


def temporary_folder(environment: Mapping[str, str]) -> str:
    """The folder of the pipes between the runtime and its debugger: TMPDIR, without a trailing slash."""
    folder = environment.get("TMPDIR") or DEFAULT_TEMPORARY_FOLDER
    return folder.rstrip("/") or "/"


def sdk_home_problem(environment: Mapping[str, str]) -> str | None:
    """What keeps the SDK from writing files of its own, without which it builds nothing, in words; None: it can.

    They are in the folder that DOTNET_CLI_HOME names, else in the home folder.
    """
    home = environment.get("DOTNET_CLI_HOME") or environment.get("HOME") or _registered_home()
    if not home:
        return "There is no home folder, in which the .NET SDK keeps files of its own."
    if not os.path.isdir(home):
        return f"The folder {home}, in which the .NET SDK keeps files of its own, does not exist."
    own = os.path.join(home, ".dotnet")
    if not os.access(own if os.path.isdir(own) else home, os.W_OK | os.X_OK):
        return f"The folder {home}, in which the .NET SDK keeps files of its own, cannot be written."
    return None


def _registered_home() -> str | None:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return None
