"""``dump``: a core dump of a running program, for ``core`` to look into."""

from __future__ import annotations

import argparse
import json
import sys
import typing

from dap_dotnet.cli.exit_codes import INTERNAL_FAILURE
from dap_dotnet.cli.style import accept_any_text
from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.saving_dumps import save_dump
from dap_dotnet.protocol.messages.dumps import DumpBody, DumpType
from dap_dotnet.runtime.model import SavedDump


def dump(arguments: list[str]) -> int:
    """Save the dump; the exit code is 0 when it is complete."""
    parser = argparse.ArgumentParser(
        prog="dap-dotnet dump",
        usage="%(prog)s [OPTIONS] PID",
        description="Save a core dump of a running .NET program, which stands for that moment and then goes on. "
        "dap-dotnet core looks into it.",
        epilog="A dump has all that the program knows, passwords too: only you can read the file. The exit code is 0; "
        "125 when no dump was saved, 2 for an invalid command line, 130 after Ctrl-C.",
    )
    parser.add_argument("pid", metavar="PID", type=int, help="process id; dap-dotnet ps lists them")
    parser.add_argument(
        "--kind",
        choices=typing.get_args(DumpType),
        default="heap",
        help="heap (the default): all objects; full: the libraries as well; mini: stacks, numbers and the exception, "
        "in a few MB; triage: mini without what may be private",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        default=".",
        help="a file that does not exist yet, or a folder (default: this one, under the program's name)",
    )
    parser.add_argument("--json", action="store_true", help="write the result as a JSON object")
    parsed = parser.parse_args(arguments)
    accept_any_text()
    try:
        saved = save_dump(parsed.pid, parsed.output, parsed.kind)
    except LaunchError as error:
        if parsed.json:
            print(json.dumps({"kind": "error", "code": error.code, "message": error.message}))
        else:
            print(f"dap-dotnet: {error.message}", file=sys.stderr)
        return INTERNAL_FAILURE
    except KeyboardInterrupt:  # what was written of it is gone
        return 130
    _report(saved, as_json=parsed.json)
    return 0


def _report(saved: SavedDump, *, as_json: bool) -> None:
    if as_json:
        body = DumpBody(path=saved.path, dump_type=saved.dump_type, bytes=saved.bytes, seconds=round(saved.seconds, 3))
        print(json.dumps({"kind": "dumpSaved", **body.to_wire()}))
        return
    print(f"Saved {saved.path} ({saved.bytes / 1e6:,.1f} MB, {saved.seconds:.1f} s).")
