"""Launches of projects, over a script in the place of dotnet and the fake debuggee in the place of what it builds."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.session.harness import SessionUnderTest
from tests.support.fake_debuggee.sample import DOCUMENT, line_of


class ProjectLaunch:
    """A project, and a session that builds it with a shell script."""

    def __init__(self, folder: Path, session: SessionUnderTest) -> None:
        self.session = session
        self.client = session.client
        self.path = folder / "Sample.csproj"
        self.path.write_text("<Project />")
        self.made = folder / "bin" / "Sample.dll"
        self.made.parent.mkdir()
        self.made.touch()
        self.root = folder / "dotnet"
        self.root.mkdir()

    def builds(self, script: str = "") -> None:
        dotnet = self.root / "dotnet"
        dotnet.write_text(f"#!/bin/sh\n{script}\necho '  Sample -> {self.made}'\n")
        dotnet.chmod(0o755)

    def start(self, **attributes):
        environment = {"DOTNET_ROOT": str(self.root)}
        return self.client.start("launch", {"program": str(self.path), "env": environment, **attributes})

    def told(self, category: str) -> str:
        return "".join(
            event["body"]["output"]
            for recorded in self.client.messages
            if (event := recorded.message).get("event") == "output" and event["body"]["category"] == category
        )


@pytest.fixture
def launch(session, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DOTNET_ROOT_X64", raising=False)
    return ProjectLaunch(tmp_path, session)


def test_project_is_built_and_what_it_makes_is_started(launch):
    launch.builds("echo hello")
    launch.client.initialize(supportsProgressReporting=True)
    starting = launch.start(args=["a b"])
    (set_,) = launch.client.set_breakpoints(DOCUMENT, [line_of("call")])
    assert set_.verified, "the answer has waited for the build"
    launch.client.configuration_done()
    launch.client.wait_for_stop()
    starting.result()
    assert launch.session.backend.spec.command == ("dotnet", str(launch.made), "a b")
    assert launch.told("console").splitlines()[:2] == [f"Building {launch.path}", "hello"]
    (process,) = launch.client.events("process")
    assert process["name"] == str(launch.made)
    names = launch.session.names()
    assert names.index("progressStart") < names.index("progressEnd") < names.index("launch")


def test_failed_build_fails_the_launch_and_shows_where(launch):
    launch.builds(
        f"echo {shlex.quote(f'{launch.path.parent}/A.cs(4,9): error CS0103: no such name [x.csproj]')}; exit 1"
    )
    starting = launch.start()
    with pytest.raises(
        DapRequestError, match=r"failed with an error: A\.cs\(4,9\): error CS0103: no such name"
    ) as failed:
        starting.result()
    assert failed.value.code == "BUILD_FAILED"
    body = launch.client.wait_for("output", where=lambda body: body["category"] == "stderr").body
    assert (body["source"]["path"], body["line"], body["column"]) == (f"{launch.path.parent}/A.cs", 4, 9)
    assert body["output"].endswith("A.cs(4,9): error CS0103: no such name\n")
    launch.client.wait_for("terminated")
    assert launch.session.backend.debuggee is None


def begin_endless(launch: ProjectLaunch):
    launch.builds("echo begun; exec sleep 60")
    starting = launch.start()
    launch.client.wait_for("output", where=lambda body: body["output"] == "begun\n")
    return starting


def test_build_is_cancelled_by_the_progress_s_button(launch):
    launch.client.initialize(supportsProgressReporting=True)
    starting = begin_endless(launch)
    launch.client.request("cancel", {"progressId": "build"})
    with pytest.raises(DapRequestError, match="was cancelled"):
        starting.result()
    launch.client.wait_for("progressEnd")
    launch.client.wait_for("terminated")


def test_build_is_cancelled_with_its_request(launch):
    starting = begin_endless(launch)
    seq = next(
        recorded.message["seq"] for recorded in launch.client.messages if recorded.message.get("command") == "launch"
    )
    launch.client.request("cancel", {"requestId": seq})
    with pytest.raises(DapRequestError, match="was cancelled"):
        starting.result()


def test_build_is_cancelled_by_terminate(launch):
    starting = begin_endless(launch)
    launch.client.request("terminate")
    with pytest.raises(DapRequestError, match="was cancelled"):
        starting.result()
    launch.client.wait_for("terminated")


def test_build_ends_with_its_session(launch):
    begin_endless(launch)
    launch.client.disconnect()
    launch.session.wait_for_end()


def test_build_ends_with_its_client(launch):
    begin_endless(launch)
    launch.session.hang_up()
    launch.session.wait_for_end()


def test_program_that_is_terminated_while_it_starts_is_ended(session):
    session.backend.may_start.clear()
    starting = session.client.start("launch", {"program": "/app/Sample.dll"})
    session.client.request("terminate")
    session.backend.may_start.set()
    starting.result()
    session.client.wait_for("terminated")
    assert not session.client.events("stopped")


def test_project_takes_the_profile_of_its_launch_settings(launch):
    launch.builds()
    settings = launch.path.parent / "Properties" / "launchSettings.json"
    settings.parent.mkdir()
    profile = {"commandName": "Project", "commandLineArgs": "from profile", "applicationUrl": "http://localhost:5000"}
    settings.write_text(json.dumps({"profiles": {"http": profile}}))
    starting = launch.start()
    launch.client.configuration_done()
    starting.result()
    spec = launch.session.backend.spec
    assert spec.command == ("dotnet", str(launch.made), "from", "profile")
    assert spec.environment["ASPNETCORE_URLS"] == "http://localhost:5000"
    assert spec.working_directory == str(launch.path.parent)


def test_wrong_profile_is_refused_at_once_and_another_may_be_launched(launch):
    launch.builds()
    settings = launch.path.parent / "settings.json"
    settings.write_text("{")
    with pytest.raises(DapRequestError, match="not valid JSON"):
        launch.start(launchSettingsFilePath=str(settings)).result()
    starting = launch.client.send("launch", {"program": str(launch.path), "env": {"DOTNET_ROOT": str(launch.root)}})
    launch.client.configuration_done()
    starting.result()


def test_watch_is_started_as_run(launch):
    launch.builds()
    starting = launch.start(program="dotnet", args=["watch", "run"], cwd=str(launch.path.parent))
    launch.client.configuration_done()
    starting.result()
    assert "changed sources take effect with the next start" in launch.told("console")
