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


def test_structures_that_getters_make_are_opened(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Getters.cs", "getters")

    def opened(reference: int) -> dict[str, Variable]:
        return {entry.name: entry for entry in session.variables(reference)}

    members = opened(session.locals()["journey"].variables_reference)
    assert _is_lazy(members["Told"])  # the program tells its text, once it is asked for
    assert [entry.value for entry in session.variables(members["Told"].variables_reference)] == ["{no. 4}"]
    frame = session.stack(count=1)[0].id
    hovered = session.request("evaluate", {"expression": "journey.First", "frameId": frame, "context": "hover"})
    references = [members["First"].variables_reference, hovered["variablesReference"]]
    references.append(members["Maybe"].variables_reference)
    for reference in references:
        leg = opened(reference)
        assert _is_lazy(leg["Slow"])
        assert {name: entry.value for name, entry in leg.items() if name != "Slow"} == {
            "From": "{Spot}",
            "Name": '"first"',
            "Told": "{no. 3}",
            "Day": "Monday",
            "Never": "null",
            "Bounds": "(3, {Spot})",
        }
        bounds = opened(leg["Bounds"].variables_reference)
        assert {name: entry.value for name, entry in bounds.items()} == {"Low": "3", "High": "{Spot}"}
        high = opened(bounds["High"].variables_reference)
        assert {name: entry.value for name, entry in high.items()} == {"X": "6", "Y": "8", "Sum": "14"}
        assert [entry.value for entry in session.variables(leg["Slow"].variables_reference)] == ['"first from 3"']
        (told,) = session.variables(opened(leg["Told"].variables_reference)["Next"].variables_reference)
        assert told.value == "{no. 4}"
    statics = opened(members["Static members"].variables_reference)
    origin = opened(statics["Origin"].variables_reference)
    assert [entry.value for entry in session.variables(origin["Slow"].variables_reference)] == ['"origin from 0"']
    for expression in ("First.From.X", "First.Bounds.High.Sum", "First.Day", "First.Never", "Told.Next.Number"):
        arguments = {"expression": f"journey.{expression}", "frameId": frame}
        ways = [session.request("evaluate", {**arguments, "context": way})["result"] for way in ("hover", "watch")]
        assert ways[0] == ways[1], expression
