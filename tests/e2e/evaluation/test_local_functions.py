"""Calls of the program's local functions, which use variables of the method around them."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
CALLS = {
    "Add(1)": "101",
    'Text("a")': '"pa8"',
    "Next() * 10 + Next()": "12",
    "count": "2",
    "Down(3)": "103",
    "Times(5)": "15",
    'Same("q")': '"q"',
    "Same(5)": "5",
    "More(2)": "102",
    "More(x: 3)": "103",
    "Add(x: 1)": "101",
    "Deep(1)": "108",
    "new[] { 1, 2 }.Select(x => Add(x)).Sum()": "203",
    'Set("zz"); prefix': '"zz"',
    "total = 7; Add(1)": "8",
}


REFUSED = {
    'Add("x")': "CS1503: Argument 1: cannot convert from 'string' to 'int'",
    "Add(1, 2)": "CS1501: No overload for method 'Add' takes 2 arguments",
    "Add()": "CS7036",
    "Add(nobody: 1)": "CS1739",
}


@pytest.mark.parametrize("where", ["structures", "objects"])
def test_local_functions_are_called_with_the_frames_variables(runtime: Runtime, session: Session, where: str) -> None:
    session.stop_in(programs.build("LocalFunctions", runtime), where)
    assert {text: session.evaluate(text).result for text in CALLS} == CALLS
    if runtime.major == "3.1":  # its SDK's compiler
        with pytest.raises(DapRequestError, match=r"CS7036.*keeps no defaults"):
            session.evaluate("More()")
    else:
        assert session.evaluate("More()").result == "11"  # total is 7
    for refused, said in REFUSED.items():
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(refused)
    frame = session.stack(count=1)[0].id
    hovered = session.request("evaluate", {"expression": "Next()", "frameId": frame, "context": "hover"})
    assert hovered["result"] == "runs code: add to watch"
    assert session.evaluate("count").result == "2"


@pytest.mark.parametrize("where", ["async", "iterator"])
def test_local_functions_of_state_machines_are_called(newest_runtime: Runtime, session: Session, where: str) -> None:
    session.stop_in(programs.build("LocalFunctions", newest_runtime), where)
    assert session.evaluate("Add(3)").result == "8"
