"""Signals to the command line, at any moment."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import textwrap
import time
from typing import Any, cast

import pytest

from dap_dotnet.cli.interruptions import Interruptions, SignalError
from dap_dotnet.client import DapClient
from tests.unit.client.fake_adapter import COMMAND

LONG_S = 60.0
ERRORS = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: SignalError}


@pytest.fixture
def client():
    with DapClient.spawn(COMMAND, timeout_s=LONG_S) as client:
        yield client


def wait_for_ever(client: DapClient) -> None:
    client.wait_until(lambda: False, "anything", LONG_S)


@pytest.mark.parametrize("number", list(ERRORS), ids=lambda number: number.name)
def test_signal_is_raised_by_a_wait(client, number):
    with Interruptions() as taken:
        taken.interrupt(client)
        os.kill(os.getpid(), number)
        with pytest.raises(ERRORS[number]):
            wait_for_ever(client)


def test_signal_before_there_is_a_client_is_raised_by_its_first_wait(client):
    with Interruptions() as taken:
        os.kill(os.getpid(), signal.SIGTERM)
        taken.interrupt(client)
        with pytest.raises(SignalError) as raised:
            wait_for_ever(client)
    assert raised.value.number == signal.SIGTERM


@pytest.mark.parametrize("number", list(ERRORS), ids=lambda number: number.name)
def test_signal_does_not_get_lost_in_code_that_swallows_exceptions(client, number):
    with Interruptions(grace_s=LONG_S) as taken:
        taken.interrupt(client)
        try:
            os.kill(os.getpid(), number)  # its handler has run when this returns
        except BaseException as error:  # as native code that calls back does
            swallowed: BaseException | None = error
        else:
            swallowed = None
        assert swallowed is None
        with pytest.raises(ERRORS[number]):
            wait_for_ever(client)


def test_signal_breaks_into_work_that_does_not_end(client):
    with Interruptions(grace_s=0.01) as taken:
        taken.interrupt(client)
        with pytest.raises(SignalError):
            send_and_read(signal.SIGTERM)
        assert client.initialize().supports_configuration_done_request


def test_second_signal_breaks_in_at_once(client):
    with Interruptions(grace_s=LONG_S) as taken:
        taken.interrupt(client)
        os.kill(os.getpid(), signal.SIGTERM)
        begin = time.monotonic()
        with pytest.raises(SignalError):
            send_and_read(signal.SIGINT)
        assert time.monotonic() - begin < LONG_S


def test_signal_does_not_wait_for_a_person(client):
    with Interruptions(grace_s=LONG_S) as taken:
        taken.interrupt(client)
        with pytest.raises(KeyboardInterrupt), taken.raised_at_once():
            send_and_read(signal.SIGINT)


def send_and_read(number: int) -> None:
    """What nothing but a signal ends."""
    read_end, write_end = os.pipe()
    try:
        os.kill(os.getpid(), number)
        os.read(read_end, 1)
    finally:
        os.close(read_end)
        os.close(write_end)


def test_handlers_are_given_back():
    before = [signal.getsignal(number) for number in ERRORS]
    with Interruptions():
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert [signal.getsignal(number) for number in ERRORS] == before


def test_ignored_interrupt_stays_ignored():
    program = """
        import os, signal
        from dap_dotnet.cli.interruptions import Interruptions
        with Interruptions():
            os.kill(os.getpid(), signal.SIGINT)
            print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
        """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    ignoring = subprocess.run(
        ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", *command],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ignoring.stdout == "True\n"


class Swallowing:
    """A client whose waits nobody makes; it says when it is interrupted."""

    def __init__(self) -> None:
        self.errors: queue.Queue[BaseException] = queue.Queue()

    def interrupt(self, error: BaseException) -> None:
        self.errors.put(error)

    def withdraw_interrupt(self, error: BaseException) -> bool:
        return False


def test_each_signal_of_many_is_passed_on():
    client = Swallowing()
    with Interruptions(grace_s=0.001) as taken:
        taken.interrupt(cast(Any, client))
        for _ in range(100):
            os.kill(os.getpid(), signal.SIGTERM)
            assert isinstance(client.errors.get(timeout=LONG_S), SignalError)
    assert client.errors.empty()
