from __future__ import annotations

import errno
import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.launcher import ExitStatus, StartFailedError
from tests.unit.launching.helpers import DEADLINE_SECONDS, is_gone, process_state, shell, wait_until

SEMAPHORES = Path("/dev/shm")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and /dev/shm")


def run(launcher):
    launcher.open_gate()
    return launcher.wait(DEADLINE_SECONDS)


def test_launcher_reports_exit_code(start):
    assert run(start(*shell("exit 7"))) == ExitStatus(7)


def test_launcher_reports_signal_as_a_shell_does(start):
    status = run(start(*shell("kill -TERM $$")))
    assert (status.exit_code, status.signal) == (128 + signal.SIGTERM, signal.SIGTERM)


def test_launcher_reports_abort(start):
    assert run(start(*shell("ulimit -c 0; kill -ABRT $$"))) == ExitStatus(134, signal.SIGABRT, core_dumped=False)


def test_debuggee_waits_at_the_gate(start, output, tmp_path):
    witness = tmp_path / "witness"
    launcher = start(*shell(f"echo ran > {witness}"))
    assert launcher.wait(0.2) is None
    assert launcher.is_alive()
    assert not witness.exists()
    assert run(launcher) == ExitStatus(0)
    assert witness.read_text() == "ran\n"


def test_debuggee_keeps_pid_and_start_time_across_exec(start, output):
    launcher = start(*shell("echo $$; cut -d' ' -f22 /proc/$$/stat"))
    assert run(launcher) == ExitStatus(0)
    assert output.text().split() == [str(launcher.process_id), str(launcher.start_time)]


@pytest.mark.parametrize(
    ("content", "mode", "expected"),
    [
        pytest.param(None, 0, errno.ENOENT, id="missing"),
        pytest.param("#!/bin/sh\n", 0o644, errno.EACCES, id="not executable"),
        pytest.param("this is no program\n", 0o755, errno.ENOEXEC, id="no program format"),
        pytest.param("#!/no/such/interpreter\n", 0o755, errno.ENOENT, id="missing interpreter"),
    ],
)
def test_exec_failure_is_reported_with_errno(start, tmp_path, content, mode, expected):
    program = tmp_path / "program"
    if content is not None:
        program.write_text(content)
        program.chmod(mode)
    launcher = start(str(program))
    launcher.open_gate()
    with pytest.raises(StartFailedError) as caught:
        launcher.await_exec(DEADLINE_SECONDS)
    assert (caught.value.step, caught.value.errno) == ("exec", expected)
    assert not launcher.is_alive()


def test_await_exec_returns_when_the_program_runs(start):
    launcher = start(*shell("exec sleep 100"))
    launcher.open_gate()
    assert launcher.await_exec(DEADLINE_SECONDS)
    assert launcher.is_alive()


def test_missing_working_directory_is_a_clear_error(start, tmp_path):
    with pytest.raises(StartFailedError, match=r"working directory .*gone cannot be entered") as caught:
        start(*shell("exit 0"), cwd=str(tmp_path / "gone"))
    assert (caught.value.step, caught.value.errno) == ("chdir", errno.ENOENT)


def test_impossible_environment_is_a_clear_error(start):
    with pytest.raises(LaunchError, match="Check args and env"):
        start(*shell("exit 0"), env={"A=B": "1"})


def test_debuggee_gets_working_directory_and_odd_environment(start, output, tmp_path):
    folder = tmp_path / "with space"
    folder.mkdir()
    odd = "line\nfeed\udcff=ü"
    launcher = start("/usr/bin/env", "-0", cwd=str(folder), env={"ODD": odd, "EMPTY": ""})
    assert run(launcher) == ExitStatus(0)
    assert output.text() == "ODD=line\nfeed\ufffd=ü\0EMPTY=\0"
    launcher = start("/bin/pwd", cwd=str(folder))
    assert run(launcher) == ExitStatus(0)
    assert output.text().endswith(f"{folder}\n")


@needs_linux
def test_debuggee_inherits_nothing_but_its_streams(start, output, tmp_path):
    with (tmp_path / "leak").open("w") as leak:
        os.set_inheritable(leak.fileno(), True)
        launcher = start("/bin/ls", "-l", "/proc/self/fd")
        assert run(launcher) == ExitStatus(0)
    lines = [line.split(" -> ") for line in output.text().splitlines() if " -> " in line]
    targets = {int(line[0].split()[-1]): line[1] for line in lines}
    listing = [fd for fd, target in targets.items() if target.startswith("/proc/")]
    assert set(targets) - set(listing) == {0, 1, 2}
    assert targets[0] == "/dev/null"


@needs_linux
def test_debuggee_has_default_signals_and_its_own_session(start, output):
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        launcher = start("/bin/cat", "/proc/self/status", "/proc/self/stat")
        assert run(launcher) == ExitStatus(0)
    finally:
        signal.signal(signal.SIGUSR1, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    fields = dict(line.split(":\t", 1) for line in output.text().splitlines() if ":\t" in line)
    reserved = 0b11 << 31  # 32 and 33 belong to the C library, which refuses to change them
    assert int(fields["SigIgn"], 16) & ~reserved == 0
    assert int(fields["SigBlk"], 16) == 0
    group, session = output.text().splitlines()[-1].rpartition(")")[2].split()[2:4]
    assert int(group) == int(session) == launcher.process_id


def test_kill_before_the_gate_is_reported(start):
    launcher = start(*shell("exit 0"))
    launcher.kill()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(137, signal.SIGKILL)


def test_kill_ends_a_program_that_ignores_signals(start, output):
    launcher = start(*shell("trap '' TERM INT HUP; echo ready; while :; do sleep 100; done"))
    launcher.open_gate()
    wait_until(lambda: output.text() == "ready\n", "the program's first line")
    launcher.kill()
    assert launcher.wait(DEADLINE_SECONDS).signal == signal.SIGKILL


def test_close_kills_the_debuggee_and_ends_the_launcher(start):
    launcher = start(*shell("exec sleep 100"))
    launcher.open_gate()
    assert launcher.await_exec(DEADLINE_SECONDS)
    launcher.close()
    assert is_gone(launcher.process_id)
    assert process_state(launcher._launcher_process_id) is None
    launcher.close()


def test_close_leaves_no_thread_and_no_descriptor(start):
    start(*shell("exit 0")).close()
    threads, descriptors = threading.active_count(), len(os.listdir("/dev/fd"))
    for _ in range(5):
        launcher = start(*shell("echo hello"))
        run(launcher)
        launcher.close()
    assert threading.active_count() <= threads
    assert len(os.listdir("/dev/fd")) <= descriptors


def test_when_ended_calls_once_after_all_output(start, output):
    called: queue.Queue[tuple[ExitStatus, str]] = queue.Queue()
    launcher = start(*shell("echo out; echo err >&2; exit 3"))
    launcher.when_ended(lambda status: called.put((status, output.text() + output.text(is_error=True))))
    launcher.open_gate()
    assert called.get(timeout=DEADLINE_SECONDS) == (ExitStatus(3), "out\nerr\n")
    launcher.when_ended(lambda status: called.put((status, "late")))
    assert called.get(timeout=DEADLINE_SECONDS) == (ExitStatus(3), "late")
    assert called.empty()


def test_program_that_closes_its_streams_is_still_reported(start):
    called: queue.Queue[ExitStatus] = queue.Queue()
    launcher = start(*shell("exec >&- 2>&-; sleep 0.2; exit 5"))
    launcher.when_ended(called.put)
    launcher.open_gate()
    assert called.get(timeout=DEADLINE_SECONDS) == ExitStatus(5)


def test_killed_launcher_takes_the_debuggee_along(start):
    launcher = start(*shell("exec sleep 100"))
    launcher.open_gate()
    assert launcher.await_exec(DEADLINE_SECONDS)
    os.kill(launcher._launcher_process_id, signal.SIGKILL)
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(137, signal.SIGKILL)
    wait_until(lambda: is_gone(launcher.process_id), "the debuggee's end")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE])
def test_launcher_ignores_signals_of_a_terminal(start, number):
    launcher = start(*shell("exit 4"))
    os.kill(launcher._launcher_process_id, number)
    assert run(launcher) == ExitStatus(4)


def semaphore_names(process_id: int, start_time: int) -> list[Path]:
    return [SEMAPHORES / f"sem.clr{kind}{process_id:08x}{start_time:016x}" for kind in ("st", "co")]


ADAPTER = """
import ctypes, os, sys, time
from pathlib import Path
from dap_dotnet.launching.launcher import Launcher

program, when, tmpdir, *command = sys.argv[1:]
launcher = Launcher.start(command, "/", {"TMPDIR": tmpdir}, lambda event: None, program=Path(program))
libc = ctypes.CDLL(None, use_errno=True)
libc.sem_open.restype = ctypes.c_void_p
for kind in ("st", "co"):
    name = "/clr%s%08x%016x" % (kind, launcher.process_id, launcher.start_time)
    assert libc.sem_open(name.encode(), os.O_CREAT | os.O_EXCL, 0o700, 0)
for name in ("clr-debug-pipe-%d-%d-in", "clr-debug-pipe-%d-%d-out", "dotnet-diagnostic-%d-%d-socket"):
    Path(tmpdir, name % (launcher.process_id, launcher.start_time)).touch()
if when != "gate":
    launcher.open_gate()
    assert launcher.await_exec(20)
if when == "released":
    launcher.release()
print(launcher.process_id, launcher.start_time, launcher._launcher_process_id, flush=True)
time.sleep(100)
"""


@pytest.fixture
def adapter(launcher_program, tmp_path):
    """A process that plays the adapter; its death must leave nothing behind."""
    processes = []

    def begin(when, *command):
        argv = [sys.executable, "-c", ADAPTER, str(launcher_program), when, str(tmp_path), *command]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        return process, *(int(word) for word in process.stdout.readline().split())

    yield begin
    for process in processes:
        process.kill()
        process.wait()
        process.stdout.close()


@needs_linux
@pytest.mark.parametrize("when", ["gate", "running"])
@pytest.mark.parametrize("victim", ["adapter", "launcher-term"])
def test_death_of_the_adapter_leaves_nothing_behind(adapter, tmp_path, when, victim):
    process, debuggee, start_time, launcher = adapter(when, *shell("trap '' TERM; while :; do sleep 100; done"))
    assert all(path.exists() for path in semaphore_names(debuggee, start_time))
    if victim == "adapter":
        process.kill()
    else:
        os.kill(launcher, signal.SIGTERM)
    wait_until(lambda: is_gone(debuggee) and is_gone(launcher), "the end of debuggee and launcher")
    assert not any(path.exists() for path in semaphore_names(debuggee, start_time))
    assert list(tmp_path.iterdir()) == []


@needs_linux
def test_released_debuggee_survives_the_adapter_and_can_still_write(adapter, tmp_path):
    go, done = tmp_path / "go", tmp_path / "done"
    script = f"while [ ! -e {go} ]; do sleep 0.01; done; head -c 200000 /dev/zero; echo wrote > {done}; exec sleep 100"
    process, debuggee, start_time, launcher = adapter("released", *shell(script))
    process.kill()
    process.wait()
    wait_until(
        lambda: not any(path.exists() for path in semaphore_names(debuggee, start_time)), "the semaphores' removal"
    )
    go.touch()
    wait_until(done.exists, "the program's write of more than a pipe holds")
    os.kill(launcher, signal.SIGTERM)
    assert not is_gone(debuggee)
    assert not is_gone(launcher)
    os.kill(debuggee, signal.SIGKILL)
    wait_until(lambda: is_gone(debuggee) and is_gone(launcher), "the end of debuggee and launcher")


def test_released_debuggee_is_not_reported(start, output):
    called: queue.Queue[ExitStatus] = queue.Queue()
    launcher = start(*shell("read line < /dev/null; sleep 0.1; echo late; exit 0"))
    launcher.when_ended(called.put)
    launcher.open_gate()
    launcher.release()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert called.empty()
    assert output.events == []


@needs_linux
def test_waiting_runtime_is_let_go_when_the_adapter_dies(launcher_program, tmp_path):
    """Released, then the adapter dies: the start-up semaphore is posted, not only removed."""
    waiter = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.sem_open.restype = ctypes.c_void_p
start = open("/proc/self/stat").read().rpartition(")")[2].split()[19]
name = "/clrco%08x%016x" % (os.getpid(), int(start))
handle = ctypes.c_void_p(libc.sem_open(name.encode(), 0))
assert handle.value
open(sys.argv[1] + "/waiting", "w").close()
libc.sem_wait(handle)
open(sys.argv[1] + "/posted", "w").close()
"""
    argv = [sys.executable, "-c", ADAPTER, str(launcher_program), "gate-then-release", str(tmp_path)]
    adapter_source = ADAPTER.replace(
        "time.sleep(100)",
        f"launcher.release()\nwhile not os.path.exists({str(tmp_path / 'waiting')!r}): time.sleep(0.01)",
    )
    argv[2] = adapter_source
    subprocess.run([*argv, sys.executable, "-c", waiter, str(tmp_path)], check=True, stdout=subprocess.DEVNULL)
    wait_until((tmp_path / "posted").exists, "the post of the semaphore")


@needs_linux
def test_terminal_launcher_connects_to_a_named_socket(launcher_program, tmp_path):
    import socket

    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        listener.settimeout(DEADLINE_SECONDS)
        argv = [str(launcher_program), "--connect", path, "--", *shell("ps -o pgid= -p $$; exit 9")]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True)
        connection, _ = listener.accept()
        with connection, connection.makefile("r") as lines:
            assert lines.readline().startswith("pid ")
            connection.sendall(b"go\n")
            assert [lines.readline(), lines.readline()] == ["running\n", "exit 9\n"]
            connection.shutdown(socket.SHUT_WR)
            assert process.stdout.read().strip() == str(process.pid)
        assert process.wait(DEADLINE_SECONDS) == 9
        process.stdout.close()


@pytest.mark.parametrize("argv", [[], ["--control", "3"], ["--control", "x", "--", "/bin/true"], ["--bad", "1", "--"]])
def test_launcher_refuses_a_wrong_command_line(launcher_program, argv):
    done = subprocess.run([launcher_program, *argv], capture_output=True, text=True, check=False)
    assert done.returncode == 64
    assert done.stderr


CHILDREN = "sleep 1000 & echo $!; sh -c 'echo $$; sleep 1000' & wait"


@needs_linux
@pytest.mark.parametrize("how", ["kill", "close", "end"])
def test_what_the_debuggee_has_started_ends_with_it(start, output, how):
    launcher = start(*shell("sleep 1000 & echo $!" if how == "end" else CHILDREN), ends_children=True)
    launcher.open_gate()
    wait_until(lambda: output.text().count("\n") == (1 if how == "end" else 2), "the children run")
    children = [int(word) for word in output.text().split()]
    if how == "kill":
        launcher.kill()
    elif how == "close":
        launcher.close()
    wait_until(lambda: all(is_gone(child) for child in children), "the children have ended")


@needs_linux
@pytest.mark.parametrize("ends_children", [False, True])
def test_children_of_a_released_debuggee_run_on(start, output, ends_children):
    launcher = start(*shell("sleep 1000 & echo $!; exec sleep 1000"), ends_children=ends_children)
    launcher.open_gate()
    wait_until(lambda: output.text().endswith("\n"), "the child runs")
    child = int(output.text())
    try:
        launcher.release() if ends_children else launcher.kill()
        launcher.close()
        wait_until(lambda: ends_children or is_gone(launcher.process_id), "the debuggee has ended")
        assert not is_gone(child)
    finally:
        os.kill(child, signal.SIGKILL)
        if ends_children:
            os.kill(launcher.process_id, signal.SIGKILL)


@needs_linux
def test_traces_of_ended_children_are_removed(start, output, tmp_path):
    launcher = start(
        *shell("sleep 1000 & echo $! $(cut -d' ' -f22 /proc/$!/stat); wait"),
        env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        ends_children=True,
    )
    launcher.open_gate()
    wait_until(lambda: output.text().endswith("\n"), "the child runs")
    child, start_time = output.text().split()
    trace = tmp_path / f"clr-debug-pipe-{child}-{start_time}-in"
    trace.touch()
    launcher.close()
    wait_until(lambda: not trace.exists(), "its trace is removed")
