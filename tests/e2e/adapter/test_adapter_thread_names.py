"""The names of threads, kept from stop to stop until the program gives others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def names(session: Session) -> set[str]:
    return {one.name for one in session.threads()}


def test_names_follow_what_the_program_calls_its_threads(runtime: Runtime, session: Session) -> None:
    program = programs.build("Renamed", runtime)
    session.launch_program(program, stop_at=["begin", "renamed", "chief", "end"])
    session.wait_for_stop()
    assert {"Main Thread", "first"} <= names(session)
    assert {"Main Thread", "first"} <= names(session)
    session.continue_()
    session.wait_for_stop()
    worker = "first" if runtime.major == "3.1" else "second"  # before .NET 6 a name is given once
    assert {"Main Thread", worker} <= names(session)
    session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("chief")
    assert {"chief", worker} <= names(session)
    if runtime.major != "3.1":
        assert session.evaluate('worker.Name = "third"').result == '"third"'
        assert {"chief", "third"} <= names(session)
    session.continue_()
    session.wait_for_stop()
    assert names(session) & {"first", "second", "third"} == set()
    session.continue_()
    assert session.wait_for_exit() == 0


RUNNING = """\
using System;
using System.Threading;
class Program
{
    static void Main()
    {
        var named = new Thread(() => Thread.Sleep(-1)) { Name = "stock watcher", IsBackground = true };
        named.Start();
        var plain = new Thread(() => Say("running")) { IsBackground = true };
        plain.Start();
        Console.ReadLine();
        var late = new Thread(() => Say("late")) { Name = "latecomer", IsBackground = true };
        late.Start();
        Console.ReadLine();
    }

    static void Say(string text) // on the thread itself: that it has begun is told before
    {
        Console.WriteLine(text);
        Thread.Sleep(-1);
    }
}
"""


def test_threads_have_their_names_while_the_program_runs(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "Running"
    folder.mkdir()
    (folder / "Program.cs").write_text(RUNNING, encoding="utf-8")
    program = programs.build(folder, runtime)
    session.launch_program(program)
    session.wait_for_output("running")
    assert names(session) >= {"Main Thread", "stock watcher", "Background Thread"}
    assert "Thread" not in names(session)
    session.request("evaluate", {"expression": "> go", "context": "repl"})
    session.wait_for_output("late")
    assert names(session) >= {"Main Thread", "stock watcher", "latecomer"}
    assert session.events("stopped") == []
    session.request("evaluate", {"expression": "> end", "context": "repl"})
    assert session.wait_for_exit() == 0
