"""Core dumps that others have taken, that are of something else, or whose runtime must not be loaded."""

from __future__ import annotations

import os
import resource
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.launching.saving_dumps import save_dump
from tests.e2e.adapter.test_adapter_core_dumps import open_dump
from tests.support import programs
from tests.support.dotnet import Installation, Runtime
from tests.support.processes import spinning
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


@pytest.fixture(autouse=True)
def _not_old(runtime: Runtime) -> None:
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("dumps are opened from .NET 8 on")


@pytest.fixture
def dump(runtime: Runtime, tmp_path: Path) -> Path:
    """A small one of a program that runs."""
    with spinning(programs.build("Spin", runtime), tmp_path, {}) as process:
        return Path(save_dump(process.process_id, str(tmp_path / "spin.dmp"), "mini").path)


def refused(session: Session, dump: Path, **attributes: object) -> DapRequestError:
    with pytest.raises(DapRequestError) as error:
        open_dump(session, dump, **attributes)
    return error.value


def kernel_core(command: list[str], folder: Path, environment: dict[str, str]) -> Path:
    """The core that the kernel writes of a program that aborts."""
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern.startswith("|") or "/" in pattern:
        pytest.skip("the kernel hands cores on here")

    def allow() -> None:
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))

    subprocess.run(command, cwd=folder, env=environment, preexec_fn=allow, capture_output=True, check=False)
    cores = list(folder.glob("core*"))
    if not cores:
        pytest.skip("the kernel writes no cores here")
    return cores[0]


def test_core_of_the_kernel(session: Session, runtime: Runtime, tmp_path: Path) -> None:
    program = programs.build("Crashing", runtime)
    core = kernel_core(program.command, tmp_path, program.environment())
    stop = open_dump(session, core)
    assert (stop.reason, stop.text) == ("exception", "System.InvalidOperationException: cannot handle Anndeep 3")
    frame = session.stack(stop.thread_id)[0]
    assert (frame.name.split("(")[0], frame.line) == ("Crashing.Program.Handle", program.line("throw"))
    assert session.evaluate('Orders["a"].Lines[1]', frame.id).result == '"two"'
    assert session.evaluate("counter", frame.id).result == "42"


def test_core_of_a_native_program(session: Session, tmp_path: Path) -> None:
    core = kernel_core(["/bin/sh", "-c", "kill -ABRT $$"], tmp_path, dict(os.environ))
    error = refused(session, core)
    assert error.code == "NOT_DOTNET"
    assert "had not loaded a .NET runtime" in error.text


def test_core_of_another_processor(session: Session, dump: Path) -> None:
    content = bytearray(dump.read_bytes())
    struct.pack_into("<H", content, 18, 183)  # EM_AARCH64
    dump.write_bytes(content)
    assert "another kind of processor" in refused(session, dump).text


def test_core_of_32_gigabytes_that_are_not_there(session: Session, dump: Path) -> None:
    os.truncate(dump, 32 << 30)
    began = time.monotonic()
    stop = open_dump(session, dump)
    assert any("Spin.Program.Main" in frame.name for frame in session.stack(stop.thread_id))
    assert time.monotonic() - began < 10


def test_folder_that_has_another_runtime(
    session: Session, dump: Path, runtime: Runtime, installation: Installation, tmp_path: Path
) -> None:
    """The true one is taken all the same where it is; where it is not, the error names both."""
    others = [other for other in installation.runtimes if other.version != runtime.version]
    if not others:
        pytest.skip("needs a second runtime")
    lies = {str(runtime.directory): str(others[0].directory)}
    stop = open_dump(session, dump, coreDumpFolders=lies)
    assert any("Spin.Program.Main" in frame.name for frame in session.stack(stop.thread_id))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give files away")
def test_runtime_of_another_user_is_not_loaded(session: Session, dump: Path, runtime: Runtime, tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    shutil.copytree(runtime.directory, folder)
    os.chown(folder / "libmscordbi.so", 65534, 65534)
    error = refused(session, dump, coreDumpFolders={str(runtime.directory): str(folder)})
    assert error.code == "UNTRUSTED_RUNTIME"
    assert "belongs to user 65534" in error.text
