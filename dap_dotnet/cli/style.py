"""Colours and marks, as far as the terminal can show them."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}
_PLAIN_MARKS = {"●": "*", "○": "o", "■": "#", "│": "|", "‾": "^", "→": "->"}


def accept_any_text() -> None:
    """Let standard output and error accept text that the terminal's encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard_output() -> None:
    """After a BrokenPipeError: what standard output still holds cannot be written either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Style:
    """How to write to a stream: colours on a terminal (or with FORCE_COLOR, never with NO_COLOR), marks it can show."""

    def __init__(self, stream: TextIO) -> None:
        has_colours = stream.isatty() and os.environ.get("TERM") != "dumb"
        if os.environ.get("FORCE_COLOR"):
            has_colours = True
        self._colours = has_colours and not os.environ.get("NO_COLOR")
        self._unicode = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")

    def paint(self, text: str, *names: str) -> str:
        """The text in colours, whose names are keys of `_CODES`."""
        if not self._colours or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"

    def mark(self, mark: str) -> str:
        """A mark, or the plain character that stands for it."""
        return mark if self._unicode else _PLAIN_MARKS[mark]
