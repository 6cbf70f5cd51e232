"""`LateReports`, with a process whose threads do as they are told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dap_dotnet.launching import procfs
from dap_dotnet.launching.late_reports import LateReports

PROGRAM = """
import ctypes, sys, threading
locks = {name: threading.Lock() for name in ("at rest", "for ever", "for a time")}
for lock in locks.values():
    lock.acquire()
def wait(name):
    ctypes.CDLL(None).prctl(15, name.encode())
    locks[name].acquire()
    if name == "for a time":
        threading.Event().wait(60)
    else:
        threading.Event().wait()
for name in locks:
    threading.Thread(target=wait, args=(name,), daemon=True).start()
print("begun", flush=True)
for line in sys.stdin:
    if line.strip() == "new":
        threading.Thread(target=threading.Event().wait, daemon=True).start()
    elif line.strip() == "spin":
        while True:
            pass
    else:
        locks[line.strip()].release()
    print("done", flush=True)
"""


class Process:
    """The program, told what to do line by line."""

    def __init__(self, process):
        self._process = process
        self.reports = LateReports(process.pid)
        self._wait()

    @property
    def threads(self):
        return {procfs.thread_name(self._process.pid, one): one for one in procfs.thread_ids(self._process.pid)}

    def _wait(self):
        self._process.stdout.readline()

    def do(self, what):
        self._process.stdin.write(what.encode() + b"\n")
        self._process.stdin.flush()
        if what != "spin":
            self._wait()


@pytest.fixture
def process():
    command = [sys.executable, "-S", "-c", PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        try:
            process = Process(started)
            while not {"at rest", "for ever", "for a time"} <= process.threads.keys():
                pass
            while any(procfs.system_call_of(started.pid, one)[:1] == () for one in process.threads.values()):
                pass
            process.reports.note(list(process.threads.values()))
            yield process
        finally:
            started.kill()


def test_threads_that_have_rested_report_nothing(process):
    assert process.reports.are_ruled_out()


def test_nothing_is_known_without_a_look_before(process):
    assert not LateReports(process.threads["at rest"]).are_ruled_out()


def test_thread_that_has_worked_and_waits_for_a_time_reports_nothing(process):
    process.do("for a time")
    assert process.reports.are_ruled_out()


@pytest.mark.parametrize("what", ["for ever", "new", "spin"])
def test_thread_that_may_wait_for_its_debugger_is_not_ruled_out(process, what):
    process.do(what)
    assert not process.reports.are_ruled_out()


def test_thread_of_an_old_runtime_that_is_not_managed_is_the_debuggers(process):
    process.reports.note([one for name, one in process.threads.items() if name != "for ever"])
    process.do("for ever")
    assert process.reports.are_ruled_out()
