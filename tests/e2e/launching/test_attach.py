"""Attaches for real, to programs that run without a debugger."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dap_dotnet.launching import procfs
from dap_dotnet.launching.processes import list_processes
from tests.e2e.launching.conftest import is_gone, wait_until
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


class Running:
    """A program that spins until its stop file exists."""

    def __init__(self, runtime: Runtime, stop: Path, env: dict[str, str]) -> None:
        self.program = programs.build("Spin", runtime)
        self.stop_file = stop
        command = [*self.program.command, str(stop)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=self.program.environment(env), text=True)
        assert self.process.stdout.readline().startswith("READY")

    def finish(self) -> tuple[int, str]:
        """Let it end on its own: its exit code and what it wrote."""
        self.stop_file.touch()
        output, _ = self.process.communicate(timeout=60)
        return self.process.returncode, output


@pytest.fixture
def spin(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start programs that end with the test."""
    started: list[Running] = []

    def start(runtime: Runtime, **env: str) -> Running:
        started.append(Running(runtime, tmp_path / f"stop{len(started)}", env))
        return started[-1]

    yield start
    for running in started:
        running.process.kill()
        running.process.wait()
        running.process.stdout.close()


def refusal(play, process_id, **options):
    failed = play("attach", process_id, **options).wait("failed", "connected")
    assert failed["kind"] == "failed"
    assert failed["error"] == "LaunchError"
    return failed["code"], failed["message"]


def test_attached_program_runs_on_after_detach(play, runtime, spin):
    running = spin(runtime)
    for _ in range(3):
        player = play("attach", running.process.pid)
        assert player.wait("connected")["runtime"] == runtime.version
        player.wait("ProcessCreated")
        player.do("detach")
        player.wait("detached")
        player.do("close")
        assert player.wait("closed")["threads"] == []
        player.end()
    assert running.finish() == (0, "rounds some\n")


BREAK_IN_WORK = "Spin.dll 06000002"


def test_attached_program_runs_on_after_the_adapter_was_killed_at_a_breakpoint(play, runtime, spin):
    running = spin(runtime)
    player = play("attach", running.process.pid, break_=BREAK_IN_WORK)
    player.wait("BreakpointHit")
    player.do("stop-at-breakpoint")
    player.wait("holding")
    player.end()
    assert running.finish() == (0, "rounds some\n")


@pytest.mark.parametrize("seed", range(8))
def test_attached_program_runs_on_after_the_adapter_was_killed_at_any_moment(play, newest_runtime, spin, seed):
    running = spin(newest_runtime)
    player = play("attach", running.process.pid, break_=BREAK_IN_WORK)
    if seed % 2:
        player.wait("connected")
    time.sleep(random.Random(seed).uniform(0, 0.3))  # the random moment that this test is about
    player.end()
    assert running.finish() == (0, "rounds some\n")


def test_program_that_was_left_by_a_killed_adapter_can_be_attached_to_again(play, runtime, spin):
    running = spin(runtime)
    for _ in range(3):
        player = play("attach", running.process.pid, break_=BREAK_IN_WORK)
        player.wait("BreakpointHit")
        player.end()
        wait_until(lambda: not watchers(running.process.pid), "the end of the watch")
    player = play("attach", running.process.pid)
    player.wait("connected")
    player.do("detach")
    player.wait("detached")
    assert running.finish() == (0, "rounds some\n")


def test_watch_ends_with_the_program_and_with_the_session(play, newest_runtime, spin):
    running = spin(newest_runtime)
    player = play("attach", running.process.pid)
    player.wait("connected")
    assert len(watchers(running.process.pid)) == 1
    player.do("detach")
    player.wait("detached")
    assert watchers(running.process.pid) == []
    player.end()
    player = play("attach", running.process.pid)
    player.wait("connected")
    running.process.kill()
    running.process.wait()
    player.wait("ProcessExited")
    player.do("close")
    player.wait("closed")
    assert watchers(running.process.pid) == []


def watchers(process_id):
    """Launcher processes that watch over a process."""
    found = []
    for candidate in procfs.process_ids():
        try:
            command = procfs.command_line_of(candidate)
        except OSError:
            continue
        if command[3:] == ["--watch", str(process_id)] and not is_gone(candidate):
            found.append(candidate)
    return found


def test_other_temporary_folder_is_followed(play, newest_runtime, spin, tmp_path):
    (tmp_path / "tmp").mkdir()
    running = spin(newest_runtime, TMPDIR=str(tmp_path / "tmp"))
    player = play("attach", running.process.pid)
    assert player.wait("connected")["runtime"] == newest_runtime.version
    player.do("detach")
    player.wait("detached")
    assert running.finish() == (0, "rounds some\n")


def test_second_debugger_is_refused_and_the_first_named(play, runtime, spin):
    running = spin(runtime)
    first = play("attach", running.process.pid)
    first.wait("connected")
    code, message = refusal(play, running.process.pid)
    assert code == "ALREADY_DEBUGGED"
    assert f"is already being debugged by process {first.process.pid} (" in message
    first.do("detach")
    first.wait("detached")
    assert running.finish() == (0, "rounds some\n")


def test_process_whose_debugger_was_killed_is_freed_and_attached_to(play, newest_runtime, spin):
    """And the watch with it, as with a debugger that has none."""
    running = spin(newest_runtime)
    first = play("attach", running.process.pid)
    first.wait("ThreadStarted")
    for watcher in watchers(running.process.pid):
        os.kill(watcher, signal.SIGKILL)
    first.end()
    second = play("attach", running.process.pid)
    second.wait("connected")
    second.do("detach")
    second.wait("detached")
    assert running.finish() == (0, "rounds some\n")


def test_missing_process_is_said(play):
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    code, message = refusal(play, gone.pid)
    assert code == "NO_PROCESS"
    assert f"There is no process {gone.pid}." in message


def test_other_program_is_refused(play):
    process = subprocess.Popen(["/bin/sleep", "100"])
    try:
        code, message = refusal(play, process.pid)
    finally:
        process.kill()
        process.wait()
    assert code == "NOT_DOTNET"
    assert "(sleep) is not a .NET process" in message


def test_disabled_diagnostics_are_said(play, runtime, spin):
    running = spin(runtime, COMPlus_EnableDiagnostics="0")
    code, message = refusal(play, running.process.pid)
    assert code == "DIAGNOSTICS_DISABLED"
    assert "COMPlus_EnableDiagnostics=0 in the environment of process" in message


def test_killed_program_is_said(play, newest_runtime, spin):
    running = spin(newest_runtime)
    running.process.kill()
    assert refusal(play, running.process.pid)[0] == "NO_PROCESS"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to have two users")
def test_program_of_another_user_is_refused(newest_runtime, spin):
    """Played in this test's child, as the user nobody."""
    running = spin(newest_runtime)
    script = """
import os, sys
from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.backend import LocalBackend
import pwd
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
try:
    LocalBackend().attach(int(sys.argv[1]), print, timeout_ms=5000)
except LaunchError as error:
    print(error.code, error.message)
"""
    import sys

    argv = [sys.executable, "-c", script, str(running.process.pid)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("NO_PERMISSION")
    assert running.finish()[0] == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to make a namespace")
def test_program_in_a_file_system_of_its_own_is_refused(play, newest_runtime, tmp_path):
    program = programs.build("Spin", newest_runtime)
    stop = tmp_path / "stop"
    script = 'mount -t tmpfs none /tmp && exec "$@"'
    command = ["unshare", "--mount", "/bin/sh", "-c", script, "sh", *program.command, str(stop), "30"]
    env = program.environment({"TMPDIR": "/tmp"})
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True)
    try:
        if not process.stdout.readline().startswith("READY"):
            pytest.skip(f"no namespace can be made here: {process.stderr.read()}")
        code, message = refusal(play, process.pid)
    finally:
        process.kill()
        process.communicate()
    assert code == "OTHER_NAMESPACE"
    assert "docker exec" in message


def test_list_has_every_running_program(installation, spin):
    running = [spin(runtime) for runtime in installation.runtimes]
    listed = {process.process_id: process for process in list_processes()}
    for one, runtime in zip(running, installation.runtimes, strict=True):
        process = listed[one.process.pid]
        assert (process.runtime_version, process.name) == (runtime.version, "Spin")
        assert process.command_line == (*one.program.command, str(one.stop_file))
    assert os.getpid() not in listed
    for one in running:
        assert one.finish()[0] == 0
        assert is_gone(one.process.pid)
    assert not {one.process.pid for one in running} & {process.process_id for process in list_processes()}


def test_runtime_is_found_by_what_is_mapped(newest_runtime, spin):
    library = procfs.runtime_library_of(spin(newest_runtime).process.pid)
    assert library == str(newest_runtime.directory / "libcoreclr.so")
