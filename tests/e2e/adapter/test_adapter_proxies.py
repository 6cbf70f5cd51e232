"""Types that tell debuggers to show another object in their place, on every runtime."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_objects_are_shown_as_their_proxies_show_them(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Proxies.cs", "proxies")
    shown = session.locals()
    frame = session.stack(count=1)[0].id

    def made() -> str:
        return str(session.request("evaluate", {"expression": "Proxies.Made", "frameId": frame})["result"])

    assert made() == "0"
    members = session.variables(shown["basket"].variables_reference)
    assert made() == "1"
    assert [(entry.name, entry.value) for entry in members] == [
        ("Field", "5"),
        ("Count", "2"),
        ("First", "{Point}"),
        ("Text", '"1,2; 3,4"'),
        ("[0]", "{Point}"),
        ("[1]", "{Point}"),
        ("Raw View", ""),
    ]
    for entry in members[:-1]:  # each of these calls makes proxies of its own; those of the view live on
        assert entry.evaluate_name is not None
        assert session.evaluate(entry.evaluate_name, frame).result == entry.value
    for entry, x in ((members[2], "1"), (members[5], "3")):
        assert session.variables(entry.variables_reference)[0].value == x
    (raw,) = session.variables(members[-1].variables_reference)
    assert (raw.name, raw.value, raw.evaluate_name) == ("places", "Count = 2", "basket.places")

    pile, tall = (session.variables(shown[name].variables_reference) for name in ("pile", "tall"))
    assert [(entry.name, entry.value) for entry in pile[:2]] == [("Top", '"b"'), ("All", "Count = 2")]
    assert [(entry.name, entry.value) for entry in tall[:2]] == [("Top", "4"), ("All", "Count = 2")]
    assert shown["outside"].value == "outside 7"
    (doubled, _) = session.variables(shown["outside"].variables_reference)
    assert (doubled.name, doubled.value) == ("Doubled", "14")


def test_a_proxy_shows_all_its_members_where_that_is_asked(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Proxies.cs", "proxies")
    frame = session.stack(count=1)[0].id
    found = session.request("evaluate", {"expression": "basket,hidden", "frameId": frame})["variablesReference"]
    shown = {entry.name: entry.value for entry in session.variables(found)}
    assert (shown["Own"], shown["Field"], shown["basket"]) == ("1", "5", "{Basket}")
    assert "It was read" in shown["Secret"]


def test_what_a_proxy_shows_is_changed_in_the_object_or_refused(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Proxies.cs", "proxies")
    frame = session.stack(count=1)[0].id
    crate = session.locals()["crate"].variables_reference
    members = {entry.name: entry for entry in session.variables(crate)}

    def change(container: int, name: str, value: str) -> str:
        return str(
            session.request("setVariable", {"variablesReference": container, "name": name, "value": value})["value"]
        )

    assert change(crate, "Kilos", "31") == "31"
    assert session.evaluate("crate.Weight", frame).result == "31"
    assert change(members["Themselves"].variables_reference, "[1]", "5") == "5"
    assert session.evaluate("crate.Counts[1]", frame).result == "5"
    copies = [
        (crate, "Own"),
        (members["Copied"].variables_reference, "[0]"),
        (members["Listed"].variables_reference, "[0]"),
    ]
    for container, name in copies:
        with pytest.raises(DapRequestError, match="part of a copy"):
            change(container, name, "9")
    copied = session.variables(members["Copied"].variables_reference)[0].evaluate_name
    with pytest.raises(DapRequestError, match="part of a copy"):
        session.request("setExpression", {"expression": copied, "value": "9", "frameId": frame})
    assert session.evaluate("crate.Counts[0]", frame).result == "1"


def test_proxies_that_fail_leave_the_members_and_a_word(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Proxies.cs", "proxies")
    shown = session.locals()
    opened = {
        name: {entry.name: entry.value for entry in session.variables(shown[name].variables_reference)}
        for name in ("refusing", "halfBroken", "missing")
    }
    threw = "<The called code threw System.InvalidOperationException: {}>"
    assert opened["refusing"] == {"DebuggerTypeProxy": threw.format("Not today: 8"), "Inner": "8"}
    assert opened["halfBroken"] == {"Bad": threw.format("Only this one"), "Good": "9", "Raw View": ""}
    assert opened["missing"]["Inner"] == "12"


def test_proxies_that_only_read_are_shown_where_nothing_may_run(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(
        programs.build("Shown", runtime),
        "Proxies.cs",
        "proxies",
        expressionEvaluationOptions={"allowImplicitFuncEval": False},
    )
    shown = session.locals()
    (doubled, raw) = session.variables(shown["outside"].variables_reference)
    assert (doubled.name, doubled.value, raw.name) == ("Doubled", "14", "Raw View")
    members = session.variables(shown["basket"].variables_reference)
    assert [entry.name for entry in members] == ["DebuggerTypeProxy", "places"]
    frame = session.stack(count=1)[0].id
    assert session.request("evaluate", {"expression": "Proxies.Made", "frameId": frame})["result"] == "0"


def test_results_view_enumerates_when_it_is_opened(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Proxies.cs", "proxies")
    shown = session.locals()
    frame = session.stack(count=1)[0].id

    def results(name: str) -> int:
        members = {entry.name: entry for entry in session.variables(shown[name].variables_reference)}
        assert members["Results View"].value == "Expanding it enumerates the object"
        return members["Results View"].variables_reference

    references = {name: results(name) for name in ("numbers", "naturals", "letters", "failingItems")}
    assert session.request("evaluate", {"expression": "Proxies.Made", "frameId": frame})["result"] == "0"
    numbers = session.variables(references["numbers"])
    assert [(entry.name, entry.value) for entry in numbers] == [("[0]", "0"), ("[1]", "1"), ("[2]", "4")]
    for entry in numbers:
        assert entry.evaluate_name is not None
        assert session.evaluate(entry.evaluate_name, frame).result == entry.value
    naturals = session.variables(references["naturals"])
    assert (len(naturals), naturals[999].value) == (1001, "998001")
    assert naturals[1000].value == "<only the first 1000 items are shown>"
    assert [entry.value for entry in session.variables(references["naturals"], start=2, count=2)] == ["4", "9"]
    assert [entry.value for entry in session.variables(references["letters"])] == ['"ab1"', '"ab2"']
    (failed,) = session.variables(references["failingItems"])
    assert "No items today" in failed.value
