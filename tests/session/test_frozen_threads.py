"""Threads that are frozen, and runs of one thread alone."""

from __future__ import annotations

import threading

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session import frozen_threads
from tests.support.fake_debuggee.sample import MAIN_THREAD, line_of

OTHER, THIRD = ThreadId(7001), ThreadId(7002)


def spins(machine):
    with machine.call("Main", args=[]):
        machine.at("begin")
        machine.at("print")
        machine.spin(threading.Event())
    return 0


def stopped(session, *lines):
    session.launch(*(lines or (line_of("begin"),)))
    session.client.wait_for_stop()
    session.debuggee.other_threads |= {OTHER, THIRD}


def ask(session, command, thread):
    return session.client.request(f"dap-dotnet/{command}Thread", {"threadId": thread})["frozen"]


def go(session, command, **arguments):
    return session.client.request(command, {"threadId": MAIN_THREAD, **arguments})


def names(session):
    return {thread.id: thread.name for thread in session.client.threads()}


def test_frozen_thread_stays_until_it_is_thawed(session):
    stopped(session, line_of("begin"), line_of("add"))
    assert ask(session, "freeze", OTHER) == [OTHER]
    assert ask(session, "freeze", OTHER) == [OTHER]
    assert ask(session, "freeze", THIRD) == [OTHER, THIRD]
    assert ask(session, "thaw", THIRD) == [OTHER]
    assert names(session) == {MAIN_THREAD: "Main Thread", OTHER: "Worker Thread [frozen]", THIRD: "Worker Thread"}
    assert session.debuggee.frozen == {OTHER}
    session.client.continue_()
    session.client.wait_for_stop()
    assert session.debuggee.frozen == {OTHER}
    assert ask(session, "thaw", OTHER) == []
    assert ask(session, "thaw", OTHER) == []
    assert session.debuggee.frozen == set()


@pytest.mark.parametrize("command", ["next", "stepIn", "stepOut"])
def test_threads_without_managed_code_cannot_be_stepped(session, command):
    stopped(session)
    with pytest.raises(DapRequestError) as refused:
        session.client.request(command, {"threadId": OTHER})
    assert refused.value.code == "NO_MANAGED_CODE"
    assert session.client.step_over(MAIN_THREAD).reason == "step"
    assert len(session.client.events("stopped")) == 2


def test_frozen_threads_and_those_that_are_not_there_are_refused(session):
    stopped(session)
    for command in ("freeze", "thaw"):
        with pytest.raises(DapRequestError, match="no thread 99"):
            ask(session, command, 99)
        with pytest.raises(DapRequestError, match="no thread -1"):
            ask(session, command, -1)
    ask(session, "freeze", MAIN_THREAD)
    for command in ("next", "stepIn", "stepOut"):
        with pytest.raises(DapRequestError, match="frozen") as refused:
            go(session, command)
        assert refused.value.code == "THREAD_FROZEN"
    with pytest.raises(DapRequestError, match="frozen"):
        go(session, "continue", singleThread=True)
    with pytest.raises(DapRequestError, match="no thread 99"):
        session.client.request("continue", {"threadId": 99, "singleThread": True})
    with pytest.raises(DapRequestError, match="no thread 0"):
        session.client.request("continue", {"threadId": 0, "singleThread": True})
    ask(session, "thaw", MAIN_THREAD)
    assert go(session, "continue")["allThreadsContinued"]


def test_nothing_is_frozen_while_the_program_runs(session_of):
    with session_of(spins) as session:
        session.launch()
        session.wait_until_spinning()
        for command in ("freeze", "thaw"):
            with pytest.raises(DapRequestError, match="running"):
                ask(session, command, MAIN_THREAD)


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_one_thread_runs_alone_until_the_next_stop(session, command):
    stopped(session, line_of("add"), line_of("added"))
    ask(session, "freeze", THIRD)
    frozen = []
    resume = session.debuggee.resume
    session.debuggee.resume = lambda event: (frozen.append(set(session.debuggee.frozen)), resume(event))
    answer = go(session, command, singleThread=True)
    session.client.wait_for_stop()
    assert frozen[0] == {OTHER, THIRD}
    assert session.debuggee.frozen == {THIRD}
    if command == "continue":
        assert not answer["allThreadsContinued"]
    session.debuggee.resume = resume


def test_other_threads_are_let_go_where_one_alone_comes_to_no_stop(session_of, monkeypatch):
    monkeypatch.setattr(frozen_threads, "PATIENCE_S", 0.01)
    with session_of(spins) as session:
        stopped(session)
        ask(session, "freeze", THIRD)
        go(session, "continue", singleThread=True)
        said = session.client.wait_for("output", where=lambda body: body.get("category") == "important")
        assert "All threads run again" in said.body["output"]
        assert session.client.wait_for("continued").body["allThreadsContinued"]
        session.client.request("pause", {"threadId": 0})
        session.client.wait_for_stop()
        assert session.debuggee.frozen == {THIRD}
        assert len([body for body in session.client.events("output") if body.get("category") == "important"]) == 1


@pytest.mark.parametrize("command", ["terminate", "disconnect"])
def test_nothing_stays_frozen_when_the_session_ends(session_of, command):
    with session_of(spins) as session:
        stopped(session)
        ask(session, "freeze", OTHER)
        if command == "terminate":
            session.client.request("terminate")
            session.client.wait_for("terminated")
            assert session.debuggee.frozen == set()
        else:
            session.client.disconnect(terminate_debuggee=False)
            assert session.debuggee.process.is_detached


def test_thread_that_has_ended_is_forgotten(session):
    from dap_dotnet.runtime import events

    stopped(session, line_of("begin"), line_of("add"))
    ask(session, "freeze", OTHER)
    session.debuggee.other_threads.discard(OTHER)
    session.debuggee.process.report(events.ThreadExited(thread=OTHER))
    assert ask(session, "freeze", THIRD) == [THIRD]
    session.client.continue_()
    session.client.wait_for("thread", where=lambda body: body["reason"] == "exited")
    session.client.wait_for_stop()
