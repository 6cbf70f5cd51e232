"""Elements that lie side by side in memory: spans of all types, inline arrays, fixed buffers, function pointers."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SPOT = {
    "Number": ("1", "int"),
    "Name": ('"one"', "string"),
    "Day": ("Monday", "DayOfWeek?"),
    "Inner": ("{Inner}", "Inner"),
    "Plain": ("Sunday", "DayOfWeek"),
    "Twice": ("3", "int"),
}


def opened(session: Session, reference: int) -> dict[str, tuple[str, str | None]]:
    """The children of a value but for the group with its fields; each must mean itself, in a hover, too."""
    found = {}
    frame = session.stack(count=1)[0].id
    for child in session.variables(reference):
        if child.name in ("Raw View", "Static members"):
            continue
        found[child.name] = (child.value, child.type)
        assert child.evaluate_name is not None
        arguments = {"expression": child.evaluate_name, "frameId": frame, "context": "hover"}
        assert session.request("evaluate", arguments)["result"] == child.value, child.evaluate_name
    return found


def values(session: Session, reference: int) -> list[str]:
    return [value for value, _ in opened(session, reference).values()]


def test_spans_of_all_types_open_to_their_elements(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Places.cs", "places")
    shown = session.locals()
    texts = {name: (entry.value, entry.type) for name, entry in shown.items()}
    assert texts["numbers"] == ("{Span<int>[2]}", "Span<int>")
    assert texts["texts"] == ("{Span<string>[3]}", "Span<string>")
    assert texts["none"] == ("Count = 0", "Span<string>")
    expected = {
        "numbers": ["1", "2"],
        "texts": ['"x"', '"y"', "null"],
        "objects": ["1", '"two"', "null", "{Only}"],
        "prices": ["1.5", "-2"],
        "days": ["Friday"],
        "maybe": ["4", "null"],
        "memory": ['"m"', '"n"'],
    }
    assert {name: [e.value for e in session.variables(shown[name].variables_reference)][: len(expected[name])]
            for name in expected} == expected  # fmt: skip
    assert values(session, shown["texts"].variables_reference) == expected["texts"]
    (only,) = [e for e in session.variables(shown["objects"].variables_reference) if e.value == "{Only}"]
    assert session.variables(only.variables_reference)[0].name == "Static members"
    first = session.variables(shown["spots"].variables_reference)[0]
    spot = opened(session, first.variables_reference)
    assert spot == SPOT
    assert session.evaluate("spots[0].Inner.High + spots[0].Twice").result == "2"
    assert session.evaluate("texts[^2].Length + texts.Length").result == "4"
    session.evaluate("held[1] = spots[0]")  # its references are stored as such, not as bytes
    assert session.evaluate("held[1].Name + held[1].Number + held[1].Inner.High").result == '"one1-1"'
    assert session.evaluate("spots[0].Equals(held[1])").result == "true"


def test_fixed_buffers_open_to_their_elements(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Places.cs", "places")
    shown = session.locals()
    (inside,) = session.variables(shown["keeper"].variables_reference)
    for reference in (shown["buffers"].variables_reference, inside.variables_reference):
        buffers = {entry.name: entry for entry in session.variables(reference)}
        assert {name: (entry.value, entry.type) for name, entry in buffers.items()} == {
            "Data": ("{int[4]}", "int*"),
            "Text": ('"ab\\0"', "char*"),
            "Bytes": ("{byte[3]}", "byte*"),
            "After": ("0", "int"),
        }
        assert values(session, buffers["Data"].variables_reference) == ["11", "0", "0", "14"]
        assert values(session, buffers["Bytes"].variables_reference) == ["0", "0", "200"]
    boxed = {entry.name: entry for entry in session.variables(shown["boxed"].variables_reference)}
    assert [e.value for e in session.variables(boxed["Data"].variables_reference)][:4] == ["11", "0", "0", "14"]
    assert session.evaluate("keeper.Inside.Data[3] + buffers.Text[1]").result == "112"


def test_null_constants_have_their_types(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Places.cs", "places")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    types = {"noText": "string", "nothing": "object", "noLate": "Late", "noWriter": "TextWriter"}
    types |= {"noNumbers": "int[]", "noLists": "List<Late[,]>"}  # which only the PDB has
    for name, type_name in types.items():
        assert (shown[name].value, shown[name].type) == ("null", type_name)
        hover = session.request("evaluate", {"expression": name, "frameId": frame, "context": "hover"})
        assert (hover["result"], hover["type"]) == ("null", type_name)


def test_inline_arrays_of_all_types_open_to_their_elements(runtime: Runtime, session: Session) -> None:
    if runtime.major == "3.1":
        pytest.skip("inline arrays are of .NET 8")
    session.stop_in_file(programs.build("Members", runtime), "Places.cs", "newer")
    shown = session.locals()
    for name in ("three", "overThree"):
        assert values(session, shown[name].variables_reference) == ['"first"', "null", '"third"']
    boxed = session.variables(shown["boxedThree"].variables_reference)
    assert [entry.value for entry in boxed[:3]] == ['"first"', "null", '"third"']
    assert values(session, shown["empty"].variables_reference) == ["null", "null", "null"]
    spots = session.variables(shown["two"].variables_reference)
    assert opened(session, spots[1].variables_reference) == SPOT
    assert session.evaluate("two[1].Name + three[2]").result == '"onethird"'
    pointers = {e.name: e.value for e in session.variables(shown["pointers"].variables_reference)}
    assert int(pointers["Managed"], 16) == int(pointers["Same"]) != 0
    assert int(pointers["None"], 16) == 0


def test_layouts_with_fields_of_generic_structures_do_not_end_the_adapter(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Places.cs", "places")
    layout = session.request("dap-dotnet/typeLayout", {"expression": "Spot", "frameId": session.stack(count=1)[0].id})
    assert {field["name"] for field in layout["fields"]} == {"Number", "Name", "Day", "Inner", "Plain"}
    assert layout["valueSize"] == 40
