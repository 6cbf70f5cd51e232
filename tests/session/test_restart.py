"""`restart`: what goes on, what dies, and what comes in between."""

from __future__ import annotations

import contextlib
import threading

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import LaunchError
from tests.session.harness import spinning_until
from tests.support.fake_debuggee.sample import DOCUMENT, PROCESS_ID, line_of


def since(session, seq: int) -> list[str]:
    """What the adapter has sent since: responses by their commands, events by their names."""
    messages = [one.message for one in session.client.messages if one.sender == "adapter" and one.message["seq"] > seq]
    return [str(one.get("event") or one["command"]) for one in messages]


def last_seq(session) -> int:
    return max(one.message["seq"] for one in session.client.messages if one.sender == "adapter")


def listed(session) -> list[dict]:
    return session.client.request("dap-dotnet/breakpoints")["breakpoints"]


def test_program_starts_again_with_its_breakpoints_and_without_an_end(session):
    found = session.launch(line_of("add"))
    session.client.wait_for_stop()
    before = last_seq(session)
    session.client.request("restart")
    stop = session.client.wait_for_stop()
    assert stop.breakpoint_ids == (found[0].id,)
    names = since(session, before)
    assert not {"exited", "terminated"} & set(names)
    assert names.index("continued") < names.index("restart") < names.index("process") < names.index("stopped")
    first, second = session.backend.debuggees
    assert [first.is_closed, second.is_closed] == [True, False]
    changes = [body["breakpoint"] for body in session.client.events("breakpoint")]
    assert [(one["id"], one["verified"]) for one in changes][-2:] == [(found[0].id, False), (found[0].id, True)]
    (entry,) = listed(session)
    assert (entry["id"], entry["hitCount"]) == (found[0].id, 1)


def test_threads_and_modules_of_the_old_program_go(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    session.client.request("restart")
    session.client.wait_for_stop()
    modules = [(body["reason"], body["module"]["name"]) for body in session.client.events("module")]
    assert modules.count(("removed", "Sample.dll")) == 1
    assert modules.count(("new", "Sample.dll")) == 2
    assert {"reason": "exited", "threadId": PROCESS_ID} in session.client.events("thread")


def test_hit_counts_and_triggers_start_afresh(session):
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [{"line": line_of("add"), "hitCondition": "== 2"}]})
    session.client.wait_for_stop()
    assert session.client.evaluate("right").result == "2"
    session.client.request("restart")
    session.client.wait_for_stop()
    assert session.client.evaluate("right").result == "2"


def test_watched_objects_are_gone_and_watched_fields_are_not(session):
    session.launch(line_of("loop"))
    session.client.wait_for_stop()
    (of_all,) = (session.client.request("dataBreakpointInfo", {"name": "Sample.Point.X"})["dataId"],)
    frame = session.client.stack()[0].id
    info = {"name": "point.X", "frameId": frame}
    of_one = session.client.request("dataBreakpointInfo", info)["dataId"]
    wanted = {"breakpoints": [{"dataId": of_all}, {"dataId": of_one}]}
    before = session.client.request("setDataBreakpoints", wanted)["breakpoints"]
    session.client.request("restart")
    session.client.wait_for_stop()
    entries = {entry["id"]: entry for entry in listed(session)}
    assert "set the breakpoint again" in entries[before[1]["id"]]["message"]
    assert "set the breakpoint again" not in entries[before[0]["id"]].get("message", "")
    again = session.client.request("dataBreakpointInfo", {**info, "frameId": session.client.stack()[0].id})["dataId"]
    assert again != of_one
    refused = session.client.request("setDataBreakpoints", wanted)["breakpoints"][1]
    assert "earlier session" in refused["message"]


def test_disabled_breakpoints_stay_disabled(session):
    one, two = session.launch(line_of("begin"), line_of("add"))
    session.client.wait_for_stop()
    session.client.request("dap-dotnet/enableBreakpoints", {"breakpointIds": [one.id], "enabled": False})
    session.client.request("restart")
    session.client.wait_for_stop()
    assert [(entry["id"], entry["state"]) for entry in listed(session)] == [(one.id, "disabled"), (two.id, "bound")]


def test_exception_filters_function_breakpoints_and_ids_go_on(session):
    session.client.start("launch", {"program": "/app/Sample.dll"})
    session.client.request("setFunctionBreakpoints", {"breakpoints": [{"name": "Program.Add"}]})
    filters = {"filters": [], "filterOptions": [{"filterId": "all", "condition": "My.Error"}]}
    (exception,) = session.client.request("setExceptionBreakpoints", filters)["breakpoints"]
    session.client.configuration_done()
    session.client.wait_for_stop()
    session.client.request("restart")
    assert session.client.wait_for_stop().reason == "function breakpoint"
    assert exception["id"] in {body["breakpoint"]["id"] for body in session.client.events("breakpoint")}
    assert session.backend.debuggees[0].exception_interest == session.backend.debuggees[1].exception_interest
    (new,) = session.client.set_breakpoints("/sample/Sample.cs", [line_of("print")])
    assert new.id == 2


def test_handles_and_kept_objects_of_the_old_program_are_gone(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    frame = session.client.stack()[0]
    session.client.request("evaluate", {"expression": "var mine = 5", "frameId": frame.id, "context": "repl"})
    session.client.request("restart")
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError, match="earlier stop"):
        session.client.scopes(frame.id)
    with pytest.raises(DapRequestError, match="CS0103"):
        session.client.evaluate("mine")


def test_stop_at_entry_holds_again(session):
    session.launch(stopAtEntry=True)
    assert session.client.wait_for_stop().reason == "entry"
    session.client.request("restart")
    assert session.client.wait_for_stop().reason == "entry"


def test_new_arguments_take_the_place_of_the_old_ones(session_of):
    # Such a request is of both kinds by the protocol's schema, which asks that it be of one.
    with session_of(schema=False) as session:
        session.launch(line_of("add"), args=["one"])
        session.client.wait_for_stop()
        session.client.request("restart", {"arguments": {"program": "/app/Sample.dll", "args": ["two", "three"]}})
        session.client.wait_for_stop()
        assert session.backend.spec.command[-2:] == ("two", "three")
        session.client.request("restart")
        session.client.wait_for_stop()
        assert session.backend.spec.command[-2:] == ("two", "three")


@pytest.mark.parametrize(
    "wrong", [{"program": "/app/Wrong.dll"}, {"program": []}, {"program": "/app/Sample.dll", "args": 7}, "no object"]
)
def test_arguments_that_cannot_work_leave_the_program_alone(session_of, wrong):
    with session_of(schema=False) as session:
        session.launch(line_of("add"))
        session.client.wait_for_stop()
        session.backend.missing.add("/app/Wrong.dll")
        with pytest.raises(DapRequestError):
            session.client.request("restart", {"arguments": wrong})
        assert session.client.evaluate("right").result == "1"
        assert len(session.backend.debuggees) == 1


def test_running_program_starts_again(endless):
    endless.launch()
    endless.wait_until_spinning()
    before = last_seq(endless)
    endless.client.request("restart")
    endless.wait_until_spinning()
    assert "continued" not in since(endless, before)
    endless.client.disconnect()
    assert endless.names()[-3:] == ["exited", "terminated", "disconnect"]


def test_step_under_way_ends_with_the_program(endless):
    endless.launch(line_of("begin"))
    stop = endless.client.wait_for_stop()
    endless.client.request("next", {"threadId": stop.thread_id})
    endless.wait_until_spinning()
    endless.client.request("restart")
    assert endless.client.wait_for_stop().reason == "breakpoint"


def test_attached_process_is_let_go_of_and_attached_to_again(session_of):
    go = threading.Event()
    with session_of(spinning_until(go)) as session:
        session.client.attach(PROCESS_ID)
        session.wait_until_spinning()
        (found,) = session.client.set_breakpoints("/sample/Sample.cs", [line_of("begin")])
        session.client.request("restart")
        first, second = session.backend.debuggees
        assert first.process.is_detached
        assert not first.active
        assert second.is_attach
        assert session.client.wait_for_stop().breakpoint_ids == (found.id,)
        assert not session.client.events("terminated")
        go.set()
        session.client.disconnect()


def test_program_that_does_not_start_again_ends_the_session(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    session.backend.failure = LaunchError("The runtime is gone; install it.", code="NO_RUNTIME")
    with pytest.raises(DapRequestError, match="runtime is gone") as refused:
        session.client.request("restart")
    assert refused.value.code == "NO_RUNTIME"
    session.client.wait_for("terminated")
    assert not session.client.events("exited")
    session.client.disconnect()
    session.wait_for_end()


def test_second_restart_is_refused_while_one_is_under_way(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    session.backend.may_start.clear()
    first, second = (session.client.send("restart") for _ in range(2))
    with pytest.raises(DapRequestError) as refused:
        second.result()
    assert refused.value.code == "STILL_STARTING"
    session.backend.may_start.set()
    first.result()
    session.client.wait_for_stop()


def test_restart_without_a_program_while_one_starts_and_after_its_end_is_refused(session):
    session.client.initialize()
    with pytest.raises(DapRequestError) as refused:
        session.client.request("restart")
    assert refused.value.code == "NO_SESSION"
    session.backend.may_start.clear()
    starting = session.client.start("launch", {"program": "/app/Sample.dll"})
    with pytest.raises(DapRequestError) as refused:
        session.client.request("restart")
    assert refused.value.code == "STILL_STARTING"
    session.backend.may_start.set()
    session.client.configuration_done()
    starting.result()
    session.client.wait_for_exit()
    with pytest.raises(DapRequestError) as refused:
        session.client.request("restart")
    assert refused.value.code == "NO_SESSION"


@pytest.mark.parametrize("command", ["disconnect", "terminate"])
def test_end_that_is_wanted_meanwhile_wins(endless, command):
    endless.launch()
    endless.wait_until_spinning()
    restart, end = endless.client.send("restart"), endless.client.send(command)
    end.result()
    with contextlib.suppress(DapRequestError):  # on a full machine it is over before the end is asked for
        restart.result()
    if command == "terminate":
        endless.client.wait_for("terminated")
        endless.client.disconnect()
    endless.wait_for_end()


def test_end_that_is_wanted_while_the_program_starts_again_wins(endless):
    endless.launch()
    endless.wait_until_spinning()
    endless.backend.may_start.clear()
    restart = endless.client.send("restart")
    end = endless.client.send("disconnect")
    endless.backend.may_start.set()
    end.result()
    with pytest.raises(DapRequestError):
        restart.result()
    endless.wait_for_end()


def test_client_that_vanishes_meanwhile_ends_everything(endless):
    endless.launch()
    endless.wait_until_spinning()
    endless.client.send("restart")
    endless.hang_up()
    endless.wait_for_end()
    assert all(debuggee.is_closed for debuggee in endless.backend.debuggees)


def test_breakpoints_set_before_the_program_is_configured_are_kept(session):
    session.client.start("launch", {"program": "/app/Sample.dll"}).result()
    session.client.wait_for("module", where=lambda body: body["module"]["name"] == "Sample.dll")
    session.client.set_breakpoints("/sample/Sample.cs", [line_of("add")])
    session.client.request("restart")
    session.client.configuration_done()
    session.client.wait_for_stop()
    assert session.client.evaluate("right").result == "1"


def test_many_restarts_leave_one_program(session):
    found = session.launch(line_of("add"))
    for _ in range(10):
        session.client.wait_for_stop()
        session.client.request("restart")
    assert session.client.wait_for_stop().breakpoint_ids == (found[0].id,)
    assert [debuggee.is_closed for debuggee in session.backend.debuggees] == [True] * 10 + [False]


def test_program_that_ends_by_itself_meanwhile_starts_again_or_has_ended(session):
    session.launch(line_of("end"))
    session.client.wait_for_stop()
    session.client.send("continue", {"threadId": PROCESS_ID})
    restart = session.client.send("restart")
    with contextlib.suppress(DapRequestError):  # it came too late
        restart.result()
        session.client.wait_for_stop()
        session.client.continue_()
    assert session.client.wait_for_exit() == 6
