"""The checks of messages and of whole sessions: each must fail on what it is there to find."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.conversation import Entry, check_conversation
from tests.support.schema import SchemaError, definition_name, validate_message

Json = dict[str, Any]


def request(seq: int, command: str, **arguments: Any) -> Json:
    return {"seq": seq, "type": "request", "command": command, "arguments": arguments}


def response(seq: int, request_seq: int, command: str, body: Json | None = None, success: bool = True) -> Json:
    message: Json = {"seq": seq, "type": "response", "request_seq": request_seq, "command": command, "success": success}
    return message if body is None else {**message, "body": body}


def event(seq: int, name: str, **body: Any) -> Json:
    return {"seq": seq, "type": "event", "event": name, "body": body}


VARIABLE = {"name": "x", "value": "1", "variablesReference": 0}


@pytest.mark.parametrize(
    ("message", "definition"),
    [
        (request(1, "setBreakpoints", source={"path": "/a.cs"}, breakpoints=[{"line": 3}]), "SetBreakpointsRequest"),
        (request(1, "launch", program="a.dll", anything=1), "LaunchRequest"),
        (response(1, 1, "variables", {"variables": [VARIABLE]}), "VariablesResponse"),
        (response(1, 1, "launch"), "LaunchResponse"),
        (response(1, 1, "nonsense", {"error": {"id": 1, "format": "no"}}, success=False), "ErrorResponse"),
        (event(1, "stopped", reason="breakpoint", threadId=1, hitBreakpointIds=[1]), "StoppedEvent"),
    ],
)
def test_message_of_the_protocol_passes(message: Json, definition: str) -> None:
    assert definition_name(message) == definition
    validate_message(message)


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        (event(1, "stopped", threadId=1), r"\$\.body: 'reason' is a required property"),
        (event(0, "stopped", reason="step"), r"\$\.seq: 0 is less than the minimum of 1"),
        ({**event(1, "stopped", reason="step"), "seq": "1"}, r"\$\.seq: '1' is not of type 'integer'"),
        (event(1, "stopped", reason="step", threadID=1), r"\$\.body\.threadID: the protocol knows no such property"),
        (event(1, "halted"), "no event 'halted'"),
        (response(1, 1, "nonsense"), "no response 'nonsense'"),
        (response(1, 1, "threads", {}), r"\$\.body: 'threads' is a required property"),
        (response(1, 1, "launch", success=False), r"\$: 'body' is a required property"),
        (
            response(1, 1, "variables", {"variables": [{**VARIABLE, "kind": "data"}]}),
            r"\$\.body\.variables\[0\]\.kind: the protocol knows no such property",
        ),
        (request(1, "setBreakpoints", breakpoints=[]), "'source' is a required property"),
    ],
)
def test_message_that_is_wrong_is_refused_with_the_path(message: Json, fault: str) -> None:
    with pytest.raises(SchemaError, match=fault):
        validate_message(message)


START = [
    Entry("client", request(1, "initialize", adapterID="x")),
    Entry("adapter", response(1, 1, "initialize", {})),
    Entry("adapter", event(2, "initialized")),
]


def test_conversation_in_order_passes() -> None:
    check_conversation([
        *START,
        Entry("client", request(2, "threads")),
        Entry("adapter", response(3, 2, "threads", {"threads": []})),
        Entry("adapter", event(4, "exited", exitCode=0)),
        Entry("adapter", event(5, "terminated")),
    ], ended=True)  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([*START, Entry("client", request(2, "threads"))], r"without a response: threads \(seq 2\)"),
        ([*START, Entry("adapter", response(3, 1, "initialize", {}))], "a second response to seq 1"),
        ([*START, Entry("adapter", response(3, 9, "initialize", {}))], "an unasked response to seq 9"),
        ([*START, Entry("adapter", event(4, "terminated"))], "seq 4 where 3 comes next"),
        ([*START, Entry("adapter", event(3, "initialized"))], "event initialized twice"),
        ([Entry("adapter", event(1, "initialized"))], "before the response to initialize"),
        (
            [*START, Entry("adapter", event(3, "terminated")), Entry("adapter", event(4, "exited", exitCode=0))],
            "event exited after terminated",
        ),
        (
            [
                *START,
                Entry("adapter", event(3, "exited", exitCode=0)),
                Entry("adapter", event(4, "stopped", reason="step")),
            ],
            "event stopped after exited",
        ),
        (
            [*START, Entry("client", request(2, "threads")), Entry("adapter", response(3, 2, "launch"))],
            "the response to threads says launch",
        ),
    ],
)
def test_conversation_that_is_wrong_is_refused(entries: list[Entry], fault: str) -> None:
    with pytest.raises(SchemaError, match=fault):
        check_conversation(entries)


def test_conversation_must_end_where_the_program_did() -> None:
    with pytest.raises(SchemaError, match="without the event exited"):
        check_conversation(START, ended=True)


def test_foreign_client_may_number_from_zero() -> None:
    entries = [
        Entry("client", {**request(0, "initialize", adapterID="x")}),
        Entry("adapter", response(1, 0, "initialize", {})),
    ]
    check_conversation(entries, foreign_client=True)
    with pytest.raises(SchemaError, match="less than the minimum"):
        check_conversation(entries)
