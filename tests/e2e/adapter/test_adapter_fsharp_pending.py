"""`dap-dotnet/asyncTasks` of F#'s tasks without optimisation, each at another kind of await."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.protocol.messages.async_tasks import AsyncTask
from tests.support import fsharp
from tests.support.dotnet import Runtime
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Pending.fs"

SOMEBODY = "a TaskCompletionSource"
FIRST = "Pending.first(int number)"
SECOND = "Pending.second(int number)"
ALL = "Task.WhenAll"
# The method, the marker of its line, and what it waits for: of those that nobody awaits.
WAITING = [
    ("passing(int number)", "passing", SECOND),
    ("multiple(int number)", "multiple", SOMEBODY),
    ("looping(int number)", "looping", FIRST),
    ("catching(int number)", "catching", FIRST),
    ("handling(int number)", "handling", SOMEBODY),
    ("using(int number)", "using", FIRST),
    ("branch(int number)", "branch-then", SOMEBODY),
    ("branch(int number)", "branch-else", SOMEBODY),
    ("matching(int number)", "matching", SOMEBODY),
    ("conditional(int number)", "conditional", SOMEBODY),
    ("ending()", "ending", "Task.Delay"),
    ("entering(int number)", "entering", "SemaphoreSlim.WaitAsync"),
    ("computed(int number)", "computed", SOMEBODY),
    ("valued()", "valued", SOMEBODY),
    ("configured()", "configured", SOMEBODY),
    ("Generic<T>.Wait<U>(U other)", "member", SOMEBODY),
    ("whenAll()", "when-all", ALL),
    ("doAll()", "do-all", ALL),
]
# Which of several statements, or which part of one that is on several lines, nothing tells.
WITHOUT_A_LINE = [
    ("passingOneOf(int number)", SECOND),
    ("doAllInBranch(int number)", ALL),
    ("doAllOnLines()", ALL),
    ("doOneOf(int number)", "Pending.plain()"),
    ("doLast()", SOMEBODY),
]


def stop(session: Session, runtime: Runtime) -> list[AsyncTask]:
    program = fsharp.build(SOURCE, runtime)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, "running")]}, env=dict(program.env))
    session.wait_for_stop()
    body = session.async_tasks()
    assert body.is_complete
    return body.tasks


def test_suspended_tasks_of_a_debug_build_are_listed(runtime: Runtime, session: Session) -> None:
    found = stop(session, runtime)
    lines = {line_of(SOURCE, marker): marker for marker in ("first", "second", "both", "plain", "inner", "outer")}
    lines.update({line_of(SOURCE, marker): marker for _, marker, _ in WAITING})

    roots = [one for one in found if not one.awaited_by and one.state == "waiting"]
    shown = [(one.name.removeprefix("Pending."), lines[one.line], one.waits_for) for one in roots if one.line]
    shown = [one for one in shown if one[1] not in ("both", "outer")]
    assert sorted(shown) == sorted((name, marker, waits) for name, marker, waits in WAITING)
    without = [(one.name.removeprefix("Pending."), one.waits_for) for one in roots if not one.line]
    assert sorted(without) == sorted(WITHOUT_A_LINE)

    (running,) = [one for one in found if one.state == "running"]
    assert (running.name, running.line, running.waits_for) == ("Pending.main()", 0, None)

    # Who awaits whom, also through Task.WhenAll and the two of a `let!` with `and!`.
    by_name = {one.name.removeprefix("Pending."): one for one in found}
    passing = by_name["passing(int number)"]
    (second,) = [found[number] for number in passing.awaits]
    (first,) = [found[number] for number in second.awaits]
    assert (lines[second.line], lines[first.line]) == ("second", "first")
    assert (second.awaited_by, first.awaited_by) == ([passing.id], [second.id])
    assert (len(by_name["whenAll()"].awaits), len(by_name["doAll()"].awaits)) == (3, 3)
    both = by_name["both(int number)"]
    assert (lines[both.line], [found[number].name for number in both.awaits]) == ("both", [FIRST])
    outer = by_name["outer(int number)"]
    (inner,) = [found[number] for number in outer.awaits]
    assert (lines[outer.line], lines[inner.line]) == ("outer", "inner")
    assert inner.name.startswith("Pending.inner@")


def test_their_variables_are_those_that_are_used_behind_the_await(runtime: Runtime, session: Session) -> None:
    found = stop(session, runtime)
    by_name = {one.name.removeprefix("Pending."): one for one in found}
    assert session.values(by_name["multiple(int number)"].frame_id) == {"number": "2"}
    assert session.values(by_name["entering(int number)"].frame_id) == {"number": "8"}
    assert session.values(by_name["Generic<T>.Wait<U>(U other)"].frame_id)["other"] == "1.5"
    assert session.values(by_name["looping(int number)"].frame_id) == {"sum": "3"}
    assert session.evaluate("System.GC.CollectionCount(0) >= 0 ? new string('x', 3) : null").result == '"xxx"'
    assert session.values(by_name["multiple(int number)"].frame_id) == {"number": "2"}
    again = session.async_tasks().tasks
    assert [(one.name, one.line, one.waits_for) for one in again] == [
        (one.name, one.line, one.waits_for) for one in found
    ]
