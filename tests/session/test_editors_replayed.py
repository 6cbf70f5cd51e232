"""What editors send that cannot be run here, from their sources: Helix, dape for Emacs, Kate."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.session import early_answers
from tests.session.harness import SessionUnderTest
from tests.support.fake_debuggee.sample import DOCUMENT, line_of

Make = Callable[..., SessionUnderTest]
PROGRAM = "/app/Sample.dll"
HELIX = {
    "clientID": "hx",
    "clientName": "helix",
    "adapterID": "dap-dotnet",
    "locale": "en-us",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "pathFormat": "path",
    "supportsVariableType": True,
    "supportsVariablePaging": False,
    "supportsRunInTerminalRequest": True,
    "supportsMemoryReferences": False,
    "supportsProgressReporting": True,
    "supportsInvalidatedEvent": False,
}


def test_helix_goes_to_the_thread_that_has_stopped(session_of: Make) -> None:
    with session_of() as session:
        client = session.client
        assert client.request("initialize", HELIX)["supportsConfigurationDoneRequest"]
        launching = client.send("launch", {"program": PROGRAM, "cwd": "/app"})
        client.wait_for("initialized")
        wanted = {"source": {"path": DOCUMENT}, "breakpoints": [{"line": line_of("add")}], "sourceModified": False}
        client.request("setBreakpoints", wanted)
        client.request("configurationDone", {})
        launching.result()
        stopped = client.wait_for("stopped").body
        assert stopped["allThreadsStopped"]
        # It fetches every thread's stack, and shows the one that stopped unless an event has named another before.
        for thread in client.request("threads", {})["threads"]:
            frames = client.request("stackTrace", {"threadId": thread["id"]})["stackFrames"]
        assert frames[0]["line"] == line_of("add")
        (scope, *_) = client.request("scopes", {"frameId": frames[0]["id"]})["scopes"]
        assert client.request("variables", {"variablesReference": scope["variablesReference"]})["variables"]
        assert client.request("evaluate", {"expression": "left + 1", "frameId": frames[0]["id"]})["result"] == "1"
        client.request("next", {"threadId": stopped["threadId"]})
        assert client.wait_for("stopped").body["reason"] == "step"
        client.request("setBreakpoints", {**wanted, "breakpoints": []})
        client.request("continue", {"threadId": stopped["threadId"]})
        assert client.wait_for("exited").body["exitCode"] >= 0
        client.wait_for("terminated")
        client.request("disconnect", {"restart": False})
        assert "thread" not in session.names()


def test_helix_is_not_held_up_while_a_program_starts(session_of: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    may_start = threading.Event()
    monkeypatch.setattr(early_answers, "EARLY_ANSWER_PATIENCE_S", 3600)
    with session_of() as session:
        launch = session.backend.launch

        def held(*arguments: Any, **options: Any) -> Any:
            assert may_start.wait(20)
            return launch(*arguments, **options)

        monkeypatch.setattr(session.backend, "launch", held)
        client = session.client
        client.request("initialize", HELIX)
        launching = client.send("launch", {"program": PROGRAM})
        client.wait_for("initialized")
        breakpoints = {"source": {"path": DOCUMENT}, "breakpoints": [{"line": line_of("add")}]}
        (added,) = client.request("setBreakpoints", breakpoints)["breakpoints"]
        assert not added["verified"]
        may_start.set()
        client.request("configurationDone", {})
        launching.result()
        changed = client.wait_for("breakpoint").body["breakpoint"]
        assert (changed["id"], changed["verified"]) == (added["id"], True)
        client.wait_for("stopped")


def test_dape_runs_a_session(session_of: Make) -> None:
    initialize = {
        "clientID": "dape",
        "adapterID": "dap-dotnet",
        "pathFormat": "path",
        "linesStartAt1": True,
        "columnsStartAt1": True,
        "supportsRunInTerminalRequest": True,
        "supportsArgsCanBeInterpretedByShell": True,
        "supportsProgressReporting": True,
        "supportsStartDebuggingRequest": True,
    }
    with session_of() as session:
        client = session.client
        filters = client.request("initialize", initialize)["exceptionBreakpointFilters"]
        # What is nil in its configuration comes as false.
        launch = {"type": "dap-dotnet", "request": "launch", "cwd": "/app", "program": PROGRAM, "args": False}
        launching = client.send("launch", {**launch, "stopAtEntry": False, "env": False, "console": False})
        client.wait_for("initialized")
        client.request("setExceptionBreakpoints", {"filters": [one["filter"] for one in filters if one.get("default")]})
        line = line_of("add")
        wanted = {"breakpoints": [{"line": line}], "lines": [line], "source": {"path": DOCUMENT}}
        assert client.request("setBreakpoints", wanted)["breakpoints"][0]["verified"]
        client.request("setFunctionBreakpoints", {"breakpoints": []})
        client.request("setDataBreakpoints", {"breakpoints": []})
        client.request("configurationDone", {})
        launching.result()
        thread = client.wait_for("stopped").body["threadId"]
        client.request("threads", {})
        trace = client.request("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 1})
        assert trace["stackFrames"][0]["line"] == line
        client.request("continue", {"threadId": thread})
        client.wait_for("stopped")
        client.request("disconnect", {"terminateDebuggee": True})


def test_kate_runs_a_session(session_of: Make) -> None:
    initialize = {
        "locale": "en-US",
        "adapterID": "qdap",
        "linesStartAt1": True,
        "columnsStartAt": True,
        "path": "path",
        "supportsVariableType": True,
        "supportsVariablePaging": False,
        "supportsRunInTerminalRequest": False,
        "supportsMemoryReferences": False,
        "supportsProgressReporting": False,
        "supportsInvalidatedEvent": False,
        "supportsMemoryEvent": False,
    }
    with session_of() as session:
        client = session.client
        client.request("initialize", initialize)
        launching = client.send("launch", {"command": "launch", "program": PROGRAM, "args": [], "cwd": "/app"})
        client.wait_for("initialized")
        source = {"name": "Sample.cs", "path": DOCUMENT}
        breakpoints = [{"line": line_of("add"), "condition": "left > 0"}]
        client.request("setBreakpoints", {"source": source, "breakpoints": breakpoints, "sourceModified": False})
        client.request("configurationDone", {})
        launching.result()
        client.request("threads", {})
        thread = client.wait_for("stopped").body["threadId"]
        trace = client.request("stackTrace", {"threadId": thread, "startFrame": 0, "levels": 0})
        (scope, *_) = client.request("scopes", {"frameId": trace["stackFrames"][0]["id"]})["scopes"]
        of_scope = {"variablesReference": scope["variablesReference"], "start": 0, "count": 0}
        found = client.request("variables", of_scope)["variables"]
        assert {one["name"]: one["value"] for one in found}["left"] == "1"
        client.request("evaluate", {"expression": "left", "context": "repl", "frameId": trace["stackFrames"][0]["id"]})
        client.request("setBreakpoints", {"source": source, "breakpoints": [], "sourceModified": False})
        client.request("continue", {"threadId": thread})
        client.wait_for("exited")
        client.request("disconnect", {"restart": False})
