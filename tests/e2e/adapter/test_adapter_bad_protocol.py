"""Clients that break the protocol: each message gets an answer that says what to do, and the session goes on."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import threads_of
from tests.support.schema import validate_message
from tests.support.session import Place, Session, adapter_program

pytestmark = pytest.mark.e2e

INITIALIZE = {"seq": 1, "type": "request", "command": "initialize", "arguments": {"adapterID": "x"}}
THREADS = {"seq": 2, "type": "request", "command": "threads"}


class RawAdapter:
    """An adapter that is given bytes. Standard output must carry messages and nothing else."""

    def __init__(self, place: Place) -> None:
        self.process = subprocess.Popen(
            [adapter_program()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=place.environment,
        )

    def exchange(self, *parts: bytes, timeout_s: float = 20) -> list[dict[str, Any]]:
        """Sends the parts and then end-of-file; all messages that came, and the adapter's end with 0 is awaited."""
        output, errors = self.process.communicate(b"".join(parts), timeout=timeout_s)
        assert self.process.returncode == 0, errors.decode()
        assert b"Traceback" not in errors
        messages = list(parse(output))
        for message in messages:
            validate_message(message)
        assert [message["seq"] for message in messages] == list(range(1, len(messages) + 1))
        return messages


@pytest.fixture
def raw(place: Place) -> Iterator[RawAdapter]:
    adapter = RawAdapter(place)
    yield adapter
    if adapter.process.poll() is None:
        adapter.process.kill()
        adapter.process.communicate()


def frame(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def parse(data: bytes) -> Iterator[dict[str, Any]]:
    while data:
        header, separator, data = data.partition(b"\r\n\r\n")
        assert separator, f"not a header: {header[:200]!r}"
        assert header.startswith(b"Content-Length: "), header
        length = int(header.partition(b":")[2])
        yield json.loads(data[:length])
        data = data[length:]


def response_to(messages: list[dict[str, Any]], seq: int) -> dict[str, Any]:
    (found,) = [message for message in messages if message.get("request_seq") == seq]
    return found


def outputs(messages: list[dict[str, Any]]) -> str:
    return "".join(message["body"]["output"] for message in messages if message.get("event") == "output")


def complaints(messages: list[dict[str, Any]]) -> str:
    refusals = [str(message["message"]) for message in messages if message.get("success") is False]
    return outputs(messages) + "".join(refusals)


@pytest.mark.parametrize(
    "bad",
    [
        b"{not json",
        b"",
        b"[]",
        b"null",
        b"7",
        b'"text"',
        b"{}",
        b"\xff\xfe",
        b'{"seq": 5}',
        b'{"type": "request"}',
        b'{"type": "event", "event": "x"}',
        b'{"seq": 5, "type": "nonsense", "command": "threads"}',
        b'{"a":' * 100_000,
        b"[" * 100_000,
    ],
    ids=lambda bad: repr(bad[:30]),
)
def test_message_that_is_none_is_reported_and_the_session_goes_on(raw: RawAdapter, bad: bytes) -> None:
    messages = raw.exchange(frame(INITIALIZE), frame(bad), frame({**THREADS, "seq": 9}))
    assert response_to(messages, 1)["success"]
    assert response_to(messages, 9)["success"]
    assert complaints(messages)


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: abc\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b"Content-Type: text\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=repr,
)
def test_header_that_is_none_is_reported_and_the_session_goes_on(raw: RawAdapter, header: bytes) -> None:
    messages = raw.exchange(frame(INITIALIZE), header, frame(THREADS))
    assert response_to(messages, 2)["success"]
    assert "Content-Length" in outputs(messages)


@pytest.mark.parametrize("difference", [-3, -1, 1, 3])
def test_content_length_that_is_wrong_is_reported(raw: RawAdapter, difference: int) -> None:
    body = json.dumps(THREADS).encode()
    wrong = b"Content-Length: %d\r\n\r\n%s" % (len(body) + difference, body)
    messages = raw.exchange(frame(INITIALIZE), wrong, frame({**THREADS, "seq": 9}), frame({**THREADS, "seq": 10}))
    assert complaints(messages)
    # The stream is found again, at the latest with the second message after it.
    assert response_to(messages, 10)["success"]


@pytest.mark.parametrize("kept", [1, 10, 20, 60])
def test_half_a_message_and_then_the_end(raw: RawAdapter, kept: int) -> None:
    messages = raw.exchange(frame(INITIALIZE), frame(THREADS)[:kept])
    assert response_to(messages, 1)["success"]
    assert not [message for message in messages if message.get("request_seq") == 2]


def test_nothing_at_all_and_then_the_end(raw: RawAdapter) -> None:
    assert raw.exchange() == []


def test_message_in_single_bytes(raw: RawAdapter) -> None:
    assert raw.process.stdin is not None
    for byte in frame(INITIALIZE):
        raw.process.stdin.write(bytes([byte]))
        raw.process.stdin.flush()
    assert response_to(raw.exchange(frame(THREADS)), 1)["success"]


def test_request_before_initialize(raw: RawAdapter) -> None:
    messages = raw.exchange(
        frame({"seq": 1, "type": "request", "command": "launch", "arguments": {"program": "x.dll"}}),
        frame({**INITIALIZE, "seq": 2}),
    )
    refused = response_to(messages, 1)
    assert not refused["success"]
    assert "Send 'initialize' first" in refused["message"]
    assert response_to(messages, 2)["success"]


def test_initialize_twice(raw: RawAdapter) -> None:
    messages = raw.exchange(frame(INITIALIZE), frame({**INITIALIZE, "seq": 2}))
    assert response_to(messages, 1)["success"]
    refused = response_to(messages, 2)
    assert not refused["success"]
    assert "once" in refused["message"]
    assert [message.get("event") for message in messages].count("initialized") == 1


def test_request_that_nobody_knows(raw: RawAdapter) -> None:
    messages = raw.exchange(frame(INITIALIZE), frame({"seq": 2, "type": "request", "command": "makeCoffee"}))
    refused = response_to(messages, 2)
    assert not refused["success"]
    assert "makeCoffee" in refused["message"]


def test_message_of_100_megabytes(raw: RawAdapter) -> None:
    big = {"seq": 2, "type": "request", "command": "evaluate", "arguments": {"expression": "x" * 100_000_000}}
    messages = raw.exchange(frame(INITIALIZE), frame(big), frame({**THREADS, "seq": 3}), timeout_s=60)
    refused = [message for message in messages if message.get("request_seq") == 2]
    assert outputs(messages) or (refused and not refused[0]["success"])
    assert response_to(messages, 3)["success"]


def test_content_length_beyond_all_measure(raw: RawAdapter) -> None:
    messages = raw.exchange(frame(INITIALIZE), b"Content-Length: 99999999999999\r\n\r\n{}")
    assert response_to(messages, 1)["success"]
    assert outputs(messages)


def test_client_that_goes_before_it_reads(place: Place) -> None:
    reader, writer = os.pipe()
    with subprocess.Popen(
        [adapter_program()], stdin=subprocess.PIPE, stdout=writer, stderr=subprocess.PIPE, env=place.environment
    ) as adapter:
        os.close(writer)
        os.close(reader)
        _, errors = adapter.communicate(frame(INITIALIZE) + frame(THREADS), timeout=20)
        assert b"Traceback" not in errors


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("setBreakpoints", {}),
        ("setBreakpoints", {"source": {"path": "/x.cs"}, "breakpoints": [{}]}),
        ("setBreakpoints", {"source": {"path": "/x.cs"}, "breakpoints": [{"line": "3"}]}),
        ("setBreakpoints", {"source": {"path": "/x.cs"}, "breakpoints": [{"line": 1.5}]}),
        ("setBreakpoints", {"source": {"path": "/x.cs"}, "breakpoints": {"line": 3}}),
        ("setExceptionBreakpoints", {}),
        ("stackTrace", {}),
        ("stackTrace", {"threadId": "main"}),
        ("stackTrace", {"threadId": 2**70}),
        ("stackTrace", {"threadId": None}),
        ("scopes", {"frameId": 2**40}),
        ("variables", {"variablesReference": 2**70}),
        ("variables", {"variablesReference": 1, "start": -1, "count": 2**70}),
        ("evaluate", {}),
        ("evaluate", {"expression": 5}),
        ("continue", {}),
        ("next", {"threadId": -1}),
        ("next", {"threadId": 2**70}),
        ("next", {"threadId": 2**33}),
        ("stackTrace", {"threadId": -1}),
        ("stackTrace", {"threadId": 2**33}),
        ("exceptionInfo", {"threadId": -1}),
        ("scopes", {"frameId": -1}),
        ("stepIn", {"threadId": 1, "granularity": "nonsense"}),
        ("pause", {}),
        ("exceptionInfo", {"threadId": 2**70}),
        ("breakpointLocations", {"source": {"path": "/x.cs"}, "line": 2**70}),
        ("modules", {"startModule": -1, "moduleCount": -1}),
        ("cancel", {"requestId": "x"}),
        ("disconnect", {"terminateDebuggee": [1]}),
    ],
)
def test_arguments_that_make_no_sense_are_no_crash(
    newest_runtime: Runtime, session: Session, command: str, arguments: dict[str, Any]
) -> None:
    session.sends_invalid = True
    session.stop_in(programs.build("Loop", newest_runtime), "loop")
    with contextlib.suppress(DapRequestError):  # the log would have an internal error
        session.request(command, arguments)
    # It still works.
    assert session.request("threads")["threads"]


def test_launch_twice_is_refused(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "loop")
    with pytest.raises(DapRequestError, match="one program"):
        session.request("launch", {"program": str(program.dll)})
    with pytest.raises(DapRequestError, match="one program"):
        session.request("attach", {"processId": session.debuggee()})
    session.step_over()


def test_configuration_done_twice_is_harmless(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Loop", newest_runtime), "loop")
    session.configuration_done()
    assert session.stack()
    session.step_over()


def test_resuming_before_configuration_done_is_refused(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", newest_runtime)
    starting = session.start("launch", {"program": str(program.dll), "env": dict(program.env)})
    process_id = session.debuggee()
    for command in ("continue", "next", "stepOut"):
        with pytest.raises(DapRequestError):
            session.request(command, {"threadId": process_id})
    session.configuration_done()
    starting.result()
    assert session.wait_for_exit() == 0


def test_no_thread_is_left_of_refused_requests(session: Session) -> None:
    session.initialize()
    before = sorted(threads_of(session.process.process_id))
    for _ in range(20):
        with pytest.raises(DapRequestError):
            session.request("launch", {"program": ""})
        with pytest.raises(DapRequestError):
            session.request("stackTrace", {"threadId": 1})
    assert sorted(threads_of(session.process.process_id)) == before
    session.disconnect()
