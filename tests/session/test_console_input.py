"""Lines for the program's standard input, from the debug console and by a request."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import PROCESS_ID, line_of


@pytest.fixture
def launched(session):
    session.launch(line_of("begin"))
    session.client.wait_for_stop()
    return session


def written(session) -> str:
    return session.backend.debuggee.input.text


@pytest.mark.parametrize(
    ("typed", "text"),
    [("> one", "one\n"), (">one  ", "one  \n"), (">", "\n"), ("  > \ta", "\ta\n"), (">  ä\n", " ä\n"), ("> >", ">\n")],
)
def test_line_of_the_console_goes_to_the_program(launched, typed, text):
    body = launched.client.request("evaluate", {"expression": typed, "context": "repl"})
    assert (body["result"], body["variablesReference"]) == ("", 0)
    assert written(launched) == text
    assert not launched.backend.debuggee.input.has_ended


def test_line_that_ends_the_input(launched):
    launched.client.request("evaluate", {"expression": "> ^D", "context": "repl"})
    assert (written(launched), launched.backend.debuggee.input.has_ended) == ("", True)


def test_request_hands_text_as_it_is(launched):
    launched.client.request("dap-dotnet/input", {"text": "a\nb"})
    assert (written(launched), launched.backend.debuggee.input.has_ended) == ("a\nb", False)
    launched.client.request("dap-dotnet/input", {"end": True})
    assert launched.backend.debuggee.input.has_ended


def test_only_the_console_takes_lines(launched):
    with pytest.raises(DapRequestError):
        launched.client.request("evaluate", {"expression": "> one", "context": "watch"})
    assert written(launched) == ""


def test_input_of_a_process_that_was_attached_to_is_not_ours(session):
    session.client.attach(PROCESS_ID)
    with pytest.raises(DapRequestError, match="input is not the debugger's") as refused:
        session.client.request("dap-dotnet/input", {"text": "x"})
    assert refused.value.code == "NO_INPUT"
