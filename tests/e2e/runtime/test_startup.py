"""Starting and attaching where it cannot work: each failure says what to do and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime.cordebug import attach, prepare_startup
from dap_dotnet.runtime.events import RuntimeEvent
from tests.e2e.runtime.harness import Process, Session, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def ignore(_: RuntimeEvent) -> None:
    pass


def semaphores(process_id: int) -> list[str]:
    return [path.name for path in Path("/dev/shm").glob(f"sem.clr*{process_id:08x}*")]


def test_startup_of_no_process_is_refused() -> None:
    with pytest.raises(LaunchError) as caught:
        prepare_startup(2**22 + 1)
    assert caught.value.code == "NO_PROCESS"


def test_attach_to_no_process_is_refused() -> None:
    with pytest.raises(LaunchError) as caught:
        attach(2**22 + 1, ignore, 1000)
    assert caught.value.code == "NO_PROCESS"


def test_attach_to_another_kind_of_process_is_refused() -> None:
    with pytest.raises(LaunchError, match="not loaded a") as caught:
        attach(os.getpid(), ignore, 1000)
    assert caught.value.code == "NOT_DOTNET"


def test_startup_is_given_to_one_debugger_only(newest_runtime: Runtime) -> None:
    with Process(build(newest_runtime), "steps") as process:
        startup = prepare_startup(process.pid)
        with pytest.raises(LaunchError, match="Another debugger"):
            prepare_startup(process.pid)
        assert len(semaphores(process.pid)) == 2
        startup.abort()
        startup.abort()
        assert semaphores(process.pid) == []
        process.open_gate()
        assert process.wait() == 7


def test_startup_leaves_no_semaphores(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "steps") as session:
        assert semaphores(session.process.pid) == []


def test_aborted_startup_lets_the_program_run(runtime: Runtime) -> None:
    with Process(build(runtime), "steps") as process:
        startup = prepare_startup(process.pid)
        startup.abort()
        process.open_gate()
        assert process.wait() == 7


def test_startup_of_a_program_that_ends_at_once_is_reported() -> None:
    command = [sys.executable, "-c", "import sys; sys.stdin.read(1)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        startup = prepare_startup(process.pid)
        process.communicate(b"x")
        with pytest.raises(LaunchError, match="ended before") as caught:
            startup.connect(ignore, timeout_ms=10_000, is_alive=lambda: process.poll() is None)
        assert caught.value.code == "NO_RUNTIME"
        assert semaphores(process.pid) == []


@pytest.mark.parametrize("variable", ["DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"])
def test_disabled_diagnostics_are_reported(newest_runtime: Runtime, variable: str) -> None:
    if newest_runtime.major == "3.1":  # which reads no other
        variable = "COMPlus_EnableDiagnostics"
    with Process(build(newest_runtime), "steps", env={variable: "0"}) as process:
        startup = prepare_startup(process.pid)
        process.open_gate()
        with pytest.raises(LaunchError, match=r"ended before|diagnostics"):
            startup.connect(ignore, timeout_ms=10_000, is_alive=process.is_alive)
        assert process.wait() == 7


def test_attach_with_disabled_diagnostics_is_refused(newest_runtime: Runtime) -> None:
    with Process(build(newest_runtime), "forever", env={"COMPlus_EnableDiagnostics": "0"}) as process:
        process.wait_until_ready()
        with pytest.raises(LaunchError, match="TMPDIR") as caught:
            attach(process.pid, ignore, 200)
        assert caught.value.code == "NO_DIAGNOSTICS"
        assert process.loops()


def test_attach_across_temporary_folders_is_refused(runtime: Runtime) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Process(build(runtime), "forever", env={"TMPDIR": folder}) as process,
    ):
        process.wait_until_ready()
        with pytest.raises(LaunchError, match="TMPDIR") as caught:
            attach(process.pid, ignore, 200)
        assert caught.value.code == "NO_DIAGNOSTICS"
        assert process.loops()


def test_launch_across_temporary_folders_is_refused(runtime: Runtime) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Process(build(runtime), "steps", env={"TMPDIR": folder}) as process,
    ):
        startup = prepare_startup(process.pid)
        process.open_gate()
        with pytest.raises(LaunchError, match="TMPDIR"):
            startup.connect(ignore, timeout_ms=1000, is_alive=process.is_alive)
