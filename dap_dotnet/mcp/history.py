"""What happened in a session, in order, and what the program wrote."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import datetime, timezone

MOST_ENTRIES = 10_000
"""Older entries are forgotten."""
MOST_OUTPUT = 1_000_000
"""Characters of output that are kept."""
LONGEST_ENTRY = 500


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that happened. `number` counts from 1; `kind` is stop, log, exception, output, breakpoint, end …"""

    number: int
    time: datetime
    kind: str
    text: str


class History:
    """The timeline of a session. For one writer; readers copy."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=MOST_ENTRIES)
        self._count = 0

    @property
    def count(self) -> int:
        """Of all entries so far, the number of the newest."""
        return self._count

    def add(self, kind: str, text: str) -> Entry:
        """Something happened now."""
        self._count += 1
        if len(text) > LONGEST_ENTRY:
            text = f"{text[:LONGEST_ENTRY]}… ({len(text) - LONGEST_ENTRY:,} more characters)"
        entry = Entry(self._count, datetime.now(timezone.utc), kind, text)
        self._entries.append(entry)
        return entry

    def after(self, number: int) -> list[Entry]:
        """The entries after that number, as far as they are kept."""
        return [entry for entry in tuple(self._entries) if entry.number > number]


class Output:
    """What the program wrote. A cursor is a number of characters since the beginning."""

    def __init__(self) -> None:
        self._chunks: deque[tuple[int, str, str]] = deque()
        self._end = 0
        self._kept = 0

    @property
    def end(self) -> int:
        """The cursor behind everything so far."""
        return self._end

    def add(self, category: str, text: str) -> None:
        """The program wrote `text`."""
        self._chunks.append((self._end, category, text))
        self._end += len(text)
        self._kept += len(text)
        while self._kept > MOST_OUTPUT and len(self._chunks) > 1:
            self._kept -= len(self._chunks.popleft()[2])

    def read(self, cursor: int, most: int, category: str | None = None) -> tuple[str, int, int]:
        """Text from `cursor`, at most `most` characters; the cursor behind it, and the characters that were lost."""
        chunks = tuple(self._chunks)
        first = chunks[0][0] if chunks else self._end
        lost = max(0, first - cursor)
        found: list[str] = []
        size, at = 0, max(cursor, first)
        for start, kind, text in chunks:
            if start + len(text) <= at:
                continue
            part = text[max(0, at - start) :][: most - size]
            if category is None or kind == category:
                found.append(part)
                size += len(part)
            at = max(at, start) + len(part)
            if size >= most:
                break
        return "".join(found), at, lost
