"""Attributes of launch and attach configurations."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.errors import ProtocolError
from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from dap_dotnet.server.arguments import parse_arguments


def launch(**attributes: Any) -> LaunchArguments:
    return parse_arguments(LaunchArguments, "launch", {"program": "/app.dll", **attributes})


def test_null_in_the_source_file_map_counts_for_nothing() -> None:
    assert launch(sourceFileMap={"/a": None, "/b": "/c"}).source_file_map == {"/b": "/c"}


def test_program_may_be_a_project_path() -> None:
    found = parse_arguments(LaunchArguments, "launch", {"projectPath": "/App.csproj"})
    assert found.program == "/App.csproj"
    with pytest.raises(ProtocolError, match="program"):
        parse_arguments(LaunchArguments, "launch", {"projectPath": " "})
    assert launch(projectPath="/App.csproj").program == "/app.dll"


def test_launch_configuration_id_does_not_overrule() -> None:
    chosen = "TargetFramework=net8.0;Profile"
    found = launch(launchConfigurationId=chosen)
    assert (found.target_framework, found.launch_settings_profile) == ("net8.0", "Profile")
    found = launch(launchConfigurationId=chosen, targetFramework="net10.0", launchSettingsProfile=None)
    assert (found.target_framework, found.launch_settings_profile) == ("net10.0", None)
    found = launch(launchConfigurationId="nonsense", launchSettingsProfile="")
    assert (found.target_framework, found.launch_settings_profile) == ("", "")


def test_defaults_are_those_of_other_debuggers() -> None:
    arguments = launch()
    assert arguments.args == []
    assert arguments.env == {}
    assert arguments.cwd is None
    assert arguments.just_my_code
    assert not arguments.stop_at_entry


@pytest.mark.parametrize(
    "name",
    ["args", "env", "cwd", "stopAtEntry", "justMyCode", "suppressJITOptimizations", "sourceFileMap", "noDebug"],
)
def test_null_stands_for_an_absent_attribute(name: str) -> None:
    assert launch(**{name: None}) == launch()


def test_names_are_those_of_launch_json() -> None:
    arguments = launch(suppressJITOptimizations=True, stopAtEntry=True, justMyCode=False)
    assert arguments.suppress_jit_optimizations
    assert arguments.stop_at_entry
    assert not arguments.just_my_code


@pytest.mark.parametrize(
    ("args", "expected"),
    [("a 'b c' \"d\"", ["a", "b c", "d"]), (["a", 1, True], ["a", "1", "true"]), ("", [])],
)
def test_arguments_come_as_list_or_line(args: Any, expected: list[str]) -> None:
    assert launch(args=args).args == expected


def test_environment_takes_numbers_booleans_and_null() -> None:
    assert launch(env={"A": 1, "B": True, "C": None, "D": "x"}).env == {"A": "1", "B": "true", "C": None, "D": "x"}


@pytest.mark.parametrize(
    ("attributes", "refused"),
    [
        ({"program": " "}, "program"),
        ({"args": "'open"}, "args"),
        ({"args": 5}, "args"),
        ({"args": ["a", {}]}, r"args\[1\]"),
        ({"cwd": {}}, "cwd"),
        ({"env": "A=1"}, "env"),
        ({"env": {"A": []}}, r"env\.A"),
        ({"stopAtEntry": "maybe"}, "stopAtEntry"),
        ({"justMyCode": 2}, "justMyCode"),
        ({"noDebug": []}, "noDebug"),
        ({"requireExactSource": {}}, "requireExactSource"),
        ({"suppressJITOptimizations": "?"}, "suppressJITOptimizations"),
        ({"sourceFileMap": {"/a": 5, "": "/b"}}, "sourceFileMap"),
    ],
)
def test_wrong_attributes_are_refused_by_name(attributes: dict[str, Any], refused: str) -> None:
    with pytest.raises(ProtocolError, match=f"'{refused}' of 'launch'"):
        launch(**attributes)


def test_program_or_tests_must_be_named() -> None:
    for attributes in ({"program": None}, {"testProject": ""}, {}):
        with pytest.raises(ProtocolError, match=r"project to debug as program, or tests as testProject\."):
            parse_arguments(LaunchArguments, "launch", attributes)
    assert parse_arguments(LaunchArguments, "launch", {"testProject": "T"}).test_project == "T"


def test_attributes_are_taken_for_what_they_can_only_mean() -> None:
    assert launch(stopAtEntry="true", justMyCode=0, env=[], sourceFileMap=[], args={}) == launch(
        stopAtEntry=True, justMyCode=False
    )


def test_attributes_of_other_debuggers_are_ignored() -> None:
    others = {"console": "", "__configurationTarget": 5, "type": [], "preLaunchTask": {}, "stopatentry": True}
    assert launch(**others) == launch()


def test_process_id_may_be_text() -> None:
    assert parse_arguments(AttachArguments, "attach", {"processId": "42"}).process_id == 42
    with pytest.raises(ProtocolError, match="dap-dotnet ps"):
        parse_arguments(AttachArguments, "attach", {"processId": "dotnet"})


def test_nil_of_emacs_means_nothing():
    names = ("args", "env", "envFile", "console", "consoleInput", "cwd", "sourceFileMap", "symbolOptions", "testFilter")
    plain = launch()
    assert launch(**dict.fromkeys(names, False)) == plain
    assert launch(stopAtEntry=False, justMyCode=False, launchBrowser=False).just_my_code is False
