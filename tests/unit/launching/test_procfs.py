"""`procfs`, with this process and children of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from dap_dotnet.launching import procfs

NAME = "a) Z 1 (b"
"""Of a process, as hostile to whoever takes a stat file apart as it can be."""


@pytest.fixture
def ended():
    """A child that has ended with 7, and of whose end nobody has taken note."""
    rename = f"open('/proc/self/comm', 'w').write({NAME!r})"
    command = [sys.executable, "-S", "-c", f"{rename}; input(); raise SystemExit(7)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert procfs.wait_status_of(process.pid) is None
        process.stdin.write(b"\n")
        process.stdin.flush()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        yield process.pid


def test_status_of_a_process_that_nobody_waits_for(ended):
    assert procfs.has_ended(ended)
    assert os.waitstatus_to_exitcode(procfs.wait_status_of(ended)) == 7
    assert procfs.parent_of(ended) == os.getpid()


def test_this_process_has_not_ended():
    assert procfs.wait_status_of(os.getpid()) is None
    assert not procfs.has_ended(os.getpid())


def test_work_of_a_thread_is_counted():
    thread, deadline = threading.get_native_id(), time.monotonic() + 10
    before = procfs.cpu_ticks_of(os.getpid(), thread)
    while procfs.cpu_ticks_of(os.getpid(), thread) <= before:
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    "read", [procfs.wait_status_of, procfs.parent_of, lambda gone: procfs.cpu_ticks_of(gone, gone)]
)
def test_process_that_is_gone(read):
    with pytest.raises(ProcessLookupError):
        read(2**22 + 1)


@pytest.mark.parametrize("descriptor", [0, 5], ids=["itself", "by a copy, as .NET has it"])
def test_wait_for_input_is_seen(descriptor):
    # Reads a line, waits for SIGUSR1 and reads to the end of another pipe.
    reads = f"""
import os, signal
other, _ = os.pipe()
os.dup2(0, {descriptor})
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.read({descriptor}, 9)
print("read", flush=True)
signal.sigwait([signal.SIGUSR1])
os.read(other, 9)
"""
    command = [sys.executable, "-S", "-c", reads]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            wait_until(lambda: procfs.waits_for_input(process.pid))
            process.stdin.write(b"one\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"read\n"
            assert not procfs.waits_for_input(process.pid)  # it waits for a signal
            process.send_signal(signal.SIGUSR1)
            wait_until(lambda: "pipe" in (procfs.PROC / str(process.pid) / "wchan").read_text())
            assert not procfs.waits_for_input(process.pid)  # it waits for what is no input
        finally:
            process.kill()
    assert not procfs.waits_for_input(process.pid)


def wait_until(holds):
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
