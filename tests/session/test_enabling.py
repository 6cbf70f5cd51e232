"""`dap-dotnet/enableBreakpoints`: disabled breakpoints stay known and stop nothing."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import DOCUMENT, line_of


def enable(session, enabled: bool, *ids: int) -> list[dict]:
    arguments = {"breakpointIds": list(ids), "enabled": enabled}
    return session.client.request("dap-dotnet/enableBreakpoints", arguments)["breakpoints"]


def states(session) -> dict[int, str]:
    listed = session.client.request("dap-dotnet/breakpoints")["breakpoints"]
    return {entry["id"]: entry["state"] for entry in listed}


def test_disabled_breakpoint_stays_known_and_is_not_hit_until_it_is_enabled(session):
    lines = [line_of("begin"), line_of("add"), line_of("added")]
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: lines})
    assert session.client.wait_for_stop().breakpoint_ids == (1,)
    (changed,) = enable(session, False, 2)
    assert (changed["id"], changed["verified"], changed["message"]) == (2, False, "The breakpoint is disabled.")
    again = session.client.set_breakpoints(DOCUMENT, lines)
    assert [entry.id for entry in again] == [1, 2, 3]
    assert states(session) == {1: "bound", 2: "disabled", 3: "bound"}
    session.client.continue_()
    assert session.client.wait_for_stop().breakpoint_ids == (3,)
    assert [entry["verified"] for entry in enable(session, True, 2, 3)] == [True, True]
    assert states(session) == {1: "bound", 2: "bound", 3: "bound"}


def test_unknown_breakpoint_is_refused_and_changes_nothing(session):
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [line_of("begin")]})
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError) as raised:
        enable(session, False, 1, 99)
    assert raised.value.code == "BREAKPOINT_NOT_FOUND"
    assert states(session) == {1: "bound"}


def test_condition_that_cannot_work_leaves_a_disabled_breakpoint_disabled(session):
    line = line_of("added")
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [line_of("begin"), line]})
    session.client.wait_for_stop()
    enable(session, False, 2)
    session.client.set_breakpoints(DOCUMENT, [{"line": line, "condition": "1 +"}])
    assert states(session) == {2: "disabled"}
    (changed,) = enable(session, True, 2)
    assert (changed["verified"], changed["reason"]) == (False, "failed")
    session.client.set_breakpoints(DOCUMENT, [line])
    assert states(session) == {2: "bound"}
