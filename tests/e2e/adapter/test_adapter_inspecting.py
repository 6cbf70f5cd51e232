"""Threads, stacks, scopes, variables and expressions of a stopped program."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]


def test_stack_is_read_in_pages(runtime: Runtime, session: Session) -> None:
    program = programs.build("Deep", runtime)
    thread = session.stop_in(program, "bottom", "200")
    whole = session.request("stackTrace", {"threadId": thread})
    frames = whole["stackFrames"]
    assert [frame["name"].partition("(")[0] for frame in frames[:202]] == ["Deep.Program.Descend"] * 201 + [
        "Deep.Program.Main"
    ]
    assert frames[0]["line"] == program.line("bottom")
    assert {frame["line"] for frame in frames[1:201]} == {program.line("recursion")}
    assert whole["totalFrames"] == len(frames)
    pages = []
    for start in range(0, 202, 20):
        page = session.request("stackTrace", {"threadId": thread, "startFrame": start, "levels": 20})
        assert page["totalFrames"] >= start + len(page["stackFrames"])
        pages += page["stackFrames"]
    assert pages[:202] == frames[:202]
    assert session.request("stackTrace", {"threadId": thread, "startFrame": 100_000, "levels": 20})["stackFrames"] == []


def test_locals_of_each_frame_of_a_recursion(runtime: Runtime, session: Session) -> None:
    program = programs.build("Deep", runtime)
    session.stop_in(program, "bottom", "5")
    levels = [session.values(frame.id).get("level") for frame in session.stack(count=6)]
    assert levels == ["5", "4", "3", "2", "1", "0"]


def test_variables_are_the_same_when_asked_again(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", newest_runtime)
    session.stop_in_file(program, "Program.cs", "arrays")
    frame = session.stack(count=1)[0]
    (scope,) = [scope for scope in session.scopes(frame.id) if scope.presentation_hint == "locals"]
    first, second = (session.variables(scope.variables_reference) for _ in range(2))
    assert [(entry.name, entry.value) for entry in first] == [(entry.name, entry.value) for entry in second]


def test_array_is_read_in_pages(runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", runtime)
    session.stop_in_file(program, "Program.cs", "arrays")
    found = session.locals()
    large = found["large"]
    assert large.indexed_variables == 10_000
    page = session.variables(large.variables_reference, filter="indexed", start=9_990, count=20)
    assert [(entry.name, entry.value) for entry in page] == [
        (f"[{index}]", "9999" if index == 9_999 else "0") for index in range(9_990, 10_000)
    ]
    assert session.variables(large.variables_reference, filter="named") == []
    assert session.variables(large.variables_reference, filter="indexed", start=20_000, count=5) == []
    matrix = session.variables(found["matrix"].variables_reference)
    assert [(entry.name, entry.value) for entry in matrix] == [
        (f"[{row}, {column}]", str(row * 3 + column + 1)) for row in range(2) for column in range(3)
    ]
    assert session.locals()["missing"].value == "null"
    assert session.locals()["missing"].variables_reference == 0
    shifted = session.variables(found["shifted"].variables_reference)
    assert [(entry.name, entry.value) for entry in shifted] == [("[-1]", "7"), ("[0]", "0"), ("[1]", "0")]


def test_fields_of_objects_and_cycles(runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", runtime)
    session.stop_in_file(program, "Program.cs", "objects")
    cycle = session.locals()["cycle"]
    for name in ("first", "second", "first"):
        fields = {entry.name: entry for entry in session.variables(cycle.variables_reference)}
        assert fields["Name"].value == f'"{name}"'
        cycle = fields["Next"]
    derived = {entry.name for entry in session.variables(session.locals()["derived"].variables_reference)}
    assert any("hidden" in name for name in derived)


def test_this_and_arguments(runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", runtime)
    session.stop_in_file(program, "Types.cs", "this")
    assert set(session.values()) == {"this", "local"}


def test_handles_of_an_earlier_stop_are_refused(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "loop")
    frame = session.stack(count=1)[0]
    reference = session.scopes(frame.id)[0].variables_reference
    session.step_over()
    for command, arguments in (
        ("scopes", {"frameId": frame.id}),
        ("variables", {"variablesReference": reference}),
    ):
        with pytest.raises(DapRequestError) as refused:
            session.request(command, arguments)
        assert refused.value.code == "STALE_HANDLE"
    session.continue_()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("scopes", {"frameId": 999_999}),
        ("variables", {"variablesReference": 999_999}),
        ("variables", {"variablesReference": 0}),
        ("variables", {"variablesReference": -1}),
        ("stackTrace", {"threadId": 999_999}),
        ("exceptionInfo", {"threadId": 999_999}),
    ],
)
def test_numbers_that_name_nothing_are_refused(
    newest_runtime: Runtime, session: Session, command: str, arguments: dict[str, int]
) -> None:
    session.stop_in(programs.build("Loop", newest_runtime), "loop")
    session.sends_invalid = True
    with pytest.raises(DapRequestError):
        session.request(command, arguments)
    assert session.stack(count=1)


@pytest.mark.parametrize("command", ["stackTrace", "scopes", "variables", "exceptionInfo"])
def test_looking_at_a_running_program_is_refused(
    newest_runtime: Runtime, session: Session, place: Place, command: str
) -> None:
    session.launch_program(programs.build("Spin", newest_runtime), str(place.folder / "stop"))
    session.wait_for_output("READY")
    arguments = {"threadId": 1, "frameId": 1, "variablesReference": 1}
    with pytest.raises(DapRequestError) as refused:
        session.request(command, arguments)
    assert refused.value.code == "NOT_STOPPED"
    assert "pause" in refused.value.text


def test_threads_have_names_and_stacks(runtime: Runtime, session: Session) -> None:
    program = programs.build("Threads", runtime)
    session.stop_in(program, "started")
    threads = {thread.name: thread.id for thread in session.threads()}
    wanted = ("waiter", "locker", "sleeper", "spinner")
    found = {name: next((id_ for full, id_ in threads.items() if name in full), None) for name in wanted}
    assert all(found.values()), threads
    for name, marker in (("waiter", "wait"), ("locker", "lock"), ("spinner", "spin")):
        lines = [frame.line for frame in session.stack(found[name]) if frame.source]
        # A thread that has said that it began may not have got beyond that.
        just_begun = lines == [program.line("body") - 1] or lines == [program.line("body")]
        assert just_begun or any(abs(line - program.line(marker)) <= 2 for line in lines), (name, lines)
        assert just_begun or program.line("body") in lines
    session.continue_()
    assert session.wait_for_exit() == 0
    started, exited = (
        {body["threadId"] for body in session.events("thread") if body["reason"] == reason}
        for reason in ("started", "exited")
    )
    assert set(found.values()) <= started
    assert set(found.values()) <= exited


def test_other_thread_can_be_stepped(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Threads", newest_runtime)
    session.stop_in(program, "started")
    spinner = next(thread.id for thread in session.threads() if "spinner" in thread.name)
    stop = session.step_over(spinner)
    assert (stop.reason, stop.thread_id) == ("step", spinner)
    assert session.function() in {"Spin", "Count", "lambda"}
    session.continue_()
    assert session.wait_for_exit() == 0


def test_modules_and_loaded_sources(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "loop")
    modules = session.request("modules", {"startModule": 0, "moduleCount": 1})
    assert len(modules["modules"]) == 1
    assert modules["totalModules"] == len(session.request("modules", {})["modules"]) > 1
    sources = session.request("loadedSources")["sources"]
    assert str(program.source) in [source["path"] for source in sources]


def test_layout_of_structures_and_objects(runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", runtime)
    session.stop_in_file(program, "Program.cs", "structures")

    def layout(expression: str) -> dict[str, Any]:
        return session.request("dap-dotnet/typeLayout", {"expression": expression})

    def places(found: dict[str, Any]) -> list[tuple[str, int, int]]:
        return [(field["name"], field["offset"], field["size"]) for field in found["fields"]]

    point = layout("Values.Point")
    assert point == layout("boxed")
    assert (point["isValueType"], point["valueSize"], point["objectSize"]) == (True, 8, 24)
    assert places(point) == [("X", 0, 4), ("Y", 4, 4)]
    outer = layout("outer")  # the runtime puts what refers to objects first
    assert (outer["valueSize"], outer["objectSize"]) == (24, 40)
    assert sorted(places(outer)) == [("Count", 8, 8), ("Inner", 16, 8), ("Name", 0, 8)]
    assert (layout("id")["valueSize"], layout("decimal")["valueSize"], layout("date")["valueSize"]) == (16, 16, 8)
    text = layout("string")
    assert [(offset, size) for _, offset, size in places(text)] == [(8, 4), (12, 2)]
