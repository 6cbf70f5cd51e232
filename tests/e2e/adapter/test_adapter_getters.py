"""Getters that make structures on the way: their values are shown at once, and are those that the program gets."""

from __future__ import annotations

import pytest

from dap_dotnet.protocol.messages.variables import Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_getters_that_make_structures_are_read_at_once(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(
        programs.build("Shown", runtime),
        "Getters.cs",
        "getters",
        expressionEvaluationOptions={"allowImplicitFuncEval": False},
    )
    shown = session.locals()
    expected: dict[str, dict[str, str]] = {}
    for entry in session.variables(shown["texts"].variables_reference):
        place, _, value = entry.value.strip('"').partition("=")
        owner, _, name = place.partition(".")
        expected.setdefault(owner, {})[name] = value
    for owner, getters in expected.items():
        members = {entry.name: entry for entry in session.variables(shown[owner].variables_reference)}
        read = {name: members[name].value for name in getters if not _is_lazy(members[name])}
        assert read == {name: value for name, value in getters.items() if name in read}, owner
        # The names of an enum are the program's to find, and from .NET 8 on a date is made by looking it up in a span.
        left = {"ByName", *(["When"] if runtime.major != "3.1" else [])} if owner == "segment" else set()
        assert getters.keys() - read.keys() == left, owner
    frame = session.stack(count=1)[0].id
    hovered = {
        "leap.Date.Year": "2024",
        "leap.TimeOfDay.Hours": "12",
        "leap.Date < leap": "true",
        "(last - first).Days": "3652058",
        "east.UtcDateTime.DayOfWeek": "Thursday",
        "refused.Message": "\"It is needed. (Parameter 'name')\"",
        **({"weak.IsAlive": "true"} if runtime.major != "3.1" else {}),
    }
    for expression, value in hovered.items():
        arguments = {"expression": expression, "frameId": frame, "context": "hover"}
        assert session.request("evaluate", arguments)["result"] == value, expression


def _is_lazy(member: Variable) -> bool:
    return bool(member.presentation_hint and member.presentation_hint.lazy)
