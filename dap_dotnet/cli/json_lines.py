"""Reports as one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Literal, TextIO

from typing_extensions import override

from dap_dotnet.cli.report import (
    Body,
    BreakpointReport,
    ErrorReport,
    EvaluationReport,
    FrameReport,
    Reporter,
    StopReport,
    ThreadReport,
)
from dap_dotnet.protocol.wire_names import member, wire_name


class JsonReporter(Reporter):
    """Writes objects with a `kind`: an event's name, with the members of its body.

    Our own events are without their prefix: ``testStarted``, ``testResult``, ``testRun``. The kinds
    ``breakpoints``, ``explanation``, ``stack``, ``evaluation``, ``locals``, ``threads``, ``error`` and
    ``notice`` are not events. Those on a process that the program has started have a member ``child``.
    """

    def __init__(self, out: TextIO, child: Body | None = None) -> None:
        self._out = out
        self._added = {} if child is None else {"child": child}

    @override
    def for_child(self, name: str, process_id: int) -> Reporter:
        return JsonReporter(self._out, {"name": name, wire_name("process_id"): process_id})

    @override
    def event(self, name: str, body: Body) -> None:
        self._write({"kind": name.removeprefix("dap-dotnet/"), **body})

    @override
    def stopped(self, stop: StopReport) -> None:
        self._write(
            {
                "kind": "stopped",
                **stop.body,
                "number": stop.number,
                "timestamp": stop.time.isoformat(timespec="microseconds").replace("+00:00", "Z"),
                wire_name("hit_breakpoint_ids"): member(stop.body, "hit_breakpoint_ids") or [],
                wire_name("hit_count"): stop.hit_count,
                "thread": {"id": stop.thread_id, "name": stop.thread_name},
                "location": _frame(stop.frames[stop.focus]) if stop.frames else None,
                "stack": [_frame(frame) for frame in stop.frames],
                "locals": None if stop.locals is None else list(stop.locals),
                "evaluations": [_evaluation(evaluation) for evaluation in stop.evaluations],
            }
        )

    @override
    def breakpoints(self, when: Literal["set", "end", "now"], listed: Sequence[BreakpointReport]) -> None:
        self._write({"kind": "breakpoints", "when": when, "breakpoints": [dict(report.body) for report in listed]})

    @override
    def explanation(self, breakpoint_id: int, explained: Body | ErrorReport) -> None:
        if isinstance(explained, ErrorReport):
            found: dict[str, Any] = {"error": {"code": explained.code, "message": explained.message}}
        else:
            found = dict(explained)
        self._write({"kind": "explanation", **found, wire_name("breakpoint_id"): breakpoint_id})

    @override
    def explained_step(self, explained: Body) -> None:
        self._write({"kind": "explainedStep", **explained})

    @override
    def stack(self, frames: Sequence[FrameReport], selected: int, *, first: int = 0) -> None:
        shown = [_frame(frame) for frame in frames]
        self._write({"kind": "stack", "first": first, "selected": selected, "frames": shown})

    @override
    def evaluation(self, evaluation: EvaluationReport) -> None:
        self._write({"kind": "evaluation", **_evaluation(evaluation)})

    @override
    def locals(self, variables: Sequence[Body]) -> None:
        self._write({"kind": "locals", "variables": list(variables)})

    @override
    def threads(self, threads: Sequence[ThreadReport], waiting: Body) -> None:
        found = [{"id": one.id, "name": one.name, "stack": _stack(one)} for one in threads]
        self._write({"kind": "threads", "threads": found, **waiting})

    @override
    def async_tasks(self, found: Body) -> None:
        self._write({"kind": "asyncTasks", **found})

    @override
    def heap(self, found: Body) -> None:
        self._write({"kind": "heap", **found})

    @override
    def holders(self, found: Body) -> None:
        self._write({"kind": "holders", **found})

    @override
    def merged_stacks(self, merged: Body, tree: Iterable[tuple[int, int, str]]) -> None:
        self._write({"kind": "mergedStacks", **merged})

    @override
    def error(self, error: ErrorReport) -> None:
        self._write({"kind": "error", "code": error.code, "message": error.message})

    @override
    def notice(self, text: str) -> None:
        self._write({"kind": "notice", "message": text})

    def _write(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps({**line, **self._added}) + "\n")
        self._out.flush()


def _frame(frame: FrameReport) -> dict[str, Any]:
    return {wire_name(name): value for name, value in asdict(frame).items()}


def _stack(thread: ThreadReport) -> list[dict[str, Any]]:
    return [
        {**_frame(frame), "locals": list(thread.locals[place])} if place in thread.locals else _frame(frame)
        for place, frame in enumerate(thread.frames)
    ]


def _evaluation(evaluation: EvaluationReport) -> dict[str, Any]:
    if isinstance(evaluation.value, ErrorReport):
        failure = {"code": evaluation.value.code, "message": evaluation.value.message}
        return {"expression": evaluation.expression, "error": failure}
    return {"expression": evaluation.expression, **evaluation.value}
