"""Steps, pause, continue and goto at the wrong moment or of the wrong thread: an error, and no stop more or less."""

from __future__ import annotations

import contextlib
import threading

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.runtime.model import ThreadId
from tests.session.harness import spinning_until
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, line_of

GOING_ON = ("continue", "next", "stepIn", "stepOut")


def outcome(pending):
    """The error with which a request was refused; None when it was not."""
    with contextlib.suppress(DapRequestError):
        pending.result()
        return None
    with pytest.raises(DapRequestError) as refused:
        pending.result()
    return refused.value


def stops(session):
    return len(session.client.events("stopped"))


@pytest.mark.parametrize("arguments", [{}, {"singleThread": True}], ids=["all", "alone"])
@pytest.mark.parametrize("command", GOING_ON)
def test_program_that_runs_is_not_let_go_on(session_of, command, arguments):
    with session_of(spinning_until(threading.Event())) as session:
        session.launch()
        session.wait_until_spinning()
        with pytest.raises(DapRequestError, match="running") as refused:
            session.client.request(command, {"threadId": MAIN_THREAD, **arguments})
        assert refused.value.code == "NOT_STOPPED"
        session.client.request("pause", {"threadId": MAIN_THREAD})
        session.client.wait_for_stop()
        assert stops(session) == 1


@pytest.mark.parametrize(
    "arguments", [{}, {"singleThread": True}, {"granularity": "line"}], ids=["all", "alone", "line"]
)
@pytest.mark.parametrize("thread", [0, -1, 99, 1 << 31, 1 << 40])
@pytest.mark.parametrize("command", ["next", "stepIn", "stepOut"])
def test_step_of_a_thread_that_is_not_there_is_refused(session, command, thread, arguments):
    session.launch(line_of("begin"), line_of("add"))
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError):
        session.client.request(command, {"threadId": thread, **arguments})
    assert session.debuggee.frozen == set()
    session.client.continue_()
    assert session.client.wait_for_stop().reason == "breakpoint"
    assert stops(session) == 2


@pytest.mark.parametrize("second", GOING_ON)
def test_second_step_at_once_is_refused(session, second):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    first = session.client.send("next", {"threadId": MAIN_THREAD})
    late = session.client.send(second, {"threadId": MAIN_THREAD})
    first.result()
    session.client.wait_for_stop()
    # It came while the program ran, and was refused; or after the stop of the first, and makes one of its own.
    answer = outcome(late)
    assert answer is None or answer.code == "NOT_STOPPED"


def test_pauses_of_a_stopped_program_make_no_stop(session):
    session.launch(line_of("begin"), line_of("add"))
    session.client.wait_for_stop()
    for thread in (MAIN_THREAD, 0, 99, -1):
        session.client.request("pause", {"threadId": thread})
    session.client.continue_()
    assert session.client.wait_for_stop().reason == "breakpoint"
    assert stops(session) == 2


def test_goto_with_another_thread_or_without_a_target_is_refused(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    session.debuggee.other_threads.add(ThreadId(7001))
    place = {"source": {"path": DOCUMENT}, "line": line_of("added")}
    (target,) = session.client.request("gotoTargets", place)["targets"]
    for thread, number in ((MAIN_THREAD, target["id"] + 99), (MAIN_THREAD, -1), (99, target["id"]), (0, target["id"])):
        with pytest.raises(DapRequestError):
            session.client.request("goto", {"threadId": thread, "targetId": number})
    assert session.client.stack()[0].line == line_of("add")
    assert stops(session) == 1


@pytest.mark.parametrize("command", GOING_ON)
def test_session_can_be_ended_in_the_middle(session_of, command):
    with session_of(spinning_until(threading.Event())) as session:
        session.launch(line_of("begin"))
        session.client.wait_for_stop()
        going = session.client.send(command, {"threadId": MAIN_THREAD, "singleThread": True})
        session.client.disconnect(terminate_debuggee=False)
        going.result()
        assert session.debuggee.process.is_detached
