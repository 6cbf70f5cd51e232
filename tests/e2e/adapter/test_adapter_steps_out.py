"""Steps out of methods in which exceptions are handled on the way: they end where the method has been left."""

from __future__ import annotations

import pytest

from tests.support import programs, walks
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

# The marker where the step out begins, and the place where it ends.
OUTS = {
    "handled": "calls-handled",
    "conditional": "calls-conditional",
    "condition": "calls-conditional",
    "recursive": "takes-deepest+1",
    "finally": "calls-finally",
    "from-handler": "calls-from-handler",
    "rethrown": "takes-rethrown",
    "left": "takes-left",
    "awaiting": "awaits",
}


@pytest.mark.parametrize("just_my_code", [True, False], ids=["just-my-code", "all-code"])
@pytest.mark.parametrize("start", sorted(OUTS))
def test_step_out_passes_by_handlers_of_what_it_leaves(
    runtime: Runtime, session: Session, start: str, *, just_my_code: bool
) -> None:
    program = programs.build("StepsOut", runtime)
    session.stop_in(program, start, justMyCode=just_my_code)
    assert walks.walk(session, "out") == walks.lines_of(program, OUTS[start])
