"""What calls have returned, after steps over and out."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import line_of


def returned(session):
    frame = session.client.stack()[0]
    scopes = session.client.request("scopes", {"frameId": frame.id})["scopes"]
    assert [scope["name"] for scope in scopes][:1] == ["Locals"]
    return [
        (one["name"], one["value"], one["evaluateName"])
        for scope in scopes[1:]
        for one in session.client.request("variables", {"variablesReference": scope["variablesReference"]})["variables"]
    ]


def test_step_over_shows_what_calls_have_returned(session):
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    assert returned(session) == []
    session.client.step_over()
    assert returned(session) == [("Program.Add returned", "1", "$returnValue1")]
    assert session.client.evaluate("$returnValue * 10 + $returnValue1").result == "11"
    with pytest.raises(DapRequestError, match=r"\$returnValue2' has no value: only 1 "):
        session.client.evaluate("$returnValue2")
    assert not session.debuggee.return_breakpoints


def test_step_out_shows_what_was_returned(session):
    session.launch(line_of("added"))
    session.client.wait_for_stop()
    session.client.step_out()
    assert returned(session) == [("Program.Add returned", "1", "$returnValue1")]


def test_returned_values_end_with_the_stop(session):
    session.launch(line_of("call"), line_of("print"))
    session.client.wait_for_stop()
    session.client.step_over()
    session.client.continue_()
    session.client.wait_for_stop()
    assert returned(session) == []
    with pytest.raises(DapRequestError, match="no step has returned"):
        session.client.evaluate("$returnValue")


def test_step_that_is_interrupted_shows_nothing(session):
    session.launch(line_of("call"), line_of("add"))
    session.client.wait_for_stop()
    session.client.step_over()
    assert session.client.stack()[0].line == line_of("add")
    assert returned(session) == []
    assert not session.debuggee.return_breakpoints
