"""Values of F#'s own kinds: their names are those of the source, and copied expressions mean the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import fsharp
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Values.fs"
_SHOWN = {
    "circle": ("Circle 2.5", {"radius": "2.5"}),
    "account": ("{account 7}", {"Owner": '"Ann"', "Number": "7", "number": "7"}),
    # Its Message is F#'s, and runs in the program.
    "refused": (
        '{Values.Refused: Refused ("late", 3)}',
        {"Data0": '"late"', "Data1": "3", "reason": '"late"', "code": "3"},
    ),
    "anonymous": ('{ Label = "w", Width = 3 }', {"Label": '"w"', "Width": "3"}),
    "cell": ("5", {"contents": "5", "Value": "5"}),
    "map": ("Count = 2", {'["a"]': "1", '["b"]': "2"}),
    "list": ("Length = 2", {"[0]": "1", "[1]": "2"}),
    "some": ("Some(5)", {"Value": "5"}),
}
"""Text of each variable, and texts that children have, where there are such."""

_NAMED = {
    "odd'.Value' + odd'.``two words`` + odd'.async": "6",
    "odd'.class' + ``odd name``": "9",
    "async * 2": "12",
    "odd'.async = 30": "30",
    "odd'.async - async": "24",
}
"""Names that C# does not have, or has another meaning for."""


def test_values_of_fsharp(session: Session) -> None:
    program = fsharp.build(SOURCE)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, "values")]}, env=dict(program.env))
    session.wait_for_stop()
    frame = session.stack(count=1)[0].id
    shown = session.locals()
    for name in ("odd'", "odd name", "async"):
        again = session.request("evaluate", {"expression": shown[name].evaluate_name, "frameId": frame})
        assert again["type"] == shown[name].type
    odd = {child.name: child.evaluate_name for child in session.variables(shown["odd'"].variables_reference)}
    assert odd == {
        "Value'": "odd'.Value'", "two words": "odd'.``two words``", "async": "odd'.async", "class'": "odd'.class'"
    }  # fmt: skip
    for name, (text, members) in _SHOWN.items():
        assert shown[name].value == text, name
        children = {child.name: child for child in session.variables(shown[name].variables_reference)}
        found = {member: children[member].value for member in members if member in children}
        assert found == {member: value for member, value in members.items() if member in found}, name
        assert found, name
        assert not [child for child in children if child.endswith("@")], name
        for child in children.values():
            if child.evaluate_name is not None and not (child.presentation_hint and child.presentation_hint.lazy):
                again = session.request("evaluate", {"expression": child.evaluate_name, "frameId": frame})
                assert again["result"] == child.value, child.evaluate_name
    for expression, result in _NAMED.items():
        assert session.evaluate(expression).result == result
