"""Requests for breakpoints that come while a launch is under way: answered when it is known where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.client.connection import PendingResponse
from dap_dotnet.errors import LaunchError
from dap_dotnet.session import early_answers
from tests.session.harness import SessionUnderTest
from tests.support.fake_debuggee.sample import DOCUMENT, line_of


def set_lines(session: SessionUnderTest, lines: Sequence[int], path: str = DOCUMENT) -> PendingResponse:
    breakpoints = [{"line": line} for line in lines]
    return session.client.send("setBreakpoints", {"source": {"path": path}, "breakpoints": breakpoints})


def answered(pending: PendingResponse) -> list[Any]:
    return list(pending.result()["breakpoints"])


def begin_launch(session: SessionUnderTest) -> PendingResponse:
    """A launch that goes no further until `may_start` is set."""
    session.backend.may_start.clear()
    starting = session.client.start("launch", {"program": "/app/Sample.dll"})
    session.client.request("breakpointLocations", {"source": {"path": DOCUMENT}, "line": 1})  # the launch is under way
    return starting


def test_breakpoints_set_during_a_launch_are_answered_bound(session):
    starting = begin_launch(session)
    setting = set_lines(session, [line_of("call")])
    session.client.request("threads")  # has come after it
    assert not setting.is_answered
    session.backend.may_start.set()
    (told,) = answered(setting)
    assert (told["verified"], told["line"]) == (True, line_of("call"))
    starting.result()
    session.client.configuration_done()
    assert session.client.wait_for_stop().breakpoint_ids == (told["id"],)
    assert "breakpoint" not in session.names(), "the answer has said it all"


def test_a_file_that_the_program_does_not_have_is_pending_once_it_is_loaded(session):
    begin_launch(session)
    setting = set_lines(session, [1], "/elsewhere/Other.cs")
    session.backend.may_start.set()
    (told,) = answered(setting)
    assert (told["verified"], told["reason"]) == (False, "pending")


def test_a_file_without_breakpoints_is_answered_at_once(session):
    begin_launch(session)
    assert answered(set_lines(session, [])) == []
    session.backend.may_start.set()


def test_breakpoints_set_before_the_launch_are_answered_at_once(session):
    session.client.initialize()
    (told,) = answered(set_lines(session, [line_of("call")]))
    assert told["verified"] is False
    session.client.request("launch", {"program": "/app/Sample.dll"})
    changed = session.client.wait_for("breakpoint").body["breakpoint"]
    assert (changed["id"], changed["verified"]) == (told["id"], True)


def test_a_client_that_is_configured_without_waiting_is_answered_all_the_same(session):
    begin_launch(session)
    setting = set_lines(session, [line_of("call")])
    session.client.configuration_done()
    session.backend.may_start.set()
    assert answered(setting)[0]["verified"] is True
    session.client.wait_for_stop()


def test_a_launch_that_fails_answers_them_as_pending(session):
    session.backend.failure = LaunchError("It cannot be started.")
    starting = begin_launch(session)
    setting = set_lines(session, [line_of("call")])
    session.backend.may_start.set()
    assert answered(setting)[0]["verified"] is False
    with pytest.raises(DapRequestError, match="cannot be started"):
        starting.result()


def test_a_launch_that_takes_long_answers_them_as_pending(session, monkeypatch):
    monkeypatch.setattr(early_answers, "EARLY_ANSWER_PATIENCE_S", 0.05)
    begin_launch(session)
    (told,) = answered(set_lines(session, [line_of("call")]))
    assert told["verified"] is False
    session.backend.may_start.set()
    changed = session.client.wait_for("breakpoint").body["breakpoint"]
    assert (changed["id"], changed["verified"]) == (told["id"], True)


def test_a_session_that_is_ended_during_the_launch_answers_them_first(session):
    begin_launch(session)
    setting = set_lines(session, [line_of("call")])
    session.client.disconnect()
    assert answered(setting)[0]["verified"] is False
    session.backend.may_start.set()
