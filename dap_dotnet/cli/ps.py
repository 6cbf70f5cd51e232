"""``ps``: the .NET programs that can be attached to."""

from __future__ import annotations

import argparse
import json
import shlex
import sys

from dap_dotnet.cli.style import Style, accept_any_text
from dap_dotnet.launching.processes import DotnetProcess, list_processes
from dap_dotnet.protocol.wire_names import wire_name


def ps(arguments: list[str]) -> int:
    """List the processes; the exit code is 0 even when there are none."""
    parser = argparse.ArgumentParser(
        prog="dap-dotnet ps", description="List the running .NET programs that can be attached to."
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object per line")
    as_json = parser.parse_args(arguments).json
    accept_any_text()
    processes = list_processes()
    if as_json:
        for process in processes:
            print(
                json.dumps(
                    {
                        "kind": "process",
                        "pid": process.process_id,
                        wire_name("runtime_version"): process.runtime_version,
                        wire_name("command_line"): list(process.command_line),
                    }
                )
            )
    else:
        _print_table(processes)
    return 0


def _print_table(processes: list[DotnetProcess]) -> None:
    if not processes:
        print("You have no running .NET programs.", file=sys.stderr)
        return
    style = Style(sys.stdout)
    rows = [("PID", "RUNTIME", "COMMAND")]
    rows += [
        (str(process.process_id), process.runtime_version, shlex.join(process.command_line)) for process in processes
    ]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for number, row in enumerate(rows):
        line = f"{row[0]:>{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}"
        print(style.paint(line, "bold") if number == 0 else line)
