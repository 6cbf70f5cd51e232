"""Exit codes of the command line that are not the program's own."""

from __future__ import annotations

INTERNAL_FAILURE = 125
"""Debugging itself failed; `env` and `timeout` use the same."""
BROKEN_PIPE = 141
"""Nobody reads the output any more: as for a program that SIGPIPE ends."""
TIMED_OUT = 124
"""The time limit of ``--timeout`` is over."""
