"""Launches for real: what the program does and leaves, and what is said when it cannot be started."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest

from tests.e2e.launching.conftest import is_gone, traces, wait_until, wait_until_nothing_is_left
from tests.support import programs

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def test_program_runs_to_its_end_with_its_output_first(play, runtime):
    program = programs.build("Output", runtime)
    player = play("resolve", program.dll, "interleaved", program_env=program.env)
    forked = player.wait("forked")
    assert player.wait("connected")["runtime"] == runtime.version
    reaped = player.wait("reaped")
    assert (reaped["exit_code"], reaped["signal"]) == (0, None)
    assert player.output() == "".join(f"out {i}\n" for i in range(20))
    assert player.output(is_error=True) == "".join(f"err {i}\n" for i in range(20))
    player.do("close")
    assert player.wait("closed")["threads"] == []
    wait_until_nothing_is_left(forked)


def test_exit_code_is_the_programs_own(play, runtime):
    program = programs.build("ExitCode", runtime)
    for arguments, expected in ((["7"], 7), (["77", "exit"], 77)):
        assert play("resolve", program.dll, *arguments, program_env=program.env).wait("reaped")["exit_code"] == expected


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_end_by_a_signal_is_reported(play, newest_runtime, number):
    program = programs.build("Signals", newest_runtime)
    reaped = play("resolve", program.dll, int(number), program_env=program.env).wait("reaped")
    # On SIGTERM the runtime itself ends with 143.
    assert reaped["exit_code"] == 128 + number
    assert reaped["signal"] in (number, None if number is signal.SIGTERM else number)


def test_unhandled_exception_aborts_the_program(play, runtime):
    program = programs.build("Crash", runtime)
    player = play("resolve", program.dll, "unhandled", program_env=program.env)
    forked = player.wait("forked")
    reaped = player.wait("reaped")
    assert (reaped["exit_code"], reaped["signal"]) == (134, signal.SIGABRT)
    assert "unhandled in Main" in player.output(is_error=True)
    wait_until_nothing_is_left(forked)


def test_characters_cut_by_writes_are_whole(play, newest_runtime):
    program = programs.build("Output", newest_runtime)
    player = play("resolve", program.dll, "utf8", program_env=program.env)
    player.wait("reaped")
    assert player.output() == "naïve 日本 🎉\n"


def test_big_output_arrives_whole(play, newest_runtime):
    program = programs.build("Output", newest_runtime)
    player = play("resolve", program.dll, "big", program_env=program.env)
    player.wait("reaped")
    assert player.output().startswith(("x" * 63 + "\n") * 65536)


def test_standard_input_is_at_its_end(play, newest_runtime):
    program = programs.build("Stdin", newest_runtime)
    player = play("resolve", program.dll, program_env=program.env)
    assert player.wait("reaped")["exit_code"] == 0
    assert "end of input after 0 lines" in player.output()


def test_apphost_is_launched(play, newest_runtime):
    program = programs.build("ExitCode", newest_runtime)
    if program.apphost is None:
        pytest.skip("this .NET has no apphost template")
    player = play("resolve", program.apphost, "5", program_env=program.env)
    assert player.wait("connected")["runtime"] == newest_runtime.version
    assert player.wait("reaped")["exit_code"] == 5


def test_other_temporary_folder_is_followed(play, runtime, tmp_path):
    program = programs.build("Spin", runtime)
    folder = tmp_path / "tmp"
    folder.mkdir()
    env = {**program.env, "TMPDIR": str(folder)}
    player = play("resolve", program.dll, tmp_path / "stop", program_env=env)
    forked = player.wait("forked")
    player.wait_for_output("READY")
    assert traces(forked["process_id"], forked["start_time"], str(folder))
    player.do("terminate")
    assert player.wait("reaped")["signal"] == signal.SIGKILL
    wait_until_nothing_is_left(forked, str(folder))


def test_close_ends_a_running_program(play, runtime):
    program = programs.build("Spin", runtime)
    player = play("resolve", program.dll, program_env=program.env)
    forked = player.wait("forked")
    player.wait_for_output("READY")
    player.do("close")
    assert player.wait("closed")["threads"] == []
    wait_until_nothing_is_left(forked)


def test_detached_program_lives_on_after_the_adapter(play, runtime, tmp_path):
    program = programs.build("Spin", runtime)
    stop = tmp_path / "stop"
    player = play("resolve", program.dll, stop, program_env=program.env)
    forked = player.wait("forked")
    player.wait_for_output("READY")
    player.do("detach")
    player.wait("detached")
    player.do("leave")
    player.process.wait(60)
    assert not is_gone(forked["process_id"])
    stop.touch()  # the program still runs its own code: it sees the file, writes, and ends
    wait_until_nothing_is_left(forked)


# failures


def failure(player):
    """The error of a launch that must fail, and that it leaves nothing in the adapter."""
    failed = player.wait("failed", "connected")
    assert failed["kind"] == "failed"
    assert failed["error"] == "LaunchError"
    assert player.wait("left")["threads"] == []
    for event in player.seen:
        if event["kind"] == "forked":
            wait_until_nothing_is_left(event)
    return failed


def test_command_that_does_not_exist_is_said(play):
    failed = failure(play("launch", "/no/such/program"))
    assert failed["code"] == "EXEC_FAILED"
    assert "There is no program /no/such/program." in failed["message"]


def test_command_for_another_machine_is_said(play, tmp_path):
    foreign = tmp_path / "foreign"
    foreign.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\x08\x00" + bytes(200))  # MIPS
    foreign.chmod(0o755)
    assert "another architecture" in failure(play("launch", foreign))["message"]


def test_command_without_its_loader_is_said(play, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    assert "loader or interpreter is missing" in failure(play("launch", script))["message"]


def test_program_that_ends_at_once_is_quoted(play):
    failed = failure(play("launch", "/bin/sh", "-c", "echo one; echo two >&2; exit 150"))
    assert failed["code"] == "NO_RUNTIME"
    assert "exit code 150 before its .NET runtime started: a framework" in failed["message"]
    assert failed["message"].endswith("It wrote:\ntwo")


def test_program_killed_at_once_is_said(play):
    assert "killed by signal 15 before" in failure(play("launch", "/bin/sh", "-c", "kill $$"))["message"]


def test_program_without_a_runtime_is_said(play):
    assert "without starting a .NET runtime" in failure(play("launch", "/bin/true"))["message"]


def test_program_that_never_starts_a_runtime_is_given_up(play):
    failed = failure(play("launch", "/bin/sh", "-c", "echo waiting; exec sleep 100", timeout_ms=500))
    assert failed["code"] == "NO_RUNTIME"
    assert "in 0.5 s, so it was ended" in failed["message"]
    assert "waiting" in failed["message"]


def test_message_of_the_host_reaches_the_user(play, newest_runtime, tmp_path):
    """Not resolved beforehand, so that the host itself complains."""
    program = programs.build("Hello", newest_runtime)
    folder = tmp_path / "Hello"
    shutil.copytree(program.dll.parent, folder)
    config = folder / "Hello.runtimeconfig.json"
    config.write_text(config.read_text().replace(newest_runtime.version, "99.0.0"))
    failed = failure(play("launch", program.dotnet, folder / "Hello.dll", program_env=program.env))
    assert failed["code"] == "NO_RUNTIME"
    assert "exit code 150" in failed["message"]
    assert "99.0.0" in failed["message"].partition("It wrote:")[2]


def test_missing_framework_is_said_before_anything_starts(play, newest_runtime, tmp_path):
    program = programs.build("Hello", newest_runtime)
    folder = tmp_path / "Hello"
    shutil.copytree(program.dll.parent, folder)
    config = folder / "Hello.runtimeconfig.json"
    config.write_text(config.read_text().replace(newest_runtime.version, "99.0.0"))
    player = play("resolve", folder / "Hello.dll", program_env=program.env)
    message = failure(player)["message"]
    assert "needs Microsoft.NETCore.App 99.0.0, which is not installed" in message
    assert newest_runtime.version in message
    assert not any(event["kind"] == "forked" for event in player.seen)


@pytest.mark.parametrize("name", ["DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"])
def test_disabled_diagnostics_are_said(play, newest_runtime, name):
    program = programs.build("Hello", newest_runtime)
    failed = failure(play("resolve", program.dll, program_env={**program.env, name: "0"}))
    assert failed["code"] == "DIAGNOSTICS_DISABLED"
    assert f"{name}=0 in the environment of the program disables debugging" in failed["message"]


def test_missing_temporary_folder_is_said(play, newest_runtime):
    program = programs.build("Hello", newest_runtime)
    failed = failure(play("resolve", program.dll, program_env={**program.env, "TMPDIR": "/no/such/folder"}))
    assert failed["code"] == "NO_TEMPORARY_FOLDER"
    assert "Create it, or set TMPDIR" in failed["message"]


# the adapter's death


def marked_processes(mark: str) -> list[int]:
    """Living processes that were started with MARK=mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                is_marked = f"MARK={mark}\0".encode() in (entry / "environ").read_bytes()
            except OSError:
                continue
            if is_marked and not is_gone(int(entry.name)):
                found.append(int(entry.name))
    return found


@pytest.fixture
def short_folder():
    """A temporary folder whose path leaves room for the runtime's socket: it cuts paths of more than 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="ddn") as folder:
        yield Path(folder)


@pytest.mark.parametrize("seed", range(12))
def test_killed_adapter_leaves_nothing_behind(play, newest_runtime, short_folder, seed):
    """At moments from before the fork until well into the session."""
    program = programs.build("Spin", newest_runtime)
    mark = f"{os.getpid()}-{seed}-{time.monotonic_ns()}"
    env = {**program.env, "TMPDIR": str(short_folder), "MARK": mark}
    player = play("resolve", program.dll, program_env=env)
    chance = random.Random(seed)
    until, span_s = (("forked", 0.05), ("connected", 0.2), (None, 0.25))[seed % 3]
    if until is not None:
        player.wait(until)
    time.sleep(chance.uniform(0, span_s))  # the random moment that this test is about
    player.process.send_signal(signal.SIGKILL)
    player.process.wait()
    wait_until(lambda: not marked_processes(mark), "the end of all that the adapter started")
    assert list(short_folder.iterdir()) == []
    while (line := player._lines.get(timeout=60)) is not None:
        player.seen.append(json.loads(line))
    for event in player.seen:
        if event["kind"] == "forked":
            assert not traces(event["process_id"], event["start_time"])


def test_adapter_killed_while_the_program_is_held_leaves_nothing(play, runtime, tmp_path):
    program = programs.build("Spin", runtime)
    player = play("resolve", program.dll, tmp_path / "stop", program_env=program.env)
    forked = player.wait("forked")
    player.do("hold")
    player.wait("holding")
    player.process.send_signal(signal.SIGKILL)
    player.process.wait()
    wait_until_nothing_is_left(forked)
