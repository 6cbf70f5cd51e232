"""Dates and times from their bytes."""

from __future__ import annotations

import struct

import pytest

from dap_dotnet.values import dates

_DAY = 864_000_000_000


@pytest.mark.parametrize(
    ("ticks", "text"),
    [
        (0, "00:00:00"),
        (1, "00:00:00.0000001"),
        (-_DAY, "-1.00:00:00"),
        (-(1 << 63), "-10675199.02:48:05.4775808"),
        ((1 << 63) - 1, "10675199.02:48:05.4775807"),
    ],
)
def test_time_spans(ticks: int, text: str) -> None:
    assert dates.time_span(struct.pack("<q", ticks)) == text


def test_the_kind_of_a_date_is_no_part_of_its_ticks() -> None:
    for kind in range(4):
        assert dates.date_time(struct.pack("<Q", kind << 62 | 738_944 * _DAY)) == "02/29/2024 00:00:00"


def test_bytes_that_are_no_date_have_no_text() -> None:
    assert dates.date_time(struct.pack("<Q", 3_155_378_976_000_000_000)) is None
    assert dates.date_time(b"\0" * 4) is None
    assert dates.date_only(struct.pack("<i", -1)) is None
    assert dates.date_only(struct.pack("<i", 3_652_059)) is None
    assert dates.time_only(struct.pack("<q", _DAY)) is None
    assert dates.date_time_offset(0, -60) is None
    assert dates.date_time_offset(0, 15 * 60) is None
