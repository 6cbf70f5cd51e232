"""Attributes of launch and attach configurations."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments


def launch(**attributes: Any) -> LaunchArguments:
    return LaunchArguments.model_validate({"program": "/app.dll", **attributes})


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
    "attributes",
    [{"program": " "}, {"args": "'open"}, {"args": 5}, {"env": "A=1"}, {"env": {"A": []}}, {"stopAtEntry": "maybe"}],
)
def test_wrong_attributes_are_refused(attributes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        launch(**attributes)


def test_process_id_may_be_text() -> None:
    assert AttachArguments.model_validate({"processId": "42"}).process_id == 42
    with pytest.raises(ValidationError, match="dap-dotnet ps"):
        AttachArguments.model_validate({"processId": "dotnet"})
