"""Profiles of launchSettings.json."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.launch_settings import Profile, find_settings, read_profile, split_arguments

SETTINGS = """\ufeff{
  // as templates write it
  "$schema": "https://json.schemastore.org/launchsettings.json",
  "iisSettings": { "iisExpress": { "applicationUrl": "http://localhost:1" } },
  "profiles": {
    "IIS Express": { "commandName": "IISExpress" },
    "http": {
      "commandName": "Project", /* { */
      "commandLineArgs": "--name \\"two words\\" C:\\\\x",
      "launchBrowser": true,
      "applicationUrl": "http://localhost:5000;http://[::1]:5001",
      "environmentVariables": { "ASPNETCORE_ENVIRONMENT": "Development", "WHERE": "%PLACE%/%NONE%", "N": 3, },
    },
    "tool": {
      "commandName": "Executable", "executablePath": "%PLACE%/tool.dll", "workingDirectory": "%PLACE%"
    },
  }
}
"""
VARIABLES = {"PLACE": "/place"}
HTTP = Profile(
    "http",
    ("--name", "two words", "C:\\x"),
    {
        "DOTNET_LAUNCH_PROFILE": "http",
        "ASPNETCORE_URLS": "http://localhost:5000;http://[::1]:5001",
        "ASPNETCORE_ENVIRONMENT": "Development",
        "WHERE": "/place/%NONE%",
        "N": "3",
    },
)


@pytest.fixture
def settings(tmp_path):
    path = tmp_path / "Properties" / "launchSettings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", [None, "http", "HTTP"])
def test_profile_by_name_or_the_first_that_can_be_started(settings, name):
    assert read_profile(settings, name, VARIABLES) == HTTP


def test_profile_of_another_program(settings):
    environment = {"DOTNET_LAUNCH_PROFILE": "tool"}
    assert read_profile(settings, "tool", VARIABLES) == Profile("tool", (), environment, "/place/tool.dll", "/place")


def test_unknown_profile_is_refused_with_those_there_are(settings):
    with pytest.raises(LaunchError, match=r"no profile 'htp'; it has IIS Express, http, tool\. Did you mean 'http'\?"):
        read_profile(settings, "htp", {})


def test_profile_for_another_tool_is_refused(settings):
    with pytest.raises(LaunchError, match=r"'IIS Express' .* has the type IISExpress.*Use one of http, tool"):
        read_profile(settings, "IIS Express", {})


def test_file_without_a_profile_that_can_be_started_has_none(settings):
    settings.write_text('{"profiles": {"IIS": {"commandName": "IISExpress"}, "x": 3}}')
    assert read_profile(settings, None, {}) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n "profiles": nil}', r"not valid JSON: line 2, column 14"),
        ("[]", "has no profiles"),
        ("{}", "has no profiles"),
        ('{"profiles": 3}', "has no profiles"),
        ("[" * 100_000, "is not a launchSettings.json"),
        (" " * (1 << 21), "more than 1 MB"),
        ('{"profiles": {}} /* to the end', r"not valid JSON: line 1, column 18"),
        ('{"profiles": {}} /*/', r"not valid JSON: line 1, column 18"),
        ("/* " * 300_000, r"not valid JSON: line 1, column 1:"),
        ('["' + r"\"" * 500_000, r"not valid JSON: line 1, column 2:"),
    ],
)
def test_files_that_are_no_settings(settings, text, problem):
    settings.write_text(text)
    with pytest.raises(LaunchError, match=problem):
        read_profile(settings, None, {})


def test_file_that_is_missing(settings):
    settings.unlink()
    with pytest.raises(LaunchError, match=r"cannot be read: No such file.*launchSettingsFilePath"):
        read_profile(settings, None, {})


def test_where_the_file_is(tmp_path, settings):
    (tmp_path / "app.run.json").write_text("{}")
    assert find_settings(tmp_path, None) == find_settings(tmp_path, tmp_path / "a.csproj") == settings
    assert find_settings(tmp_path, tmp_path / "app.cs") == tmp_path / "app.run.json"
    assert find_settings(tmp_path, tmp_path / "other.cs") == settings
    assert find_settings(tmp_path, tmp_path / "a.vbproj") is None


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("", []),
        ("  ", []),
        ("a  b\tc ", ["a", "b", "c"]),
        ('"a b" ""', ["a b", ""]),
        ('x"y z"w', ["xy zw"]),
        (r"C:\x\y \\server", [r"C:\x\y", r"\\server"]),
        (r'"C:\a b\\" c', ["C:\\a b\\", "c"]),
        (r"a\"b \\\"c", ['a"b', '\\"c']),
        (r"end\\", [r"end\\"]),
        ("it's 'two words'", ["it's", "'two", "words'"]),
        (f'"{"a " * 300_000}"', ["a " * 300_000]),
    ],
)
def test_arguments_are_split_as_dotnet_splits_them(line, arguments):
    assert split_arguments(line) == arguments
