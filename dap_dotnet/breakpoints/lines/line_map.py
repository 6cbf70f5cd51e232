"""Which lines of a source are still the same after it was edited. Pure.

A line is taken for the same only where that is sure: in the unchanged beginning and end of the file, or in a stretch of
unchanged lines that has one which is in each text just once. A lone `}` or `return;` between edits is any of several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from msgspec import structs

from dap_dotnet.symbols.spans import Span

_MOST_LINES = 4_000
"""Between the unchanged beginning and end, in either text; of more, no line is the same."""


class LineMap:
    """From the lines of the source that runs to those of the edited text, and back. Lines are 1-based."""

    def __init__(self, runs: Sequence[str], edited: Sequence[str]) -> None:
        self._now = dict[int, int]()
        first = 0
        while first < min(len(runs), len(edited)) and runs[first] == edited[first]:
            first += 1
        last = 0
        while last < min(len(runs), len(edited)) - first and runs[-1 - last] == edited[-1 - last]:
            last += 1
        self._same(0, 0, first)
        self._same(len(runs) - last, len(edited) - last, last)
        old, new = runs[first : len(runs) - last], edited[first : len(edited) - last]
        if max(len(old), len(new)) <= _MOST_LINES:
            self._find_moved(old, new, first, (Counter(runs), Counter(edited)))
        self._before = {new_line: line for line, new_line in self._now.items()}

    def _find_moved(
        self, old: Sequence[str], new: Sequence[str], first: int, counts: tuple[Counter[str], Counter[str]]
    ) -> None:
        of_old, of_new = counts
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
            lines = old[block.a : block.a + block.size]
            if any(line.strip() and of_old[line] == 1 and of_new[line] == 1 for line in lines):
                self._same(first + block.a, first + block.b, block.size)

    def _same(self, old: int, new: int, count: int) -> None:
        self._now.update((old + number + 1, new + number + 1) for number in range(count))

    def now(self, line: int) -> int | None:
        """Where a line of the source that runs is in the edited text; None where it is not, or that is not sure."""
        return self._now.get(line)

    def before(self, line: int) -> int | None:
        """Where a line of the edited text is in the source that runs; None as above."""
        return self._before.get(line)

    def pieces_now(self, span: Span) -> list[Span]:
        """The lines of a span that are as they were, in runs that are still together, without what came in between."""
        runs = list[list[int]]()
        for line in range(span.line, span.end_line + 1):
            now = self.now(line)
            if now is None:
                continue
            if runs and runs[-1][0] == line - 1 and runs[-1][1] == now - 1:
                runs[-1][:2] = line, now
            else:
                runs.append([line, now, line, now])
        return [
            Span(
                first_now,
                span.column if first == span.line else 1,
                *((last_now, span.end_column) if last == span.end_line else (last_now + 1, 1)),
            )
            for last, last_now, first, first_now in runs
        ]

    def span_now(self, span: Span) -> Span | None:
        """The same of all lines of a span, which must be as they were and together."""
        moved = [self.now(line) for line in range(span.line, span.end_line + 1)]
        start = moved[0] if moved else None
        if start is None or moved != list(range(start, start + len(moved))):
            return None
        return structs.replace(span, line=start, end_line=start + len(moved) - 1)
