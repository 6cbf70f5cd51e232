from __future__ import annotations

import os
import socket
import sys
import threading
import time

import pytest

from dap_dotnet.client import (
    AdapterGoneError,
    ClientError,
    DapClient,
    DapRequestError,
    DapTimeoutError,
    ProgramEndedError,
)
from dap_dotnet.protocol.codec import MAX_VALUES, encode_message
from tests.support.schema import validate_message
from tests.unit.client.fake_adapter import COMMAND, THREAD, serve_in_thread

PATH = "/src/Program.cs"


def validate(recorded) -> None:
    validate_message(recorded.message)


@pytest.fixture
def client():
    """A client of a fake adapter in this process; every message is checked against the schema."""
    ours, theirs = socket.socketpair()
    server = serve_in_thread(theirs.makefile("rb", buffering=0), theirs.makefile("wb", buffering=0))
    streams = ours.makefile("rb", buffering=0), ours.makefile("wb", buffering=0)
    with DapClient(*streams, timeout_s=10, on_message=validate) as client:
        yield client
    ours.shutdown(socket.SHUT_RDWR)
    server.join(10)
    assert not server.is_alive()
    for item in (*streams, ours, theirs):
        item.close()


def test_client_debugs_a_program_from_launch_to_exit(client):
    (bound,) = client.launch("loop", ["a"], breakpoints={PATH: [2]}, exception_filters=[])
    assert (bound.id, bound.verified, bound.line) == (1, True, 2)
    stop = client.wait_for_stop()
    assert (stop.reason, stop.thread_id, stop.breakpoint_ids) == ("breakpoint", THREAD, (1,))
    top = client.stack(count=1)[0]
    assert (top.name, top.source.path, top.line) == ("Main(string[] args)", PATH, 2)
    assert [frame.name for frame in client.stack()] == ["Main(string[] args)", "[External Code]"]
    assert [frame.name for frame in client.stack(start=1)] == ["[External Code]"]
    assert client.locals()["i"].value == "2"
    assert client.locals()["s"].value == '"\ud800é"'
    assert client.evaluate("i").result == "2"
    assert [thread.name for thread in client.threads()] == ["Main Thread"]
    assert client.step_over().reason == "step"
    assert client.stack()[0].line == 3
    assert client.set_breakpoints(PATH, [{"line": 4, "column": 2}])[0].column == 2
    client.continue_()
    assert client.wait_for_stop().breakpoint_ids == (2,)
    assert client.set_breakpoints(PATH, []) == []
    client.continue_()
    assert client.wait_for_exit() == 3
    assert [body["output"] for body in client.events("output") if body["category"] == "stdout"] == [
        f"round {n} a\n" for n in (1, 2, 3)
    ]


def test_client_pauses_and_attaches(client):
    client.attach(4711)
    assert client.pause().reason == "pause"
    client.disconnect()
    assert client.wait_for_exit() is None


def test_client_tells_why_a_launch_failed(client):
    with pytest.raises(DapRequestError, match="launch: There is no such program; build it first") as failure:
        client.launch("fails")
    assert (failure.value.command, failure.value.code) == ("launch", "NO_PROGRAM")
    assert failure.value.text == "There is no such program; build it first."


def test_client_tells_that_the_program_ended_instead_of_stopping(client):
    client.launch("loop")
    with pytest.raises(ProgramEndedError, match="exit code 3") as failure:
        client.wait_for_stop()
    assert failure.value.exit_code == 3


def test_client_sends_many_requests_and_takes_answers_in_any_order(client):
    client.initialize()
    pending = [client.send("threads") for _ in range(20)]
    assert {len(one.result()["threads"]) for one in reversed(pending)} == {1}
    assert all(one.is_answered for one in pending)


def test_client_takes_each_event_once_and_leaves_the_others(client):
    client.launch("loop")
    assert client.wait_for("output", where=lambda body: "round 2" in body["output"]).body["output"] == "round 2\n"
    assert client.wait_for("output", where=lambda body: "round" in body["output"]).body["output"] == "round 1\n"
    assert client.wait_for(("exited", "terminated")).event == "exited"
    assert client.next_event().event == "process"
    assert len(client.events("output")) == 4


def test_client_takes_events_that_come_before_an_answer_in_their_order(client):
    client.start("launch", {"program": "loop", "args": []})
    hanging = client.send("evaluate", {"expression": "hang"})
    filtering = client.send("setExceptionBreakpoints", {"filters": ["all"]})
    assert client.next_event_before(hanging, "output").body["output"] == "filters ['all']\n"  # it is not waited for
    assert client.next_event_before(filtering, "output") is None
    client.configuration_done()
    client.wait_until(lambda: len(client.events("output")) == 5, "the program's output")
    assert client.next_event_before(filtering, "output") is None  # the oldest one is `process`
    assert client.wait_for("output").body["output"] == "round 1\n"


def test_client_tells_at_a_deadline_what_came_last(client):
    client.initialize()
    with pytest.raises(DapTimeoutError) as failure:
        client.wait_for("stopped", timeout_s=0.05)
    text = str(failure.value)
    assert "the event stopped did not arrive within 0.05 s" in text
    assert '<- {"seq": 2, "type": "event", "event": "initialized"}' in text
    assert '-> {"seq": 1, "type": "request", "command": "initialize"' in text


def test_client_refuses_reverse_requests_that_it_has_no_handler_for(client):
    client.initialize()
    answer = client.request("evaluate", {"expression": "terminal"})
    assert "False This client does not handle 'runInTerminal'" in answer["result"]


def test_client_raises_what_its_hook_raised():
    def refuse(recorded) -> None:
        if recorded.message.get("command") == "initialize" and recorded.sender == "adapter":
            raise AssertionError("not liked")

    with DapClient.spawn(COMMAND, on_message=refuse) as client, pytest.raises(AssertionError, match="not liked"):
        client.initialize()


def test_client_needs_a_stop_before_it_can_step(client):
    client.initialize()
    with pytest.raises(ClientError, match="has not stopped yet"):
        client.step_over()


def test_client_can_be_interrupted_from_another_thread(client):
    client.initialize()
    client.interrupt(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        client.wait_for("stopped")


def test_client_answers_reverse_requests_with_its_handlers():
    handlers = {"runInTerminal": lambda arguments: {"processId": len(arguments["args"])}}
    with DapClient.spawn(COMMAND, reverse_handlers=handlers, on_message=validate) as client:
        client.initialize()
        answer = client.request("evaluate", {"expression": "terminal"})
        assert answer["result"] == "True  {'processId': 1}"


def test_client_tells_that_the_adapter_is_gone_with_its_error_output():
    with DapClient.spawn(COMMAND) as client:
        client.launch("dies")
        with pytest.raises(AdapterGoneError) as failure:
            client.wait_for_stop()
        assert "ended with exit code 9" in str(failure.value)
        assert "a line for standard error" in str(failure.value)
        with pytest.raises(AdapterGoneError):
            client.request("threads")


def test_client_ends_an_adapter_that_does_not_end_by_itself():
    sleeper = [sys.executable, "-c", "import signal; signal.pause()"]
    with DapClient.spawn(sleeper, timeout_s=0.1) as client:
        client.process.kill_after_s = 0.1
        with pytest.raises(DapTimeoutError):
            client.initialize()
    assert_gone(client.process.process_id)


@pytest.mark.parametrize("program", ["forever", "stubborn"])
def test_client_leaves_no_adapter_behind_when_its_user_fails(program):
    client = DapClient.spawn(COMMAND)

    def fail() -> None:
        with client:
            client.launch(program)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert_gone(client.process.process_id)


def test_client_disconnects_when_it_is_left():
    with DapClient.spawn(COMMAND) as client:
        client.launch("forever")
    assert client.messages[-1].message["command"] == "disconnect"
    assert client.events("exited") == [{"exitCode": 137}]
    assert_gone(client.process.process_id)


def test_client_cannot_spawn_what_is_not_there():
    with pytest.raises(FileNotFoundError):
        DapClient.spawn(["/no/such/adapter"])


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("", "ended with exit code 0"),
        ("Hello, I am no adapter.", "not a message: Expected a header"),
        ("Content-Length: 2\n\n[]", "must be a JSON object"),
    ],
)
def test_client_tells_of_an_adapter_that_speaks_something_else(output, words):
    command = [sys.executable, "-c", f"print({output!r})"]
    with DapClient.spawn(command) as client, pytest.raises(ClientError, match=words):
        client.initialize()


def assert_gone(process_id: int) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return
    raise AssertionError("the adapter still runs")


def test_client_takes_an_answer_of_more_values_than_a_request_may_have():
    ours, theirs = socket.socketpair()
    streams = ours.makefile("rb", buffering=0), ours.makefile("wb", buffering=0)
    values = [0] * (MAX_VALUES + 1)
    body = {"seq": 1, "type": "response", "request_seq": 1, "success": True, "command": "all", "body": {"all": values}}
    answer = threading.Thread(target=theirs.sendall, args=(encode_message(body),))
    with DapClient(*streams, timeout_s=10) as client:
        pending = client.send("all")
        answer.start()
        assert len(pending.result()["all"]) == len(values)
    answer.join(10)
    for item in (*streams, ours, theirs):
        item.close()
