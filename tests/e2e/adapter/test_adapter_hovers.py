"""What a hover shows: getters have a moment to run, and nothing else of the program runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = """\
using System;
using System.Collections.Generic;
using System.Threading;

namespace Hovered
{
    public class Shelf
    {
        public int Ran;

        public string Joined { get { lock (this) { Ran++; return string.Join("+", Environment.NewLine.Length, 2); } } }

        public Shelf Next { get { Ran++; Thread.Yield(); return this; } }

        public string Broken { get { Thread.Yield(); throw new InvalidOperationException("no shelf"); } }

        public int Slow { get { Ran++; Thread.Sleep(1500); return 5; } }

        public string this[string key] { get { Thread.Yield(); return key + "!"; } }

        public int Take(int count) { Ran += count; Thread.Yield(); return Ran; }

        public override string ToString() { Thread.Yield(); return "a shelf"; }
    }

    public static class Late
    {
        public static readonly int Start = Program.Started++;
    }

    public static class Program
    {
        public static int Started = 1;

        public static void Main()
        {
            var shelf = new Shelf();
            Shelf none = null;
            Console.WriteLine(shelf.Ran); // @here
            if (none != null) Console.WriteLine(Late.Start);
        }
    }
}
"""
RUNS_CODE = "runs code: add to watch"


@pytest.fixture
def hovered(runtime: Runtime, session: Session, tmp_path: Path) -> Callable[..., Session]:
    def start(*, supports_progress: bool = False, **attributes: object) -> Session:
        session.initialize(supportsProgressReporting=supports_progress)
        folder = tmp_path / "Hovered"
        folder.mkdir()
        source = folder / "Program.cs"
        source.write_text(SOURCE, encoding="utf-8")
        program = programs.build(folder, runtime)
        lines = {str(source): [markers.line_of(source, "here")]}
        session.launch(str(program.dll), breakpoints=lines, env=dict(program.env), **attributes)
        session.wait_for_stop()
        return session

    return start


def shown(session: Session, expression: str) -> str:
    return session.evaluate(expression, context="hover").result


def test_getters_run_for_a_hover_and_methods_do_not(hovered: Callable[..., Session]) -> None:
    session = hovered()
    for expression, value in (
        ("shelf", "{a shelf}"),
        ("shelf.Joined", '"1+2"'),
        ("shelf.Joined.Length", "3"),
        ("shelf.Next.Next.Joined", '"1+2"'),
        ('shelf["k"]', '"k!"'),
        ("shelf.Broken", "The called code threw System.InvalidOperationException: no shelf"),
        ("shelf.Take(100)", RUNS_CODE),
        ("shelf.Next.Take(100)", RUNS_CODE),
        ("new Shelf()", RUNS_CODE),
        ("Late.Start", RUNS_CODE),
    ):
        assert (expression, shown(session, expression)) == (expression, value)
    assert int(shown(session, "shelf.Ran")) < 100
    assert session.evaluate("Program.Started").result == "1"
    for expression in ("none.Joined", "shelf.Nothing", "shelf.Ran = 5", "shelf.Joined,nse"):
        with pytest.raises(DapRequestError):
            shown(session, expression)


def test_getter_that_takes_long_costs_a_hover_once(hovered: Callable[..., Session]) -> None:
    session = hovered()
    assert shown(session, "shelf.Slow") == f"{RUNS_CODE} (it takes longer than 300 ms)"
    began = time.monotonic()
    assert shown(session, "shelf.Slow") == RUNS_CODE
    assert time.monotonic() - began < 1
    assert session.evaluate("shelf.Ran").result == "1"
    assert session.evaluate("shelf.Slow", context="watch").result == "5"


def test_hover_has_the_time_that_the_settings_give_it(hovered: Callable[..., Session]) -> None:
    session = hovered(expressionEvaluationOptions={"hoverTimeout": 4000})
    assert shown(session, "shelf.Slow") == "5"


@pytest.mark.parametrize(
    ("options", "remedy"),
    [({"hoverTimeout": 0}, "add to watch"), ({"allowImplicitFuncEval": False}, "type it in the debug console")],
)
def test_nothing_runs_for_a_hover_where_the_settings_say_so(
    hovered: Callable[..., Session], options: dict[str, object], remedy: str
) -> None:
    session = hovered(expressionEvaluationOptions=options)
    assert shown(session, "shelf.Joined") == f"runs code: {remedy}"
    assert shown(session, "shelf") == "{Hovered.Shelf}" or shown(session, "shelf") == "{Shelf}"
    assert shown(session, "shelf.Ran") == "0"


def test_long_evaluation_shows_its_progress_and_can_be_cancelled(hovered: Callable[..., Session]) -> None:
    session = hovered(supports_progress=True)
    frame = session.stack()[0].id
    expression = "shelf.Slow + shelf.Slow"
    evaluating = session.send("evaluate", {"expression": expression, "frameId": frame, "context": "repl"})
    shown = session.wait_for("progressStart").body
    assert (shown["title"], shown["message"], shown["cancellable"]) == ("Evaluating", expression, True)
    session.request("cancel", {"progressId": shown["progressId"]})
    with pytest.raises(DapRequestError, match="aborted because it was cancelled"):
        evaluating.result()
    session.wait_for("progressEnd", where=lambda body: body["progressId"] == shown["progressId"])
    assert session.evaluate("1 + 1").result == "2"
    assert len(session.events("progressStart")) == 1
