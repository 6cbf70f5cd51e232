"""Lines for the program's standard input, from the debug console and by a request."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.launching import procfs
from tests.support.fake_debuggee.sample import PROCESS_ID, SOURCE, line_of


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
    session.client.attach(PROCESS_ID, breakpoints={str(SOURCE): [line_of("begin")]})
    session.client.wait_for_stop()  # else the program may have ended by now
    with pytest.raises(DapRequestError, match="attached to: it reads its input where it was started") as refused:
        session.client.request("dap-dotnet/input", {"text": "x"})
    assert refused.value.code == "NO_INPUT"


@pytest.fixture
def running(endless, monkeypatch):
    """A program that runs; `running.waits` says whether it waits for input."""
    endless.waits = True
    monkeypatch.setattr(procfs, "waits_for_input", lambda process_id: endless.waits and process_id == PROCESS_ID)
    endless.launch()
    endless.wait_until_spinning()
    return endless


def typed_into(session, expression, **others):
    return session.client.request("evaluate", {"expression": expression, "context": "repl", **others})


@pytest.mark.parametrize(
    ("typed", "text", "shown"),
    [("one", "one\n", "> one"), ("  a b ", "  a b \n", ">   a b "), (".5\n", ".5\n", "> .5"), ("", "\n", "> ")],
)
def test_program_that_waits_for_a_line_gets_what_is_typed(running, typed, text, shown):
    body = typed_into(running, typed)
    assert (body["result"], body["variablesReference"]) == (shown, 0)
    assert written(running) == text


def test_end_of_the_input_needs_no_mark_either(running):
    assert typed_into(running, "^D")["result"] == "> ^D"
    assert (written(running), running.debuggee.input.has_ended) == ("", True)


def test_program_that_does_not_wait_gets_nothing(running):
    running.waits = False
    with pytest.raises(DapRequestError, match="pause it to evaluate, or write `> text` to hand it") as refused:
        typed_into(running, "one")
    assert refused.value.code == "NOT_STOPPED"
    assert written(running) == ""


@pytest.mark.parametrize("others", [{"frameId": 1}, {"context": "watch"}, {"context": "hover"}])
def test_expression_for_a_frame_or_a_watch_is_no_input(running, others):
    with pytest.raises(DapRequestError) as refused:
        typed_into(running, "one", **others)
    assert refused.value.code == "NOT_STOPPED"
    assert written(running) == ""


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"console": "integratedTerminal"}, "it reads its input in its terminal"),
        ({"consoleInput": "none"}, "started without input"),
    ],
)
def test_program_whose_input_is_not_ours_says_where_it_is(endless, sent, reason):
    endless.client.initialize(supportsRunInTerminalRequest=True)
    endless.launch(**sent)
    endless.debuggee.input = None  # as the launcher has it
    endless.wait_until_spinning()
    for typed, code in (("one", "NOT_STOPPED"), ("> one", "NO_INPUT")):
        with pytest.raises(DapRequestError, match=reason) as refused:
            typed_into(endless, typed)
        assert refused.value.code == code


def test_stopped_program_is_asked_for_a_value_whatever_it_reads(launched, monkeypatch):
    monkeypatch.setattr(procfs, "waits_for_input", lambda process_id: True)
    assert launched.client.evaluate("1 + 1", context="repl").result == "2"
    assert written(launched) == ""


@pytest.mark.parametrize(("is_terminal", "interrupts", "text"), [(True, 1, ""), (False, 0, "^C\n")])
def test_line_that_interrupts_a_terminal_is_a_line_elsewhere(launched, is_terminal, interrupts, text):
    launched.backend.debuggee.input.is_terminal = is_terminal
    launched.client.request("evaluate", {"expression": "> ^C", "context": "repl"})
    assert (launched.backend.debuggee.input.interrupts, written(launched)) == (interrupts, text)


@pytest.mark.parametrize(
    ("sent", "window", "kind"),
    [
        ({}, None, None),
        ({"consoleInput": "none"}, None, None),
        ({"consoleInput": "terminal"}, (120, 30), "xterm-256color"),
        ({"consoleInput": "terminal", "consoleSize": {"columns": 80}}, (80, 30), "xterm-256color"),
        ({"consoleInput": "terminal", "consoleSize": None, "env": {"TERM": "vt220"}}, (120, 30), "vt220"),
        ({"consoleInput": "terminal", "env": {"TERM": "dumb"}}, (120, 30), "dumb"),
    ],
)
def test_console_can_be_a_terminal(session, monkeypatch, sent, window, kind):
    monkeypatch.setenv("TERM", "dumb")  # as editors have it
    session.launch(line_of("begin"), **sent)
    spec = session.backend.spec
    assert (spec.window and (spec.window.columns, spec.window.rows)) == window
    if kind is not None:
        assert spec.environment["TERM"] == kind
