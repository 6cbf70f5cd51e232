from __future__ import annotations

import json

import pytest

from dap_dotnet.errors import InternalError
from dap_dotnet.protocol.codec import encode_message
from dap_dotnet.protocol.framing import encode_frame
from dap_dotnet.protocol.messages.initialize import CAPABILITY_OF_COMMAND, Capabilities
from dap_dotnet.server import HandlerSpec, PendingRequest
from dap_dotnet.server.handlers import HandlerTable
from tests.unit.server.peer import DEADLINE_S, HANDLERS, HERE, Peer


@pytest.fixture
def peer():
    with Peer() as peer:
        yield peer


@pytest.fixture
def ready(peer):
    peer.initialize()
    peer.event("initialized")
    return peer


def code(response: dict) -> str:
    assert response["success"] is False
    return response["body"]["error"]["variables"]["code"]


def text(response: dict) -> str:
    assert response["success"] is False
    return response["body"]["error"]["format"]


# ordinary life


def test_server_answers_initialize_before_the_initialized_event(peer):
    seq = peer.send("initialize", {"adapterID": "x"})
    first, second = peer.receive_any(), peer.receive_any()
    assert (first["type"], first["request_seq"], first["success"]) == ("response", seq, True)
    assert (second["type"], second["event"]) == ("event", "initialized")


def test_server_answers_initialize_before_it_opens_the_session(peer):
    peer.may_open.clear()
    assert peer.initialize()["success"]
    peer.event("initialized")
    seq = peer.send("threads")
    peer.may_open.set()
    assert peer.response(seq)["success"]
    assert peer.openings == 1


def test_server_opens_the_session_in_idle_time(ready):
    assert ready.opened.wait(DEADLINE_S)  # although no request asked for it


def test_server_derives_capabilities_from_the_handlers(peer):
    assert peer.initialize()["body"] == {
        "supportsCancelRequest": True,
        "supportsConditionalBreakpoints": True,
        "supportsEvaluateForHovers": True,
        "supportsTerminateRequest": True,
    }


def test_server_keeps_the_order_of_requests_that_come_in_one_piece(ready):
    asked = b"".join(
        encode_message({"seq": n, "type": "request", "command": "evaluate", "arguments": {"expression": str(n)}})
        for n in range(100, 200)
    )
    ready.send_bytes(asked)
    answers = [ready.receive_any() for _ in range(100)]
    assert [(item["request_seq"], item["body"]["result"]) for item in answers] == [(n, str(n)) for n in range(100, 200)]


def test_server_takes_what_sloppy_clients_send(peer):
    assert peer.response(peer.send("initialize", {"clientId": "neovim", "locale": None}, seq=0))["success"]
    source = {"path": "/a.cs", "name": None, "sourceReference": None, "unknown": 1}
    wanted = {"source": source, "breakpoints": [{"line": 3.0, "condition": None}], "lines": None}
    assert peer.ask("setBreakpoints", wanted)["body"] == {"breakpoints": [{"id": 1, "verified": True, "line": 3}]}
    assert peer.ask("disconnect", [])["success"]  # what Lua makes of an empty table


def test_server_fills_the_clients_view(peer):
    peer.initialize(
        linesStartAt1=False, columnsStartAt1=False, pathFormat="uri", clientID="c", supportsMemoryReferences=True
    )
    view = peer.server.client
    assert (view.client_id, view.supports_memory_references, view.supports_run_in_terminal) == ("c", True, False)
    assert (view.line_from_client(4), view.line_to_client(5), view.column_from_client(0)) == (5, 4, 1)
    assert view.path_from_client("file:///tmp/a%20b.cs") == "/tmp/a b.cs"


# errors


def test_server_refuses_an_unknown_request(ready):
    response = ready.ask("makeCoffee", {"sugar": 2})
    assert code(response) == "UNKNOWN_REQUEST"
    assert response["command"] == "makeCoffee"
    assert "makeCoffee" in response["message"]


def test_server_refuses_requests_before_initialize_and_a_second_initialize(peer):
    assert "Send 'initialize' first" in text(peer.ask("threads"))
    assert peer.initialize()["success"]
    assert "may be sent only once" in text(peer.initialize())
    assert peer.ask("threads")["success"]


def test_server_lets_a_client_initialize_again_after_a_failed_try(peer):
    assert "'linesStartAt1' of 'initialize' must be true or false" in text(peer.initialize(linesStartAt1="perhaps"))
    assert "Send 'initialize' first" in text(peer.ask("threads"))
    assert peer.initialize()["success"]


def test_server_accepts_disconnect_before_initialize(peer):
    assert peer.ask("disconnect")["success"]
    peer.wait_for_end()


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("setBreakpoints", {}, ["'source' of 'setBreakpoints' is missing."]),
        ("setBreakpoints", None, ["'source' of 'setBreakpoints' is missing."]),
        ("setBreakpoints", 5, ["The arguments of 'setBreakpoints' must be an object, not 5."]),
        (
            "setBreakpoints",
            {"source": {"path": [7]}, "breakpoints": [{"line": 1}, {"line": "x"}, {}]},
            [
                "'source.path' of 'setBreakpoints' must be a string, not [7].",
                "'breakpoints[1].line' of 'setBreakpoints' must be an integer, not \"x\".",
                "'breakpoints[2].line' of 'setBreakpoints' is missing.",
            ],
        ),
        ("setBreakpoints", {"source": {}, "breakpoints": 3}, ["must be a list, not 3"]),
        (
            "evaluate",
            {"expression": "a", "frameId": "top"},
            ["'frameId' of 'evaluate' must be an integer"],
        ),
        ("variables", {"variablesReference": 1.5}, ["must be an integer, not 1.5"]),
        ("variables", {"variablesReference": 10**30}, ["an integer of more than 64 bits"]),
        ("evaluate", {"expression": ["x" * 200]}, ["must be a string", "…"]),
        ("setBreakpoints", {"source": {}, "breakpoints": [{}] * 9}, ["4 more problems are not listed."]),
    ],
)
def test_server_names_the_invalid_member_and_what_was_expected(ready, command, arguments, words):
    response = ready.ask(command, arguments)
    assert code(response) == "PROTOCOL"
    for word in words:
        assert word in text(response)


def test_server_tells_a_users_error_with_its_code(ready):
    response = ready.ask("evaluate", {"expression": "fail"})
    assert code(response) == "LAUNCH_FAILED"
    assert text(response) == "It failed.\nDo better."
    assert response["message"] == "It failed."
    assert isinstance(response["body"]["error"]["id"], int)
    assert ready.ask("evaluate", {"expression": "running"})["message"] == "notStopped"
    error = ready.ask("evaluate", {"expression": "hresult"})["body"]["error"]
    assert error["variables"] == {"code": "RUNTIME_CALL", "hresult": "CORDBG_E_X"}


@pytest.mark.parametrize("expression", ["crash", "nan"])
def test_server_survives_a_defect_in_a_handler(ready, expression, caplog):
    response = ready.ask("evaluate", {"expression": expression})
    assert code(response) == "INTERNAL"
    assert caplog.records[-1].exc_info
    assert ready.ask("threads")["success"]


def test_server_answers_once_though_a_handler_answers_twice(ready, caplog):
    assert ready.ask("evaluate", {"expression": "twice"})["body"]["result"] == "first"
    assert ready.ask("threads")["success"]
    assert "answered twice" in caplog.text


def test_pending_request_refuses_a_second_answer():
    sent = []
    request = PendingRequest(1, "threads", None, sent.append, lambda action: action())
    request.respond()
    with pytest.raises(InternalError, match="answered twice"):
        request.respond()
    with pytest.raises(InternalError, match="answered twice"):
        request.fail(InternalError("x"))
    assert len(sent) == 1


def test_server_tells_of_a_failed_posted_call_and_goes_on(ready):
    ready.send("evaluate", {"expression": "post"})
    output = ready.event("output")["body"]
    assert "ZeroDivisionError" in output["output"]
    assert ready.ask("threads")["success"]


def test_server_tells_of_a_failure_after_a_response_and_goes_on(ready):
    seq = ready.send("evaluate", {"expression": "fail afterwards"})
    assert ready.response(seq)["success"]
    assert ready.event("output")["body"] == {"category": "important", "output": "It failed afterwards.\n"}
    assert ready.ask("threads")["success"]


def test_server_tells_of_a_handler_that_cannot_be_imported():
    with Peer({**HANDLERS, "next": HandlerSpec("tests.unit.server.nowhere:x")}) as peer:
        peer.initialize()
        assert "nowhere" in text(peer.ask("next"))
        assert peer.ask("threads")["success"]


def test_handler_table_refuses_an_unknown_capability():
    with pytest.raises(InternalError, match="no capability supports_coffee"):
        HandlerTable({"next": HandlerSpec("x:y", {"supports_coffee": True})}).capabilities()


def test_handler_table_knows_only_capabilities_of_the_protocol():
    assert set(CAPABILITY_OF_COMMAND.values()) <= Capabilities.model_fields.keys()


def test_usual_handlers_are_imported_before_they_are_asked_for_and_the_others_are_not():
    handlers = {**HANDLERS, "next": HandlerSpec("tests.unit.server.nowhere:x")}
    with Peer(handlers, usual=["threads", "evaluate"]) as peer:
        assert not peer.prepared.is_set()
        peer.initialize()
        assert peer.prepared.wait(10)
        assert peer.ask("evaluate", {"expression": "1"})["success"]
        assert not peer.ask("next", {"threadId": 1})["success"]


def test_handler_table_refuses_a_handler_without_a_model():
    table = HandlerTable({"x": HandlerSpec(f"{HERE}:answer_nothing")})
    with pytest.raises(AttributeError):
        table.get("x")
    table = HandlerTable({"x": HandlerSpec("tests.unit.server.test_server:untyped")})
    with pytest.raises(InternalError, match="second parameter"):
        table.get("x")


def untyped(session: object, arguments: dict) -> None:
    """A handler as it must not be."""


# messages that are none


def test_server_answers_malformed_json_when_it_knows_whose_it_is(ready):
    ready.send_bytes(encode_frame(b'{"seq": 77, "type": "request", "command": "next", oops}'))
    response = ready.response(77)
    assert response["command"] == "next"
    assert "not JSON" in text(response)
    assert ready.ask("threads")["success"]


@pytest.mark.parametrize(
    "garbage",
    [
        encode_frame(b"{oops"),
        encode_frame(b"[1]"),
        b"Content-Length: -1\r\n\r\n{}",
        b"garbage\r\n\r\n",
        encode_frame(b'{"type": "request"}'),
        encode_frame(b'{"seq": 1, "type": "telegram"}'),
        encode_frame(b"{}"),
    ],
)
def test_server_tells_the_user_of_garbage_and_goes_on(ready, garbage):
    ready.send_bytes(garbage)
    assert "dap-dotnet received" in ready.event("output")["body"]["output"]
    assert ready.ask("threads")["success"]


def test_server_holds_its_complaints_back_until_initialize_is_answered(peer):
    peer.send_bytes(b"garbage\r\n\r\n")
    seq = peer.send("initialize", {})
    assert peer.receive_any()["request_seq"] == seq
    assert peer.event("output")


@pytest.mark.parametrize("message", [{"seq": 5}, {"seq": 5, "type": "request"}, {"seq": 5, "command": [3]}])
def test_server_answers_a_request_without_command(ready, message):
    ready.send_bytes(encode_message(message))
    assert "'command' of 'request'" in text(ready.response(5))


def test_server_ignores_responses_that_it_did_not_ask_for(ready):
    ready.send_bytes(encode_message({"seq": 5, "type": "response"}))
    ready.send_bytes(
        encode_message({"seq": 6, "type": "response", "request_seq": 99, "success": True, "command": "runInTerminal"})
    )
    assert ready.ask("threads")["success"]


# deferred answers, cancel, interrupts


def test_server_answers_a_deferred_request_later(ready):
    later = ready.send("evaluate", {"expression": "later"})
    assert ready.response(later)["body"]["result"] == "later"


def test_server_answers_what_is_still_open_when_it_ends(ready):
    never = ready.send("evaluate", {"expression": "never"})
    ready.send("disconnect")
    assert code(ready.response(never)) == "NO_SESSION"


def test_cancel_refuses_a_queued_request_and_ends_a_running_one(ready):
    running = ready.send("evaluate", {"expression": "slow"})
    queued = ready.send("evaluate", {"expression": "queued"})
    assert ready.session.slow_evaluation_began.wait(10)
    cancels = [ready.send("cancel", {"requestId": queued}), ready.send("cancel", {"requestId": running})]
    for seq in (running, queued):
        response = ready.response(seq)
        assert response["message"] == "cancelled"
        assert code(response) == "CANCELLED"
    assert all(ready.response(seq)["success"] for seq in cancels)
    assert "queued" not in ready.session.calls


def test_cancel_reaches_a_deferred_request(ready):
    deferred = ready.send("evaluate", {"expression": "until cancelled"})
    cancel = ready.send("cancel", {"requestId": deferred})
    assert ready.response(deferred)["message"] == "cancelled"
    assert ready.response(cancel)["success"]


@pytest.mark.parametrize("arguments", [None, {}, {"requestId": 4711}, {"requestId": "x"}, {"progressId": "p"}, []])
def test_cancel_of_nothing_succeeds(ready, arguments):
    assert ready.ask("cancel", arguments)["success"]
    assert ready.server.interrupts.is_progress_cancelled("p") == (arguments == {"progressId": "p"})


@pytest.mark.parametrize(
    ("command", "seen"), [("pause", "pause=True end=False"), ("terminate", "pause=False end=True")]
)
def test_running_handler_sees_requests_behind_it(ready, command, seen):
    running = ready.send("evaluate", {"expression": "slow"})
    assert ready.session.slow_evaluation_began.wait(10)
    following = ready.send(command)
    assert seen in ready.response(running)["body"]["result"]
    assert ready.response(following)["success"]
    assert not ready.server.interrupts.pause_requested


def test_running_handler_sees_that_the_client_is_gone(ready):
    ready.send("evaluate", {"expression": "slow"})
    assert ready.session.slow_evaluation_began.wait(10)
    ready.vanish()
    ready.wait_for_end()
    assert ready.session.calls == ["slow", "on_disconnect"]


# reverse requests


def test_reverse_request_gets_its_response(ready):
    asked = ready.send("evaluate", {"expression": "terminal"})
    request = ready.receive(lambda message: message["type"] == "request")
    assert (request["command"], request["arguments"]) == ("runInTerminal", {"cwd": "/", "args": ["x"]})
    reply = {"seq": 50, "type": "response", "request_seq": request["seq"], "command": "runInTerminal"}
    ready.send_bytes(encode_message({**reply, "success": True, "body": {"processId": 7}}))
    assert ready.response(asked)["body"]["result"] == "True False  {'processId': 7}"
    ready.send_bytes(encode_message({**reply, "success": True}))  # once more: ignored
    assert ready.ask("threads")["success"]


def test_reverse_request_ends_at_its_deadline_when_the_client_never_answers(ready):
    asked = ready.send("evaluate", {"expression": "terminal"})
    assert ready.response(asked)["body"]["result"] == "False True The client did not answer. None"


# the end


def test_server_ends_when_its_input_ends_after_answering_what_came_before(ready):
    seq = ready.send("disconnect", {"terminateDebuggee": False})
    ready.close_input()
    assert ready.response(seq)["success"]
    ready.wait_for_end()
    assert ready.session.calls == ["disconnect False", "on_disconnect"]


def test_server_ends_after_terminated_when_the_client_says_no_more(ready):
    ready.send("evaluate", {"expression": "terminate"})
    ready.event("terminated")
    ready.wait_for_end()
    assert ready.receive_any() is None


def test_server_stays_for_a_client_that_goes_on_after_terminated():
    with Peer(linger_s=60) as peer:
        peer.initialize()
        peer.send("evaluate", {"expression": "terminate"})
        peer.event("terminated")
        assert peer.ask("threads")["success"]
        assert peer.ask("disconnect")["success"]
        peer.wait_for_end()


def test_server_says_terminated_once():
    with Peer(linger_s=60) as peer:
        peer.initialize()
        for _ in range(2):
            assert peer.ask("evaluate", {"expression": "terminate"})["success"]
        assert peer.ask("disconnect")["success"]
        peer.wait_for_end()
    assert [message.get("event") for message in peer.messages].count("terminated") == 1


def test_server_ends_when_the_client_reads_no_more(ready):
    ready.vanish()
    ready.wait_for_end()


def test_server_ends_when_stopped_from_another_thread(ready):
    ready.server.end()
    ready.wait_for_end()


def test_server_ends_in_the_middle_of_a_message(ready):
    ready.send_bytes(b'Content-Length: 100\r\n\r\n{"seq": 1')
    ready.close_input()
    ready.wait_for_end()


def test_server_refuses_a_message_of_100_megabytes_and_goes_on(ready):
    body = json.dumps(
        {"seq": 900, "type": "request", "command": "evaluate", "arguments": {"expression": "x" * (100 << 20)}}
    ).encode()
    ready.send_bytes(encode_frame(body))
    assert "is refused" in text(ready.response(900))
    assert ready.ask("threads")["success"]
