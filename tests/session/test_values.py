"""Stacks, scopes and variables at a stop."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support.fake_debuggee.sample import DOCUMENT, MAIN_THREAD, line_of


@pytest.fixture
def stopped(session):
    session.launch(line_of("call"))
    session.client.wait_for_stop()
    return session


def deep(machine) -> int:
    with machine.call("Main", args=[]):
        machine.at("begin")
        recurse(machine, 60)
    return 0


def recurse(machine, left: int) -> None:
    with machine.call("Add", left=left, right=0):
        machine.at("add" if left else "added")
        if left:
            recurse(machine, left - 1)


def test_locals_and_arguments_are_shown_with_their_types(stopped):
    shown = {name: (entry.value, entry.type) for name, entry in stopped.client.locals().items()}
    assert shown == {
        "args": ("{string[1]}", "string[]"),
        "total": ("0", "int"),
        "numbers": ("{int[3]}", "int[]"),
        "point": ("{Point}", "Point"),
        "i": ("0", "int"),
    }


def test_objects_open_to_their_fields_and_arrays_to_their_elements(stopped):
    client = stopped.client
    variables = client.locals()
    point = {entry.name: entry for entry in client.variables(variables["point"].variables_reference)}
    assert {name: point[name].value for name in ("X", "Name", "Next")} == {
        "X": "4",
        "Name": '"four"',
        "Next": "{Point}",
    }
    assert point["Next"].evaluate_name == "point.Next"
    (statics,) = [entry for name, entry in point.items() if "tatic" in name]
    assert [(entry.name, entry.value) for entry in client.variables(statics.variables_reference)] == [("Made", "7")]
    numbers = variables["numbers"]
    assert numbers.indexed_variables == 3
    assert [entry.name for entry in client.variables(numbers.variables_reference)] == ["[0]", "[1]", "[2]"]
    page = client.variables(numbers.variables_reference, filter="indexed", start=1, count=1)
    assert [(entry.name, entry.value, entry.evaluate_name) for entry in page] == [("[1]", "2", "numbers[1]")]
    assert client.variables(numbers.variables_reference, filter="named") == []
    assert client.variables(numbers.variables_reference, start=7, count=2) == []


def test_values_are_shown_in_hexadecimal_when_asked(stopped):
    reference = stopped.client.locals()["point"].variables_reference
    (x, *_) = stopped.client.variables(reference, format={"hex": True})
    assert x.value == "0x00000004"


def test_a_value_outside_of_the_current_stop_is_refused(stopped):
    client = stopped.client
    frame, reference = client.stack()[0].id, client.locals()["point"].variables_reference
    client.step_over()
    for command, arguments in (
        ("variables", {"variablesReference": reference}),
        ("scopes", {"frameId": frame}),
        ("variables", {"variablesReference": 123_456}),
        ("scopes", {"frameId": -1}),
    ):
        with pytest.raises(DapRequestError) as refused:
            client.request(command, arguments)
        assert refused.value.code == "STALE_HANDLE"
    assert client.locals()["i"].value == "0"


def test_stack_is_paged(session_of):
    with session_of(deep) as session:
        session.launch(line_of("added"))
        session.client.wait_for_stop()
        body = session.client.request("stackTrace", {"threadId": MAIN_THREAD, "startFrame": 0, "levels": 20})
        assert len(body["stackFrames"]) == 20
        assert body["totalFrames"] > 20
        assert len(session.client.stack()) == 62
        assert session.client.stack(start=61)[0].name == "Sample.Program.Main(string[] args)"
        assert session.client.stack(start=500) == []
        first, again = session.client.stack(count=1)[0], session.client.stack()[0]
        assert first.id == again.id


@pytest.mark.parametrize("base", [0, 1])
def test_lines_columns_and_paths_are_as_the_client_wants_them(session, base):
    client = session.client
    client.initialize(linesStartAt1=bool(base), columnsStartAt1=bool(base), pathFormat="uri")
    line = line_of("call") - (1 - base)
    client.send("launch", {"program": "file:///app/Sample.dll"})
    uri = "file://" + DOCUMENT
    client.set_breakpoints(uri, [line])
    client.configuration_done()
    client.wait_for_stop()
    top = client.stack()[0]
    assert (top.source.path, top.line, top.column) == (uri, line, 16 + base)
    (known,) = client.set_breakpoints(uri, [line])
    assert (known.line, known.column, known.source.path) == (line, 16 + base, uri)
    wanted = {"source": {"path": uri}, "line": line}
    assert client.request("breakpointLocations", wanted)["breakpoints"][0]["line"] == line
    assert session.backend.spec.command[1] == "/app/Sample.dll"
