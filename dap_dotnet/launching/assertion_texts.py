"""Expected and actual values in the message of a failed assertion, where the framework writes them apart."""

from __future__ import annotations

import re

_END = r"(?:\n|\Z)"
_SHAPES = tuple(
    re.compile(shape, re.DOTALL | re.MULTILINE)
    for shape in (
        # xunit, and NUnit with "But was"; lines with marks (↓, ---^) are no part of a value
        r"^\s*Expected: ?(?P<expected>.*?)\n(?:.*?\n)??\s*(?:Actual|But was): *(?P<actual>.*?)(?:\n\s*[↑\-].*|\Z)",
        # MSTest
        r"Expected:<(?P<expected>.*?)>\. Actual:<(?P<actual>.*?)>\.",
        rf"^expected: (?P<expected>.*?)\n\s*actual: *(?P<actual>.*?){_END}",
        # TUnit
        r"^Expected .*?to (?:be equal to|equal|be) (?P<expected>.*?)\n+"
        rf"\s*but (?:found|received|was) (?P<actual>.*?){_END}",
        # Shouldly
        rf"\n\s*should be\n(?P<expected>.*?)\n\s*but was(?: not)?\n(?P<actual>.*?){_END}",
    )
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "0": "\0"}


def expected_and_actual(message: str) -> tuple[str, str] | None:
    """The two values of a failed comparison; None where the message has no such pair."""
    text = message.replace("\r\n", "\n")
    for shape in _SHAPES:
        match = shape.search(text)
        if match is not None:
            return _plain(match["expected"]), _plain(match["actual"])
    return None


def _plain(value: str) -> str:
    """Without the marks under a difference; a string that is written as C# does, as what it is."""
    lines = [line for line in value.split("\n") if not re.fullmatch(r"\s*[↓↑].*|\s*-+\^\s*", line)]
    value = "\n".join(lines).strip()
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[0]), value[1:-1], flags=re.S)
    return value
