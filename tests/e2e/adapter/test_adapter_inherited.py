"""Members that classes override and hide, and texts that ToString or a display gives, on every runtime."""

from __future__ import annotations

import re

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_MEMBERS = {
    "overridden": {
        "Automatic": ("2", "overridden.Automatic"),
        "Kept": ("5", "overridden.Kept"),
        "Hidden": ("2", "overridden.Hidden"),
        "Computed": ("20", "overridden.Computed"),
        "Hides": ("3", "overridden.Hides"),
    },
    "hidden": {
        "Automatic": ("33", "hidden.Automatic"),
        "Kept": ("5", "hidden.Kept"),
        "Hidden (Plain)": ("2", "((Shown.Plain)hidden).Hidden"),
        "Hidden": ('"three"', "((Shown.HidingAgain)hidden).Hidden"),
        "Hides": ("30", "((Shown.HidingAgain)hidden).Hides"),
        "Computed": ("20", "hidden.Computed"),
    },
}
"""Values and expressions of the members of two variables whose declared type is the base."""


def test_each_property_is_shown_once_with_the_value_that_it_has(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Inherited.cs", "inherited")
    shown = session.locals()
    frame = session.stack(count=1)[0].id
    for variable, members in _MEMBERS.items():
        children = session.variables(shown[variable].variables_reference)
        assert len(children) == len(members), [child.name for child in children]
        assert {child.name: (child.value, child.evaluate_name) for child in children} == members
        for child in children:
            again = session.request("evaluate", {"expression": child.evaluate_name, "frameId": frame})
            assert again["result"] == child.value, child.evaluate_name


def test_texts_are_those_that_the_program_writes(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Inherited.cs", "inherited")
    session.wait_until(lambda: "others: " in session.output("stdout"), "what the program wrote")
    shown = session.values()
    (uris,) = re.findall(r"^uris: (\S+) (\S+) (.*) (\S+) (\S+)$", session.output("stdout"), re.MULTILINE)
    names = ("completed", "compressed", "escaped", "relative", "short_")
    assert {name: shown[name] for name in names} == {
        name: f"{{{text}}}" for name, text in zip(names, uris, strict=True)
    }
    (others,) = re.findall(r"^others: (\S+) (.*) (\S+)$", session.output("stdout"), re.MULTILINE)
    assert shown["minusZero"] == others[0] == "0.0"
    assert shown["signed"] == others[1].replace(", ", " | ") == "Low | Top"
    assert shown["all"] == others[2] == "-1"
    assert shown["wrapping"] == "around {call it1-2} and {call it1-2}"


def test_properties_say_where_they_are_declared(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    session.stop_in_file(program, "Inherited.cs", "inherited")
    shown = session.locals()
    children = session.variables(shown["marked"].variables_reference)
    references = {child.name: child.declaration_location_reference for child in children}
    assert references["Field"] is references["Plain"] is None  # symbols have no lines for fields
    for name, marker in (("at 3", "automatic"), ("Computed", "computed")):
        found = session.request("locations", {"locationReference": references[name]})
        assert found["line"] == program.line(marker, "Inherited.cs")
        assert found["source"]["path"] == str(program.source_dir / "Inherited.cs")
    with pytest.raises(DapRequestError, match="earlier stop"):
        session.request("locations", {"locationReference": 10_000})


_CALLED = {
    "closure": "closure", "withoutClosure": "lambda", "ofStatic": "static", "ofInstance": "instance",
    "ofVirtual": "override", "ofInterface": "interface", "ofStructure": "structure", "ofGeneric": "generic",
    "ofExtension": "extension", "open": "instance", "local": "local", "boxed": "instance",
}  # fmt: skip
"""The markers of what the delegates of the program call."""


def test_delegates_say_where_the_method_is_that_they_call(runtime: Runtime, session: Session) -> None:
    program = programs.build("Delegates", runtime)
    session.stop_in_file(program, "Program.cs", "here")
    shown = session.locals()
    references = {name: value.value_location_reference for name, value in shown.items()}
    # Code of the framework has no lines here, and of several methods none is the one.
    assert references["ofFramework"] is references["several"] is references["none"] is references["dog"] is None
    lines = {}
    for name in _CALLED:
        evaluated = session.evaluate(name)
        assert evaluated.value_location_reference == references[name]
        found = session.request("locations", {"locationReference": references[name]})
        assert found["source"]["path"] == str(program.source_dir / "Program.cs")
        lines[name] = found["line"]
    assert lines == {name: program.line(marker, "Program.cs") for name, marker in _CALLED.items()}


def test_displays_of_members_go_before_those_of_their_types(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Inherited.cs", "inherited")
    children = session.variables(session.locals()["marked"].variables_reference)
    assert {child.name: (child.value, child.type) for child in children} == {
        "Field": ("from 1 to 2", "Point"),
        "at 3": ("3,4", "place"),
        "Computed": ("twice 1", "Point"),
        "Plain": ("{Point}", "Point"),
        "Constant": ("7", "int"),
        "Number": ("seven", "int"),
        "Words": ("3 long", "string"),
        "Nothing": ("null", "string"),
    }
    hints = {child.name: child.presentation_hint for child in children}
    read_only = {name for name, hint in hints.items() if hint is not None and "readOnly" in (hint.attributes or [])}
    assert read_only == {"Computed", "Constant"}


def test_what_is_opened_has_the_format_of_its_expression(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Inherited.cs", "inherited")
    frame = session.stack(count=1)[0].id

    def opened(expression: str, **arguments: object) -> dict[str, str]:
        found = session.request("evaluate", {"expression": expression, "frameId": frame})["variablesReference"]
        listed = session.request("variables", {"variablesReference": found, **arguments})["variables"]
        return {one["name"]: one["value"] for one in listed}

    assert opened("marked.Plain,h") == {"X": "0x00000005", "Y": "0x00000006"}
    assert opened("marked.Plain,d", format={"hex": True}) == {"X": "5", "Y": "6"}
    assert opened("marked.Plain", format={"hex": True}) == {"X": "0x00000005", "Y": "0x00000006"}
    assert opened("marked,h")["Constant"] == "0x00000007"


def test_a_display_that_never_ends_is_answered(runtime: Runtime, session: Session) -> None:
    """Up to .NET 8 the runtime cannot stop such a loop: the program runs then, and the client is told."""
    session.stop_in_file(programs.build("Shown", runtime), "Inherited.cs", "endless")
    frame = session.stack(count=1)[0].id
    # Opened and kept over the call: handles of the runtime, which are let go of while it does not answer.
    session.request("evaluate", {"expression": "kept", "frameId": frame})
    shown = session.request("evaluate", {"expression": "endless", "frameId": frame})
    assert shown["result"] == "{Endless}"
    continued = session.events("continued")
    assert bool(continued) == (float(runtime.major) < 9)
    if not continued:
        assert session.function() == "Ending"
