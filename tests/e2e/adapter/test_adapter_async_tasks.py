"""`dap-dotnet/asyncTasks`: the suspended async methods of a program, with their awaits, awaiters and variables."""

from __future__ import annotations

import pytest

from dap_dotnet.protocol.messages.async_tasks import AsyncTask
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session, marker_at

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

NUMBERED = 200


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
def test_suspended_methods_are_listed(runtime: Runtime, session: Session, *, optimize: bool) -> None:
    program = programs.build("AsyncTasks", runtime, optimize=optimize)
    session.stop_in(program, "ready", str(NUMBERED))
    body = session.async_tasks()
    assert body.is_complete
    by_id = {one.id: one for one in body.tasks}

    def marker(one: AsyncTask) -> str:
        return marker_at(program, one.line)

    mine = [one for one in body.tasks if one.source is not None]
    by_marker: dict[str, list[AsyncTask]] = {}
    for one in mine:
        by_marker.setdefault(marker(one), []).append(one)
    counts = {name: len(found) for name, found in by_marker.items()}
    once = dict.fromkeys(["parent", "value", "produce", "consume", "forgotten", "holder", "lambda"], 1)
    assert counts == {"numbered": NUMBERED, "child": 3, **once}
    assert {one.state for one in mine} == {"waiting"}
    # Main has been at awaits before, and stands at the breakpoint now.
    (running,) = [one for one in body.tasks if one.state == "running"]
    assert (running.name, running.line) == ("AsyncTasks.Program.Main(string[] args)", 0)

    children = [one.id for one in by_marker["child"] if marker(by_id[one.awaited_by[0]]) == "parent"]
    assert sorted(by_marker["parent"][0].awaits) == sorted(children)
    assert by_marker["parent"][0].waits_for == "Task.WhenAll"
    assert by_marker["child"][0].waits_for == "a TaskCompletionSource"
    assert by_marker["value"][0].waits_for == "Task.Delay"
    assert by_marker["lambda"][0].waits_for == "SemaphoreSlim.WaitAsync"
    assert by_marker["consume"][0].awaits == [by_marker["produce"][0].id]
    assert [marker(by_id[one]) for one in by_marker["forgotten"][0].awaits] == ["child"]
    assert {one.name for one in by_marker["child"]} == {
        "AsyncTasks.Program.Child<string>(string value)",
        "AsyncTasks.Program.Child<int>(int value)",
    }

    numbers = {session.values(one.frame_id)["number"] for one in by_marker["numbered"]}
    assert numbers == {str(number) for number in range(NUMBERED)}
    assert session.values(by_marker["lambda"][0].frame_id) == {"number": "7", "many": str(NUMBERED)}
    assert f"{NUMBERED} × AsyncTasks.Program.Numbered(int number), Program.cs:" in body.text

    page = session.async_tasks(start=10, count=5)
    assert [one.id for one in page.tasks] == [10, 11, 12, 13, 14]
    assert page.total == body.total


def test_variables_stay_open_when_the_program_runs_for_an_expression(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncTasks", runtime)
    session.stop_in(program, "ready")
    (holder,) = [one for one in session.async_tasks().tasks if one.name == "AsyncTasks.Holder.Wait()"]
    assert session.evaluate("System.GC.CollectionCount(0) >= 0 ? new string('x', 3) : null").result == '"xxx"'
    assert session.values(holder.frame_id)["local"] == '"held!"'
    (again,) = [one for one in session.async_tasks().tasks if one.name == "AsyncTasks.Holder.Wait()"]
    assert (again.line, again.waits_for) == (program.line("holder"), "Task.Delay")


def test_what_stands_for_another_task_is_said_in_words(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncTasks", runtime)
    session.stop_in(program, "ready", "0", "all")
    found = {marker_at(program, one.line): one for one in session.async_tasks().tasks if one.line}
    assert found["unwrapped"].waits_for == "Task.Run or Unwrap"
    if runtime.major != "3.1":
        assert found["abandoned"].waits_for == "Task.WaitAsync of AsyncTasks.Program.Child<T>(T value)"
        assert found["paced"].waits_for == "PeriodicTimer.WaitForNextTickAsync"


def test_names_are_short_where_views_are_narrow(newest_runtime: Runtime, session: Session) -> None:
    session.initialize(clientID="vscode")
    session.stop_in(programs.build("AsyncTasks", newest_runtime), "ready", "1")
    tasks = {one.name: one for one in session.async_tasks().tasks}
    assert tasks["Program.Main(string[] args)"].full_name == "AsyncTasks.Program.Main(string[] args)"
    assert tasks["Holder.Wait()"].full_name == "AsyncTasks.Holder.Wait()"
    assert {one.waits_for for one in tasks.values()} >= {"Task.Delay", "a TaskCompletionSource"}
