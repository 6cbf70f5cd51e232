"""What the elements of a collection have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.reports import clip
from dap_dotnet.protocol.wire_names import member

_MOST_REPEATED = 10


class Collection(Part):
    """Counts and extremes. Those of values that were not compared are None."""

    count: int
    analyzed: int
    nulls: int
    duplicates: int | None = Field(default=None, description="Elements equal to an earlier one; None: objects.")
    repeated: list[str] = Field(default_factory=list, description="The most frequent of those, with their number.")
    min: str | None = None
    max: str | None = None


def summarise(count: int, elements: Sequence[Mapping[str, Any]]) -> Collection:
    """Of the protocol's variables that were read, of `count` in all."""
    texts = [str(element.get("value")) for element in elements]
    values = [text for text in texts if text != "null"]
    # Objects that look the same need not be the same.
    are_values = bool(values) and not any(member(element, "variables_reference") for element in elements)
    summary = Collection(count=count, analyzed=len(elements), nulls=len(texts) - len(values))
    if not are_values:
        return summary
    counted = Counter(values)
    summary.duplicates = len(values) - len(counted)
    summary.repeated = [
        f"{clip(text, 100)} ({times} times)" for text, times in counted.most_common(_MOST_REPEATED) if times > 1
    ]
    numbers = [_number(text) for text in values]
    if all(number is not None for number in numbers):
        pairs = [(number, text) for number, text in zip(numbers, values, strict=True) if number is not None]
        summary.min, summary.max = min(pairs)[1], max(pairs)[1]
    return summary


def _number(text: str) -> Decimal | None:
    """The number that a display text is; None for other texts, and for not-a-number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return None if number.is_nan() else number
