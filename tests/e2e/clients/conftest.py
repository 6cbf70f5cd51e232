"""What sessions in the real VS Code begin with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.recording import adapter_program
from tests.e2e.clients.vscode import Editor, Open, run_code_server
from tests.support import dotnet, programs
from tests.support.dotnet import Installation, Runtime
from tests.support.locks import file_lock
from tests.support.paths import CACHE, REPOSITORY

_PACKAGE_S = 580  # the release's wheel is built, if the sources have changed
_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>{framework}</TargetFramework></PropertyGroup>
</Project>
"""
_NO_SOURCES = "<configuration><packageSources><clear /></packageSources></configuration>\n"


@pytest.fixture(scope="session")
def code_server() -> str:
    """The program; the test is skipped without it."""
    program = os.environ.get("CODE_SERVER") or shutil.which("code-server")
    if program is None:
        pytest.skip("needs code-server, on PATH or named by the variable CODE_SERVER")
    return program


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program; the test is skipped without it."""
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((program for name in names if (program := shutil.which(name)) is not None), None)
    if program is None:
        pytest.skip("needs Chromium")
    return program


@pytest.fixture(scope="session")
def extension(code_server: str, chromium: str) -> Path:
    """The packaged extension."""
    with file_lock(CACHE / "vsix.lock"):
        command = [sys.executable, str(REPOSITORY / "scripts" / "extension.py"), "package"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, timeout=_PACKAGE_S)
    (package,) = (REPOSITORY / "vscode-extension").glob("*.vsix")
    return package


@pytest.fixture
def project(newest_runtime: Runtime, tmp_path: Path) -> Path:
    """A folder with a project of its own: the program Loop."""
    folder = tmp_path / "Loop of mine"
    folder.mkdir()
    shutil.copy(programs.build("Loop", newest_runtime).source, folder / "Program.cs")
    (folder / "Loop.csproj").write_text(_PROJECT.format(framework=newest_runtime.target_framework))
    (folder / "nuget.config").write_text(_NO_SOURCES)
    return folder


@pytest.fixture
def browser(chromium: str, tmp_path: Path) -> Iterator[Browser]:
    """A browser."""
    with Browser(chromium, tmp_path) as browser:
        yield browser


@pytest.fixture(scope="session")
def editor_environment(installation: Installation, newest_runtime: Runtime) -> dict[str, str]:
    """The editor's variables: the newest SDK is first on PATH."""
    sdk = installation.sdk_for(newest_runtime)
    variables = {**os.environ, **dotnet.environment(sdk.root, sdk.version)}
    return {**variables, "PATH": f"{sdk.root}{os.pathsep}{os.environ['PATH']}"}


@pytest.fixture(scope="module")
def address(
    code_server: str, extension: Path, editor_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """That of one code-server for all tests: each opens a folder of its own."""
    settings = {"dap-dotnet.adapterPath": adapter_program(), "terminal.integrated.gpuAcceleration": "off"}
    folder = tmp_path_factory.mktemp("server") / "data"
    with run_code_server(code_server, extension, folder, editor_environment, settings) as address:
        yield address


@pytest.fixture
def open_editor(address: str, browser: Browser) -> Open:
    """Opens a folder, or a window without one."""
    return lambda folder: Editor(browser, address, folder)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder, whose projects are built without the network."""
    folder = tmp_path / "work"
    folder.mkdir()
    (tmp_path / "nuget.config").write_text("<configuration><packageSources><clear /></packageSources></configuration>")
    return folder
