"""What `make wheel` has put into dist, installed as a user would who has no compiler. Run by `make wheel-test`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Place

pytestmark = pytest.mark.packaging

DIST = Path(__file__).resolve().parents[2] / "dist"
INSTALL_TIMEOUT_S = 300
RUN_TIMEOUT_S = 60
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make", "ld")


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = list(DIST.glob("*.whl"))
    assert len(found) == 1, f"make wheel puts one wheel into dist, which has {found}"
    return found[0]


@pytest.fixture(scope="module")
def programs_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs of a virtual environment, into which the wheel was installed without a compiler."""
    venv = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, timeout=INSTALL_TIMEOUT_S)
    folder = venv / "bin"
    install = [str(folder / "python"), "-m", "pip", "install", "--quiet", "--only-binary=:all:", str(wheel)]
    subprocess.run(install, env=without_compiler(folder, os.environ), check=True, timeout=INSTALL_TIMEOUT_S)
    return folder


def without_compiler(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with no PATH but this folder, and without the sources of this repository."""
    assert not [name for name in COMPILERS if shutil.which(name, path=str(folder))]
    cleaned = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "CC", "CXX")}
    return {**cleaned, "PATH": str(folder)}


def test_wheel_is_for_every_python_and_names_the_glibc_that_it_needs(wheel: Path) -> None:
    assert "-cp310-abi3-manylinux_2_" in wheel.name
    audit = [str(Path(sys.executable).with_name("abi3audit")), "--strict", str(wheel)]
    subprocess.run(audit, check=True, timeout=RUN_TIMEOUT_S)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        launcher = archive.getinfo("dap_dotnet/dap-dotnet-launcher")
    assert launcher.external_attr >> 16 & 0o111, "the launcher is not executable"
    # mscordbi comes with the runtime that is debugged; no other library may be in the wheel.
    libraries = sorted(name for name in names if ".so" in name)
    versioned = [re.sub(r"\.so\.\d+$", ".so", name) for name in libraries]
    assert versioned == ["dap_dotnet/_cordebug_shim.abi3.so", "dap_dotnet/libcordebug_shim.so"]


def test_wheel_debugs_a_program_without_a_compiler(programs_folder: Path, newest_runtime: Runtime) -> None:
    program = programs.build("Loop", newest_runtime)
    line = program.line("square")
    with Place() as place:
        environment = without_compiler(programs_folder, {**place.environment, **program.env})
        options = ["--json", "-b", f"{program.source}:{line}", "--max-stops", "1", "--locals"]
        done = subprocess.run(
            [str(programs_folder / "dap-dotnet"), "run", *options, str(program.dll), "--", "3"],
            env=environment, cwd=place.folder, capture_output=True, text=True, timeout=RUN_TIMEOUT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
    written = [json.loads(text) for text in done.stdout.splitlines()]
    (stop,) = [entry for entry in written if entry["kind"] == "stopped"]
    assert stop["location"]["line"] == line
    assert stop["locals"]
    assert [entry["exitCode"] for entry in written if entry["kind"] == "exited"] == [0]


def test_wheel_has_the_reader_of_pdbs(programs_folder: Path, newest_runtime: Runtime) -> None:
    program = programs.build("Loop", newest_runtime)
    assert program.pdb is not None
    command = [str(programs_folder / "portablepdb"), "dump", "pdb", str(program.pdb)]
    environment = without_compiler(programs_folder, os.environ)
    done = subprocess.run(command, env=environment, capture_output=True, timeout=RUN_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
