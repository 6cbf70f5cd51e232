"""`EndOfProcess`, with processes that are nobody's debuggees."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from dap_dotnet.launching.end_of_process import EndOfProcess


@pytest.fixture(params=["pidfd", "polling"])
def child(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with its input."""
    if request.param == "polling":
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        yield child
        child.kill()


def waiting_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "end of process"]


def test_end_of_a_process_is_noticed_before_it_is_reaped(child: subprocess.Popen[bytes]) -> None:
    ended = threading.Event()
    end = EndOfProcess(child.pid, ended.set)
    child.kill()
    assert ended.wait(10)
    end.stop()


def test_end_of_a_process_that_is_gone_is_noticed(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    ended = threading.Event()
    end = EndOfProcess(child.pid, ended.set)
    assert ended.wait(10)
    end.stop()


def test_stopped_waiting_leaves_no_thread_and_calls_nobody(child: subprocess.Popen[bytes]) -> None:
    ended = threading.Event()
    end = EndOfProcess(child.pid, ended.set)
    assert waiting_threads()
    end.stop()
    end.stop()
    assert waiting_threads() == []
    child.kill()
    child.wait()
    assert not ended.is_set()
