"""Breakpoints: set, moved, removed, pending, unloaded, while the program stands still and while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]


def test_breakpoint_is_bound_by_an_event_and_hit(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    (made,) = session.set_early(program.source, program.line("loop"))
    assert made.id is not None
    assert not made.verified
    session.launch_program(program, "2")
    bound = session.wait_for_breakpoint(made.id)
    assert bound["line"] == program.line("loop")
    for _ in range(2):
        stop = session.wait_for_stop()
        assert (stop.reason, stop.breakpoint_ids) == ("breakpoint", (made.id,))
        assert session.here() == ("Loop.Program.Main(string[] args)", program.line("loop"))
        session.continue_()
    assert session.wait_for_exit() == 0
    assert session.output() == "total 1\n"


def test_breakpoint_on_a_line_without_code_moves_and_says_so(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "calls-add")
    try_line = program.line("calls-throw") - 2
    brace, try_, nowhere = session.set_breakpoints(str(program.source), [try_line + 1, try_line, 10_000])
    assert (brace.verified, brace.line, brace.message) == (True, try_line + 1, None)
    assert (try_.verified, try_.line) == (True, try_line + 1)
    assert (
        try_.message
        == f"Line {try_line} has no code; moved to line {try_line + 1}, the next statement of the same method."
    )
    assert not nowhere.verified
    assert "No code at line 10000" in (nowhere.message or "")
    session.continue_()
    assert session.wait_for_stop().breakpoint_ids == (brace.id, try_.id)


def test_same_place_twice_is_one_breakpoint(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "start")
    line = program.line("square")
    first, second, other = session.set_breakpoints(str(program.source), [line, line, line - 1])
    assert first.id == second.id
    assert other.id != first.id
    again = session.set_breakpoints(str(program.source), [line])
    assert again[0].id == first.id


def test_breakpoints_in_columns_of_a_line(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "Columns"
    folder.mkdir()
    source = folder / "Program.cs"
    line = "        int a = 1; int b = a + 1; return a + b;"
    source.write_text(f"class Program\n{{\n    static int Main()\n    {{\n{line}\n    }}\n}}\n")
    program = programs.build(folder, newest_runtime)
    columns = [line.index(text) + 1 for text in ("int b", "return")]
    session.launch(
        str(program.dll),
        breakpoints={str(source): [{"line": 5, "column": column} for column in columns]},
        env=dict(program.env),
    )
    for column in columns:
        session.wait_for_stop()
        frame = session.stack(count=1)[0]
        assert (frame.line, frame.column) == (5, column)
        session.continue_()
    assert session.wait_for_exit() == 3


def test_breakpoint_locations_of_a_line(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "start")
    line = program.line("call") - 2
    found = session.request("breakpointLocations", {"source": {"path": str(program.source)}, "line": line})
    # The three parts of the `for`.
    assert [entry["line"] for entry in found["breakpoints"]] == [line] * 3
    assert len({entry["column"] for entry in found["breakpoints"]}) == 3


def test_breakpoint_removed_at_a_stop_is_not_hit_again(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "loop", "1000")
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == 1


def test_breakpoints_set_and_removed_while_running(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Spin", runtime)
    stop_file = place.folder / "stop"
    session.launch_program(program, str(stop_file))
    session.wait_for_output("READY")
    (made,) = session.set_breakpoints(str(program.source), [program.line("round")])
    assert made.verified
    stop = session.wait_for_stop()
    assert (stop.breakpoint_ids, session.line()) == ((made.id,), program.line("round"))
    session.continue_()
    session.wait_for_stop()
    session.continue_()
    assert session.set_breakpoints(str(program.source), []) == []
    stops = len(session.events("stopped"))
    stop_file.touch()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == stops


def test_many_changes_while_running_leave_the_last_ones(
    newest_runtime: Runtime, session: Session, place: Place
) -> None:
    program = programs.build("Spin", newest_runtime)
    stop_file = place.folder / "stop"
    session.launch_program(program, str(stop_file))
    session.wait_for_output("READY")
    # Nothing awaited: editors send one request after the other.
    lines = [program.line("end"), program.line("end") + 1]
    pending = [
        session.send(
            "setBreakpoints",
            {"source": {"path": str(program.source)}, "breakpoints": [{"line": lines[round_ % 2]}]},
        )
        for round_ in range(20)
    ]
    # Whoever asked before has been overtaken; the last one counts.
    answers = [request.result()["breakpoints"][0] for request in pending]
    assert (answers[-1]["verified"], answers[-1]["line"]) == (True, lines[1])
    stop_file.touch()
    session.wait_for_stop()
    assert session.line() == lines[1]
    session.continue_()
    assert session.wait_for_exit() == 0


def test_breakpoint_waits_for_a_module_that_is_loaded_late_and_unloaded(runtime: Runtime, session: Session) -> None:
    program = programs.build("LateLoad", runtime)
    library = programs.build("Library", runtime, target="library")
    session.launch_program(program, str(library.dll), "2", stop_at=["before-load"])
    session.wait_for_stop()
    (made,) = session.set_breakpoints(str(library.source), [library.line("greet")])
    assert made.id is not None
    assert not made.verified
    assert "No loaded module" in (made.message or "")
    session.continue_()
    for _ in range(2):
        assert session.wait_for_breakpoint(made.id)["line"] == library.line("greet")
        stop = session.wait_for_stop()
        assert stop.breakpoint_ids == (made.id,)
        assert session.here() == ("Library.Greeter.Greet(string name)", library.line("greet"))
        assert session.values()["name"].startswith('"caller ')
        session.continue_()
        unbound = session.wait_for_breakpoint(made.id, verified=False)
        assert "unloaded" in unbound["message"]
    assert session.wait_for_exit() == 0
    assert session.output() == ("before load\nhello caller 0 (1)\nunloaded\nhello caller 1 (1)\nunloaded\n")
    modules = [body["reason"] for body in session.events("module") if body["module"]["name"] == "Library.dll"]
    assert modules == ["new", "removed"] * 2


def test_breakpoints_in_two_files(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", newest_runtime)
    main, types = (program.source_dir / name for name in ("Program.cs", "Types.cs"))
    made = session.launch(
        str(program.dll),
        breakpoints={
            str(main): [program.line("done", "Program.cs")],
            str(types): [program.line("generic-instance", "Types.cs"), program.line("this", "Types.cs")],
        },
        env=dict(program.env),
    )
    hits = []
    for _ in made:
        stop = session.wait_for_stop()
        hits.append((stop.breakpoint_ids[0], Path(session.stack(count=1)[0].source.path).name, session.line()))
        session.continue_()
    assert session.wait_for_exit() == 0
    assert hits == [
        (made[1].id, "Types.cs", program.line("generic-instance", "Types.cs")),
        (made[2].id, "Types.cs", program.line("this", "Types.cs")),
        (made[0].id, "Program.cs", program.line("done", "Program.cs")),
    ]


def test_breakpoint_in_every_instance_of_a_generic_method(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "Generic"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(
        "class Program\n{\n"
        '    static int Main() { return Size(1) + Size(2.0) + Size("x") + Size(new object()); }\n'
        "    static int Size<T>(T value)\n    {\n        return value == null ? 0 : 1; // @size\n    }\n}\n"
    )
    program = programs.build(folder, runtime)
    session.launch_program(program, stop_at=["size"])
    types = []
    for _ in range(4):
        session.wait_for_stop()
        assert session.line() == program.line("size")
        types.append(session.values()["value"])
        session.continue_()
    assert session.wait_for_exit() == 4
    assert types == ["1", "2", '"x"', "{object}"]


def test_breakpoint_in_a_release_build_is_hit(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime, optimize=True)
    (made,) = session.launch_program(program, "3", stop_at=["loop"])
    stop = session.wait_for_stop()
    assert stop.breakpoint_ids == (made.id,)
    assert session.line() == program.line("loop")
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_exit() == 0


def test_breakpoint_with_an_embedded_pdb(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime, debug="embedded")
    session.stop_in(program, "square", "1")
    module = next(body["module"] for body in session.events("module") if body["module"]["name"] == "Loop.dll")
    assert module["symbolStatus"].startswith("Symbols loaded")
    assert session.values()["value"] == "0"


def test_breakpoint_in_a_file_of_no_module_says_so(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "start")
    (made,) = session.set_breakpoints("/nowhere/Program2.cs", [3])
    assert not made.verified
    assert "No loaded module has this source file" in (made.message or "")


def test_breakpoints_without_a_path_are_refused(newest_runtime: Runtime, session: Session) -> None:
    session.initialize()
    with pytest.raises(DapRequestError, match="path"):
        session.request("setBreakpoints", {"source": {"name": "Program.cs"}, "breakpoints": [{"line": 1}]})


def test_line_of_zero_and_negative_lines_are_no_crash(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", newest_runtime)
    session.stop_in(program, "start")
    for made in session.set_breakpoints(str(program.source), [0, -5, 2**31]):
        assert not made.verified
        assert made.message
