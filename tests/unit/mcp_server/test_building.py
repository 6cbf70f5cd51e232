"""`project_build`, with a script in the place of dotnet."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp")

import anyio

from dap_dotnet.mcp.options import ServerOptions
from tests.support.fake_sdk import ScriptedSdk
from tests.unit.mcp_server.harness import run_agent


@pytest.fixture
def sdk(tmp_path, monkeypatch):
    return ScriptedSdk(tmp_path, monkeypatch)


def test_build_is_answered_with_its_diagnostics_errors_first(sdk):
    async def body(agent):
        sdk.says(sdk.warning, sdk.made_line)
        built = await agent.call("project_build", project=str(sdk.project.parent), force=True, configuration="Debug")
        assert (built["succeeded"], built["complete"], built["output"]) == (True, True, str(sdk.made))
        assert (built["errors"], built["warnings"]) == (0, 1)
        assert (await agent.call("project_build", project=str(sdk.project), configuration="Debug"))["up_to_date"]
        sdk.says(sdk.warning, sdk.error)
        sdk.ends_with(1)
        failed = await agent.call("project_build", project=str(sdk.project))
        assert (failed["succeeded"], failed["errors"], failed["warnings"]) == (False, 1, 1)
        first = failed["diagnostics"][0]
        assert (first["severity"], first["code"], first["file"]) == ("error", "CS0103", sdk.source)
        assert (first["line"], first["column"]) == (7, 13)
        short = await agent.call("project_build", project=str(sdk.project), max_chars=100)
        assert [one["code"] for one in short["diagnostics"]] == ["CS0103"]
        assert "1 more" in short["left_out"]
        assert agent.server.sessions.all() == []

    run_agent(body)


def test_build_tells_its_progress_and_is_cancelled(sdk):
    sdk.plays("exec sleep 60")
    told = []

    async def body(agent):
        async def progress(done, total, message):
            told.append(message)
            if done > 0:
                scope.cancel()

        with anyio.CancelScope() as scope:
            await agent.client.call_tool("project_build", {"project": str(sdk.project)}, progress_callback=progress)
        assert scope.cancelled_caught

    run_agent(body)
    assert set(told) == {"building App.csproj"}


def test_build_is_confined_to_folders_and_switched_off(sdk, tmp_path):
    async def outside(agent):
        assert await agent.refused("project_build", project=str(sdk.project)) == "NOT_ALLOWED"

    async def read_only(agent):
        listed = await agent.client.list_tools()
        assert "project_build" not in {one.name for one in listed.tools}

    folder = tmp_path / "allowed"
    folder.mkdir()
    run_agent(outside, options=ServerOptions(folders=(str(folder),)))
    run_agent(read_only, options=ServerOptions(read_only=True))
    assert sdk.called() == []


def test_build_of_what_is_no_project_is_refused(tmp_path):
    async def body(agent):
        assert await agent.refused("project_build", project=str(tmp_path / "A.csproj")) == "LAUNCH_FAILED"

    run_agent(body)
