"""The pipe that is a program's standard input."""

from __future__ import annotations

import os

import pytest

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.launching.input_pipe import InputPipe
from dap_dotnet.launching.launcher import ExitStatus
from tests.unit.launching.helpers import DEADLINE_SECONDS, shell, wait_until


@pytest.fixture
def pipe():
    made = InputPipe()
    yield made
    made.end()


def test_text_waits_until_it_is_read(pipe):
    pipe.write("one\n")
    pipe.write("zw\u00f6lf")
    pipe.end()
    pipe.end()
    with open(pipe.program_end, "rb") as read:
        assert read.read() == "one\nzw\u00f6lf".encode()


def test_more_than_fits_is_refused_and_does_not_wait(pipe):
    with pytest.raises(DebuggeeError, match=r"does not read its input: \d+ bytes of this do not fit"):
        pipe.write("x" * (2 << 20))
    os.close(pipe.program_end)


def test_input_that_nobody_reads_any_more_is_refused(pipe):
    os.close(pipe.program_end)
    with pytest.raises(DebuggeeError, match="no longer reads its input") as refused:
        pipe.write("x")
    assert refused.value.code == "NO_INPUT"
    pipe.end()
    with pytest.raises(DebuggeeError, match="has already ended"):
        pipe.write("x")


def test_debuggee_reads_it(start, output):
    launcher = start(*shell("read line; echo got $line; cat"), takes_input=True)
    launcher.open_gate()
    assert launcher.input is not None
    launcher.input.write("a line\n")
    wait_until(lambda: output.text() == "got a line\n", "the line is read")
    launcher.input.write("rest")
    launcher.input.end()
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "got a line\nrest"


def test_debuggee_without_input_finds_its_end(start, output):
    launcher = start(*shell("cat; echo end"))
    launcher.open_gate()
    assert launcher.input is None
    assert launcher.wait(DEADLINE_SECONDS) == ExitStatus(0)
    assert output.text() == "end\n"
