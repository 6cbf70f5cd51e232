"""Counts the tests that ran again because the runtime stood still (`standing_still`). Needs nothing but pytest."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest

RUN_AGAIN = "run again because the runtime stood still"
"""The property of a test's reports that says so; its value is the test's id."""


def note(item: pytest.Item) -> None:
    """Give the reports that follow the property."""
    item.user_properties.append((RUN_AGAIN, item.nodeid))


def summary(reports: Iterable[object]) -> list[str]:
    """How many tests were run again, and which: lines for the end of a run."""
    properties = itertools.chain.from_iterable(getattr(report, "user_properties", ()) for report in reports)
    tests = sorted({test for name, test in properties if name == RUN_AGAIN})
    return [f"tests that were {RUN_AGAIN}: {len(tests)}", *(f"    {test}" for test in tests)]
