"""`logging.engineLogging`, `elapsedTiming` and `diagnosticsLog`: the debugger's own doings in the debug console."""

from __future__ import annotations

import json
import re

import pytest

from dap_dotnet.client import DapRequestError
from tests.session.harness import SessionUnderTest, add_up
from tests.support.fake_debuggee.sample import line_of


def said(session) -> list[str]:
    return [body["output"].rstrip("\n") for body in session.client.events("output")]


def run(session, **logging) -> list[str]:
    session.launch(line_of("print"), logging=logging)
    session.client.wait_for_stop()
    session.client.request("threads")
    session.client.continue_()
    assert session.client.wait_for_exit() == 6
    return said(session)


def messages_in(lines: list[str]) -> list[tuple[str, str]]:
    found = [(line[:2], json.loads(line[3:])) for line in lines if line.startswith(("<- ", "-> "))]
    return [(direction, str(message.get("event") or message["command"])) for direction, message in found]


@pytest.mark.parametrize("logging", [{"engineLogging": True}, {"diagnosticsLog": {"protocolMessages": True}}])
def test_messages_are_shown_in_their_order_and_output_is_not_shown_again(session, logging):
    shown = messages_in(run(session, **logging))
    request = shown.index(("<-", "threads"))
    assert shown[request + 1] == ("->", "threads")
    assert shown.index(("->", "launch")) < shown.index(("->", "process")) < shown.index(("->", "stopped")) < request
    assert ("->", "output") not in shown
    sent = [entry for entry in session.client.messages if entry.sender == "adapter"]
    launched = next(i for i, entry in enumerate(sent) if entry.message.get("command") == "launch")
    wanted = [entry.message.get("event") or entry.message["command"] for entry in sent[launched:]]
    wanted = [name for name in wanted if name not in ("output", "terminated")]  # which the client waits for
    assert [name for direction, name in shown if direction == "->" and name != "terminated"] == wanted


def test_each_request_has_its_time(session):
    lines = run(session, elapsedTiming=True)
    timed = [match.group(1) for line in lines if (match := re.fullmatch(r"'(\w+)' took \d+\.\d ms", line))]
    assert [name for name in timed if name not in ("setBreakpoints", "setExceptionBreakpoints")] == [
        "launch",
        "configurationDone",
        "threads",
        "continue",
    ]
    assert messages_in(lines) == []


def test_events_of_the_runtime_are_shown(session):
    lines = run(session, diagnosticsLog={"debugRuntimeEventTracing": True})
    assert "Runtime event: ModuleLoaded, System.Private.CoreLib.dll" in lines
    (hit,) = (line for line in lines if "BreakpointHit" in line)
    assert re.fullmatch(r"Runtime event: BreakpointHit, thread \d+, il_offset \d+", hit)
    assert not any("OutputWritten" in line for line in lines)


def test_nothing_of_it_is_shown_unasked(session):
    lines = run(session, moduleLoad=False, processExit=False)
    assert lines == ["6"]


def test_a_failed_request_is_timed_and_large_messages_are_cut(session):
    session.launch(line_of("print"), logging={"engineLogging": True, "elapsedTiming": True})
    session.client.wait_for_stop()
    with pytest.raises(DapRequestError):
        session.client.request("evaluate", {"expression": "nowhere" + "x" * 20_000, "context": "watch"})
    session.client.continue_()
    session.client.wait_for_exit()
    lines = said(session)
    assert any(line.startswith("'evaluate' took ") for line in lines)
    (cut,) = (line for line in lines if line.startswith("<- ") and '"evaluate"' in line)
    assert re.search(r"… \(20\d\d\d characters\)$", cut)
    assert len(cut) < 9000


def test_a_secret_is_not_shown_and_a_restart_may_end_the_trace():
    quiet = {"program": "/app/Sample.dll", "serverToken": "sesame", "logging": {"engineLogging": False}}
    # by the schema, arguments of a restart that fit both launch and attach fit neither
    with SessionUnderTest(add_up, schema=False) as session:
        session.launch(line_of("print"), logging={"engineLogging": True})
        session.client.wait_for_stop()
        session.client.request("restart", {"arguments": quiet})
        session.client.wait_for_stop()
        session.client.request("threads")
        session.client.continue_()
        session.client.wait_for_exit()
        lines = said(session)
    (asked,) = (line for line in lines if line.startswith("<- ") and '"restart"' in line)
    assert '"serverToken": "***"' in asked
    assert not any(name == "threads" for _, name in messages_in(lines))
