"""Lines that loggers write to the output and to the debugger are shown once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from dap_dotnet.session.logger_lines import LoggerLines

HOSTING = "Microsoft.Hosting.Lifetime"


class Console:
    """What is shown besides the output, and the time."""

    def __init__(self) -> None:
        self.shown: list[str] = []
        self.later: list[Callable[[], None]] = []
        self.is_running = True
        self.lines = LoggerLines(
            self.shown.append, lambda _delay_s, action: self.later.append(action), lambda: self.is_running
        )

    def wait(self) -> None:
        """Until any patience is over."""
        for _ in range(3):
            due, self.later = self.later, []
            for action in due:
                action()


@pytest.fixture
def console() -> Console:
    return Console()


def simple(text: str, category: str = HOSTING) -> str:
    return f"info: {category}[14]\n      {text}\n"


def logged(text: str, category: str = HOSTING) -> str:
    return f"{category}: Information: {text}\n"


@pytest.mark.parametrize(
    "output",
    [
        simple("Now listening"),
        f"12:00:00 \x1b[32minfo\x1b[39m: {HOSTING}[14] Now listening\n",
        f"<6>{HOSTING}[14] Now listening\n",
        f"info: {HOSTING}[14]\n      => SpanId:1 => Request\n      Now listening\n",
        json.dumps({"EventId": 14, "LogLevel": "Information", "Category": HOSTING, "Message": "Now listening"}) + "\n",
    ],
)
def test_line_of_the_output_is_not_shown_again(console: Console, output: str) -> None:
    console.lines.written(output)
    console.lines.logged(logged("Now listening"))
    console.lines.logged(logged("Now listening"))  # the output's comes later, in two parts
    console.lines.written(output[:30])
    console.lines.written(output[30:])
    console.wait()
    assert console.shown == []


def test_each_line_of_the_output_counts_once(console: Console) -> None:
    console.lines.written(simple("asked"))
    for _ in range(2):
        console.lines.logged(logged("asked"))
    console.wait()
    assert console.shown == [logged("asked")]


def test_what_only_the_debugger_gets_is_shown(console: Console) -> None:
    console.lines.logged("a line of Debug.WriteLine\n")
    console.lines.logged("Shop: Information without a colon\n")
    assert console.shown == ["a line of Debug.WriteLine\n", "Shop: Information without a colon\n"]
    console.lines.written(simple("other") + simple("asked", "Other.Category") + "asked\n")
    console.lines.logged(logged("asked"))
    console.lines.logged(logged("last"))
    console.wait()
    assert console.shown[2:] == [logged("asked"), logged("last")]


def test_exception_without_a_text_of_its_own(console: Console) -> None:
    console.lines.logged("Shop: Error: \n\nSystem.InvalidOperationException: bad\n   at Shop.Sell()\n")
    console.lines.written("fail: Shop[0]\n      System.InvalidOperationException: bad\n         at Shop.Sell()\n")
    console.wait()
    assert console.shown == []


def test_stopped_program_is_waited_for(console: Console) -> None:
    console.is_running = False
    console.lines.logged(logged("before the breakpoint"))
    console.wait()
    assert console.shown == []
    console.is_running = True
    console.lines.written(simple("before the breakpoint"))
    console.wait()
    assert (console.shown, console.later) == ([], [])


def test_nothing_is_lost_at_the_end(console: Console) -> None:
    console.lines.logged(logged("last words"))
    console.lines.flush()
    assert console.shown == [logged("last words")]


def test_long_output_is_not_kept(console: Console) -> None:
    console.lines.written(simple("first"))
    for _ in range(1000):
        console.lines.written("x" * 1000)
    console.lines.logged(logged("first"))
    console.wait()
    assert console.shown == [logged("first")]
