"""The attributes by which a type tells debuggers how to show it, and properties, on every runtime."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_debugger_display_is_filled_without_running_the_program(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    shown = session.locals()
    assert {name: shown[name].value for name in shown} == {
        "customer": "Ann (42)",
        "derived": "Bob (7)",
        "order": 'Order 0x000000ff: Ann (42), "Ann", 256, true',
        "hidden": "{Hidden}",
        "ring": "-> -> -> {Ring}",
        "braces": "{1}",
        "typed": "text",
        "broken": "{Broken}",
        "running": "{Running}",
        "computed": "{Computed}",
        "customers": "{Customer[1]}",
    }
    assert shown["typed"].type == "a type of 9"
    (element,) = session.variables(shown["customers"].variables_reference)
    assert element.value == "Ann (42)"
    running = session.request("evaluate", {"expression": "Running.Calls", "frameId": session.stack(count=1)[0].id})
    assert running["result"] == "0"


def test_members_that_are_never_to_be_shown_are_not(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", runtime), "Displays.cs", "displays")
    members = session.variables(session.locals()["hidden"].variables_reference)
    assert {
        entry.name: entry.presentation_hint.visibility for entry in members if entry.presentation_hint is not None
    } == {"Items": "public", "guarded": "protected", "within": "internal"}


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
