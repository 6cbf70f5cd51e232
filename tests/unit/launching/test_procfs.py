"""`procfs`, with this process and children of it."""

from __future__ import annotations

import os
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
