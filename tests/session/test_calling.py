"""Expressions that call into the program, over the whole server: the call's holds, its events and its end."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.events import StopCompleted, ThreadExited, ThreadStarted
from dap_dotnet.runtime.model import FrameKind, ThreadId
from dap_dotnet.session import function_evaluation
from tests.support.fake_debuggee.evaluations import ThrownError
from tests.support.fake_debuggee.frames import SlotFrame
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.support.fake_debuggee.values import Object
from tests.support.processes import wait_until


@pytest.fixture
def stopped(session):
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    return session


def evaluate(session, expression):
    return session.client.evaluate(expression).result


def test_call_runs_in_the_program_and_the_stop_goes_on(stopped):
    seen = []

    def deposit(by):
        seen.append(by.value)
        return 12

    stopped.debuggee.evaluations.callees["Deposit"] = deposit
    assert evaluate(stopped, "Deposit(left + 5) + 1") == "13"
    assert seen == [5]
    assert stopped.client.stack()[0].name.startswith("Sample.Program.Add")
    assert not stopped.client.events("continued")
    stopped.client.set_breakpoints(DOCUMENT, [])
    stopped.client.continue_()
    assert stopped.client.wait_for_exit() == 6


def test_what_the_callee_throws_is_the_answer(stopped):
    def deposit(by):
        raise ThrownError(Object("Sample.Trouble"))

    stopped.debuggee.evaluations.callees["Deposit"] = deposit
    with pytest.raises(DapRequestError, match="Trouble"):
        evaluate(stopped, "Deposit(1)")
    assert evaluate(stopped, "right") == "1"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "CORDBG_E_ILLEGAL_IN_OPTIMIZED_CODE",
            r"optimised code.*`suppressJITOptimizations`.*\(CORDBG_E_ILLEGAL_IN_OPT",
        ),
        ("CORDBG_E_ILLEGAL_AT_GC_UNSAFE_POINT", "Try again after a step"),
        ("E_FAIL", "cannot be called here: oh"),
    ],
)
def test_refusals_of_the_runtime_say_what_to_do(stopped, monkeypatch, name, words):
    def refuse(*arguments):
        raise RuntimeCallError("oh", hresult=1, hresult_name=name)

    monkeypatch.setattr(stopped.debuggee, "call", refuse)
    with pytest.raises(DapRequestError, match=words):
        evaluate(stopped, "Deposit(1)")
    assert evaluate(stopped, "right") == "1"


def test_events_of_other_threads_are_handled_while_a_call_runs(stopped):
    def deposit(by):
        stopped.debuggee.process.report_holding(ThreadStarted(thread=ThreadId(77)))
        return 1

    stopped.debuggee.evaluations.callees["Deposit"] = deposit
    assert evaluate(stopped, "Deposit(1)") == "1"
    assert {"reason": "started", "threadId": 77} not in stopped.client.events("thread")  # it is shown as running then
    stopped.client.request("continue", {"threadId": 1})
    stopped.client.wait_for("thread", where=lambda body: body == {"reason": "started", "threadId": 77})


def test_a_thread_that_a_call_begins_and_ends_is_not_told(stopped):
    def deposit(by):
        stopped.debuggee.process.report_holding(ThreadStarted(thread=ThreadId(77)))
        stopped.debuggee.process.report_holding(ThreadExited(thread=ThreadId(77)))
        stopped.debuggee.process.report_holding(ThreadExited(thread=ThreadId(2)))
        return 1

    stopped.debuggee.evaluations.callees["Deposit"] = deposit
    assert evaluate(stopped, "Deposit(1)") == "1"
    stopped.client.request("continue", {"threadId": 1})
    stopped.client.wait_for("thread", where=lambda body: body == {"reason": "exited", "threadId": 2})
    assert 77 not in {body["threadId"] for body in stopped.client.events("thread")}


def freezes(debuggee):
    """All calls of `freeze_all` from now on, and what is frozen whenever the process is let run."""
    calls, frozen, freeze_all, resume = [], [], debuggee.freeze_all, debuggee.resume
    debuggee.freeze_all = lambda is_frozen, but=None: (calls.append(is_frozen), freeze_all(is_frozen, but=but))
    debuggee.resume = lambda event: (frozen.append(set(debuggee.frozen)), resume(event))
    return calls, frozen


def with_other_threads(debuggee):
    """Two more threads, 71 and 72, beside one that may call `Deposit`; what `freezes` gives."""
    debuggee.other_threads |= {ThreadId(71), ThreadId(72)}
    debuggee.evaluations.callees["Deposit"] = lambda by: 1
    return freezes(debuggee)


def test_other_threads_stay_from_one_call_to_the_next_and_are_let_go_then(stopped):
    calls, frozen = with_other_threads(stopped.debuggee)
    assert evaluate(stopped, "Deposit(1) + Deposit(2)") == "2"
    assert frozen == [{71, 72}] * 2
    wait_until(lambda: not stopped.debuggee.frozen, "the threads are let go")
    assert calls == [True, False]


def test_a_thread_that_begins_in_a_call_stays_in_the_next_one(stopped):
    def deposit(by):
        stopped.debuggee.other_threads.add(ThreadId(70 + by.value))
        stopped.debuggee.process.report_holding(ThreadStarted(thread=ThreadId(70 + by.value)))
        return 1

    stopped.debuggee.evaluations.callees["Deposit"] = deposit
    calls, frozen = freezes(stopped.debuggee)
    assert evaluate(stopped, "Deposit(1) + Deposit(2)") == "2"
    assert [set() if number == 0 else {71} for number in range(2)] == [frozen[0], frozen[-1]]
    assert calls[:2] == [True, True]


def test_a_program_that_goes_on_after_a_call_has_no_thread_frozen(stopped):
    _, frozen = with_other_threads(stopped.debuggee)
    called = stopped.client.send("evaluate", {"expression": "Deposit(1)"})
    stopped.client.request("continue", {"threadId": 1})
    assert called.result()["result"] == "1"
    wait_until(lambda: len(frozen) > 1, "the program goes on")
    assert frozen[:2] == [{71, 72}, set()]


def test_a_thread_that_the_user_freezes_after_a_call_stays(stopped):
    _, frozen = with_other_threads(stopped.debuggee)
    called = stopped.client.send("evaluate", {"expression": "Deposit(1)"})
    stopped.client.request("dap-dotnet/freezeThread", {"threadId": 71})
    stopped.client.request("continue", {"threadId": 1})
    called.result()
    wait_until(lambda: len(frozen) > 1, "the program goes on")
    assert frozen[:2] == [{71, 72}, {71}]


def test_a_condition_with_a_call_leaves_no_thread_frozen(session):
    wanted = {"line": line_of("add"), "condition": "Deposit(1) == 2"}
    session.client.launch("/app/Sample.dll", breakpoints={DOCUMENT: [line_of("begin"), wanted]})
    session.client.wait_for_stop()
    _, frozen = with_other_threads(session.debuggee)
    session.client.continue_()
    assert session.client.wait_for_exit() == 6
    assert {71, 72} in frozen
    assert all(after == set() for before, after in pairwise(frozen) if before)


@pytest.fixture
def waiting(session, monkeypatch):
    """A stop at which `Deposit` waits for `waiting.go`, whatever the debugger does to it. `waiting.begun`: it waits."""
    monkeypatch.setattr(function_evaluation, "_ABORTED_WITHIN_S", 0.05)
    session.client.initialize(supportsInvalidatedEvent=True)
    session.launch(line_of("add"))
    session.client.wait_for_stop()
    session.begun, session.go = threading.Event(), threading.Event()

    def deposit(by):
        debuggee = session.debuggee
        debuggee.frames += [SlotFrame(kind=FrameKind.INTERNAL, internal_type=5), SlotFrame(locals=[99])]
        session.begun.set()
        while not session.go.wait(0.005):
            if debuggee.process.take_stop_request():
                debuggee.process.report_holding(StopCompleted())
        del debuggee.frames[-2:]
        return 1

    session.debuggee.evaluations.callees["Deposit"] = deposit
    return session


def give_up_a_call(session):
    """Have `Deposit` called, and given up while it waits."""
    called = session.client.send("evaluate", {"expression": "Deposit(1)"})
    assert session.begun.wait(10)
    session.client.request("pause", {"threadId": 1})
    with pytest.raises(DapRequestError, match="cannot be aborted"):
        called.result()


def test_stop_stays_with_all_that_is_known_of_it_over_a_call_that_cannot_be_aborted(waiting):
    client = waiting.client
    frames = client.stack()
    variables = client.scopes(frames[0].id)[0].variables_reference
    shown = client.variables(variables)
    give_up_a_call(waiting)
    assert client.variables(variables) == shown
    assert client.evaluate("left + right * 10", frames[0].id).result == "10"
    assert client.stack() == frames
    assert len(client.events("stopped")) == 1
    assert not client.events("continued")
    assert client.events("invalidated") == [{"areas": ["variables"]}]
    with pytest.raises(DapRequestError, match="still inside a call"):
        client.evaluate("Deposit(1)", frames[1].id)


def test_step_begins_when_the_call_has_ended(waiting):
    give_up_a_call(waiting)
    waiting.client.send("next", {"threadId": waiting.debuggee.thread})
    waiting.client.wait_for("output", where=lambda body: "The step begins" in body["output"])
    waiting.go.set()
    stop = waiting.client.wait_for_stop()
    assert stop.reason == "step"
    assert waiting.client.stack()[0].line == line_of("added")
    waiting.debuggee.evaluations.callees["Deposit"] = lambda by: 12
    assert evaluate(waiting, "Deposit(1) + sum") == "13"


def test_pause_while_the_call_goes_on_shows_where_its_thread_stood(waiting):
    give_up_a_call(waiting)
    thread = waiting.debuggee.thread
    assert waiting.debuggee.hidden_calls == {thread}
    waiting.client.request("continue", {"threadId": thread})
    wait_until(lambda: not waiting.debuggee.hidden_calls, "frames of the call are counted while the program runs")
    waiting.client.pause()
    assert waiting.debuggee.hidden_calls == {thread}  # a pause is no hit
    assert waiting.client.stack(thread)[0].line == line_of("add")
