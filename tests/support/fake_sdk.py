"""A .NET SDK whose `dotnet` is a shell script, and a project for it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest


class ScriptedSdk:
    """A project and the SDK that the process finds for it. `dotnet` writes what a test says."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder / "root"
        (self.root / "shared").mkdir(parents=True)
        (self.root / "sdk" / "10.0.100").mkdir(parents=True)
        monkeypatch.setenv("DOTNET_ROOT", str(self.root))
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        monkeypatch.delenv("DOTNET_ROOT_X64", raising=False)
        self.project = folder / "app" / "App.csproj"
        self.project.parent.mkdir()
        self.project.write_text('<Project Sdk="Microsoft.NET.Sdk" />')
        self.made = self.project.parent / "bin" / "App.dll"
        self.made.parent.mkdir()
        self.made.touch()
        self.made_line = f"  App -> {self.made}"
        self.source = str(self.project.parent / "A.cs")
        self.warning = f"{self.source}(4,9): warning CS0219: The variable 'x: y' is assigned [{self.project}]"
        self.error = f"{self.source}(7,13): error CS0103: The name 'z' does not exist [{self.project}]"
        self._calls = folder / "calls"
        self._exit_code = 0
        self._script = ""

    def says(self, *lines: str) -> None:
        """Write these lines at the next build."""
        self._script = "\n".join(f"echo {shlex.quote(line)}" for line in lines)
        self._write()

    def ends_with(self, exit_code: int) -> None:
        """End with this code."""
        self._exit_code = exit_code
        self._write()

    def plays(self, script: str) -> None:
        """Run a script of the shell."""
        self._script = script
        self._write()

    def called(self) -> list[str]:
        """The arguments of each call."""
        return self._calls.read_text().splitlines() if self._calls.exists() else []

    def _write(self) -> None:
        dotnet = self.root / "dotnet"
        dotnet.write_text(f'#!/bin/sh\necho "$@" >>"{self._calls}"\n{self._script}\nexit {self._exit_code}\n')
        dotnet.chmod(0o755)
