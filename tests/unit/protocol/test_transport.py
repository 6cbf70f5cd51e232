"""The claim of standard input and output needs a process of its own, with a native write to descriptor 1."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import textwrap

import pytest

import dap_dotnet
from dap_dotnet.protocol.codec import encode_message
from dap_dotnet.protocol.transport import ExpiringWriter, MessageWriter

PROGRAM = textwrap.dedent(
    """
    import ctypes, os, subprocess, sys
    from dap_dotnet.protocol.transport import claim_stdio
    reader, writer = claim_stdio()
    print("stray print")
    sys.stdout.flush()
    os.write(1, b"native write ")
    ctypes.CDLL(None).puts(b"from C"); ctypes.CDLL(None).fflush(None)
    subprocess.run(["sh", "-c", "echo from a child; cat"], check=True)
    assert sys.stdin.read() == ""
    writer.write(b"got " + reader.read(100))
    """
)


def run(*command: str) -> subprocess.CompletedProcess[bytes]:
    root = os.path.dirname(os.path.dirname(dap_dotnet.__file__))
    return subprocess.run(
        [*command, sys.executable, "-c", PROGRAM],
        input=b"message",
        capture_output=True,
        timeout=30,
        check=False,
        env={**os.environ, "PYTHONPATH": root},
    )


def test_claimed_stdio_carries_the_protocol_and_nothing_else():
    done = run()
    assert done.returncode == 0, done.stderr
    assert done.stdout == b"got message"
    for stray in (b"stray print", b"native write", b"from C", b"from a child"):
        assert stray in done.stderr


def test_claimed_stdio_does_without_standard_error():
    done = run("sh", "-c", 'exec "$@" 2>&-', "sh")
    assert (done.returncode, done.stdout) == (0, b"got message")


class BrokenAfter:
    """Takes writes in pieces of 3 bytes, and then no more."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = b""

    def write(self, data: bytes) -> int:
        if len(self.taken) >= self.limit:
            raise BrokenPipeError
        self.taken += bytes(data[:3])
        return min(3, len(data))


def test_writer_finishes_messages_that_are_taken_in_pieces():
    stream = BrokenAfter(10_000)
    writer = MessageWriter(stream, lambda: None)
    assert [writer.send({"type": "event", "event": str(n)}) for n in range(3)] == [1, 2, 3]
    assert stream.taken == b"".join(encode_message({"type": "event", "event": str(n), "seq": n + 1}) for n in range(3))


def test_writer_tells_once_that_the_other_side_is_gone():
    reported = []
    writer = MessageWriter(BrokenAfter(60), lambda: reported.append(True))
    for _ in range(5):
        writer.send({"type": "event", "event": "x"})
    assert reported == [True]


def test_writer_keeps_its_numbers_without_gaps_after_a_message_that_is_not_json():
    stream = BrokenAfter(10_000)
    writer = MessageWriter(stream, lambda: None)
    try:
        writer.send({"bad": {1, 2}})
    except TypeError:
        pass
    assert writer.send({}) == 1


def _pipe() -> tuple[int, int]:
    return os.pipe()


def _socket_pair() -> tuple[int, int]:
    one, other = socket.socketpair()
    return one.detach(), other.detach()


@pytest.mark.parametrize("connect", [_pipe, _socket_pair])
def test_writing_takes_large_messages_at_once_and_never_blocks(connect):
    read_end, write_end = connect()
    writer = ExpiringWriter(write_end)
    assert writer.write(b"x" * 20_000) == 20_000
    writer.expire(0.05)
    written = 20_000

    def write_all() -> None:
        nonlocal written
        while True:
            written += writer.write(b"y" * 50_000)

    with pytest.raises(BrokenPipeError, match="does not read"):
        write_all()
    os.set_blocking(read_end, False)
    found = bytearray()
    while len(found) < written:
        found += os.read(read_end, 1 << 20)
    assert found == b"x" * 20_000 + b"y" * (written - 20_000)
    os.close(read_end)
    with pytest.raises(OSError):
        writer.write(b"z")


def test_writing_to_a_file_works_too(tmp_path):
    writer = ExpiringWriter(os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT))
    data = memoryview(b"x" * 10_000)
    while data:
        data = data[writer.write(data) :]
    assert (tmp_path / "out").read_bytes() == b"x" * 10_000
