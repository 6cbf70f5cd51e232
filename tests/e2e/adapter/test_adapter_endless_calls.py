"""Calls that would end the program by a stack overflow: they are seen before they run where that can be."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_texts_that_ask_for_themselves_do_not_run(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Endless", runtime), "here")
    expected = {
        "interpolated": "{Interpolated}",
        "formatted": "{Formatted}",
        "concatenated": "{Concatenated}",
        "selfish": "{Selfish}",
        "parent": "{Parent}",
        "childless": "{parent of }",
        "displayed": "{Displayed}",
        "countdown": "{111off}",
        "nodes": "{1 1 1 }",
        "other": "{formatted 1}",
        "lazily": "{made1.5}",
    }
    frame = session.stack(count=1)[0].id
    refused = ["interpolated", "formatted", "concatenated", "parent", "parent.Only"]
    shown = session.values()
    assert {name: shown[name] for name in expected} == expected
    for expression in [
        "displayed.Shown",
        "displayed.First",
        "selfish.Message",
        *(f"{name}.ToString()" for name in refused),
    ]:
        with pytest.raises(DapRequestError, match="calls itself endlessly"):
            session.evaluate(expression, frame)


def test_a_stack_overflow_in_a_call_is_told(runtime: Runtime, session: Session) -> None:
    if runtime.major == "9.0":
        pytest.skip("the runtime of .NET 9 sleeps for ever after a stack overflow under a debugger")
    session.stop_in(programs.build("Endless", runtime), "here")
    with pytest.raises(DapRequestError, match="The program ended during the call"):
        session.evaluate("Deep(1 << 30)")
    assert session.wait_for_exit() == 134
    assert "ended by signal 6, inside a call made by an expression or for a value's text" in session.output("console")
