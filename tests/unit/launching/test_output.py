from __future__ import annotations

import gc
import os
import queue
import threading
import time

import pytest

from dap_dotnet.launching.launcher import ExitStatus
from dap_dotnet.launching.output import STRAGGLER_SECONDS, OutputPump, OutputStream, OutputWindow, PacedOutput
from tests.unit.launching.helpers import DEADLINE_SECONDS, shell, wait_until


class Pipes:
    """A pump with its two pipes held by the test."""

    def __init__(self, sink, window=None):
        stdout_read, self.stdout = os.pipe()
        stderr_read, self.stderr = os.pipe()
        self.finished = threading.Event()
        self.pump = OutputPump(
            [OutputStream(stdout_read, is_error=False), OutputStream(stderr_read, is_error=True)],
            sink,
            self.finished.set,
            window,
        )
        self.pump.start()

    def close(self):
        for fd in (self.stdout, self.stderr):
            if fd >= 0:
                os.close(fd)
        self.stdout = self.stderr = -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.pump.stop()


def test_text_is_whole_wherever_the_chunks_are_cut(output):
    text = "aß€𝄞\r\nz"
    encoded = text.encode()
    with Pipes(output) as pipes:
        for byte in encoded:
            seen = len(output.events)
            os.write(pipes.stdout, bytes([byte]))
            if byte < 0x80:
                wait_until(lambda seen=seen: len(output.events) > seen, "a complete character")
        pipes.close()
        assert pipes.finished.wait(DEADLINE_SECONDS)
    assert output.text() == text
    assert all("\ufffd" not in event.text for event in output.events)


@pytest.mark.parametrize("cut", range(1, len("aß€𝄞\r\nz".encode())))
def test_text_is_whole_for_every_cut(cut):
    received: queue.Queue[str] = queue.Queue()
    encoded = "aß€𝄞\r\nz".encode()
    with Pipes(lambda event: received.put(event.text)) as pipes:
        os.write(pipes.stdout, encoded[:cut])
        text = received.get(timeout=DEADLINE_SECONDS)
        os.write(pipes.stdout, encoded[cut:])
        pipes.close()
        assert pipes.finished.wait(DEADLINE_SECONDS)
    while not received.empty():
        text += received.get()
    assert text == "aß€𝄞\r\nz"


def test_bytes_that_are_no_utf8_are_replaced(output):
    with Pipes(output) as pipes:
        os.write(pipes.stderr, b"a\xffb\xe2\x82")
        pipes.close()
        assert pipes.finished.wait(DEADLINE_SECONDS)
    assert output.text(is_error=True) == "a\ufffdb\ufffd"


def test_streams_are_kept_apart_and_in_order(start, output):
    launcher = start(*shell("for i in 1 2 3; do echo out$i; sleep 0.05; echo err$i >&2; sleep 0.05; done"))
    launcher.open_gate()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    merged = [(event.is_error, event.text) for event in output.events]
    assert merged == [
        (is_error, f"{'err' if is_error else 'out'}{i}\n") for i in (1, 2, 3) for is_error in (False, True)
    ]


def test_large_output_arrives_whole_before_the_end(start):
    lines = 400_000
    received = []
    ended: queue.Queue[int] = queue.Queue()

    def sink(event):
        received.append(event.text)
        event.taken()

    launcher = start(*shell(f"seq {lines}"), sink=sink)
    launcher.when_ended(lambda status: ended.put(sum(map(len, received))))
    launcher.open_gate()
    expected = "".join(f"{number}\n" for number in range(1, lines + 1))
    assert ended.get(timeout=60) == len(expected)
    assert "".join(received) == expected


def next_event(events, timeout_seconds):
    try:
        return events.get(timeout=timeout_seconds)
    except queue.Empty:
        return None


def test_program_is_held_back_while_the_consumer_takes_nothing(start, tmp_path):
    """Bounded by the window and the pipe, and it goes on when the consumer does."""
    events: queue.Queue[PacedOutput] = queue.Queue()
    done = tmp_path / "done"
    size = 3_000_000
    launcher = start(*shell(f"head -c {size} /dev/zero; echo end > {done}"), sink=events.put)
    launcher.open_gate()
    held: list[PacedOutput] = []
    while (event := next_event(events, DEADLINE_SECONDS if not held else 0.5)) is not None:
        held.append(event)
    assert 0 < sum(len(event.text) for event in held) <= 256 * 1024
    assert not done.exists()
    assert launcher.is_alive()
    total = 0
    while held:
        event = held.pop()
        total += len(event.text)
        event.taken()
    while total < size:
        event = events.get(timeout=DEADLINE_SECONDS)
        total += len(event.text)
        event.taken()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert total == size


def test_dropped_events_give_their_room_back(start):
    launcher = start(*shell("head -c 2000000 /dev/zero"), sink=lambda event: None)
    launcher.open_gate()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    gc.collect()


def test_taken_counts_once():
    window = OutputWindow(10)
    received: queue.Queue[PacedOutput] = queue.Queue()
    with Pipes(received.put, window) as pipes:
        os.write(pipes.stdout, b"12345678")
        event = received.get(timeout=DEADLINE_SECONDS)
        event.taken()
        event.taken()
        assert window._outstanding == 0


def test_grandchild_that_keeps_the_pipes_does_not_delay_the_end(start, output):
    launcher = start(*shell("echo mine; sleep 100 & echo $!; exit 6"))
    launcher.open_gate()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(6)
    mine, grandchild = output.text().split()
    assert mine == "mine"
    os.kill(int(grandchild), 9)  # it still runs


def test_grandchild_that_writes_without_end_does_not_delay_the_end(start, output):
    launcher = start(*shell("yes & echo $! >&2; exit 6"))
    launcher.open_gate()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(6)
    seen = len(output.events)
    os.kill(int(output.text(is_error=True)), 9)
    launcher.close()
    assert len(output.events) == seen


def test_output_of_a_grandchild_right_after_the_end_is_delivered(start, output):
    launcher = start(*shell("(sleep 0.1; echo late) & exit 0"))
    launcher.open_gate()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "late\n"


def test_backlog_is_delivered_to_a_slow_consumer_after_the_end(start):
    """The program is gone long before its output is taken; none of it is lost."""
    events: queue.Queue[PacedOutput] = queue.Queue()
    launcher = start(*shell("head -c 300000 /dev/zero"), sink=events.put)
    launcher.open_gate()
    wait_until(lambda: not launcher.is_alive(), "the program's end")
    assert launcher.wait(STRAGGLER_SECONDS + 0.3) is None
    total = 0
    while total < 300_000:
        event = events.get(timeout=DEADLINE_SECONDS)
        total += len(event.text)
        event.taken()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)


def test_stop_ends_a_pump_that_waits_for_its_consumer():
    received: list[PacedOutput] = []
    first = threading.Event()

    def sink(event):
        received.append(event)
        first.set()

    with Pipes(sink, OutputWindow(4)) as pipes:
        os.write(pipes.stdout, b"12345678")
        assert first.wait(DEADLINE_SECONDS)
        os.write(pipes.stdout, b"12345678")
    assert not pipes.pump._thread.is_alive()


def test_flush_delivers_what_was_written_before_it_returns():
    received = []
    with Pipes(received.append) as pipes:
        for number in range(200):
            os.write(pipes.stdout, f"{number}\n".encode())
            os.write(pipes.stderr, f"{number}\n".encode())
            pipes.pump.flush()
            for is_error in (False, True):
                text = "".join(event.text for event in received if event.is_error is is_error)
                assert text.endswith(f"{number}\n")


def test_flush_does_not_wait_for_a_consumer_that_takes_nothing():
    events = []
    window = OutputWindow(4)
    with Pipes(events.append, window) as pipes:
        os.write(pipes.stdout, b"first")
        wait_until(lambda: events, "the first text")
        os.write(pipes.stdout, b"second")
        before = time.monotonic()
        pipes.pump.flush()
        assert time.monotonic() - before < DEADLINE_SECONDS
