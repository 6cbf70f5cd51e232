"""docs/getting-started.md, word by word: its program, its commands, and what it says one sees."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import dotnet
from tests.support.dotnet import Installation, Runtime
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e

GUIDE = (Path(__file__).parents[3] / "docs" / "getting-started.md").read_text(encoding="utf-8")
TERMINAL = GUIDE[GUIDE.index("## 3. In the terminal") : GUIDE.index("## 4. ")]
TIMEOUT_S = 180
NO_SOURCES = "<configuration><packageSources><clear /></packageSources></configuration>"
CONSOLE = """\
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>{framework}</TargetFramework>
    <ImplicitUsings>enable</ImplicitUsings>
    <Nullable>enable</Nullable>
    <UseAppHost>false</UseAppHost>
  </PropertyGroup>
</Project>
"""
"""What `dotnet new console` makes, without an executable. Not every SDK has its templates."""
Shell = Callable[..., str]


@pytest.fixture
def shell(newest_runtime: Runtime, installation: Installation, tmp_path: Path) -> Iterator[Shell]:
    """Runs a command line of the guide in the folder that it tells to make; returns what one sees."""
    sdk = installation.sdk_for(newest_runtime)
    if int(sdk.version.split(".")[0]) < 8:
        pytest.skip("the guide's program has statements at its top, which older SDKs do not take")
    with Place() as place:
        environment = {
            **place.environment,
            **dotnet.environment(sdk.root, sdk.version),
            "PATH": os.pathsep.join([str(Path(adapter_program()).parent), str(sdk.root), os.environ["PATH"]]),
            "DOTNET_CLI_HOME": str(tmp_path),
            "MSBUILDDISABLENODEREUSE": "1",
            "UseSharedCompilation": "false",
        }

        def run(command: str, *, typed: str = "", folder: str = "Shop") -> str:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=tmp_path / folder,
                env=environment,
                input=typed,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_S,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout + done.stderr

        (tmp_path / "nuget.config").write_text(NO_SOURCES)
        assert "dotnet new console -o Shop" in GUIDE
        (tmp_path / "Shop").mkdir()
        (tmp_path / "Shop" / "Shop.csproj").write_text(CONSOLE.format(framework=newest_runtime.target_framework))
        (program,) = re.findall(r"```csharp\n(.*?)```", GUIDE, re.S)
        (tmp_path / "Shop" / "Program.cs").write_text(program)
        yield run


def test_terminal_part_shows_what_it_says(shell: Shell, tmp_path: Path) -> None:
    watching, condition, log_point, data = re.findall(r"```sh\n(.*?)```", TERMINAL, re.S)

    seen = shell(watching)
    assert [len(re.findall(name, seen)) for name in (r"price = \d", r"Total = \d")] == [4, 4], seen
    seen = shell(condition)
    assert re.findall(r"price = (\d+)", seen) == ["35", "50"], seen
    seen = shell(log_point)
    assert re.findall(r"\d+ is added to \d+", seen) == [
        "5 is added to 0",
        "20 is added to 5",
        "35 is added to 25",
        "50 is added to 55",
    ], seen
    assert len(re.findall(r"\bitems\b.*\b\d\b.*\b\d\b", shell(data))) >= 4

    commands = [
        command for row in re.findall(r"^\| (`.*?) \|", TERMINAL, re.M) for command in re.findall("`(.*?)`", row)
    ]
    assert (commands[0], commands[-1]) == ("b Program.cs:16 if price > 30", "x")
    (tmp_path / "session").write_text("\n".join(commands))
    seen = shell("dap-dotnet run --script ../session .")
    for expected in ("breakpoint 1", "price = 35", "Cart.Add", "Discounted", "price - 5 = 30", "price = 50"):
        assert expected in seen, seen
