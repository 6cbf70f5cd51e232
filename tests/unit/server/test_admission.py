"""A server that asks for a token: who does not know it gets nothing but the answer to `initialize`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dap_dotnet.protocol.messages.lifecycle import LaunchRequestArguments
from dap_dotnet.protocol.transport import without_secrets
from dap_dotnet.server import HandlerSpec
from dap_dotnet.server import core as server_core
from tests.unit.server.peer import HANDLERS, Peer, Session

TOKEN = "correct horse battery staple"


def launch(session: Session, arguments: LaunchRequestArguments) -> None:
    session.calls.append("launch")


LAUNCHING = {**HANDLERS, "launch": HandlerSpec(f"{__name__}:launch"), "attach": HandlerSpec(f"{__name__}:launch")}


@pytest.fixture
def guarded() -> Iterator[Peer]:
    with Peer(LAUNCHING, token=TOKEN) as peer:
        yield peer


def code(response: dict[str, Any]) -> str:
    assert response["success"] is False
    return str(response["body"]["error"]["variables"]["code"])


@pytest.mark.parametrize("command", ["launch", "attach"])
def test_token_opens_the_session_and_only_then_initialized_is_sent(guarded: Peer, command: str) -> None:
    assert guarded.initialize()["success"]
    seq = guarded.send(command, {"serverToken": TOKEN})
    assert guarded.receive_any()["event"] == "initialized"  # type: ignore[index]
    assert guarded.response(seq)["success"]
    assert guarded.ask("threads")["success"]
    assert guarded.session.calls == ["launch"]


@pytest.mark.parametrize("given", ["", TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "ü", "\udc80", None, 5, [TOKEN], {}])
def test_other_token_is_one_guess_and_the_end(guarded: Peer, given: object) -> None:
    guarded.initialize()
    assert code(guarded.ask("launch", {"serverToken": given})) in ("NO_TOKEN", "WRONG_TOKEN")
    guarded.wait_for_end()
    assert (guarded.openings, guarded.session.calls) == (0, [])


@pytest.mark.parametrize("arguments", [None, [], {}, {"program": "/bin/true"}, "x"])
def test_launch_without_the_token_is_told_what_to_write(guarded: Peer, arguments: object) -> None:
    guarded.initialize()
    refused = guarded.ask("launch", arguments)
    assert code(refused) == "NO_TOKEN"
    assert "'serverToken'" in refused["body"]["error"]["format"]
    guarded.wait_for_end()
    assert guarded.openings == 0


@pytest.mark.parametrize("command", ["threads", "evaluate", "setBreakpoints", "no such thing"])
def test_nothing_else_is_answered_before_the_token(guarded: Peer, command: str) -> None:
    guarded.initialize()
    assert code(guarded.ask(command, {"expression": "1", "source": {"path": "/etc/passwd"}})) == "NO_TOKEN"
    guarded.wait_for_end()
    assert guarded.openings == 0


def test_guess_that_is_sent_ahead_of_the_answer_is_not_served(guarded: Peer) -> None:
    guarded.initialize()
    first = guarded.send("launch", {"serverToken": "x"})
    guarded.send("launch", {"serverToken": TOKEN})
    assert code(guarded.response(first)) == "WRONG_TOKEN"
    guarded.wait_for_end()
    assert guarded.session.calls == []


def test_client_that_says_nothing_is_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_core, "ADMISSION_DEADLINE_S", 0.1)
    with Peer(LAUNCHING, token=TOKEN) as peer:
        peer.initialize()
        peer.wait_for_end()
        assert peer.openings == 0


def test_client_may_leave_before_it_has_said_the_token(guarded: Peer) -> None:
    guarded.initialize()
    assert guarded.ask("disconnect")["success"]


def test_server_without_a_token_takes_a_configuration_that_has_one() -> None:
    with Peer(LAUNCHING) as peer:
        peer.initialize()
        peer.event("initialized")
        assert peer.ask("launch", {"serverToken": "whatever"})["success"]


@pytest.mark.parametrize("token", ["plain", 'quo"ted', "back\\slash", ""])
def test_logs_do_not_have_the_token(token: str) -> None:
    import json

    message = {"arguments": {"serverToken": token, "program": "a.dll"}}
    for text in (json.dumps(message), json.dumps(message, separators=(",", ":"))):
        shown = json.loads(without_secrets(text))
        assert shown == {"arguments": {"serverToken": "***", "program": "a.dll"}}


def test_messages_without_it_are_logged_as_they_are() -> None:
    assert without_secrets('{"a": "serverTokens"}') == '{"a": "serverTokens"}'
