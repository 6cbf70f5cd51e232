"""What a launch configuration amounts to."""

from __future__ import annotations

import json

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.plans import LaunchPlan, plan_launch
from dap_dotnet.launching.projects import BuildOptions, Project
from dap_dotnet.protocol.reading import read

PROFILES = {
    "http": {
        "commandName": "Project",
        "commandLineArgs": "from profile",
        "applicationUrl": "http://localhost:5000",
        "environmentVariables": {"A": "profile", "B": "profile", "C": "profile"},
    },
    "other": {"commandName": "Project", "workingDirectory": "work"},
    "tool": {"commandName": "Executable", "executablePath": "tool.dll", "commandLineArgs": "t"},
    "run": {"commandName": "Executable", "executablePath": "dotnet", "commandLineArgs": "tool.dll t"},
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    path = tmp_path / "App" / "App.csproj"
    (path.parent / "Properties").mkdir(parents=True)
    path.write_text('<Project Sdk="Microsoft.NET.Sdk.Web" />')
    (path.parent / "Properties" / "launchSettings.json").write_text(json.dumps({"profiles": PROFILES}))
    return Project(path)


def plan(own=None, **attributes) -> LaunchPlan:
    return plan_launch(read(LaunchArguments, attributes, "launch"), own or {})


def test_project_runs_in_its_folder_with_the_first_profile(project):
    found = plan(program=str(project.folder))
    assert (found.program, found.project, found.build) == (str(project.path), project, BuildOptions())
    assert list(found.arguments) == ["from", "profile"]
    assert found.working_directory == str(project.folder)
    assert found.environment == {
        "DOTNET_LAUNCH_PROFILE": "http",
        "ASPNETCORE_URLS": "http://localhost:5000",
        **dict.fromkeys("ABC", "profile"),
    }


def test_configuration_wins_over_the_profile(project, tmp_path):
    (tmp_path / "e.env").write_text("B=file\n")
    found = plan(
        {"A": "own", "D": "own"},
        program=str(project.path),
        cwd=str(tmp_path),
        args=["mine"],
        env={"C": "env", "A": None},
        envFile="e.env",
        targetFramework="net8.0",
        buildConfiguration="Release",
    )
    assert found.arguments == ("mine",)
    assert found.working_directory == str(tmp_path)
    assert {name: found.environment.get(name) for name in "ABCD"} == {"A": None, "B": "file", "C": "env", "D": "own"}
    assert found.build == BuildOptions("net8.0", "Release")


@pytest.mark.parametrize("profile", ["", None])
def test_no_profile_is_wanted(project, profile):
    found = plan(program=str(project.path), launchSettingsProfile=profile)
    assert (list(found.arguments), found.environment) == ([], {})


def test_named_profile_and_its_folder(project):
    found = plan(program=str(project.path), launchSettingsProfile="other")
    assert found.working_directory == str(project.folder / "work")
    with pytest.raises(LaunchError, match="no profile 'none'"):
        plan(program=str(project.path), launchSettingsProfile="none")


@pytest.mark.parametrize("name", ["tool", "run"])
def test_profile_of_another_program(project, name):
    found = plan(program=str(project.path), launchSettingsProfile=name)
    assert found.project is None
    assert found.program == ("tool.dll" if name == "run" else str(project.folder / "tool.dll"))
    assert (found.arguments, found.working_directory) == (("t",), str(project.folder))


def test_dll_takes_the_profile_in_its_working_directory(project):
    found = plan(program="bin/App.dll", cwd=str(project.folder))
    assert (found.program, found.project) == ("bin/App.dll", None)
    assert found.environment["ASPNETCORE_URLS"] == "http://localhost:5000"
    assert plan(program="bin/App.dll", cwd="/").environment == {}


def test_settings_elsewhere(project, tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({"profiles": {"x": {"commandName": "Project"}}}))
    found = plan(program=str(project.path), cwd=str(tmp_path), launchSettingsFilePath="s.json")
    assert found.environment == {"DOTNET_LAUNCH_PROFILE": "x"}
    with pytest.raises(LaunchError, match="cannot be read"):
        plan(program="a.dll", launchSettingsFilePath="/none.json")


def test_command_line_of_dotnet(project):
    arguments = ["run", "--project", "App", "-c", "Release", "-e", "A=line", "-e", "B=line", "--", "x"]
    found = plan(program="dotnet", args=arguments, cwd=str(project.folder.parent), env={"B": "env"})
    assert (found.project, found.build) == (project, BuildOptions("", "Release"))
    assert found.arguments == ("x",)
    assert (found.environment["A"], found.environment["B"]) == ("line", "env")


def test_command_line_of_dotnet_without_a_profile(project):
    found = plan(program="dotnet", args="run --no-launch-profile", cwd=str(project.folder))
    assert "ASPNETCORE_URLS" not in found.environment


def test_project_as_the_type_dotnet_names_it(project):
    found = plan(projectPath=str(project.path), launchConfigurationId="TargetFramework=net8.0;other")
    assert (found.project, found.build.framework) == (project, "net8.0")
    assert found.working_directory == str(project.folder / "work")
    assert plan(projectPath=str(project.path), launchConfigurationId="TargetFramework=;").build.framework == ""


def test_profile_with_paths_of_windows(project):
    profiles = {"x": {"commandName": "Project", "workingDirectory": "..\\App\\work"}}
    (project.folder / "Properties" / "launchSettings.json").write_text(json.dumps({"profiles": profiles}))
    assert plan(program=str(project.path)).working_directory == str(project.folder / "work")


def test_what_is_done_in_another_way_is_remarked(project):
    (remark,) = plan(program="dotnet", args="watch run", cwd=str(project.folder)).remarks
    assert "next start" in remark


def test_program_is_left_as_it_is(tmp_path):
    found = plan({"X": "1"}, program="a\0b", args=["1"])
    assert found == LaunchPlan("a\0b", None, BuildOptions(), ("1",), None, {"X": "1"})
