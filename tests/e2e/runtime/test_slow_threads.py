"""A runtime whose new threads get no processor for a while: what it publishes too early must do no harm."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from dap_dotnet.runtime._shim import TIMEOUT, check, lib
from dap_dotnet.runtime.cordebug import prepare_startup
from tests.e2e.runtime.harness import TIMEOUT_S, Process, Session, build
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

SLOW_MS = 150


@pytest.fixture(scope="session")
def slow_threads(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process whose new threads are slow."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler to build the library that makes threads slow")
    library = tmp_path_factory.mktemp("slow") / "slow_threads.so"
    source = Path(__file__).with_name("slow_threads.c")
    flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", str(library), str(source), "-ldl", "-lpthread"], check=True)
    return {"LD_PRELOAD": str(library), "SLOW_THREADS_MS": str(SLOW_MS)}


def waits(process_id: int) -> bool:
    """Whether the runtime's debugger thread waits; where threads have no names, whether all do."""
    tasks = Path("/proc", str(process_id), "task")
    statuses = [(tasks / task / "status").read_text() for task in os.listdir(tasks)]
    named = [status for status in statuses if status.startswith("Name:\t.NET Debugger\n")]
    return all("\nState:\tS" in status for status in named or statuses)


def test_startup_waits_until_the_runtimes_debugger_thread_has_come_up(
    runtime: Runtime, slow_threads: dict[str, str]
) -> None:
    with Process(build(runtime), "steps", env=slow_threads) as process:
        startup = prepare_startup(process.pid)
        process.open_gate()
        deadline = time.monotonic() + TIMEOUT_S
        while (code := lib.cds_startup_wait(startup._startup, 50)) == TIMEOUT:
            assert time.monotonic() < deadline, "the runtime did not come up"
        check(code)
        assert waits(process.pid)
        startup.abort()


def test_program_with_slow_threads_runs_to_its_end(runtime: Runtime, slow_threads: dict[str, str]) -> None:
    with Session.launch(build(runtime), "steps", env=slow_threads) as session:
        assert session.run_to_end(session.wait_for_module()) == 7
