"""Builds, with a script in the place of dotnet."""

from __future__ import annotations

import os
import shlex
import threading
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import builds
from dap_dotnet.launching.builds import Diagnostic, build, parse_line
from dap_dotnet.launching.projects import BuildOptions, Project
from tests.support.descriptors import low_descriptors_taken
from tests.support.processes import has_ended, wait_until

DEFAULTS = BuildOptions()
PROJECT = '<Project Sdk="Microsoft.NET.Sdk" />'


class FakeSdk:
    """A .NET root whose `dotnet` is a shell script."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        (self.root / "shared").mkdir(parents=True)
        (self.root / "sdk" / "10.0.100").mkdir(parents=True)
        self.calls = folder / "calls"
        self.project = folder / "my project" / "App.csproj"
        self.project.parent.mkdir()
        self.project.write_text(PROJECT)
        self.made = self.project.parent / "bin" / "App.dll"
        self.made.parent.mkdir()
        self.lines: list[str] = []

    def plays(self, script: str) -> None:
        dotnet = self.root / "dotnet"
        dotnet.write_text(f'#!/bin/sh\necho "in $(pwd):" "$@" >>"{self.calls}"\n{script}\n')
        dotnet.chmod(0o755)

    def builds(self) -> None:
        self.plays(f'echo "  Lib -> /elsewhere/Lib.dll"\necho x >"{self.made}"\necho "  App -> {self.made}"')

    def build(self, options: BuildOptions = DEFAULTS, is_cancelled=lambda: False, *, force: bool = False) -> Path:
        environment = {"DOTNET_ROOT": str(self.root)}
        return build(
            Project(self.project),
            options,
            environment,
            lambda line: self.lines.append(line.text),
            is_cancelled,
            force=force,
        ).made

    def called(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def sdk(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("DOTNET_ROOT_X64", raising=False)
    return FakeSdk(tmp_path)


def test_build_returns_what_it_has_made(sdk):
    sdk.builds()
    assert sdk.build(BuildOptions("net10.0", "Release")) == sdk.made
    assert sdk.called() == [
        f"in {sdk.project.parent}: build ./App.csproj -f net10.0 -c Release -nologo -v:m -clp:NoSummary"
    ]
    assert sdk.lines == ["  Lib -> /elsewhere/Lib.dll", f"  App -> {sdk.made}"]


def test_build_of_an_adapter_with_many_open_files(sdk):
    sdk.builds()
    with low_descriptors_taken():
        assert sdk.build() == sdk.made


def test_build_that_fails_says_the_first_error(sdk):
    sdk.plays(
        'echo "/p/A.cs(3,7): warning CS0168: unused [/p/App.csproj]"\n'
        'echo "/p/A.cs(4,9): error CS0103: no such name [/p/App.csproj]"\n'
        'echo "/p/A.cs(5,1): error CS1002: ; expected [/p/App.csproj]"\n'
        'echo "/p/A.cs(4,9): error CS0103: no such name [/p/App.csproj]"\nexit 1'
    )
    with pytest.raises(LaunchError, match=r"2 errors, first: /p/A\.cs\(4,9\): error CS0103: no such name$") as failed:
        sdk.build()
    assert failed.value.code == "BUILD_FAILED"
    assert len(sdk.lines) == 3, "what the summary repeats is left out"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (
            ["FOLDER/Sub/A.cs(4,9): error CS0103: none [FOLDER/App.csproj]"],
            "an error: Sub/A.cs(4,9): error CS0103: none",
        ),
        (["FOLDER/../Lib/L.cs(2): error X: y [FOLDER/../Lib/Lib.csproj]"], "an error: ../Lib/L.cs(2): error X: y"),
        (["/far/L.cs(2,1): error X: y [/far/L.csproj]"], "an error: /far/L.cs(2,1): error X: y"),
        (
            ["/sdk/S.targets(184,5): error NETSDK1045: old [FOLDER/App.csproj]"],
            "an error: App.csproj: error NETSDK1045: old",
        ),
        (["/far/D.props(1,2): error X: y [/far/sub/L.csproj]"], "an error: /far/D.props(1,2): error X: y"),
        (["CSC : error CS5001: no Main [FOLDER/App.csproj]"], "an error: App.csproj: error CS5001: no Main"),
        (["MSBUILD : error MSB1009: none."], "an error: MSBUILD: error MSB1009: none."),
        (
            [
                "/sdk/S.targets(1,5): error MSB3073: exited with 1 [FOLDER/App.csproj]",
                "FOLDER/A.cs(4,9): error CS0219: Warning As Error: unused [FOLDER/App.csproj::TargetFramework=net8.0]",
                "FOLDER/A.cs(4,9): error CS0219: Warning As Error: unused [FOLDER/App.csproj::TargetFramework=net9.0]",
            ],
            "2 errors, first: A.cs(4,9): error CS0219: Warning As Error: unused",
        ),
    ],
)
def test_first_error_is_said_with_its_file_or_project(sdk, lines, expected):
    folder = str(sdk.project.parent)
    sdk.plays("\n".join(f"echo {shlex.quote(line.replace('FOLDER', folder))}" for line in lines) + "\nexit 1")
    with pytest.raises(LaunchError) as failed:
        sdk.build()
    assert str(failed.value) == f"The build of App.csproj failed with {expected}"


def test_build_that_fails_without_a_diagnostic_is_quoted(sdk):
    sdk.plays("echo boom\nexit 7")
    with pytest.raises(LaunchError, match=r"failed\. It wrote:\nboom"):
        sdk.build()


def test_build_without_a_home_folder_says_what_to_set(sdk, monkeypatch):
    sdk.plays("echo 'Access denied.'; echo '   at System.IO.FileSystem.CreateDirectory(String path)'; exit 1")
    monkeypatch.delenv("DOTNET_CLI_HOME", raising=False)
    monkeypatch.setenv("HOME", "/nowhere")
    with pytest.raises(LaunchError) as failed:
        sdk.build()
    assert str(failed.value) == (
        "The build of App.csproj failed. The folder /nowhere, in which the .NET SDK keeps files of its own, does not "
        "exist. Set DOTNET_CLI_HOME to another one before the editor is started. It wrote:\nAccess denied."
    )


def test_build_in_a_folder_that_msbuild_cannot_name(sdk):
    sdk.plays("echo 'error MSB1: no'; exit 1")
    sdk.project = sdk.project.parent.parent / "p%41 %zz" / "App.csproj"
    sdk.project.parent.mkdir()
    sdk.project.write_text(PROJECT)
    with pytest.raises(LaunchError, match=r"takes '%41' in the path of a project for 'A': rename"):
        sdk.build()


def test_build_that_asks_gets_no_answer(sdk):
    sdk.plays('read line && echo "got $line"\nexit 1')
    with pytest.raises(LaunchError, match="failed"):
        sdk.build()
    assert sdk.lines == []


def test_build_that_is_silent_is_told_of(sdk, monkeypatch):
    monkeypatch.setattr(builds, "_SILENCE_S", 0.1)
    sdk.plays("sleep 60")
    with pytest.raises(LaunchError, match="was cancelled"):
        sdk.build(is_cancelled=lambda: len(sdk.lines) == 2)
    assert [line.partition(" s. ")[0] for line in sdk.lines] == [
        "The build has printed nothing for 0.1",
        "The build has printed nothing for 0.2",
    ]


def test_build_is_cancelled_with_all_that_it_started(sdk):
    sdk.plays("sleep 60 &\necho $!\necho begun\nwait")
    has_begun = threading.Event()
    environment = {"DOTNET_ROOT": str(sdk.root)}

    def report(line: builds.BuildLine) -> None:
        sdk.lines.append(line.text)
        if line.text == "begun":
            has_begun.set()

    with pytest.raises(LaunchError, match="was cancelled") as cancelled:
        build(Project(sdk.project), BuildOptions(), environment, report, has_begun.is_set)
    assert cancelled.value.code == "CANCELLED"
    wait_until(lambda: has_ended(int(sdk.lines[0])), "the end of what the build had started")


def test_server_that_a_build_leaves_behind_does_not_hold_it_up(sdk):
    sdk.plays(f'sleep 60 &\necho $!\necho x >"{sdk.made}"\necho "  App -> {sdk.made}"')
    assert sdk.build() == sdk.made
    os.kill(int(sdk.lines[0]), 9)


def test_output_that_is_not_utf8_is_shown_as_such(sdk):
    sdk.plays("printf 'a\\377b\\r\\nrest'\nexit 1")
    with pytest.raises(LaunchError):
        sdk.build()
    assert sdk.lines == ["a�b", "rest"]


def test_several_outputs_are_several_frameworks(sdk):
    sdk.plays('echo "  App -> /o/net8.0/App.dll"\necho "  App -> /o/net9.0/App.dll"')
    with pytest.raises(LaunchError, match=r"\(net8\.0, net9\.0\): name one as targetFramework"):
        sdk.build()


def test_listed_frameworks_are_asked_about_before_anything_is_built(sdk):
    sdk.builds()
    sdk.project.write_text("<Project><TargetFrameworks>net8.0;net9.0</TargetFrameworks></Project>")
    with pytest.raises(LaunchError, match=r"\(net8\.0, net9\.0\): name one as targetFramework"):
        sdk.build()
    assert sdk.called() == []
    assert sdk.build(BuildOptions("net8.0")) == sdk.made


def test_build_without_a_program_says_so(sdk):
    sdk.plays('echo "  Other -> /x/Other.dll"')
    with pytest.raises(LaunchError, match="did not say where its output is"):
        sdk.build()


def test_sdk_is_missing_or_too_old(sdk, monkeypatch):
    sdk.builds()
    monkeypatch.setattr(builds, "find_hosts", lambda environment: iter([]))
    with pytest.raises(LaunchError, match=r"No \.NET SDK was found"):
        sdk.build()
    monkeypatch.undo()
    (sdk.root / "sdk" / "10.0.100").rename(sdk.root / "sdk" / "8.0.100")
    source = sdk.project.with_name("app.cs")
    only = builds.DotnetHost(sdk.root / "dotnet", sdk.root)
    monkeypatch.setattr(builds, "find_hosts", lambda environment: iter([only]))
    with pytest.raises(LaunchError, match=r"SDK 10 and later can build; there is 8\.0\.100"):
        builds.find_sdk(Project(source), {})


def test_unchanged_project_is_not_built_again(sdk):
    sdk.builds()
    assert sdk.build() == sdk.build() == sdk.made
    assert len(sdk.called()) == 1
    assert sdk.lines[-1] == "App.csproj is up to date"
    assert sdk.build(BuildOptions(configuration="Release")) == sdk.made
    assert len(sdk.called()) == 2


def touch(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda sdk: touch(sdk.project.with_name("New.cs")),
        lambda sdk: touch(sdk.project.parent / "Sub" / "bin" / "New.cs"),
        lambda sdk: touch(sdk.project.parent.parent / "Directory.Build.props", "<Project />"),
        lambda sdk: touch(sdk.project.with_name("Old.cs"), "changed"),
        lambda sdk: sdk.project.with_name("Old.cs").unlink(),
        lambda sdk: sdk.made.unlink(),
        lambda sdk: touch(sdk.made, "built by somebody else"),
        lambda sdk: touch(sdk.project.parents[1] / "lib" / "L.cs", "changed"),
    ],
)
def test_change_asks_for_a_build(sdk, change):
    sdk.project.write_text('<Project><ProjectReference Include="..\\lib\\L.csproj" /></Project>')
    touch(sdk.project.parents[1] / "lib" / "L.csproj", "<Project />")
    touch(sdk.project.parents[1] / "lib" / "L.cs")
    touch(sdk.project.with_name("Old.cs"))
    sdk.builds()
    sdk.build()
    sdk.build()
    assert len(sdk.called()) == 1
    change(sdk)
    sdk.build()
    assert len(sdk.called()) == 2


@pytest.mark.parametrize(
    "text",
    [
        '<Import Project="common.props" />',
        '<Compile Include="../Shared/*.cs" />',
        '<Compile Link="a"\n Include="$(Shared)/A.cs" />',
        '<None Update="/etc/hosts" />',
        '<Target Name="Generate" />',
        "<Reference Include='X'><HintPath>../x.dll</HintPath></Reference>",
        '<ProjectReference Include="$(Lib)" />',
        '<ProjectReference Include="../gone/Gone.csproj" />',
    ],
)
def test_project_with_parts_elsewhere_is_always_built(sdk, text):
    sdk.project.write_text(f"<Project>{text}</Project>")
    sdk.builds()
    sdk.build()
    sdk.build()
    assert len(sdk.called()) == 2


def test_linked_folder_is_always_built(sdk, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (sdk.project.parent / "linked").symlink_to(tmp_path / "elsewhere")
    sdk.builds()
    sdk.build()
    sdk.build()
    assert len(sdk.called()) == 2


def test_source_that_changes_during_the_build_asks_for_another(sdk):
    sdk.plays(f'echo y >"{sdk.project.parent}/Late.cs"\necho x >"{sdk.made}"\necho "  App -> {sdk.made}"')
    sdk.build()
    sdk.build()
    assert len(sdk.called()) == 2


def test_nowhere_to_keep_records(sdk, monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("a file")
    sdk.builds()
    assert sdk.build() == sdk.build() == sdk.made
    assert len(sdk.called()) == 2


@pytest.mark.parametrize(
    ("text", "diagnostic"),
    [
        (
            "/a b/P.cs(1,50): error CS0029: no [x] [/a b/my app.csproj::TargetFramework=net10.0]",
            Diagnostic(True, "/a b/P.cs", 1, 50, "error CS0029: no [x]", "/a b/my app.csproj"),
        ),
        (
            "Sub/P.cs(1,2,3,4): warning CS1: foo: bar [/a/b.csproj]",
            Diagnostic(False, "/a/Sub/P.cs", 1, 2, "warning CS1: foo: bar", "/a/b.csproj"),
        ),
        ("/b.csproj : error NU1100: x 'y (>= 1)'.", Diagnostic(True, "/b.csproj", 0, 0, "error NU1100: x 'y (>= 1)'.")),
        ("MSBUILD : error MSB1009: none.", Diagnostic(True, "MSBUILD", 0, 0, "error MSB1009: none.")),
        ("  App -> /a/App.dll", None),
        ("Determining projects to restore...", None),
        ("there was no error: fine", None),
    ],
)  # fmt: skip
def test_diagnostics_of_lines(text, diagnostic):
    assert parse_line(text).diagnostic == diagnostic
