"""Lines of a test program found by markers in its source (`// @loop`), so that tests survive edits of the program."""

from __future__ import annotations

import re
from pathlib import Path

from dap_dotnet.source_lines import read_source_lines

_COMMENTS = {".vb": re.compile(r"'(.*)$")}
# C# and F#. One comment may hold several markers.
_SLASHES = re.compile(r"//(.*)$")
_MARKER = re.compile(r"(?<=\s)@([A-Za-z_][\w-]*)")


class MarkerError(Exception):
    """A marker is missing, or there are two of it."""


def read_markers(source: Path) -> dict[str, int]:
    """The markers of one source file with their lines (1-based); raises MarkerError when one occurs twice."""
    lines: dict[str, int] = {}
    comments = _COMMENTS.get(source.suffix, _SLASHES)
    for number, text in enumerate(read_source_lines(source), start=1):
        comment = comments.search(text)
        for name in _MARKER.findall(comment.group(1)) if comment else ():
            if name in lines:
                raise MarkerError(f"{source}: @{name} is on line {lines[name]} and on line {number}; rename one")
            lines[name] = number
    return lines


def line_of(source: Path, marker: str) -> int:
    """The line (1-based) of `marker` (written without its @) in `source`; raises MarkerError when it is not there."""
    lines = read_markers(source)
    if marker not in lines:
        raise MarkerError(f"{source} has no marker @{marker}; it has: {', '.join(sorted(lines)) or 'none'}")
    return lines[marker]
