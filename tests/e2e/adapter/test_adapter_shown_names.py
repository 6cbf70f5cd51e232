"""Values that are shown by the names of their types, in one session, on every runtime."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_LATE = {
    "Shade": ("Green", "Color"),
    "Number": ("Big", "Wide"),
    "Rights": ("Read | Run", "Access"),
    "Other": ("First", "Fixed"),
    "Maybe": ("Green", "Color?"),
    "Automatic": ("Green", "Color"),
}


_ARRAYS = {
    "tables": ("{Dictionary<string, int[]>[3]}", "Dictionary<string, int[]>[]"),
    "jagged": ("{List<int[]>[2][,]}", "List<int[]>[][,]"),
    "dimensions": ("{int[2, 3][]}", "int[,][]"),
    "pairs": ("{(int[], string[,])[4]}", "(int[], string[,])[]"),
    "inner": ("{Outer<int[]>.Inner<string>[5]}", "Outer<int[]>.Inner<string>[]"),
    "pointers": ("{int*[6][]}", "int*[][]"),
    "empty": ("{List<int?[]>[0]}", "List<int?[]>[]"),
    "whole": ("{Action<int[,]>[1, 2]}", "Action<int[,]>[,]"),
    "span": ("{Span<int[]>[7]}", "Span<int[]>"),
}
_NAMESAKES = {
    "sold": ("{Shown.Sold.Parcel}", "Shown.Sold.Parcel"),
    "sent": ("{Shown.Sent.Parcel}", "Shown.Sent.Parcel"),
    "label": ("{Shown.Sold.Parcel.Label}", "Shown.Sold.Parcel.Label"),
    "several": ("{Shown.Sent.Parcel[2]}", "Shown.Sent.Parcel[]"),
    "listed": ("Count = 0", "List<Shown.Sold.Parcel>"),
    "both": ("({Shown.Sold.Parcel}, {Shown.Sent.Parcel})", "(Shown.Sold.Parcel, Shown.Sent.Parcel)"),
    "size": ("Big", "Shown.Sent.Size"),
    "one": ("{Carton<Shown.Sent.Parcel>}", "Carton<Shown.Sent.Parcel>"),
    "ours": ("{Timer}", "Timer"),
}


def test_types_in_values(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    lines: list[dict[str, Any]] = [{"line": program.line(mark, "Names.cs")} for mark in ("late", "arrays", "namesakes")]
    lines[0]["condition"] = "Shade == Color.Green"
    session.launch(str(program.dll), breakpoints={str(program.source_dir / "Names.cs"): lines}, env=dict(program.env))
    session.wait_for_stop()
    for argument in ("int", "string"):
        if argument == "string":
            session.continue_()
            session.wait_for_stop()
        _check_late(session, argument)
    session.continue_()
    session.wait_for_stop()
    shown = {name: (one.value, one.type) for name, one in session.locals().items()}
    assert {name: shown[name] for name in _ARRAYS} == _ARRAYS
    made = {"new Dictionary<string, int[]>[3]": "{Dictionary<string, int[]>[3]}", "new int[1][,]": "{int[1][,]}"}
    assert {text: session.evaluate(text).result for text in made} == made
    session.continue_()
    session.wait_for_stop()
    shown = {name: (one.value, one.type) for name, one in session.locals().items()}
    assert {name: shown[name] for name in _NAMESAKES} == _NAMESAKES
    assert [shown[name][1] for name in ("theirs", "error")] == ["System.Threading.Timer", "Shown.Sold.LostException"]
    hovered = session.evaluate("sent", context="hover")
    assert (hovered.result, hovered.type) == _NAMESAKES["sent"]
    session.set_exception_breakpoints(["all"])
    session.continue_()
    assert session.wait_for_stop().reason == "exception"
    details = session.exception_info().details
    assert details is not None
    assert details.type_name == "Shown.Sent.LostException"


def _check_late(session: Session, argument: str) -> None:
    """The enums in the fields are not loaded: nothing that is asked for before the last lines makes code use them."""
    owner = f"Late<{argument}>"
    this = session.locals()["this"]
    members = {one.name: one for one in session.variables(this.variables_reference)}
    shown = {name: (members[name].value, members[name].type) for name in _LATE}
    assert shown == {name: (text, f"{owner}.{kind}") for name, (text, kind) in _LATE.items()}
    assert members["Pair"].value == "(Green, 2)"
    for name, x in (("Place", "3"), ("Boxed", "4")):
        inner = {one.name: one for one in session.variables(members[name].variables_reference)}
        assert (inner["X"].value, inner["Shade"].value, inner["Shade"].type) == (x, "Green", f"{owner}.Color")
    asked = {
        "Shade": "Green",
        "Shade == Color.Green": "true",
        "(int)Place.Shade": "1",
        "Rights & Access.Read": "Read",
        "Shade = Color.Red": "Red",
        "(Place.Shade = Color.Red, Automatic = Color.Red)": "(Red, Red)",
        "(Shade, Place.Shade, Automatic)": "(Red, Red, Red)",
        "Common": "Green",
        "Shade.ToString()": '"Red"',
    }
    assert {text: session.evaluate(text).result for text in asked} == asked
