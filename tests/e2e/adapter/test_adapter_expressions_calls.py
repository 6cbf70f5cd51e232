"""Calls that expressions make: what else runs meanwhile, calls that wait, and what code they reach."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_other_threads_stay_where_they_are_during_a_call(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", newest_runtime), "main")
    before = session.evaluate("count").result
    assert session.evaluate("Slow()").result == "8"
    assert session.evaluate("count").result == before


def test_other_threads_go_on_when_a_call_waits_for_them(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", newest_runtime), "main")
    assert session.evaluate("WaitsForCounter()").result == "9"


def test_a_call_that_cannot_be_aborted_does_not_cost_the_stop(newest_runtime: Runtime, session: Session) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("the runtime of .NET Core 3.1 can abort such a call")
    program = programs.build("Calls", newest_runtime)
    session.stop_in(program, "main")
    with pytest.raises(DapRequestError, match="cannot be aborted"):
        session.evaluate("Waits()")
    assert len(session.events("stopped")) == 1
    assert session.line() == program.line("main")
    assert session.evaluate("local").result == "3"
    session.continue_()
    assert session.wait_for_exit() == 0


def test_the_message_of_what_a_getter_throws_is_shown(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", runtime), "main")
    with pytest.raises(DapRequestError, match=r"threw System\.InvalidOperationException: no such thing"):
        session.evaluate("Fails")


def results(session: Session, expressions: Iterable[str]) -> dict[str, str]:
    found = {}
    for expression in expressions:
        try:
            found[expression] = session.evaluate(expression).result
        except DapRequestError as error:
            found[expression] = error.text
    return found


def test_base_means_the_method_of_the_base(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", runtime), "derived")
    expected = {
        "base.Who()": '"base"',
        "base.Number": "1",
        "base.ToString()": '"I am the base"',
        "Who() + this.Who()": '"derivedderived"',
        "Number + base.Number;": "3",
    }
    assert results(session, expected) == expected
    with pytest.raises(DapRequestError, match=r"base\.Slow is overridden"):
        session.evaluate("base.Slow()")


def test_classes_are_initialised_before_their_fields_are_read(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", runtime), "main")
    expected = {
        "Settings.Zero": "0",
        "Settings.Limit": "10",
        "Settings.Name": '"cfg"',
        "Settings.Words.Length": "2",
        "local + Holder<int>.Items.Count": "4",
        "Derived.Shared": "5",
        "typeof(Derived).Name;": '"Derived"',
    }
    assert results(session, expected) == expected
    assert session.evaluate("typeof(Settings)").type == "RuntimeType"
    with pytest.raises(DapRequestError, match="CS0176"):
        session.evaluate("derived.Shared")
    with pytest.raises(DapRequestError, match="CS0176"):
        session.evaluate("derived.Make()")
    with pytest.raises(DapRequestError, match="TypeInitializationException"):
        session.evaluate("Broken.Value")


def test_parameters_of_a_primary_constructor_have_their_names(newest_runtime: Runtime, session: Session) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("primary constructors are of C# 12")
    session.stop_in(programs.build("Calls", newest_runtime), "primary")
    expected = {"first": "4", "first + twice": "12", "unit.Length": "2"}
    assert results(session, expected) == expected


def test_delegates_in_fields_and_properties_are_called_by_their_names(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Calls", runtime), "derived")
    expected = {
        "twice(4)": "8",
        "this.twice(twice(1))": "4",
        "Thrice(4) + Derived.Thrice(1)": "15",
        "Greeting()": '"hello from derived"',
        "nothing()": "System.NullReferenceException: Object reference not set to an instance of an object: the "
        "delegate 'nothing' is null",
        "Shared(1)": "error CS1955: Non-invocable member 'Derived.Shared' cannot be used like a method",
        "this.none(1)": "error CS1061: 'Derived' does not contain a definition for 'none'",
    }
    found = results(session, expected)
    assert {expression: found[expression][: len(shown)] for expression, shown in expected.items()} == expected
