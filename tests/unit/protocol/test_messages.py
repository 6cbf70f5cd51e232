from __future__ import annotations

import pytest

from dap_dotnet.protocol.messages.base import Event, Message, Response
from dap_dotnet.protocol.messages.breakpoints import Breakpoint, SetBreakpointsArguments, SetBreakpointsResponseBody
from dap_dotnet.protocol.messages.execution import PauseArguments
from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.protocol.messages.lifecycle import RunInTerminalRequestArguments, TerminateArguments
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.protocol.messages.variables import Variable
from dap_dotnet.protocol.wire_names import wire_name


@pytest.mark.parametrize(
    ("python_name", "name"),
    [
        ("line", "line"),
        ("end_line", "endLine"),
        ("lines_start_at1", "linesStartAt1"),
        ("client_id", "clientID"),
        ("adapter_id", "adapterID"),
        ("supports_ansi_styling", "supportsANSIStyling"),
        ("request_seq", "request_seq"),
        ("restart_data", "__restart"),
    ],
)
def test_wire_name_is_the_protocols(python_name, name):
    assert wire_name(python_name) == name


def test_messages_leave_out_what_is_none_and_keep_null_in_free_objects():
    body = SetBreakpointsResponseBody(breakpoints=[Breakpoint(id=1, verified=True, source=Source(path="/a.cs"))])
    wire = Response(seq=3, request_seq=2, success=True, command="setBreakpoints", body=body).to_wire()
    assert wire == {
        "seq": 3,
        "type": "response",
        "request_seq": 2,
        "success": True,
        "command": "setBreakpoints",
        "body": {"breakpoints": [{"id": 1, "verified": True, "source": {"path": "/a.cs"}}]},
    }
    terminal = RunInTerminalRequestArguments(cwd="/", args=["a"], env={"REMOVED": None})
    assert terminal.to_wire() == {"cwd": "/", "args": ["a"], "env": {"REMOVED": None}}


def test_messages_take_null_and_unknown_members():
    arguments = SetBreakpointsArguments.model_validate(
        {"source": {"path": "a", "sources": None, "new": 1}, "breakpoints": None, "lines": [1], "other": {}}
    )
    assert (arguments.source.path, arguments.breakpoints, arguments.lines) == ("a", None, [1])
    assert TerminateArguments.model_validate({}).restart is None
    assert PauseArguments.model_validate({}).thread_id is None
    assert InitializeRequestArguments.model_validate({"clientId": "neovim"}).client_id is None


def test_messages_nest_sources():
    source = Source.model_validate({"name": "a", "sources": [{"name": "b", "sources": [{"name": "c"}]}]})
    assert source.to_wire()["sources"][0]["sources"] == [{"name": "c"}]


def test_messages_carry_lone_surrogates():
    assert Variable(name="s", value="\ud800", variables_reference=0).to_wire()["value"] == "\ud800"


def test_events_without_a_body_have_none():
    assert Event(seq=1, event="initialized").to_wire() == {"seq": 1, "type": "event", "event": "initialized"}
    assert Message(id=1, format="x", show_user=True).to_wire() == {"id": 1, "format": "x", "showUser": True}
    assert Capabilities(supports_log_points=True, supports_set_variable=False).to_wire() == {
        "supportsLogPoints": True,
        "supportsSetVariable": False,
    }
