"""`dataBreakpointInfo` and `setDataBreakpoints` over the whole server."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support.fake_debuggee.machine import Machine
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.support.fake_debuggee.values import Object

AMOUNTS = [5, 0, 2, 2]


def deposits(machine: Machine) -> int:
    """Deposits the amounts, then moves two points."""
    with machine.call("Main", args=["a"]) as main:
        machine.at("begin")
        near, far = Object("Sample.Point", {"X": 1}), Object("Sample.Point", {"X": 9})
        main.locals["point"] = near
        machine.at("loop")
        balance = 0
        for by in AMOUNTS:
            with machine.call("Deposit", by=by):
                machine.at("deposit")
                balance += by
                machine.store("balance", balance)
                machine.at("deposited")
        for point, by in ((near, 0), (near, 2), (far, 3)):
            with machine.call("Move", point=point, by=by):
                machine.at("move")
                point.fields["X"] += by
                machine.at("moved")
        machine.at("end")
    return 0


@pytest.fixture
def stopped(session_of):
    with session_of(deposits) as session:
        session.launch(line_of("loop"))
        session.client.wait_for_stop()
        session.client.set_breakpoints(DOCUMENT, [])
        yield session


def info(session: Any, name: str, **more: Any) -> dict[str, Any]:
    if "variablesReference" not in more:
        more["frameId"] = session.client.stack(count=1)[0].id
    return session.client.request("dataBreakpointInfo", {"name": name, **more})


def watch(session: Any, *wanted: dict[str, Any]) -> list[dict[str, Any]]:
    return session.client.request("setDataBreakpoints", {"breakpoints": list(wanted)})["breakpoints"]


def run(session: Any) -> list[str]:
    """The texts of all stops to the end."""
    texts = []
    while True:
        session.client.continue_()
        try:
            stop = session.client.wait_for_stop()
        except ProgramEndedError:
            return texts
        assert stop.reason == "data breakpoint"
        assert stop.description == stop.text
        texts.append(stop.text)


def test_static_field_stops_when_it_changes(stopped):
    (made,) = watch(stopped, {"dataId": info(stopped, "Program.balance")["dataId"]})
    assert made["verified"]
    assert run(stopped) == ["Program.balance: 0 -> 5", "Program.balance: 5 -> 7", "Program.balance: 7 -> 9"]


def test_field_of_one_object_leaves_the_others_alone(stopped):
    answer = info(stopped, "point.X")
    assert answer["dataId"] == "Sample.dll!Sample.Point::X#1"
    watch(stopped, {"dataId": answer["dataId"]})
    assert run(stopped) == ["Point.X: 1 -> 3"]


def test_field_of_all_objects(stopped):
    answer = info(stopped, "Sample.Point.X")
    assert answer["dataId"] == "Sample.dll!Sample.Point::X"
    watch(stopped, {"dataId": answer["dataId"]})
    assert run(stopped) == ["Point.X: 1 -> 3", "Point.X: 9 -> 12"]
    assert len(stopped.debuggee.heap.pins) <= 8, "no more than the last objects stay remembered, for initialisers"


def test_nothing_stays_remembered_when_nothing_is_watched_any_more(stopped):
    watch(stopped, {"dataId": "Point.X"})
    stopped.client.continue_()
    stopped.client.wait_for_stop()
    assert stopped.debuggee.heap.pins
    watch(stopped)
    assert stopped.debuggee.heap.pins == {}


def test_variables_view_gives_the_field_of_its_object(stopped):
    point = stopped.client.locals()["point"].variables_reference
    assert info(stopped, "X", variablesReference=point)["dataId"] == "Sample.dll!Sample.Point::X#1"
    statics = next(entry for entry in stopped.client.variables(point) if "tatic" in entry.name).variables_reference
    answer = info(stopped, "Made", variablesReference=statics)
    assert (answer["dataId"], answer["canPersist"]) == ("Sample.dll!Sample.Point::Made", True)
    assert info(stopped, "nope", variablesReference=point)["dataId"] is None


def test_condition_and_hit_condition_count_changes(stopped):
    field = info(stopped, "Program.balance")["dataId"]
    (made,) = watch(stopped, {"dataId": field, "condition": "by == 2", "hitCondition": "2"})
    assert run(stopped) == ["Program.balance: 7 -> 9"]
    (listed,) = stopped.client.request("dap-dotnet/breakpoints")["breakpoints"]
    assert {name: listed[name] for name in ("id", "kind", "field", "dataId", "hitCount", "state")} == {
        "id": made["id"],
        "kind": "data",
        "field": "Sample.Program.balance",
        "dataId": field,
        "hitCount": 2,
        "state": "bound",
    }
    assert [location["line"] for location in listed["locations"]] == [line_of("deposit")]


def test_log_message_writes_instead_of_stopping(stopped):
    watch(stopped, {"dataId": "Program.balance", "logMessage": "by {by}"})
    assert run(stopped) == []
    written = [event["output"] for event in stopped.client.events("output") if event.get("category") == "console"]
    assert "".join(written).splitlines() == ["by 5", "by 2", "by 2"]


def test_replacing_keeps_the_ids_of_those_that_stay(stopped):
    first, second = watch(stopped, {"dataId": "Program.balance"}, {"dataId": "Point.X"})
    (kept,) = watch(stopped, {"dataId": "Point.X", "condition": "by == 3"})
    assert kept["id"] == second["id"] != first["id"]
    assert run(stopped) == ["Point.X: 9 -> 12"]


def test_breakpoint_on_a_line_where_a_change_is_noticed_is_hit_too(stopped):
    (line,) = stopped.client.set_breakpoints(DOCUMENT, [line_of("deposited")])
    (data,) = watch(stopped, {"dataId": "Program.balance"})
    stops = []
    for _ in AMOUNTS:
        stopped.client.continue_()
        stops.append(stopped.client.wait_for("stopped").body)
    assert [set(stop["hitBreakpointIds"]) for stop in stops] == [
        {line.id, data["id"]},
        {line.id},
        {line.id, data["id"]},
        {line.id, data["id"]},
    ]
    assert [stop["reason"] for stop in stops][:2] == ["data breakpoint", "breakpoint"]


def test_pending_one_binds_with_an_event_and_sees_the_first_store(session_of):
    with session_of(deposits) as session:
        starting = session.client.start("launch", {"program": "/app/Sample.dll"})
        answer = session.client.request("dataBreakpointInfo", {"name": "Sample.Program.balance"})
        assert "as soon as a module" in answer["description"]
        (made,) = watch(session, {"dataId": answer["dataId"]})
        session.client.configuration_done()
        starting.result()
        stop = session.client.wait_for("stopped").body
        assert (stop["text"], stop["hitBreakpointIds"]) == ("Program.balance: 0 -> 5", [made["id"]])
        assert (
            any(event["breakpoint"]["id"] == made["id"] for event in session.client.events("breakpoint"))
            or made["verified"]
        )
        session.client.disconnect()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"name": "args"}, "local variable or an argument"),
        ({"name": "point.Nope"}, "has no field"),
        ({"name": "Nope.x"}, ""),
        ({"name": "balance", "asAddress": True}, "not memory addresses"),
        ({"name": "1 +"}, "is not a field"),
    ],
)
def test_what_cannot_be_watched_has_no_data_id(stopped, arguments, part):
    answer = info(stopped, **arguments)
    assert answer["dataId"] is None
    assert part in answer["description"]


def test_name_of_a_field_is_found_from_the_frame(stopped):
    assert info(stopped, "balance")["dataId"] == "Sample.dll!Sample.Program::balance"


def test_explanation_tells_stores_and_changes(stopped):
    (made,) = watch(stopped, {"dataId": "Program.balance"})
    before = stopped.client.request("dap-dotnet/explainBreakpoint", {"field": "Program.balance"})
    assert "It has not changed yet." in before["text"]
    stopped.client.continue_()
    stopped.client.wait_for("stopped")
    after = stopped.client.request("dap-dotnet/explainBreakpoint", {"breakpointId": made["id"]})
    assert "It has changed once." in after["text"]
    assert after["modules"][0]["finding"] == "it has the field; 1 instruction that can store to it."


def test_dead_objects_of_earlier_sessions_and_reads_are_refused(stopped):
    made = watch(stopped, {"dataId": "Sample.dll!Sample.Point::X#7"}, {"dataId": "Point.X", "accessType": "readWrite"})
    assert [(one["verified"], one["reason"]) for one in made] == [(False, "failed")] * 2


def test_disabled_one_is_passed_over_and_compares_with_what_is_there_when_it_is_enabled(stopped):
    (made,) = watch(stopped, {"dataId": "Program.balance"})
    stopped.client.continue_()
    assert stopped.client.wait_for_stop().text == "Program.balance: 0 -> 5"

    def enable(value: bool) -> None:
        stopped.client.request("dap-dotnet/enableBreakpoints", {"breakpointIds": [made["id"]], "enabled": value})

    enable(False)
    stopped.client.set_breakpoints(DOCUMENT, [line_of("deposit")])
    for _ in range(3):  # the last but one has added 2
        stopped.client.continue_()
        assert stopped.client.wait_for_stop().reason == "breakpoint"
    stopped.client.set_breakpoints(DOCUMENT, [])
    enable(True)
    assert run(stopped) == ["Program.balance: 7 -> 9"]


def test_list_of_breakpoints_has_short_names_where_it_is_narrow_and_the_tooltip_the_rest(session_of):
    with session_of(deposits) as session:
        session.client.initialize(clientID="vscode")
        session.launch(line_of("loop"))
        session.client.wait_for_stop()
        answer = info(session, "balance")
        assert answer["description"] == "Program.balance (static)"
        (made,) = watch(session, {"dataId": answer["dataId"]})
        assert made["message"].startswith("Sample.Program.balance (not seen: reflection, ")
