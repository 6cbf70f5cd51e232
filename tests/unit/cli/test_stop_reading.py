"""Which frame of a stop is looked at."""

from __future__ import annotations

import io
from datetime import datetime, timezone
from typing import Any

import pytest

from dap_dotnet.cli.human import HumanReporter
from dap_dotnet.cli.report import StopReport
from dap_dotnet.cli.stop_reading import StopReader

MINE, OTHERS, MARKER = {"name": "Mine"}, {"name": "Others", "presentationHint": "subtle"}, {"presentationHint": "label"}


class _Client:
    def __init__(self, *frames: dict[str, Any]) -> None:
        self.frames = frames

    def request(self, command: str, arguments: Any) -> dict[str, Any]:
        assert command == "stackTrace"
        return {"stackFrames": list(self.frames[: arguments.levels or None])}


@pytest.mark.parametrize(
    ("reason", "frames", "levels", "count", "focus"),
    [
        ("exception", [MINE, OTHERS], 1, 1, 0),
        ("exception", [OTHERS, MARKER, OTHERS, MINE, MINE], 1, 4, 3),
        ("exception", [OTHERS, MINE, MINE, MINE], 3, 3, 1),
        ("exception", [OTHERS, OTHERS], 1, 1, 0),
        ("exception", [OTHERS] * 60 + [MINE], 2, 2, 0),
        ("exception", [], 1, 0, 0),
        ("exception", [MARKER, MINE], 1, 1, 0),
        ("breakpoint", [OTHERS, MINE], 1, 1, 0),
    ],
)
def test_newest_frame_of_the_users_code_is_looked_at_where_others_have_thrown(reason, frames, levels, count, focus):
    reader = StopReader(_Client(*frames))  # type: ignore[arg-type]
    found, place = reader.frames_of_stop({"reason": reason, "threadId": 1}, levels)
    first = 1 if frames[:1] == [MARKER] else 0
    assert (list(found), place) == (frames[first:][:count], focus)


def test_people_see_that_frame_and_where_it_was_thrown():
    reader = StopReader(_Client())  # type: ignore[arg-type]
    frames = [{"name": "Xunit.Assert.Equal()"}, {"name": "CartTests.Adds()", "source": {"path": "/T.cs"}, "line": 7}]
    stop = StopReport(
        number=1,
        time=datetime.now(timezone.utc),
        body={"reason": "exception", "text": "EqualException"},
        thread_id=1,
        thread_name="Main",
        hit_count=None,
        frames=tuple(reader.frame(frame) for frame in frames),
        locals=None,
        evaluations=(),
        focus=1,
    )
    out = io.StringIO()
    HumanReporter(out, io.StringIO(), show_stack=False).stopped(stop)
    first, *rest = out.getvalue().splitlines()
    assert "CartTests.Adds()" in first
    assert rest[:3] == ["  EqualException", "  thrown in Xunit.Assert.Equal()", "  /T.cs:7"]
