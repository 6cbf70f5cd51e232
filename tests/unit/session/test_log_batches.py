"""Lines of log points: few events, in order, none lost, and no waiting for a slow client."""

from __future__ import annotations

import threading
import time

import pytest

from dap_dotnet.session.log_batches import BATCH_CHARACTERS, MAX_RUNS, LogBatches, LogOrigin

DEADLINE_S = 10.0
HERE, THERE = LogOrigin("/a.cs", 1, 2), LogOrigin("/a.cs", 3, 4)


class FakeClient:
    """Takes what is sent, with the time; `reads` cleared, it does not."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, LogOrigin | None]] = []
        self.times: list[float] = []
        self.reads = threading.Event()
        self.reads.set()
        self.changed = threading.Condition()

    def send(self, text: str, place: LogOrigin | None) -> None:
        assert self.reads.wait(DEADLINE_S)
        with self.changed:
            self.sent.append((text, place))
            self.times.append(time.monotonic())
            self.changed.notify_all()

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.sent)

    def wait_for(self, text: str) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: text in self.text, DEADLINE_S)


@pytest.fixture
def client() -> FakeClient:
    return FakeClient()


def test_lines_of_one_place_are_one_event(client: FakeClient) -> None:
    batches = LogBatches(client.send)
    for number in range(1000):
        batches.add([str(number)], HERE)
    batches.flush()
    assert client.text == "".join(f"{number}\n" for number in range(1000))
    assert len(client.sent) <= 20  # 1 if nothing delays this test; each 30 ms may add one
    assert {place for _, place in client.sent} == {HERE}


def test_line_is_sent_in_time_though_nothing_follows(client: FakeClient) -> None:
    batches = LogBatches(client.send)
    for text in ("first", "second"):
        batches.add([text], HERE)
        client.wait_for(text)
    assert client.sent == [("first\n", HERE), ("second\n", HERE)]


def test_lines_keep_their_order_and_their_places(client: FakeClient) -> None:
    batches = LogBatches(client.send, flush_s=DEADLINE_S)
    for lines, place in ((["1", "2"], HERE), (["3"], THERE), (["4"], None), (["5"], None)):
        batches.add(lines, place)
    batches.flush()
    assert client.sent == [("1\n2\n", HERE), ("3\n", THERE), ("4\n5\n", None)]


def test_flood_from_places_in_turn_is_one_event_without_a_place(client: FakeClient) -> None:
    batches = LogBatches(client.send, flush_s=DEADLINE_S)
    for _ in range(MAX_RUNS):
        batches.add(["here"], HERE)
        batches.add(["there"], THERE)
    batches.flush()
    assert client.sent == [("here\nthere\n" * MAX_RUNS, None)]


def test_long_text_is_cut_between_lines(client: FakeClient) -> None:
    batches = LogBatches(client.send, flush_s=DEADLINE_S)
    lines = ["x" * BATCH_CHARACTERS, "", "y" * (BATCH_CHARACTERS // 2), "z" * BATCH_CHARACTERS]
    batches.add(lines, HERE)
    batches.flush()
    assert client.text == "".join(f"{line}\n" for line in lines)
    assert len(client.sent) == 3


def test_slow_client_does_not_hold_up_who_logs(client: FakeClient) -> None:
    batches = LogBatches(client.send)
    client.reads.clear()
    added = threading.Event()

    def log() -> None:
        for _ in range(100):
            batches.add(["x" * 1000], HERE)
        added.set()

    threading.Thread(target=log, daemon=True).start()
    assert added.wait(DEADLINE_S)
    assert client.sent == []
    client.reads.set()
    batches.flush()
    assert client.text == ("x" * 1000 + "\n") * 100


def test_what_waits_is_limited_and_nothing_of_it_is_lost(client: FakeClient) -> None:
    batches = LogBatches(client.send, limit_characters=1000)
    client.reads.clear()
    added: list[int] = []
    done = threading.Event()

    def log() -> None:
        for number in range(30):
            batches.add(["x" * 99], HERE)
            added.append(number)
        done.set()

    threading.Thread(target=log, daemon=True).start()
    assert not done.wait(0.2)
    assert len(added) == 10
    client.reads.set()
    assert done.wait(DEADLINE_S)
    batches.flush()
    assert client.text == ("x" * 99 + "\n") * 30


def test_error_in_sending_does_not_end_the_sending(client: FakeClient) -> None:
    def send(text: str, place: LogOrigin | None) -> None:
        client.send(text, place)
        if text == "bad\n":
            raise ValueError(text)

    batches = LogBatches(send)
    batches.add(["bad"], HERE)
    client.wait_for("bad")
    batches.add(["good"], HERE)
    client.wait_for("good")
