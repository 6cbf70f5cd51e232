"""What users read about breakpoints on lines: why one was moved, or is bound nowhere, and what to do. Pure."""

from __future__ import annotations

import os
from collections.abc import Sequence

from dap_dotnet.breakpoints.lines.document_lines import Fit, Match
from dap_dotnet.breakpoints.lines.paths import PathMatch
from dap_dotnet.symbols.spans import Span


def moved_note(line: int, column: int | None, match: Match, columns: Sequence[Span]) -> str:
    """How a breakpoint differs from what was asked; empty when it does not. `columns`: see DocumentLines.columns."""
    actual = match.points[0]
    if match.fit is Fit.NEAREST_COLUMN:
        return (
            f"Column {column} of line {line} is not within a statement; moved to column {actual.column}. "
            f"Breakpoints on this line can be at {columns_text(line, columns)}."
        )
    if match.fit is Fit.CONTAINING:
        return f"Line {line} is within the statement that begins on line {actual.line}."
    if match.fit is Fit.NEXT_STATEMENT:
        return next_statement_note(line, actual.line)
    if match.fit is Fit.BEGINNING:
        return f"Line {line} has no code; moved to line {actual.line}, the beginning of a function."
    return ""


def next_statement_note(line: int, moved_to: int) -> str:
    """A breakpoint is on another line than was asked, which has no code."""
    return f"Line {line} has no code; moved to line {moved_to}, the next statement of the same method."


def columns_text(line: int, spans: Sequence[Span]) -> str:
    """``columns 9-20, 25-31``: where the statements of a line are, the last column included."""
    texts = []
    for span in spans:
        first = str(span.column) if span.line == line else f"line {span.line} column {span.column}"
        last = str(max(span.end_column - 1, span.column)) if span.end_line == line else f"line {span.end_line}"
        texts.append(first if first == last else f"{first}-{last}")
    return f"column{'s' if len(texts) > 1 else ''} {', '.join(texts)}"


def outside_text(line: int, file: str, lines: Sequence[int]) -> str:
    """Why a line outside of all methods cannot have a breakpoint, and the nearest ones that can."""
    text = f"No code at line {line} of {file}: it is outside any method."
    if not lines:
        return f"{text} No line of the file has code."
    if len(lines) == 1:
        return f"{text} The nearest line that can have a breakpoint is {lines[0]}."
    named = f"{', '.join(map(str, lines[:-1]))} and {lines[-1]}"
    return f"{text} The nearest lines that can have a breakpoint are {named}."


def ambiguous_text(path: str, match: PathMatch) -> str:
    """Which documents a path may mean, and what to do about it."""
    names = sorted({f"{candidate.document.name} ({candidate.module.name})" for candidate in match.ambiguous})
    return (
        f"{os.path.basename(path)} could be any of several files: {'; '.join(names)}. "
        "Open the one you mean, or map its path with sourceFileMap."
    )


def edited_text(line: int, file: str) -> str:
    """Why a line of an edited file can have no breakpoint."""
    return (
        f"Line {line} of {file} is not in the program that runs, whose code is of before your change: restart it to "
        "stop here."
    )


def refused_text(path: str, match: PathMatch) -> str:
    """Which document is of another content, and what to do about it."""
    first = match.refused[0]
    named = "" if first.document.name == path else f" ({first.document.name})"
    return (
        f"{os.path.basename(path)} is not the file that {first.module.name} was built from{named}: its checksum "
        "differs. Rebuild, open the file that was built, or set requireExactSource to false."
    )
