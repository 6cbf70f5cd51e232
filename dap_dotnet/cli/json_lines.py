"""Reports as one JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TextIO

from dap_dotnet.cli.report import Body, BreakpointReport, ErrorReport, EvaluationReport, FrameReport, StopReport


class JsonReporter:
    """Writes objects with a `kind`: an event's name, with the members of its body.

    The kinds ``breakpoints``, ``explanation``, ``error`` and ``notice`` are not events.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def event(self, name: str, body: Body) -> None:
        """See `Reporter.event`."""
        self._write({"kind": name, **body})

    def stopped(self, stop: StopReport) -> None:
        """See `Reporter.stopped`."""
        self._write(
            {
                "kind": "stopped",
                **stop.body,
                "number": stop.number,
                "timestamp": stop.time.isoformat(timespec="microseconds").replace("+00:00", "Z"),
                "hitBreakpointIds": stop.body.get("hitBreakpointIds") or [],
                "hitCount": stop.hit_count,
                "thread": {"id": stop.thread_id, "name": stop.thread_name},
                "location": _frame(stop.frames[0]) if stop.frames else None,
                "stack": [_frame(frame) for frame in stop.frames],
                "locals": None if stop.locals is None else list(stop.locals),
                "evaluations": [_evaluation(evaluation) for evaluation in stop.evaluations],
            }
        )

    def breakpoints(self, when: Literal["set", "end"], listed: Sequence[BreakpointReport]) -> None:
        """See `Reporter.breakpoints`."""
        self._write({"kind": "breakpoints", "when": when, "breakpoints": [dict(report.body) for report in listed]})

    def explanation(self, breakpoint_id: int, explained: Body | ErrorReport) -> None:
        """See `Reporter.explanation`."""
        if isinstance(explained, ErrorReport):
            found: dict[str, Any] = {"error": {"code": explained.code, "message": explained.message}}
        else:
            found = dict(explained)
        self._write({"kind": "explanation", **found, "breakpointId": breakpoint_id})

    def error(self, error: ErrorReport) -> None:
        """See `Reporter.error`."""
        self._write({"kind": "error", "code": error.code, "message": error.message})

    def notice(self, text: str) -> None:
        """See `Reporter.notice`."""
        self._write({"kind": "notice", "message": text})

    def _write(self, line: dict[str, Any]) -> None:
        self._out.write(json.dumps(line) + "\n")
        self._out.flush()


def _frame(frame: FrameReport) -> dict[str, Any]:
    return {
        "function": frame.function,
        "module": frame.module,
        "file": frame.file,
        "line": frame.line,
        "column": frame.column,
        "endLine": frame.end_line,
        "endColumn": frame.end_column,
    }


def _evaluation(evaluation: EvaluationReport) -> dict[str, Any]:
    if isinstance(evaluation.value, ErrorReport):
        failure = {"code": evaluation.value.code, "message": evaluation.value.message}
        return {"expression": evaluation.expression, "error": failure}
    return {"expression": evaluation.expression, **evaluation.value}
