"""The attributes by which a type tells debuggers how to show it, and properties, on every runtime."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_debugger_display_is_filled_without_running_the_program(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(
        programs.build("Shown", runtime),
        "Displays.cs",
        "displays",
        expressionEvaluationOptions={"allowImplicitFuncEval": False},
    )
    shown = session.locals()
    assert {name: shown[name].value for name in shown} == {
        "customer": "Ann (42)",
        "derived": "Bob (7)",
        "order": 'Order 0x000000ff: Ann (42), "Ann", 256, true',
        "hidden": "{Hidden}",
        "ring": "-> -> -> {Ring}",
        "braces": "{1}",
        "typed": "text",
        "typedOnes": "{Typed[3]}",
        "typedByNumber": "Count = 1",
        "bySaid": "Count = 1",
        "byObject": "Count = 2",
        "broken": "{Broken}",
        "misspelt": "{Misspelt}",
        "running": "{Running}",
        "computed": "{Computed}",
        "customers": "{Customer[1]}",
        "shadowing": "{Shadowing}",
        "asBase": "{Shadowing}",
        "maybePoint": "{Point}",
        "spoken": "{number 3 of words}",
        "said": "{Said}",
        "maybeSaid": "{Said}",
        "silent": "{Silent}",
        "ofObject": "{Func<string>}",
        "ofType": "{Func<int, string>}",
        "listType": "{System.Collections.Generic.List`1[System.Int32]}",
    }
    assert shown["typed"].type == "a type of 9"
    (element,) = session.variables(shown["customers"].variables_reference)
    assert element.value == "Ann (42)"
    keys = [entry.name for entry in session.variables(shown["byObject"].variables_reference)][:2]
    assert keys == ["[{Running}]", "[{number 3 of words}]"]
    running = session.request("evaluate", {"expression": "Running.Calls", "frameId": session.stack(count=1)[0].id})
    assert running["result"] == "0"


def test_a_display_names_elements_and_members_but_no_variables(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    shown = session.locals()
    ones = shown["typedOnes"].variables_reference
    assert [(one.name, one.evaluate_name) for one in session.variables(ones)] == [
        ("number 9", "typedOnes[0]"),
        ("number 10", "typedOnes[1]"),
        ("number 10", "typedOnes[2]"),
    ]
    (entry, _) = session.variables(shown["typedByNumber"].variables_reference)
    assert entry.name == "[1]"
    # What the client was shown is what it names.
    session.request("setVariable", {"variablesReference": ones, "name": "number 9", "value": "null"})
    assert session.evaluate("typedOnes[0] == null", session.stack(count=1)[0].id).result == "true"
    with pytest.raises(DapRequestError, match="Several are shown as 'number 10'"):
        session.request("setVariable", {"variablesReference": ones, "name": "number 10", "value": "null"})


def test_members_are_shown_as_debugger_browsable_says(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    hidden = session.locals()["hidden"]
    members = session.variables(hidden.variables_reference)
    assert [(entry.name, entry.value, entry.evaluate_name) for entry in members] == [
        ("[0]", "5", "hidden.Items[0]"),
        ("[1]", "6", "hidden.Items[1]"),
        ("guarded", "3", "hidden.guarded"),
        ("within", "4", "hidden.within"),
        ("[0]", '"n"', "hidden.Names[0]"),
        ("X", "7", "hidden.Place.X"),
        ("Y", "8", "hidden.Place.Y"),
        ("After", "9", "hidden.After"),
    ]
    assert [entry.presentation_hint.visibility for entry in members[2:4] if entry.presentation_hint is not None] == [
        "protected",
        "internal",
    ]
    assert hidden.named_variables == len(members)
    for start in range(len(members) + 1):
        assert session.variables(hidden.variables_reference, start=start, count=3) == members[start : start + 3]


def test_members_that_hide_others_are_told_apart(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    for name in ("shadowing", "asBase"):
        members = {entry.name: entry for entry in session.variables(shown[name].variables_reference)}
        assert {key: entry.value for key, entry in members.items()} == {
            "X": "10",
            "Settable": "3",
            "Fixed": "4",
            "X (Shadowed)": "1",
            "class": "2",
        }
        for entry in members.values():
            assert entry.evaluate_name is not None
            assert session.evaluate(entry.evaluate_name, frame).result == entry.value, entry.evaluate_name
        attributes = {
            key: entry.presentation_hint and entry.presentation_hint.attributes for key, entry in members.items()
        }
        assert (attributes["Settable"], attributes["Fixed"]) == (None, ["readOnly"])
    (x, _) = session.variables(shown["maybePoint"].variables_reference)
    assert (x.name, x.value, x.evaluate_name) == ("X", "1", "maybePoint.Value.X")


def test_properties_are_read_at_once_or_run_when_opened(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    members = {entry.name: entry for entry in session.variables(session.locals()["computed"].variables_reference)}
    assert members["Area"].value == "12"
    assert members["Area"].evaluate_name == "computed.Area"
    counted = members["Counted"]
    assert counted.presentation_hint is not None
    assert counted.presentation_hint.lazy
    for number in ("1", "2"):  # listing it has not run it; each time that it is opened does, once
        (value,) = session.variables(counted.variables_reference)
        assert (value.name, value.value, value.type) == ("Counted", number, "int")
    frame = session.stack(count=1)[0].id
    calls = session.request("evaluate", {"expression": "Computed.Calls", "frameId": frame})["result"]
    assert calls == "2"


def test_displays_and_to_string_run_where_reading_does_not_do(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    frame = session.stack(count=1)[0].id
    hovered = session.request("evaluate", {"expression": "running", "frameId": frame, "context": "hover"})
    assert hovered["result"] == "1"
    expected = {
        "customer": "Ann (42)",
        "broken": "{Broken}",
        "misspelt": (
            "x: <error CS0103: The name 'Nmae' does not exist in the current context>, "
            "<The called code threw System.InvalidOperationException: no>, "
            "<System.NullReferenceException: Object reference not set to an instance of an object: the target of "
            "'.Name' is null>, "
            "<error CS1525: Syntax error in line 1, column 5: unexpected ':'; expected an operator or the end>, 1"
        ),
        "running": "1",
        "spoken": "{number 3 of words}",
        "said": "{said: x, y}",
        "maybeSaid": "{said: x, y}",
        "silent": "{Silent}",
        "ofObject": "{Method = {System.String ToString()}, Target = {said: x, y}}",
        "ofType": "{Method = {System.String Speak(Int32)}, Target = null}",
        "listType": "{System.Collections.Generic.List`1[System.Int32]}",
    }
    assert {name: session.evaluate(name, frame).result for name in expected} == expected
    running = session.request("evaluate", {"expression": "Running.Calls", "frameId": frame})["result"]
    assert running == "2"  # one for the hover
    # All together have a second: a machine that is busy shows some by their types.
    assert session.locals()["said"].value in ("{said: x, y}", "{Said}")


def test_keys_are_shown_as_values_are(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    frame = session.stack(count=1)[0].id

    def entries(name: str) -> list[tuple[str, str]]:
        found = session.variables(session.evaluate(name, frame).variables_reference)
        return [(entry.name, entry.value) for entry in found[:-1]]

    assert entries("bySaid") == [("[{said: z}]", "1")]
    assert entries("byObject") == [("[1]", '"r"'), ("[{number 3 of words}]", '"s"')]


def test_the_finally_of_an_iterator_has_the_variables_of_the_iterator(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "finally")
    frame = session.stack(count=1)[0].id
    assert session.values() == {"count": "4", "doubled": "8"}
    assert session.evaluate("count + doubled", frame).result == "12"
