"""Going back to the stops that were, over the whole server with a fake debuggee."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.session import session_life
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, line_of

TOTALS = ["0", "1", "3"]
"""Of `total` at the call, in the three rounds."""


def launch(session: Any, **history: Any) -> None:
    session.launch(line_of("call"), history=history or True)
    session.client.wait_for_stop()


def go(session: Any, command: str) -> Any:
    session.client.request(command, {"threadId": MAIN_THREAD})
    return session.client.wait_for_stop()


def place(session: Any) -> tuple[int, str]:
    """The line of the top frame, and what `total` is."""
    frame = session.client.stack()[0]
    return frame.line, session.client.evaluate("total").result


def refused(session: Any, command: str, **arguments: Any) -> DapRequestError:
    with pytest.raises(DapRequestError) as caught:
        session.client.request(command, {"threadId": MAIN_THREAD, **arguments})
    return caught.value


def snapshots(session: Any) -> list[Any]:
    (copier,) = session.debuggee.copiers
    return list(copier.snapshots)


def test_stops_are_gone_back_to_and_forward_again(session):
    launch(session)
    go(session, "continue")
    go(session, "continue")
    assert place(session) == (line_of("call"), "3")
    back = go(session, "stepBack")
    assert back.reason == "breakpoint"
    assert back.description == "Paused in the past, at stop 2 of 3"
    assert place(session) == (line_of("call"), "1")
    go(session, "stepBack")
    assert place(session) == (line_of("call"), "0")
    for command, total in (("next", "1"), ("stepIn", "3")):
        go(session, command)
        assert place(session) == (line_of("call"), total)
    assert session.debuggee.process.resumed.count("BreakpointHit") == 2  # the program has not run for that
    session.client.continue_()
    assert session.client.wait_for_exit() == 6


def test_reverse_continue_goes_past_steps_to_the_breakpoint(session):
    launch(session)
    for command in ("stepIn", "stepOut", "continue", "next"):
        go(session, command)
    assert go(session, "reverseContinue").reason == "breakpoint"
    assert place(session) == (line_of("call"), "1")
    go(session, "reverseContinue")
    assert place(session) == (line_of("call"), "0")
    go(session, "next")
    assert "Add" in session.client.stack()[0].name
    go(session, "continue")
    assert place(session) == (line_of("call"), "1")
    assert go(session, "continue").reason == "step"  # the present
    assert session.client.stack()[0].line != line_of("call")


def test_first_stop_has_none_before(session):
    launch(session)
    error = refused(session, "stepBack")
    assert "first stop that is remembered" in str(error)
    assert place(session) == (line_of("call"), "0")
    go(session, "continue")
    assert place(session) == (line_of("call"), "1")


@pytest.mark.parametrize("command", ["stepBack", "reverseContinue"])
def test_without_history_the_remedy_is_said(session, command):
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    assert '"history": true' in str(refused(session, command))
    assert not session.debuggee.copiers
    assert not session.client.events("capabilities")


def test_that_it_can_go_back_is_announced_where_it_can(session):
    launch(session)
    (answer,) = [one.message for one in session.client.messages if one.message.get("command") == "initialize"][1:]
    assert "supportsStepBack" not in answer["body"]
    (announced,) = session.client.events("capabilities")
    assert announced == {"capabilities": {"supportsStepBack": True}}


def test_what_was_known_of_another_moment_is_stale(session):
    launch(session)
    live_frame = session.client.stack()[0].id
    live = session.client.scopes(live_frame)[0].variables_reference
    go(session, "continue")
    go(session, "stepBack")
    past_frame = session.client.stack()[0].id
    past = session.client.scopes(past_frame)[0].variables_reference
    go(session, "next")
    for reference in (live, past):
        with pytest.raises(DapRequestError):
            session.client.request("variables", {"variablesReference": reference})
    for frame in (live_frame, past_frame):
        with pytest.raises(DapRequestError):
            session.client.request("scopes", {"frameId": frame})


def test_modules_and_sources_are_those_that_the_client_knows(session):
    launch(session)
    live = session.client.request("stackTrace", {"threadId": MAIN_THREAD})["stackFrames"][0]
    go(session, "continue")
    go(session, "stepBack")
    past = session.client.request("stackTrace", {"threadId": MAIN_THREAD})["stackFrames"][0]
    assert (past["moduleId"], past["source"]) == (live["moduleId"], live["source"])
    named = {module["id"]: module["name"] for module in session.client.request("modules", {})["modules"]}
    assert named[past["moduleId"]] == "Sample.dll"


def test_nothing_changes_in_the_past(session):
    launch(session)
    go(session, "continue")
    go(session, "stepBack")
    reference = session.client.scopes(session.client.stack()[0].id)[0].variables_reference
    for command, arguments in (
        ("setVariable", {"variablesReference": reference, "name": "total", "value": "Add(1, 2)"}),
        ("dap-dotnet/freezeThread", {}),
        ("restartFrame", {"frameId": session.client.stack()[0].id}),
    ):
        assert "the past" in str(refused(session, command, **arguments))
    assert place(session) == (line_of("call"), "0")


def test_breakpoints_are_set_in_the_present_while_the_past_is_shown(session):
    launch(session)
    go(session, "continue")
    go(session, "stepBack")
    session.client.set_breakpoints(DOCUMENT, [line_of("add")])
    go(session, "continue")  # the present
    assert go(session, "continue").reason == "breakpoint"
    assert session.client.stack()[0].line == line_of("add")


def test_older_stops_are_thinned_out(session):
    session.launch(line_of("begin"), history={"copies": 8})
    session.client.wait_for_stop()
    for _ in range(12):
        go(session, "stepIn")
    made = snapshots(session)
    assert len(made) == 12
    kept = [number for number, one in enumerate(made) if not one.is_closed]
    assert len(kept) <= 8
    assert kept[0] == 0
    assert kept[-4:] == [8, 9, 10, 11]


def test_copies_end_where_memory_gets_short(session, monkeypatch):
    free = iter([1000, *[900] * 5, *[700] * 100])
    monkeypatch.setattr(session_life, "free_memory", lambda: next(free))
    launch(session)
    for _ in range(8):
        go(session, "stepIn")
    assert sum(not one.is_closed for one in snapshots(session)) == 2


def test_copies_that_take_long_end_it_and_the_user_is_told(session):
    launch(session)
    go(session, "stepIn")
    session.debuggee.copiers[0].pause_ms = 200.0
    for _ in range(2):
        go(session, "next")
    session.debuggee.copiers[0].pause_ms = 2.0  # a single one may, on a busy machine
    go(session, "next")
    session.debuggee.copiers[0].pause_ms = 200.0
    for _ in range(5):
        go(session, "stepIn")
    assert len(snapshots(session)) == 1 + 2 + 1 + 3
    (told,) = [body for body in session.client.events("output") if "200 ms" in body["output"]]
    assert "slowestMs" in told["output"]
    go(session, "stepBack")


def test_refused_copy_ends_it_and_the_program_goes_on(session):
    launch(session)
    go(session, "stepIn")
    session.debuggee.copiers[0].refuses = True
    go(session, "next")
    go(session, "next")
    (told,) = [body for body in session.client.events("output") if "makes no copy" in body["output"]]
    assert told["category"] == "important"
    assert len(snapshots(session)) == 1


def test_copy_that_was_killed_is_told_and_the_stop_stays(session):
    launch(session)
    go(session, "continue")
    go(session, "continue")
    snapshots(session)[1].is_killed = True
    assert "copy has ended" in str(refused(session, "stepBack"))
    assert place(session) == (line_of("call"), "3")


def test_copies_end_with_the_program(session):
    launch(session)
    go(session, "continue")
    go(session, "stepBack")
    go(session, "next")
    made, copiers = snapshots(session), session.debuggee.copiers
    go(session, "continue")
    session.client.continue_()
    session.client.wait_for_exit()
    assert all(one.is_closed for one in made)
    assert all(opened.is_closed for one in made for opened in one.opened)
    assert copiers[0].is_closed


def test_disconnect_in_the_past_ends_the_copies(session):
    launch(session)
    go(session, "continue")
    go(session, "stepBack")
    debuggee = session.debuggee
    session.client.disconnect(terminate_debuggee=True)
    assert debuggee.copiers[0].is_closed
    assert all(opened.is_closed for one in debuggee.copiers[0].snapshots for opened in one.opened)
