"""Signals to the adapter's process."""

from __future__ import annotations

import array
import fcntl
import os
import signal
import subprocess
import sys
import termios

import pytest

from dap_dotnet.client import adapter_command
from dap_dotnet.protocol.framing import encode_frame
from tests.support.processes import wait_until

NUMBERS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
PIPE_IS_FULL = 60_000
"""Bytes; a pipe takes 65,536."""
WHOLE = """
import sys, threading
from dap_dotnet.startup.process import EndSignals
signals = EndSignals()
is_told = threading.Event()
signals.call(is_told.set)
print("ready", flush=True)
try:
    is_told.wait(60)
    print("told of", signals.received)
except BaseException as error:
    print("torn apart by", repr(error))
"""


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_signal_is_told_and_breaks_into_nothing(number):
    root = adapter_command()[2].partition("append('")[2].partition("')")[0]
    program = subprocess.Popen([sys.executable, "-c", WHOLE], stdout=subprocess.PIPE, text=True, cwd=root)
    with program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(number)
        assert program.stdout.read() == f"told of {number}\n"


def unread(descriptor: int) -> int:
    """Bytes that wait in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def test_signal_ends_an_adapter_whose_client_does_not_read():
    initialize = encode_frame(b'{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}')
    threads = encode_frame(b'{"seq":2,"type":"request","command":"threads"}')
    with subprocess.Popen(adapter_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as adapter:
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        output = adapter.stdout.fileno()
        rest = memoryview(initialize + threads * 2000)
        while rest:
            rest = rest[os.write(adapter.stdin.fileno(), rest) :]
        wait_until(lambda: unread(output) > PIPE_IS_FULL, "an adapter that waits for its client")
        adapter.send_signal(signal.SIGTERM)
        assert adapter.wait(10) == 128 + signal.SIGTERM
