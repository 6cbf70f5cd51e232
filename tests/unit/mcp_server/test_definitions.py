"""Definitions by name and by place, over the symbols of the sample program."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("mcp")

from dap_dotnet.mcp import definition_search
from dap_dotnet.mcp.models import SourceLine
from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.stale_sources import stale_note
from tests.support.fake_debuggee.sample import DOCUMENT, line_of
from tests.unit.mcp_server.harness import PROGRAM, run_agent


def test_a_method_is_found_by_its_name_and_by_a_call_of_it():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        named = await agent.call("definitions_find", name="Program.Add")
        (found,) = named["definitions"]
        assert (found["kind"], found["line_is"], found["file"]) == ("method", "code", DOCUMENT)
        assert found["line"] <= line_of("added")
        at_line = await agent.call("definitions_find", file=DOCUMENT, line=line_of("call"))
        assert found in at_line["definitions"]
        await agent.call("debug_disconnect")

    run_agent(body)


def test_a_type_has_the_place_of_its_first_code():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        found = (await agent.call("definitions_find", name="Program"))["definitions"]
        (type_,) = (one for one in found if one["kind"] == "type")
        assert type_["line_is"] == "type"
        assert type_["line"] <= line_of("call")
        await agent.call("debug_disconnect")

    run_agent(body)


def test_what_is_not_there_is_refused_with_a_code():
    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        assert await agent.refused("definitions_find", name="No.Such") == "NOT_FOUND"
        assert await agent.refused("definitions_find") == "INVALID_ARGUMENTS"
        assert await agent.refused("definitions_find", name="Add", file=DOCUMENT, line=1) == "INVALID_ARGUMENTS"
        assert await agent.refused("definitions_find", file=DOCUMENT) == "INVALID_ARGUMENTS"
        assert await agent.refused("definitions_find", file=DOCUMENT, line=100_000) == "INVALID_LINE"
        assert await agent.refused("definitions_find", file="/no/such.cs", line=1) == "INVALID_LINE"
        await agent.call("debug_disconnect")

    run_agent(body)


@pytest.mark.parametrize("is_confined", [False, True])
def test_sources_outside_the_folders_are_not_shown(tmp_path, monkeypatch, is_confined):
    line = SourceLine(line=1, text="code", is_current=True)
    monkeypatch.setattr(definition_search, "source_lines", lambda *_: [line])
    folders = (str(Path(PROGRAM).parent),) if is_confined else ()

    async def body(agent):
        await agent.call("debug_launch", program=PROGRAM)
        (found,) = (await agent.call("definitions_find", name="Program.Add"))["definitions"]
        assert [one["text"] for one in found["source"]] == ([] if is_confined else ["code"])
        refusal = await agent.refused("definitions_find", file=str(tmp_path / "a.cs"), line=1)
        assert refusal == ("NOT_ALLOWED" if is_confined else "INVALID_LINE")
        await agent.call("debug_disconnect")

    run_agent(body, options=ServerOptions(folders=folders))


class Explaining:
    """A session whose adapter explains each place in the same way."""

    state = "stopped"

    def __init__(self, code, *findings):
        self.modules = {}
        self.stale_notes = {}
        self.asked = 0
        self._body = {"code": code, "modules": [{"name": "App.dll", "finding": text} for text in findings]}

    def request(self, command, arguments):
        assert (command, arguments["line"]) == ("dap-dotnet/explainBreakpoint", 1)
        self.asked += 1
        return self._body


OTHER = "its document /app/a.cs has the path; its checksum is 00, which differs from the local file's"


@pytest.mark.parametrize(
    ("code", "findings", "is_stale"),
    [
        ("INVALID_FILE", [f"{OTHER}; it was not chosen."], True),
        ("", [f"{OTHER}; no code at line 1."], True),  # taken nevertheless, as the launch has asked for
        ("", [f"{OTHER}; it was not chosen.", "its document /app/a.cs is this file; no code at line 1."], False),
        ("INVALID_FILE", [], False),
    ],
)
def test_a_file_that_is_not_what_was_built_is_told_once_for_each_version(tmp_path, code, findings, is_stale):
    file = tmp_path / "a.cs"
    file.write_text("class A {}", encoding="utf-8")
    session = Explaining(code, *findings)
    notes = [stale_note(session, str(file)) for _ in range(2)]
    assert [note is not None for note in notes] == [is_stale] * 2
    assert session.asked == 1
    file.write_text("class A { }", encoding="utf-8")
    stale_note(session, str(file))
    assert session.asked == 2
    assert stale_note(session, str(tmp_path / "none.cs")) is None
    assert stale_note(session, None) is None
