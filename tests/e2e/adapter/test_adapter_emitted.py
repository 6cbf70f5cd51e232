"""Types that Reflection.Emit makes while the program runs, in modules that have no file and grow, on every runtime."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_emitted_types_are_shown_as_others_are(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    lines = [program.line(marker, "Emitted.cs") for marker in ("called", "emitted", "grown")]
    session.launch(
        str(program.dll),
        breakpoints={str(program.source_dir / "Emitted.cs"): lines},
        env=dict(program.env),
        justMyCode=False,
    )

    session.wait_for_stop()
    assert [frame.name for frame in session.stack(count=2)] == [
        "Shown.Emitted.Called(string what)",
        "Ns.First.Call(string what)",
    ]
    session.continue_()

    session.wait_for_stop()
    first = session.locals()["first"]
    assert (first.value, first.type) == ("number 42", "First")
    session.continue_()

    session.wait_for_stop()  # the module has more types now
    frame = session.stack(count=1)[0].id
    for expression, text in {
        "first.GetType()": "{Ns.First}",
        "first.GetType().Assembly == second.GetType().Assembly": "true",
        "first.GetType().Equals(second.GetType())": "false",
        "first.GetType() == first.GetType()": "true",
    }.items():
        assert session.evaluate(expression, frame).result == text
    shown = session.locals()
    assert {name: (one.value, one.type) for name, one in shown.items() if one.type in _EMITTED} == {
        "first": ("number 42", "First"),
        "second": ("number 43", "Second"),
        "pair": ("{Pair<string>}", "Pair<string>"),
        "blue": ("Blue", "Color"),
        "thing": ("{generatedProxy_1}", "generatedProxy_1"),
    }
    members = session.variables(shown["second"].variables_reference)
    assert [(one.name, one.value) for one in members[:2]] == [("Number", "43"), ("InBase", "3")]
    frame = session.stack(count=1)[0].id
    assert session.evaluate("((dynamic)second).Number + 1", frame).result == "44"


_EMITTED = ("First", "Second", "Pair<string>", "Color", "generatedProxy_1")


def test_emitted_types_are_named_before_a_value_of_one_is_seen(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Emitted.cs", "grown")
    frame = session.stack(count=1)[0].id
    for expression, text in {
        "typeof(Ns.Second)": "{Ns.Second}",
        "typeof(Ns.Second) == second.GetType()": "true",
        "typeof(Ns.Color)": "{Ns.Color}",
        "System.Enum.GetNames(typeof(Ns.Color)).Length": "2",
        "typeof(Ns.First[])": "{Ns.First[]}",
        "typeof(List<Ns.First>)": "{System.Collections.Generic.List`1[Ns.First]}",
        "((Ns.First)first).Number": "42",
        "new List<Ns.First> { (Ns.First)first }.Count": "1",
    }.items():
        assert session.evaluate(expression, frame).result == text, expression
