"""Suspended async methods, frozen threads, the heap, and requests that take long."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp")

from dap_dotnet.client import DapRequestError, DapTimeoutError
from dap_dotnet.mcp.caller import Caller, Cancelled
from dap_dotnet.mcp.long_requests import long_request
from dap_dotnet.mcp.tools.async_methods import AsyncMethod, TasksAnswer
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, line_of
from tests.unit.mcp_server.harness import PROGRAM, run_agent


def test_a_thread_is_frozen_and_runs_again():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM, breakpoints=[{"file": DOCUMENT, "line": line_of("call")}])
        assert (await agent.call("thread_freeze", thread_id=MAIN_THREAD))["frozen"] == [MAIN_THREAD]
        assert await agent.refused("execution_step") == "THREAD_FROZEN"
        assert (await agent.call("debug_status"))["sessions"][0]["state"] == "stopped"
        assert (await agent.call("thread_freeze", thread_id=MAIN_THREAD, frozen=False))["frozen"] == []
        assert await agent.refused("thread_freeze", thread_id=MAIN_THREAD + 1) == "INVALID_REQUEST"
        assert (await agent.call("execution_step", unit="line", alone=True))["stop"]["reason"] == "step"
        assert (await agent.call("execution_continue", alone=True))["stop"]["reason"] == "breakpoint"
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_program_without_async_methods_or_such_objects_says_so():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        found = await agent.call("tasks_get")
        assert (found["tasks"], found["total"], found["is_complete"]) == ([], 0, True)
        assert await agent.refused("tasks_get", id=3) == "NOT_FOUND"
        assert (await agent.call("heap_get"))["total_types"] == 0
        assert await agent.refused("heap_get", type="Sample.None") in ("NOT_FOUND", "EVAL_FAILED")
        await agent.call("debug_disconnect")

    run_agent(body)


def test_the_text_of_suspended_methods_has_their_ids():
    methods = [AsyncMethod(id=number, state="waiting", function="App.Load()") for number in (2, 3)]
    answer = TasksAnswer(tasks=methods, total=2, hidden=0, is_complete=True, tree="2 × App.Load()")
    assert answer.to_text().splitlines() == ["2 × App.Load()", "Ids:", "  App.Load(): 2, 3"]
    answer = TasksAnswer(tasks=methods[:1], total=2, hidden=0, is_complete=True, left_out="1 more")
    assert answer.to_text().splitlines() == ["2 App.Load(): waiting", "(1 more)"]


class LongAnswer:
    """The answer to a request that the adapter gives only when it is cancelled."""

    seq = 7

    def __init__(self, session):
        self._session = session

    def result(self, timeout_s):
        if self._session.cancelled:
            raise DapRequestError("heap", {"message": "cancelled"})
        self._session.waited += 1
        raise DapTimeoutError("not yet")


class Session:
    """A session that is asked for something long."""

    def __init__(self):
        self.waited = 0
        self.cancelled = []

    def send(self, command, arguments):
        if command == "cancel":
            self.cancelled.append(arguments["requestId"])
        return LongAnswer(self)


def test_a_long_request_sends_progress_until_its_call_is_cancelled():
    session, told = Session(), []

    def report(done, total, text):
        told.append(text)
        if len(told) == 3:
            call.cancel()

    call = Caller(report)
    with pytest.raises((Cancelled, DapRequestError)):
        long_request(call, session, "heap", {}, "going through the heap")
    assert session.cancelled == [7]
    assert told == ["going through the heap"] * 3


def test_a_call_that_was_cancelled_before_asks_nothing():
    session, call = Session(), Caller()
    call.cancel()
    with pytest.raises(Cancelled):
        long_request(call, session, "heap", {}, "going through the heap")
    assert session.cancelled == []


def test_a_long_request_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr("dap_dotnet.mcp.long_requests.TIMEOUT_S", -1.0)
    session = Session()
    with pytest.raises(DapTimeoutError):
        long_request(Caller(), session, "heap", {}, "going through the heap")
    assert (session.waited, session.cancelled) == (1, [7])
