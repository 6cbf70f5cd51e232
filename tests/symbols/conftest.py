"""Compiles the sources under tests/symbols/sources with the newest SDK found, once for each content."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import dotnet
from tests.support.dotnet import Installation
from tests.support.locks import file_lock
from tests.support.paths import CACHE

from .oracle import Oracle

SOURCES = Path(__file__).parent / "sources"
COMPILE_TIMEOUT_S = 300
# These tests wait for nothing but processors, of which a busy machine may give a tenth.
TIMEOUT_S = 900
# Part of every cache key: raise it when this module compiles differently.
RECIPE = 2
# The C# version that each SDK's compiler has, by the SDK's major version.
_NEWEST_CSHARP = {3: 8, 5: 9, 6: 10, 7: 11, 8: 12, 9: 13, 10: 14}
_QUIET = {
    "cs": ["-nologo", "-utf8output", "-nostdlib+", "-warn:0", "-unsafe+", "-langversion:latest"],
    "vb": ["-nologo", "-utf8output", "-nosdkpath", "-nostdlib", "-nowarn"],
    "fs": ["--nologo", "--noframework", "--targetprofile:netcore", "--nowarn:988"],
}


class Compiler:
    """The compilers of the newest SDK."""

    def __init__(self, installation: Installation) -> None:
        self.sdk = installation.sdks[-1]
        own = [runtime for runtime in installation.runtimes if runtime.root == self.sdk.root]
        self.runtime = own[-1]
        folder = self.sdk.directory
        self.programs = {
            "cs": self.sdk.csc,
            "vb": self.sdk.csc.with_name("vbc.dll"),
            "fs": folder / "FSharp" / "fsc.dll",
        }
        self.csharp = max(
            (version for major, version in _NEWEST_CSHARP.items() if major <= dotnet.version_key(self.sdk.version)[0]),
            default=8,
        )
        self._references: list[Path] | None = None

    def references(self) -> list[Path]:
        """The managed assemblies of the shared framework."""
        if self._references is None:
            from portablepdb import Assembly

            self._references = []
            for path in sorted(self.runtime.directory.glob("*.dll")):
                with Assembly.open(path) as assembly:
                    if assembly.has_metadata:
                        self._references.append(path)
        return self._references

    def __call__(self, name: str, *options: str, needs_csharp: int = 8, libraries: tuple[Path, ...] = ()) -> Path:
        """Compile sources/NAME to a library or, where it has a Main, a program; the path of the .dll.

        Skips, with the reason, when the SDK lacks the compiler or its C# is older than ``needs_csharp``.
        """
        source = SOURCES / name
        language = source.suffix[1:]
        compiler = self.programs[language]
        if not compiler.exists():
            pytest.skip(f"SDK {self.sdk.version} has no compiler for {name} (F# sources need F# 6 of SDK 6)")
        if language == "cs" and self.csharp < needs_csharp:
            pytest.skip(f"SDK {self.sdk.version} compiles C# {self.csharp}; {name} needs C# {needs_csharp}")
        what = [RECIPE, self.sdk.root, self.sdk.version, self.runtime.version, *options, *libraries]
        key = hashlib.sha256(source.read_bytes() + json.dumps([str(item) for item in what]).encode()).hexdigest()[:20]
        place = CACHE / "symbols" / f"{source.stem}-{key}"
        with file_lock(place.with_suffix(".lock")):
            if not place.exists():
                self._compile(source, place, options, libraries)
        return place / f"{source.stem}.dll"

    def _compile(self, source: Path, place: Path, options: tuple[str, ...], libraries: tuple[Path, ...]) -> None:
        language = source.suffix[1:]
        with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
            work = Path(scratch) / "made"
            work.mkdir()
            # Beside its source, so that paths in the PDB do not depend on where the repository is.
            shutil.copy(source, Path(scratch) / source.name)
            output = work / f"{source.stem}.dll"
            references = [*self.references(), *libraries]
            if language == "fs":
                references.append(self.programs["fs"].with_name("FSharp.Core.dll"))
            lines = [*_QUIET[language], *options, *(f"-r:{path}" for path in references)]
            if language == "vb":
                lines.append(f"-vbruntime:{self.runtime.directory / 'Microsoft.VisualBasic.Core.dll'}")
            lines += [f"--out:{output}" if language == "fs" else f"-out:{output}", str(Path(scratch) / source.name)]
            response = Path(scratch) / "options.rsp"
            response.write_text("\n".join(line if language == "fs" else f'"{line}"' for line in lines))
            options_first = [] if language == "fs" else ["-noconfig"]
            done = subprocess.run(
                [self.sdk.dotnet, "exec", self.programs[language], *options_first, f"@{response}"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=scratch,
                env={
                    **os.environ,
                    **dotnet.environment(self.sdk.root, self.sdk.version),
                    "DOTNET_gcServer": "0",
                    "COMPlus_gcServer": "0",
                },
                timeout=COMPILE_TIMEOUT_S,
                check=False,
            )
            assert done.returncode == 0, done.stdout.decode(errors="replace")
            work.rename(place)


@pytest.fixture(scope="session")
def compiled(installation: Installation) -> Callable[..., Path]:
    """``compiled(name, *options)``: the path of the compiled assembly."""
    return Compiler(installation)


@pytest.fixture(scope="session")
def oracle(installation: Installation) -> Oracle:
    """System.Reflection.Metadata on the newest runtime found."""
    return Oracle(installation)


@pytest.fixture(scope="session")
def framework(installation: Installation) -> Path:
    """The folder of the newest shared framework found."""
    return installation.runtimes[-1].directory


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A longer time limit, unless the command line has one."""
    if config.getoption("timeout", 0) is None:
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.timeout(TIMEOUT_S))
