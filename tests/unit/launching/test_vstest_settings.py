"""Run settings out of a file and the options of `dotnet test`."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.vstest_settings import run_options

BATCH = "<RunConfiguration><BatchSize>1</BatchSize></RunConfiguration>"


def test_nothing_is_asked_for():
    assert run_options([], "/").settings == f"<RunSettings>{BATCH}</RunSettings>"


def test_options_become_settings(tmp_path):
    file = tmp_path / "own.runsettings"
    file.write_text("<RunSettings><RunConfiguration><MaxCpuCount>2</MaxCpuCount></RunConfiguration></RunSettings>")
    words = ["-s", "own.runsettings", "--logger", "trx;LogFileName=a.trx", "--results-directory=out", "-v", "q"]
    options = run_options([*words, "--diag", "log.txt", "--", "RunConfiguration.MaxCpuCount=1"], str(tmp_path))
    assert options.console_arguments == (f"--diag:{tmp_path}/log.txt",)
    assert options.settings == (
        "<RunSettings><RunConfiguration><MaxCpuCount>1</MaxCpuCount>"
        f"<ResultsDirectory>{tmp_path}/out</ResultsDirectory><BatchSize>1</BatchSize></RunConfiguration>"
        '<LoggerRunSettings><Loggers><Logger friendlyName="trx" enabled="True"><Configuration>'
        "<LogFileName>a.trx</LogFileName></Configuration></Logger></Loggers></LoggerRunSettings></RunSettings>"
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--blame"], "The option --blame of dotnet test is not supported"),
        (["--collect", "XPlat Code Coverage"], "The option --collect of dotnet test is not supported"),
        (["--settings"], "needs a value"),
        (["-s", "none.runsettings"], "cannot be read"),
        (["--", "word"], "is no run setting: write NAME"),
    ],
)
def test_what_cannot_be_had_is_said(tmp_path, words, message):
    with pytest.raises(LaunchError, match=message):
        run_options(words, str(tmp_path))
