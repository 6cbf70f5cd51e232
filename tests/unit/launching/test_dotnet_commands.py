"""Command lines of dotnet, taken apart."""

from __future__ import annotations

import shlex

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.dotnet_commands import Start, is_dotnet, take_apart

WATCH = "'dotnet watch' is started once, as 'dotnet run': changed sources take effect with the next start."


@pytest.mark.parametrize("program", ["dotnet", "/usr/bin/dotnet", "dotnet.exe"])
def test_dotnet_is_known_by_its_name(program):
    assert is_dotnet(program)
    assert not is_dotnet("dotnet.dll")


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("a.dll", Start("a.dll")),
        ("bin/a.dll x 'y z'", Start("bin/a.dll", ("x", "y z"))),
        ("exec a.dll exec", Start("a.dll", ("exec",))),
        ("run", Start(".")),
        ("run x --y", Start(".", ("x", "--y"))),
        ("run --project src/A -- --project B", Start("src/A", ("--project", "B"))),
        ("run --project=A.csproj -c Release -f net8.0 1", Start("A.csproj", ("1",), "net8.0", "Release")),
        ("run --no-restore --no-build -v q -lp http", Start(".", profile="http")),
        ("run --launch-profile='a b' --no-launch-profile", Start(".", profile="a b", without_profile=True)),
        ("run -e A=1 -e B=x=y", Start(".", environment=(("A", "1"), ("B", "x=y")))),
        ("run app.cs x", Start("app.cs", ("x",))),
        ("run --project P app.cs", Start("P", ("app.cs",))),
        ("watch", Start(".", remark=WATCH)),
        ("watch --no-hot-reload run --project P -- a", Start("P", ("a",), remark=WATCH)),
        ("watch --project P", Start("P", remark=WATCH)),
        ("watch test T", Start("T", tests="", remark=WATCH.replace("run", "test"))),
        ("test", Start(".", tests="")),
        ("test T.csproj --filter=Name=A -c R -f net8.0", Start("T.csproj", (), "net8.0", "R", tests="Name=A")),
        ("test --filter A&B T -s x.runsettings", Start("T", ("-s", "x.runsettings"), tests="A&B")),
        ("test -l:trx --blame --no-build T -- a=b", Start("T", ("-l:trx", "--blame", "--", "a=b"), tests="")),
    ],
)
def test_what_a_command_line_starts(line, start):
    assert take_apart(shlex.split(line)) == start


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "dotnet alone starts no program"),
        ("test a b", "names both a and b"),
        ("test -o out", "'dotnet test -o' in args is not supported"),
        ("test --filter", "'dotnet test --filter' in args needs a value"),
        ("build", "'dotnet build' starts no program to debug"),
        ("--roll-forward Major a.dll", "'dotnet --roll-forward' is not supported"),
        ("exec --depsfile x a.dll", "'dotnet --depsfile' is not supported"),
        ("watch build", "'dotnet watch build' starts no program"),
        ("run --project", "'dotnet run --project' in args needs a value"),
        ("run -r linux-x64", "'dotnet run -r' in args is not supported"),
        ("run -p:X=1", "'dotnet run -p:X=1' in args is not supported"),
    ],
)
def test_what_starts_nothing_is_refused(line, problem):
    with pytest.raises(LaunchError, match=problem):
        take_apart(shlex.split(line))
