"""Dates and times from their ticks of 100 ns, as .NET writes them in the invariant culture. Pure.

Each function gives None for bytes or ticks that are not of such a value.
"""

from __future__ import annotations

import struct
from datetime import datetime, timedelta

_TICKS_OF_DATE = 0x3FFF_FFFF_FFFF_FFFF
"""The upper two bits of DateTime's field are its DateTimeKind."""
_MOST_TICKS = 3_155_378_975_999_999_999
_MOST_DAYS = 3_652_058
_SECOND = 10_000_000
_DAY = 86_400 * _SECOND
_BEGINNING = datetime(1, 1, 1)
_MOST_OFFSET = 14 * 60


def date_time(raw: bytes) -> str | None:
    """System.DateTime: `02/29/2024 12:34:56`."""
    moment = ticks_of_date(raw)
    return _moment(moment) if moment is not None else None


def ticks_of_date(raw: bytes) -> int | None:
    """The ticks since the year 1 of System.DateTime's eight bytes."""
    if len(raw) != 8:
        return None
    ticks: int = struct.unpack("<Q", raw)[0] & _TICKS_OF_DATE
    return ticks if ticks <= _MOST_TICKS else None


def date_time_offset(utc_ticks: int, offset_minutes: int) -> str | None:
    """System.DateTimeOffset: `02/29/2024 12:34:56 +01:00`, by the clock at that offset."""
    local = utc_ticks + offset_minutes * 60 * _SECOND
    if not 0 <= local <= _MOST_TICKS or abs(offset_minutes) > _MOST_OFFSET:
        return None
    hours, minutes = divmod(abs(offset_minutes), 60)
    return f"{_moment(local)} {'-' if offset_minutes < 0 else '+'}{hours:02}:{minutes:02}"


def time_span(raw: bytes) -> str | None:
    """System.TimeSpan: `01:30:00`, `-2.00:00:00.5000000`."""
    if len(raw) != 8:
        return None
    ticks: int = struct.unpack("<q", raw)[0]
    days, rest = divmod(abs(ticks), _DAY)
    return f"{'-' if ticks < 0 else ''}{f'{days}.' if days else ''}{_clock(rest)}"


def date_only(raw: bytes) -> str | None:
    """System.DateOnly: `02/29/2024`."""
    days = int.from_bytes(raw, "little", signed=True)
    if len(raw) != 4 or not 0 <= days <= _MOST_DAYS:
        return None
    return _moment(days * _DAY).partition(" ")[0]


def time_only(raw: bytes) -> str | None:
    """System.TimeOnly, with its seconds: `12:34:56`."""
    ticks = int.from_bytes(raw, "little", signed=True)
    return _clock(ticks) if len(raw) == 8 and 0 <= ticks < _DAY else None


def _moment(ticks: int) -> str:
    found = _BEGINNING + timedelta(seconds=ticks // _SECOND)
    return f"{found.month:02}/{found.day:02}/{found.year:04} {found.hour:02}:{found.minute:02}:{found.second:02}"


def _clock(ticks: int) -> str:
    seconds, fraction = divmod(ticks, _SECOND)
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours:02}:{minutes:02}:{seconds % 60:02}{f'.{fraction:07}' if fraction else ''}"
