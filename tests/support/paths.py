"""Folders of the repository that tests, the demo and the benchmarks use."""

from __future__ import annotations

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAMS = REPOSITORY / "tests" / "programs"
# Not in version control; deleting it costs only the time to make it again.
CACHE = REPOSITORY / ".cache"
