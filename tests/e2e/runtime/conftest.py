"""Runs each test of this folder in a process of its own: two runtimes' debugger libraries cannot share one."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import traceback
from pathlib import Path

import pytest

# Below pytest-timeout's limit, so that the failure names the test's own process.
TEST_TIMEOUT_S = 60.0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Calls the test function in a forked child and brings its failure back as text."""
    if Path(__file__).parent not in pyfuncitem.path.parents:
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    failure = _run_forked(lambda: pyfuncitem.obj(**arguments))
    if failure is not None:
        pytest.fail(failure, pytrace=False)
    return True


def _run_forked(function: object) -> str | None:
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.setpgrp()
        os.close(reader)
        _run_in_child(function, writer)
    os.close(writer)
    finished = False
    try:
        text, finished = _read_all(reader, time.monotonic() + TEST_TIMEOUT_S)
    finally:
        os.close(reader)
        if not finished:
            # With the debuggee that it may have left.
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if not finished:
        return f"the test did not end in {TEST_TIMEOUT_S:g} s"
    return None if text == "ok" else text or "the test's process died"


def _run_in_child(function: object, writer: int) -> None:
    try:
        outcome = "ok"
        try:
            function()  # type: ignore[operator]
        except BaseException:
            outcome = traceback.format_exc()
        os.write(writer, outcome.encode(errors="backslashreplace")[-60_000:])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        # Never back into pytest.
        os._exit(0)


def _read_all(reader: int, deadline: float) -> tuple[str, bool]:
    data = b""
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return data.decode(errors="replace"), False
        chunk = os.read(reader, 65536)
        if not chunk:
            return data.decode(errors="replace"), True
        data += chunk
