"""Displays and proxies written with the names in scope where their types are declared; and those that come before what
the debugger shows of a type itself. On every runtime."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_displays_see_what_their_types_see(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("DisplayScopes", runtime), "Scopes.cs", "scopes")
    expected = {
        "named": "11 2 3 4 On 2",
        "imported": '51 "bb" 4 0 51 "Global"',
        "noCode": "14 51 61",
        "inner": '31 6 "String" null',
        "marked.Field": "3 of 11 by 9",
        "derived": 'name "base" One 0x0000000f',
        # Before what is shown of collections, exceptions and tasks anyway; so is one that an assembly gives.
        "list": "own 1 of 11",
        "derivedList": "own 2 of 11",
        "dictionary": "own 2",
        "thrown": "own 5",
        "task": "own 6",
        "byAssembly": "mine, of 1",
        "version": "major 4",
        # Of a ref struct, which only the stack holds.
        "sum": "3 of 2",
        "spoken": "{spoken 6}",
        # With a message that has to be asked for.
        "told": "{DisplayScopes.Told: code 8}",
        "aggregate": "{System.AggregateException: Several. (code 8) (<DisplayScopes.Untold>)}",
        "failed": "Status = Faulted, Exception = {DisplayScopes.Told: code 8}",
    }
    assert {name: session.evaluate(name).result for name in expected} == expected
    shown = session.locals()
    assert {name: shown[name].value for name in ("named", "list", "thrown", "version")} == {
        name: expected[name] for name in ("named", "list", "thrown", "version")
    }
    assert (shown["derived"].type, shown["dictionary"].type) == ("of 11", "ours")
    names = [entry.name for entry in session.variables(shown["bases"].variables_reference)]
    assert names == ['is "base"', 'is "base"']
    items = session.variables(shown["list"].variables_reference)
    assert [(entry.name, entry.value) for entry in items] == [("[0]", "1"), ("Raw View", "")]


def test_proxies_stand_before_the_items_of_a_collection(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("DisplayScopes", runtime), "Scopes.cs", "scopes")
    shown = session.locals()
    expected = {
        "viewedList": [("Extra", "4"), ("[0]", '"x"'), ("Raw View", "")],
        "derivedViewed": [("Extra", "4"), ("[0]", '"y"'), ("Raw View", "")],
        "stack": [("Top", '"top"'), ("Raw View", "")],
        "nested": [("One", '"f"'), ("Two", "2"), ("Raw View", "")],
        "closed": [("Names", '"Int32 List`1"'), ("Inside", "8"), ("Raw View", "")],
    }
    opened = {name: session.variables(shown[name].variables_reference) for name in expected}
    assert {name: [(one.name, one.value) for one in members] for name, members in opened.items()} == expected
    assert shown["viewedList"].value == "Count = 1"
    for members in opened.values():
        for one in members[:-1]:
            assert one.evaluate_name is not None
            assert session.evaluate(one.evaluate_name).result == one.value


def test_items_stand_in_the_place_of_a_property_whose_getter_has_to_run(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("DisplayScopes", runtime), "Scopes.cs", "scopes")
    rooted = session.locals()["rooted"]
    assert (rooted.named_variables, session.evaluate("Rooted.Calls").result) == (None, "0")
    threw = "<The called code threw System.InvalidOperationException: No items>"
    expected = [
        ("Before", "1", "rooted.Before"),
        ("numbers", "Count = 2", "rooted.numbers"),
        ("[0]", "5", "rooted.Items[0]"),
        ("[1]", "6", "rooted.Items[1]"),
        ("Failing", threw, "rooted.Failing"),
        ("After", "2", "rooted.After"),
        ("Static members", "", None),
    ]
    for start in range(len(expected)):  # it runs once, for all of them
        page = session.variables(rooted.variables_reference, start=start, count=2)
        assert [(one.name, one.value, one.evaluate_name) for one in page] == expected[start : start + 2]
    assert session.evaluate("Rooted.Calls").result == "1"


def _thrown(session: Session) -> tuple[str | None, str, list[str]]:
    """Of the next exception: the stop's text, the message that `exceptionInfo` has, and those of the inner ones."""
    session.last_stop = None
    stop = session.wait_for_stop()
    details = session.request("exceptionInfo", {"threadId": stop.thread_id})["details"]
    session.continue_()
    return stop.text, details["message"], [one["message"] for one in details.get("innerException", [])]


UNTOLD = "<needs code of the program to run: evaluate $exception.InnerExceptions[1].Message>"


def test_an_exception_has_the_message_that_it_gives_itself(runtime: Runtime, session: Session) -> None:
    program = programs.build("DisplayScopes", runtime)
    session.launch(str(program.dll), exception_filters=["all"], env=dict(program.env))
    told = "DisplayScopes.Told: code 7", "code 7", []
    several = "Several. (code 7) (<DisplayScopes.Untold>)"
    assert _thrown(session) == told
    assert _thrown(session) == (f"System.AggregateException: {several}", several, ["code 7", UNTOLD])
    assert _thrown(session) == ("System.InvalidOperationException: around", "around", ["code 7"])
    session.wait_for_exit()


def test_no_message_is_asked_for_where_nothing_may_run(runtime: Runtime, session: Session) -> None:
    program = programs.build("DisplayScopes", runtime)
    options = {"allowImplicitFuncEval": False}
    session.launch(
        str(program.dll), exception_filters=["all"], env=dict(program.env), expressionEvaluationOptions=options
    )
    unknown = "<needs code of the program to run: evaluate {}.Message>"
    assert _thrown(session) == ("DisplayScopes.Told", unknown.format("$exception"), [])
    several = "Several. (<DisplayScopes.Told>) (<DisplayScopes.Untold>)"
    inner = [unknown.format("$exception.InnerExceptions[0]"), UNTOLD]
    assert _thrown(session) == (f"System.AggregateException: {several}", several, inner)
    assert _thrown(session)[2] == [unknown.format("$exception.InnerException")]
    session.wait_for_exit()
    assert session.output().splitlines()[-1] == "0"
