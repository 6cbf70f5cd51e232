"""Fixtures for tests of the launcher process; they need a C compiler only where dap-dotnet is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from dap_dotnet.errors import InternalError
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.launching.spawning import launcher_path
from dap_dotnet.runtime.model import WindowSize
from tests.unit.launching.helpers import Output

SOURCES = Path(__file__).parents[3] / "cordebug_shim" / "launcher"
SHARED = SOURCES.with_name("shared")


@pytest.fixture(scope="session")
def launcher_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The installed launcher, else one compiled from the sources."""
    try:
        return launcher_path()
    except InternalError:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("dap-dotnet is not installed and there is no C compiler to build its launcher")
    program = tmp_path_factory.mktemp("launcher") / "dap-dotnet-launcher"
    sources = sorted(str(path) for folder in (SOURCES, SHARED) for path in folder.glob("*.c"))
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-I", str(SHARED)]
    subprocess.run([compiler, *flags, "-o", str(program), *sources, "-lpthread"], check=True)
    return program


@pytest.fixture
def output() -> Output:
    return Output()


@pytest.fixture
def start(launcher_program: Path, output: Output, tmp_path: Path) -> Iterator[Callable[..., Launcher]]:
    """Start a debuggee at its gate; everything ends with the test."""
    started: list[Launcher] = []

    def start(
        *command: str,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        sink: object = None,
        takes_input: bool = False,
        window: WindowSize | None = None,
        ends_children: bool = False,
    ) -> Launcher:
        launcher = Launcher.start(
            command,
            cwd or str(tmp_path),
            {"PATH": os.environ["PATH"]} if env is None else env,
            sink or output,
            program=launcher_program,
            takes_input=takes_input,
            window=window,
            ends_children=ends_children,
        )
        started.append(launcher)
        return launcher

    yield start
    for launcher in started:
        launcher.kill()
        launcher.close()
