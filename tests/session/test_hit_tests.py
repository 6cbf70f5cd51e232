"""Conditions that the runtime's own thread decides: set once they are known, taken away with every change."""

from __future__ import annotations

import pytest

from tests.session.test_read_plans import ROUNDS, adds, lines_of
from tests.support.fake_debuggee.sample import DOCUMENT, line_of

ADD, CALL = line_of("add"), line_of("call")
EXPLAIN = "dap-dotnet/explainBreakpoint"

DECIDED = [
    (ADD, "left == -1", 0),
    (ADD, "left % 10 == 3", 6),
    (ADD, "left >= 10 && right < 30", 5),
    (ADD, "!(left > 5) || left == 40", 7),
    (ADD, "(right & 64) != 0", 28),
    (ADD, "-1 < left && left < 2", 2),
    (ADD, "left != right", ROUNDS - 1),
    (CALL, "i == total", 5),
    (CALL, "numbers == null", 0),
]
NOT_DECIDED = [
    (ADD, "left + right == 30", 1),
    (CALL, "numbers.Length == 2", 12),
    (CALL, "point?.X == 4", None),
]


@pytest.mark.parametrize(("line", "condition", "count"), [*DECIDED, *NOT_DECIDED])
def test_hit_test_changes_no_verdict(session_of, line, condition, count):
    with session_of(adds) as session:
        written = lines_of(session, [{"line": line, "condition": condition, "logMessage": "hit"}])
        assert count is None or written == ["hit"] * count
        is_decided = (line, condition, count) in DECIDED
        assert bool(session.debuggee.hit_tests.set_so_far) == is_decided
        # The right side of an && is read for the first time in round 10.
        assert not is_decided or sum(session.debuggee.hit_tests.passed.values()) >= ROUNDS - count - 12


def test_hit_tests_can_be_switched_off(session_of, monkeypatch):
    monkeypatch.setenv("DAP_DOTNET_HIT_TEST", "0")
    with session_of(adds) as session:
        assert lines_of(session, [{"line": ADD, "condition": "left == -1"}]) == []
        assert session.debuggee.hit_tests.set_so_far == []


def test_explanation_counts_hits_that_were_passed(session_of):
    with session_of(adds) as session:
        client = session.client
        breakpoints = {DOCUMENT: [{"line": ADD, "condition": "left == 1000"}, {"line": line_of("end")}]}
        client.launch("/app/Sample.dll", breakpoints=breakpoints)
        client.wait_for_stop()
        assert sum(session.debuggee.hit_tests.passed.values()) > ROUNDS // 2
        condition = client.request(EXPLAIN, {"breakpointId": 1})["condition"]
        assert (condition["tested"], condition["held"]) == (ROUNDS, 0)


def stopped_in_round(session, number):
    """At the call of a round, while Add's condition has a test."""
    client = session.client
    breakpoints = {
        DOCUMENT: [{"line": ADD, "condition": "left == 1000"}, {"line": CALL, "condition": f"total == {number}"}]
    }
    client.launch("/app/Sample.dll", breakpoints=breakpoints)
    client.wait_for_stop()
    assert session.debuggee.hit_tests.tests


def test_changed_condition_is_tested_at_the_next_hit(session_of):
    with session_of(adds) as session:
        stopped_in_round(session, 30)
        session.client.set_breakpoints(DOCUMENT, [{"line": ADD, "condition": "left == 31"}])
        session.client.continue_()
        stop = session.client.wait_for_stop()
        assert session.client.evaluate("left", frame_id=session.client.stack(stop.thread_id)[0].id).result == "31"
        condition = session.client.request(EXPLAIN, {"breakpointId": 1})["condition"]
        assert (condition["tested"], condition["held"]) == (2, 1)


def test_another_breakpoint_at_the_same_place_is_hit(session_of):
    with session_of(adds) as session:
        stopped_in_round(session, 30)
        made = session.client.request("setFunctionBreakpoints", {"breakpoints": [{"name": "Add"}]})["breakpoints"]
        session.client.continue_()
        assert session.client.wait_for_stop().breakpoint_ids == (made[0]["id"],)


def test_breakpoint_without_its_condition_stops(session_of):
    with session_of(adds) as session:
        stopped_in_round(session, 30)
        session.client.set_breakpoints(DOCUMENT, [{"line": ADD}])
        session.client.continue_()
        assert session.client.wait_for_stop().breakpoint_ids == (1,)
