"""The lines of sources, as the compilers count them."""

from __future__ import annotations

import os
import re

_LINE_END = re.compile("\r\n|[\n\r\u0085\u2028\u2029]")


def source_lines(text: str) -> list[str]:
    r"""A source's lines without their ends: line N of sequence points is the item N - 1. The last one may be empty.

    C# and Visual Basic end a line at \n, \r, \r\n, NEL (U+0085), LS (U+2028) and PS (U+2029); a form feed or a vertical
    tab, at which `str.splitlines` does, is a blank within the line. F# counts \n and \r\n alone: in its sources the
    others shift the lines behind them.
    """
    return _LINE_END.split(text)


def read_source_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a local file; none where it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return source_lines(decoded(stream.read()))
    except (OSError, ValueError):
        return []


def decoded(content: bytes) -> str:
    """A source's text: by its byte order mark, else UTF-8. What cannot be read is visibly replaced."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    return content.decode("utf-8-sig", errors="replace")
