"""``doctor``: whether programs can be debugged here, and if not, what to do; the text that a bug report asks for."""

from __future__ import annotations

import argparse
import json
import os
import sys

from dap_dotnet.cli.doctor_checks import Finding, all_findings
from dap_dotnet.cli.style import Style, accept_any_text

_COLOURS = {"ok": "green", "warning": "yellow", "error": "red"}


def doctor(arguments: list[str]) -> int:
    """Write the report; the exit code is 1 when there is an error in it, else 0."""
    parser = argparse.ArgumentParser(
        prog="dap-dotnet doctor",
        description="Find out what prevents .NET programs from being debugged on this machine.",
        epilog="The exit code is 1 if something does, otherwise 0.",
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object per line")
    as_json = parser.parse_args(arguments).json
    accept_any_text()
    has_error = False
    for finding in all_findings(os.environ):
        has_error |= finding.status == "error"
        _write(finding, as_json=as_json)
    return int(has_error)


def _write(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        record = {"kind": "check", "name": finding.name, "status": finding.status, "message": finding.message}
        print(json.dumps(record | ({"remedy": finding.remedy} if finding.remedy else {})), flush=True)
        return
    style = Style(sys.stdout)
    status = style.paint(f"{finding.status:<7}", _COLOURS[finding.status])
    print(f"{status}  {finding.name}: {finding.message}", flush=True)
    if finding.remedy:
        print(f"         {style.mark('→')} {finding.remedy}", flush=True)
