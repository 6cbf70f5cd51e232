"""What the user is told of attributes that nobody knows or that have no effect."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from dap_dotnet.launching.attribute_notes import WITHOUT_EFFECT, notes

FROM_THE_CSHARP_EXTENSION: dict[str, Any] = {
    "name": ".NET Core Launch (web)",
    "type": "dap-dotnet",
    "request": "launch",
    "preLaunchTask": "build",
    "program": "/src/bin/Debug/net8.0/web.dll",
    "args": [],
    "cwd": "/src",
    "stopAtEntry": False,
    "serverReadyAction": {"action": "openExternally", "pattern": "\\bNow listening on:\\s+(https?://\\S+)"},
    "env": {"ASPNETCORE_ENVIRONMENT": "Development"},
    "sourceFileMap": {"/Views": "/src/Views"},
    "console": "internalConsole",
    "justMyCode": True,
    "requireExactSource": True,
    "checkForDevCert": False,
    "targetArchitecture": "x86_64",
    "suppressJITOptimizations": True,
    "logging": {"moduleLoad": False, "processExit": True, "programOutput": True},
    "symbolOptions": {
        "searchPaths": [],
        "searchMicrosoftSymbolServer": False,
        "searchNuGetOrgSymbolServer": False,
        "cachePath": "/home/me/.dotnet/symbolcache",
        "moduleFilter": {"mode": "loadAllButExcluded", "excludedModules": []},
    },
    "expressionEvaluationOptions": {"allowImplicitFuncEval": True, "allowToString": True, "showRawValues": False},
    "internalConsoleOptions": "openOnSessionStart",
    "__sessionId": "x",
    "__configurationTarget": 6,
}


def notes_of(**attributes: Any) -> list[str]:
    sent = {"program": "/app.dll", **attributes}
    return notes(LaunchArguments.model_validate(sent), sent)


def test_configuration_of_the_csharp_extension_is_taken_without_a_word() -> None:
    sent = FROM_THE_CSHARP_EXTENSION
    assert notes(LaunchArguments.model_validate(sent), sent) == []


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("stopAtEntri", "stopAtEntry"),
        ("stopatentry", "stopAtEntry"),
        ("enviroment", None),
        ("justmycode", "justMyCode"),
    ],
)
def test_unknown_attribute_is_told_with_the_nearest(name: str, known: str | None) -> None:
    (note,) = notes_of(**{name: True})
    assert note.startswith(f"'{name}' is not an attribute of 'launch' and is ignored.")
    assert ("Did you mean" in note) == (known is not None)
    assert known is None or note.endswith(f"Did you mean '{known}'?")


def test_unknown_attribute_within_a_group_is_told_with_its_path() -> None:
    (note,) = notes_of(symbolOptions={"moduleFilter": {"excludeModules": []}})
    assert "'symbolOptions.moduleFilter.excludeModules'" in note
    assert note.endswith("Did you mean 'excludedModules'?")


def test_names_within_a_map_are_the_users() -> None:
    assert (
        notes_of(env={"stopAtEntri": "1"}, sourceFileMap={"/a": "/b"}, sourceLinkOptions={"*": {"enabled": False}})
        == []
    )


def test_launch_attribute_is_unknown_to_attach() -> None:
    sent = {"processId": 1, "program": "/app.dll"}
    (note,) = notes(AttachArguments.model_validate(sent), sent)
    assert "'program' is not an attribute of 'attach'" in note
    by_helix = {"processId": 1, "cwd": "/src"}
    assert notes(AttachArguments.model_validate(by_helix), by_helix) == []


def test_attributes_without_effect_are_told_in_one_line() -> None:
    log = {"dispatcherMessages": "normal", "debugEngineAPITracing": "none", "protocolMessages": True}
    symbols = {"searchNuGetOrgSymbolServer": True}
    (note,) = notes_of(symbolOptions=symbols, logging={"diagnosticsLog": log})
    assert note == (
        "logging.diagnosticsLog.dispatcherMessages and symbolOptions.searchNuGetOrgSymbolServer have no effect yet in "
        "dap-dotnet."
    )
    assert notes_of(logging={"engineLogging": True, "elapsedTiming": True}) == []


def test_pipe_that_the_editor_has_not_gone_through_is_told() -> None:
    (note,) = notes_of(pipeTransport={"pipeProgram": "ssh", "pipeArgs": ["me@host", "${debuggerCommand}"]})
    assert "this editor has started dap-dotnet itself" in note
    assert notes_of(_pipeTransport={"pipeProgram": "ssh"}) == []  # VS Code has


def test_pipe_has_parts_for_each_system() -> None:
    parts = {system: {"pipeProgram": "ssh", "pipeArgs": ["host"]} for system in ("windows", "osx", "linux")}
    (note,) = notes_of(pipeTransport={"pipeProgram": "ssh", "debuggerPath": "~/vsdbg/vsdbg", **parts})
    assert "this editor has started dap-dotnet itself" in note


def test_children_do_not_end_with_a_program_in_a_terminal() -> None:
    assert notes_of(terminateChildProcesses=True) == []
    (note,) = notes_of(terminateChildProcesses=True, console="integratedTerminal")
    assert note.startswith("terminateChildProcesses has no effect in a terminal")


def test_variable_that_the_editor_left_is_told() -> None:
    (note,) = notes_of(cwd="${workspaceFolder}/x")
    assert note == "'cwd' contains ${workspaceFolder}, which your editor has not replaced."


def test_what_has_no_effect_is_an_attribute() -> None:
    names = {field.alias for field in LaunchArguments.model_fields.values()}
    assert {name.partition(".")[0] for name in WITHOUT_EFFECT} <= names


def test_old_configurations_are_taken_as_they_are():
    browser = {
        "enabled": False,
        "args": "${auto-detect-url}",
        "webRoot": "/src",
        "windows": {"command": "cmd.exe", "args": "/C start ${auto-detect-url}"},
    }
    logging = {"browserStdOut": False, "trace": True}
    sent = {**FROM_THE_CSHARP_EXTENSION, "launchBrowser": browser, "logging": logging, "allowFastEvaluate": True}
    assert notes(LaunchArguments.model_validate(sent), sent) == []
    wrong = {**sent, "webRoot": "/src", "cwd": "${workspaceRoo}"}
    assert len(notes(LaunchArguments.model_validate(wrong), wrong)) == 2


def test_only_folders_and_servers_are_searched_for_symbols() -> None:
    assert notes_of(symbolOptions={"searchPaths": ["/symbols", "~/symbols"]}) == []
    paths = [
        "/symbols",
        "https://symbols.example.org/download",
        "bin",
        "ftp://symbols.example.org",
        "https://",
        "http://[",
    ]
    (note,) = notes_of(symbolOptions={"searchPaths": paths})
    assert note.endswith("of symbol servers count, not bin, ftp://symbols.example.org, https:// and http://[.")
    (note,) = notes_of(symbolOptions={"cachePath": "cache"})
    assert note == "symbolOptions.cachePath: an absolute folder is needed, not cache."
    assert notes_of(symbolOptions={"searchMicrosoftSymbolServer": True}) == []
    (note,) = notes_of(symbolOptions={"searchNuGetOrgSymbolServer": True, "cachePath": "/cache"})
    assert note == "symbolOptions.searchNuGetOrgSymbolServer has no effect yet in dap-dotnet."
