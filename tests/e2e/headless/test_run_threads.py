"""``run --on-timeout threads``: what a program that hangs was doing."""

from __future__ import annotations

import pytest

from tests.e2e.headless.test_run_breakpoints import Run, of_kind, run  # noqa: F401
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = pytest.mark.e2e


def test_threads_of_a_deadlocked_program_are_shown_at_the_end_of_its_time(newest_runtime: Runtime, run: Run) -> None:  # noqa: F811
    program = programs.build("Deadlock", newest_runtime)
    lines = run(program, "--timeout", "4", "--on-timeout", "threads", code=124)
    (shown,) = of_kind(lines, "threads")
    names = {thread["id"]: thread["name"] for thread in shown["threads"]}
    assert {"Main Thread", "one", "two", "pulse"} <= set(names.values())
    assert {"one", "two"} in [{names[thread] for thread in ring} for ring in shown["cycles"]]
    (one,) = [thread for thread in shown["threads"] if thread["name"] == "one"]
    assert program.line("locks") in [frame["line"] for frame in one["stack"]]
    assert [line["code"] for line in of_kind(lines, "error")] == ["TIMEOUT"]
