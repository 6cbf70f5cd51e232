"""Values that are shown by the names of their types, in one session, on every runtime."""

from __future__ import annotations

import re
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
_SEVERAL = r'{a\n\tb\r\n\u2028\ "end"}'
_DISPLAYED = r'"x\ny": x\ny\nend'
_LINES = {
    "raw": (r'"a\n\tb"', "string"),
    "several": (_SEVERAL, "SeveralLines"),
    "running": (r"{ONE\nTWO}", "RunningLines"),
    "displayed": (_DISPLAYED, r"ki\tnd"),
    "referred": (_DISPLAYED, r"ki\tnd"),
    "maybe": (_DISPLAYED, "DisplayedLines?"),
    "called": (r"x\nX", "CalledLines"),
    "both": (rf'({_SEVERAL}, "a\n\tb")', "(SeveralLines, string)"),
    "builder": (r"{c\nd}", "StringBuilder"),
    "error": (r"{System.Exception: first\nsecond}", "Exception"),
}


def test_types_in_values(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    lines: list[dict[str, Any]] = [
        {"line": program.line(mark, "Names.cs")} for mark in ("late", "arrays", "namesakes", "lines")
    ]
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
    session.set_exception_breakpoints([])
    session.continue_()
    session.wait_for_stop()
    _check_lines(session)


def _check_lines(session: Session) -> None:
    """Texts of several lines are shown on one; where the text itself is asked for, it is given."""
    found = session.locals()
    shown = {name: (one.value, one.type) for name, one in found.items()}
    assert {name: shown[name] for name in _LINES} == _LINES
    (written,) = re.findall(r"^element: (.*)$", session.output("stdout"), re.MULTILINE)
    assert shown["element"][0] == f"{{{written.rstrip()}}}"
    (item,) = session.variables(found["items"].variables_reference)
    assert (item.name, item.value) == (r"na\nme", _DISPLAYED)
    entry = session.variables(found["keyed"].variables_reference)[0]
    assert entry.name == f"[{_SEVERAL}]"
    for context, text, expected in (("hover", "displayed", _DISPLAYED), ("watch", "several", _SEVERAL)):
        assert session.evaluate(text, context=context).result == expected
    assert session.evaluate("several", context="clipboard").result == '{a\n\tb\r\n\u2028\\ "end"}'
    given = ("clipboard", "raw"), ("watch", "raw,nq")
    assert [session.evaluate(text, context=context).result for context, text in given] == ["a\n\tb"] * 2


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
