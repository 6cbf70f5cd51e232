"""What ``run``, ``test`` and ``attach`` report, in whatever form it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

Body = Mapping[str, Any]
"""A body or an object of the protocol, as received."""


@dataclass(frozen=True, slots=True)
class FrameReport:
    """A frame. Lines and columns are 1-based, 0 or None where there is no source."""

    function: str
    module: str | None
    file: str | None
    line: int
    column: int
    end_line: int | None
    end_column: int | None


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """Something that failed: `code` for machines, `message` for people."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An expression with its value (the body of the response) or its error."""

    expression: str
    value: Body | ErrorReport


@dataclass(frozen=True, slots=True)
class StopReport:
    """A stop with all that was asked for."""

    number: int
    """From 1."""
    time: datetime
    """UTC."""
    body: Body
    """Of the `stopped` event."""
    thread_id: int
    thread_name: str
    hit_count: int | None
    """Hits of the first of its breakpoints for which its condition held; None for stops without breakpoint."""
    frames: tuple[FrameReport, ...]
    """At least the one that is looked at, unless the thread has none."""
    locals: tuple[Body, ...] | None
    """None: not asked for."""
    evaluations: tuple[EvaluationReport, ...]
    focus: int = 0
    """Which of `frames` is looked at: the newest of the user's code where other code has thrown, else the top one."""


@dataclass(frozen=True, slots=True)
class BreakpointReport:
    """A breakpoint with all that is known of it: what ``dap-dotnet/breakpoints`` lists, and ``temporary``."""

    id: int
    body: Body


@dataclass(frozen=True, slots=True)
class ThreadReport:
    """A thread and where it is."""

    id: int
    name: str
    frames: tuple[FrameReport, ...]
    locals: Mapping[int, Sequence[Body]] = field(default_factory=dict)
    """The variables of frames, by their place in `frames`; those that were asked for."""


class Reporter(Protocol):
    """Writes reports for a reader."""

    def for_child(self, name: str, process_id: int) -> Reporter:
        """What reports on a process that the program has started."""

    def event(self, name: str, body: Body) -> None:
        """Any event but `stopped`; also, as ``breakpoint`` with reason ``new``, what became of each breakpoint.

        Beyond the protocol a breakpoint has ``code``, and, when it is not on a line, ``function``, ``field`` or
        ``exception``.
        """

    def stopped(self, stop: StopReport) -> None:
        """The program stopped."""

    def breakpoints(self, when: Literal["set", "end", "now"], listed: Sequence[BreakpointReport]) -> None:
        """What ``--list-breakpoints`` asks for, when all are set and at the end; and the command ``l``."""

    def stack(self, frames: Sequence[FrameReport], selected: int, *, first: int = 0) -> None:
        """What ``bt`` asks for, and the frame that was selected; numbers from 0, the first of `frames` is `first`."""

    def evaluation(self, evaluation: EvaluationReport) -> None:
        """What ``p`` asks for."""

    def locals(self, variables: Sequence[Body]) -> None:
        """What ``locals`` asks for."""

    def explanation(self, breakpoint_id: int, explained: Body | ErrorReport) -> None:
        """What ``--explain`` asks for: the body of ``dap-dotnet/explainBreakpoint``."""

    def explained_step(self, explained: Body) -> None:
        """What the command ``explain step`` asks for: the body of ``dap-dotnet/explainStep``."""

    def threads(self, threads: Sequence[ThreadReport], waiting: Body) -> None:
        """What ``--on-timeout threads`` asks for; `waiting` is the body of ``dap-dotnet/waiting``."""

    def async_tasks(self, found: Body) -> None:
        """What ``--async`` and the command ``async`` ask for: the body of ``dap-dotnet/asyncTasks``."""

    def heap(self, found: Body) -> None:
        """What ``--heap`` asks for: the body of ``dap-dotnet/heapTypes``."""

    def holders(self, found: Body) -> None:
        """What ``--who-holds`` asks for: the body of ``dap-dotnet/holders``."""

    def merged_stacks(self, merged: Body, tree: Iterable[tuple[int, int, str]]) -> None:
        """What ``--count`` asks for: `looks` and `stacks`, and as a tree with depth, count and text of each node."""

    def error(self, error: ErrorReport) -> None:
        """Something failed."""

    def notice(self, text: str) -> None:
        """Something to know."""
