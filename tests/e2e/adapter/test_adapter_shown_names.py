"""Values that are shown by the names of their types, in one session, on every runtime."""

from __future__ import annotations

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


def test_types_in_values(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    late = {"line": program.line("late", "Names.cs"), "condition": "Shade == Color.Green"}
    session.launch(str(program.dll), breakpoints={str(program.source_dir / "Names.cs"): [late]}, env=dict(program.env))
    session.wait_for_stop()
    for argument in ("int", "string"):
        if argument == "string":
            session.continue_()
            session.wait_for_stop()
        _check_late(session, argument)


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
