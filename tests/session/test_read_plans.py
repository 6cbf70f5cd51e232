"""Read plans of breakpoints: learnt from what conditions read, and never believed against the program."""

from __future__ import annotations

import pytest

from tests.support.fake_debuggee.machine import Machine
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.support.fake_debuggee.values import Object

ROUNDS = 60


def adds(machine: Machine) -> int:
    """Goes through Add many times, and stops at its end."""
    with machine.call("Main", args=["x"]) as main:
        main.locals["point"] = Object("Sample.Point", {"X": 4, "Name": "four"})
        for i in range(ROUNDS):
            main.locals.update(total=i, numbers=list(range(i % 5)), i=i % 5)
            if i % 7 == 3:
                main.locals["point"] = None
            elif i % 7 == 4:
                main.locals["point"] = Object("Sample.Point", {"X": i, "Name": "x" * 2000 if i % 2 else "name"})
            machine.at("call")
            with machine.call("Add", left=i, right=2 * i):
                machine.at("add")
        machine.at("end")
    return 0


def lines_of(session, breakpoints):
    """What the log points write, from launch to exit."""
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: breakpoints})
    assert session.client.wait_for_exit() == 0
    written = [body["output"] for body in session.client.events("output") if body.get("category") == "console"]
    return "".join(written).splitlines()


@pytest.mark.parametrize(
    "expression",
    [
        "left + right",
        "numbers[i]",
        "numbers[0]",
        "point.X",
        "point?.Name",
        "numbers.Length",
        "point.Next?.X",
        "total",
    ],
)
def test_read_plan_changes_no_value_and_no_error(session_of, monkeypatch, expression):
    line = line_of("add" if "left" in expression else "call")
    seen = []
    for switch in ("1", "0"):
        monkeypatch.setenv("DAP_DOTNET_READ_PLAN", switch)
        with session_of(adds) as session:
            seen.append(lines_of(session, [{"line": line, "logMessage": f"{{{expression}}}"}]))
            assert bool(session.debuggee.plans) == (switch == "1")
    assert seen[0] == seen[1]
    assert len(seen[0]) == ROUNDS


def test_condition_reads_nothing_by_calls_once_its_plan_is_learnt(session_of):
    with session_of(adds) as session:
        assert lines_of(session, [{"line": line_of("add"), "condition": "left + right == -1"}]) == []
        assert 0 < len(session.debuggee.reads) <= 6
        (plan,) = session.debuggee.plans.values()
        assert len(plan.reads) == 2


def test_hit_condition_alone_reads_nothing(session_of):
    with session_of(adds) as session:
        assert lines_of(session, [{"line": line_of("add"), "hitCondition": ">= 1000"}]) == []
        assert session.debuggee.reads == []
        assert session.debuggee.plans == {}
