"""What the debugger says of its own steps."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session
from tests.support.walks import walk

pytestmark = pytest.mark.e2e

# The program, the marker where a session starts, the steps, and parts of what is said of the last one.
EXPLAINED = {
    "over": (
        "Steps",
        "calls-nested",
        "over",
        ["Step over the statement at", "step over IL", "the method goes on there"],
    ),
    "into": ("Steps", "calls-nested", "in", ["Step into the statement at", "the statement has called that"]),
    "out": ("Steps", "add", "out", ["Step out of the method at", "the method was left for the one that had called it"]),
    "property": (
        "Steps",
        "get-property",
        "in",
        ["1 call (a property or operator, because of enableStepFiltering): Steps.Counter.Value.get.", "step out"],
    ),
    "framework": ("Steps", "after-nested", "in", ["(without source)", "Console.WriteLine"]),
    "handler": ("Steps", "calls-throw", "over", ["Ended at Steps.Program.Exceptions"]),
    "await": ("AsyncSteps", "leaf-second", "over", ["wait for the await at the next statement"]),
    "awaiter": (
        "AsyncSteps",
        "leaf-return",
        "out",
        ["wait for whoever awaits the method", "AsyncSteps.Program.Outer("],
    ),
}


@pytest.mark.parametrize("case", EXPLAINED)
def test_step_says_what_it_did(runtime: Runtime, session: Session, case: str) -> None:
    name, marker, steps, parts = EXPLAINED[case]
    program = programs.build(name, runtime)
    session.stop_in(program, marker, enableStepFiltering=True)
    session.set_breakpoints(str(program.source), [])
    walk(session, steps)
    explained = session.request("dap-dotnet/explainStep")
    for part in parts:
        assert part in explained["text"]
    assert explained["end"].endswith(f"Program.cs:{session.line()}")
    assert explained["plans"]


def test_step_that_a_breakpoint_ends_says_so(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", newest_runtime)
    session.launch_program(program, stop_at=["calls-add", "add"])
    session.wait_for_stop()
    with pytest.raises(DapRequestError, match="No step has been made yet"):
        session.request("dap-dotnet/explainStep")
    assert session.step_over().reason == "breakpoint"
    explained = session.request("dap-dotnet/explainStep")
    assert "end" not in explained
    assert explained["why"] == "something else stopped the program before"
