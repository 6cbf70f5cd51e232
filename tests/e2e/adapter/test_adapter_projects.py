"""Projects: built by the SDK itself, then launched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import dotnet
from tests.support.dotnet import Installation, Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]

BUILD_TIMEOUT_S = 120.0
NO_SOURCES = "<configuration><packageSources><clear /></packageSources></configuration>"
PROGRAM = """\
using System;

class Program
{
    static int Main(string[] args)
    {
        Console.WriteLine(string.Join("|", args)); // @print
        Console.WriteLine(Environment.GetEnvironmentVariable("DOTNET_LAUNCH_PROFILE"));
        return 7;
    }
}
"""
SETTINGS = '{"profiles": {"main": {"commandName": "Project", "commandLineArgs": "\\"from the\\" profile"}}}'


class Workspace:
    """A folder with a project, and the environment that builds it without a net and leaves no server behind."""

    def __init__(self, folder: Path, runtime: Runtime, installation: Installation) -> None:
        self.folder = folder / "my work ä"
        (self.folder / "Properties").mkdir(parents=True)
        (folder / "data").mkdir()  # where SDK 10 keeps what it makes of C# files; it wants it to be there
        sdk = installation.sdk_for(runtime)
        self.sdk_version = sdk.version
        self.environment = {
            **dotnet.environment(sdk.root, sdk.version),
            "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_DATA_HOME": str(folder / "data"),
            "MSBUILDDISABLENODEREUSE": "1",
            "UseSharedCompilation": "false",
        }
        (self.folder / "nuget.config").write_text(NO_SOURCES)
        self.source = self.folder / "Program.cs"
        self.source.write_text(PROGRAM)
        self.project = self.folder / "App.csproj"
        self.project.write_text(
            '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><UseAppHost>false</UseAppHost>'
            f"<TargetFramework>{runtime.target_framework}</TargetFramework></PropertyGroup></Project>"
        )

    def launch(self, session: Session, **attributes: object) -> None:
        breakpoints = {str(self.source): [PROGRAM[: PROGRAM.index("// @print")].count("\n") + 1]}
        session.launch(str(self.folder), breakpoints=breakpoints, **attributes)  # type: ignore[arg-type]


@pytest.fixture
def workspace(newest_runtime: Runtime, tmp_path: Path, installation: Installation) -> Workspace:
    return Workspace(tmp_path, newest_runtime, installation)


def told(session: Session, category: str = "console") -> str:
    return session.output(category)


def test_folder_with_a_project_is_built_and_launched(
    runtime: Runtime, tmp_path: Path, installation: Installation, open_session: Callable[..., Session]
) -> None:
    if any(other.root == runtime.root for other in installation.runtimes[installation.runtimes.index(runtime) + 1 :]):
        pytest.skip("a newer runtime beside it is built for by the same SDK")
    workspace = Workspace(tmp_path, runtime, installation)
    (workspace.folder / "Properties" / "launchSettings.json").write_text(SETTINGS)
    for is_first in (True, False):
        session = open_session(env=workspace.environment, timeout_s=BUILD_TIMEOUT_S)
        workspace.launch(session)
        session.wait_for_stop()
        session.continue_()
        assert session.wait_for_exit() == 7
        assert session.output() == "from the|profile\nmain\n"
        assert ("App.csproj is up to date" in told(session)) is not is_first
        session.disconnect()


def test_build_that_fails_is_told_with_its_place(workspace: Workspace, open_session: Callable[..., Session]) -> None:
    workspace.source.write_text(PROGRAM.replace("return 7", "return seven"))
    session = open_session(env=workspace.environment, timeout_s=BUILD_TIMEOUT_S)
    with pytest.raises(DapRequestError, match=r"App\.csproj failed with an error: Program\.cs\(9,16\): error CS0103"):
        workspace.launch(session)
    (body,) = [body for body in session.events("output") if body["category"] == "stderr"]
    assert (body["source"]["path"], body["line"], body["column"]) == (str(workspace.source), 9, 16)


def test_c_sharp_file_alone(workspace: Workspace, open_session: Callable[..., Session]) -> None:
    if dotnet.version_key(workspace.sdk_version) < (10,):
        pytest.skip("only SDK 10 and later build a C# file without a project")
    workspace.project.unlink()
    workspace.source.write_text('#:property PublishAot=false\nvar text = "alone";\nSystem.Console.WriteLine(text);\n')
    session = open_session(env=workspace.environment, timeout_s=BUILD_TIMEOUT_S)
    session.launch(str(workspace.source), breakpoints={str(workspace.source): [3]})
    session.wait_for_stop()
    assert session.locals()["text"].value == '"alone"'
    session.continue_()
    assert session.wait_for_exit() == 0
    assert session.output() == "alone\n"
