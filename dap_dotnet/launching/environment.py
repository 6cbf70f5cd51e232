"""Variables of a program's environment that decide whether it can be debugged."""

from __future__ import annotations

from collections.abc import Mapping

_SWITCHES = ("EnableDiagnostics", "EnableDiagnostics_Debugger")
_PREFIXES = ("DOTNET_", "COMPlus_")
DEFAULT_TEMPORARY_FOLDER = "/tmp"


def diagnostics_switch_off(environment: Mapping[str, str]) -> str | None:
    """NAME=VALUE of the variable that disables debugging; None when none does.

    The runtime reads its numbers as hexadecimal, and DOTNET_ before COMPlus_.
    """
    for switch in _SWITCHES:
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
