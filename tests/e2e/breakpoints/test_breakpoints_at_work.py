"""Breakpoints by column, by function, through source maps and checksums in running programs; their explanations."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError, ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e

BEGIN = "class Program\n{\n    static int Main()\n    {\n"
END = "    }\n}\n"


@pytest.fixture
def places(runtime: Runtime) -> Program:
    if runtime.major == "3.1":
        pytest.skip("the C# compiler of the 3.1 SDK knows neither records nor top-level statements")
    return programs.build("Places", runtime)


def set_functions(session: Session, *names: str | dict[str, Any]) -> list[dict[str, Any]]:
    wanted = [{"name": name} if isinstance(name, str) else name for name in names]
    found: list[dict[str, Any]] = session.request("setFunctionBreakpoints", {"breakpoints": wanted})["breakpoints"]
    return found


def begin(session: Session, program: Program, **attributes: Any) -> None:
    """Launch and stop at the program's beginning, to set breakpoints with everything loaded."""
    session.launch(str(program.dll), env=dict(program.env), stopAtEntry=True, **attributes)
    assert session.wait_for_stop().reason == "entry"


def stops(session: Session) -> Iterator[str]:
    """Continue from stop to stop to the program's end: ``function:line``, functions without parameters."""
    while True:
        session.continue_()
        try:
            session.wait_for_stop()
        except ProgramEndedError:
            return
        name, line = session.here()
        yield f"{name.partition('(')[0].removeprefix('Places.')}:{line}"


def test_each_construct_is_stopped_in(session: Session, places: Program) -> None:
    source = places.source_dir / "Program.cs"
    line = {
        marker: places.line(marker, "Program.cs")
        for marker in ("fields", "record", "primary-constructor", "switch", "yield", "local-function", "static-field")
    }
    begin(session, places)
    made = session.set_breakpoints(str(source), list(line.values()))
    assert all(entry.verified for entry in made)
    seen = list(stops(session))
    assert seen.count(f"Shapes.Shapes:{line['fields']}") == 3, "one object with each constructor, one by chaining"
    assert seen.count(f"Point.Point:{line['record']}") == 1
    assert seen.count(f"Person.Person:{line['primary-constructor']}") == 1
    assert seen.count(f"Shapes.Arm:{line['switch']}") == 1
    assert seen.count(f"Sequences.Numbers:{line['yield']}") == 2
    assert seen.count(f"Sequences.Later.Local:{line['local-function']}") == 1
    assert seen.count(f"static Places.Shapes.Shapes:{line['static-field']}") == 1


def test_columns_of_one_line_are_hit_one_by_one(session: Session, places: Program) -> None:
    source = places.source_dir / "Program.cs"
    line = places.line("lambdas", "Program.cs")
    text = source.read_text().splitlines()[line - 1]
    columns = [text.index(part) + 1 for part in ("n * n; Func", "return s", "Func<int, int> cube")]
    begin(session, places)
    made = session.set_breakpoints(str(source), [{"line": line, "column": column} for column in columns])
    assert [entry.column for entry in made] == columns
    assert len({(entry.end_line, entry.end_column) for entry in made}) == 3
    names = [entry.partition(":")[0] for entry in stops(session)]
    assert names == ["Shapes.Lines", "Shapes.Lines.lambda", "Shapes.Lines.lambda"]


def test_pending_breakpoint_tells_its_actual_place_in_an_event(session: Session, places: Program) -> None:
    source = places.source_dir / "Program.cs"
    line = places.line("for", "Program.cs")
    (made,) = session.set_early(source, {"line": line, "column": 999})
    session.launch(str(places.dll), env=dict(places.env))
    event = session.wait_for_breakpoint(made.id)
    text = source.read_text().splitlines()[line - 1]
    assert (event["line"], event["column"]) == (line, text.index("total +=") + 1)
    assert event["endColumn"] == text.index("; // @for") + 2
    assert "Breakpoints on this line can be at columns" in event["message"]
    assert session.wait_for_stop().breakpoint_ids == (made.id,)


def test_locations_are_limited_by_columns(session: Session, places: Program) -> None:
    source, line = places.source_dir / "Program.cs", places.line("for", "Program.cs")
    text = source.read_text().splitlines()[line - 1]
    begin(session, places)

    def ask(**limits: int) -> list[int]:
        arguments = {"source": {"path": str(source)}, "line": line, **limits}
        return [entry["column"] for entry in session.request("breakpointLocations", arguments)["breakpoints"]]

    everything = [text.index(part) + 1 for part in ("var i", "i < count", "i++", "total +=")]
    assert ask() == everything
    assert ask(column=everything[1], endColumn=everything[2]) == everything[1:3]
    assert ask(column=everything[3] + 1) == []
    assert ask(endLine=line + 1)[:4] == everything


def test_function_breakpoints_stop_where_functions_begin(session: Session, places: Program) -> None:
    session.initialize()
    assert session.capabilities is not None
    assert session.capabilities.supports_function_breakpoints
    begin(session, places)
    names = ["Shapes.Lines", "Later.Local", "Money.operator +", "Grid.Item", "Take(List<int>)", "Sequences.Later"]
    made = set_functions(session, *names)
    assert [entry["verified"] for entry in made] == [True] * len(names)
    functions = [entry.partition(":")[0] for entry in stops(session)]
    assert functions == [
        "Shapes.Lines",
        "Sequences.Later",
        "Sequences.Later.Local",
        "Money.operator +",
        "Grid.this[int x, int y].get",
        "Grid.this[int x, int y].set",
        "Overloads.Take",
    ]


def test_function_breakpoint_binds_in_a_module_that_is_loaded_later(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    session.initialize()
    (made,) = set_functions(session, "Loop.Program.Main")
    session.launch_program(program, "3")
    stop = session.wait_for_stop()
    assert (stop.reason, stop.breakpoint_ids) == ("function breakpoint", (made["id"],))
    assert session.here()[0].startswith("Loop.Program.Main(")
    assert session.events("breakpoint")[0]["breakpoint"]["verified"]


def test_function_of_the_framework_stops_without_source(runtime: Runtime, session: Session) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "loop", "2")
    (made,) = set_functions(session, "System.Console.WriteLine(string)")
    assert (made["verified"], "line" in made, "source" in made) == (True, False, False)
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_stop().breakpoint_ids == (made["id"],)
    assert session.here()[0].startswith("System.Console.WriteLine(string")
    session.continue_()
    assert session.wait_for_exit() == 0


def test_function_breakpoint_has_conditions_and_hit_counts(session: Session, places: Program) -> None:
    begin(session, places)
    made = set_functions(
        session,
        {"name": "Overloads.Take(int)", "condition": "number == 2"},
        {"name": "Grid.this[int, int]", "hitCondition": "2"},
        {"name": "Money..ctor", "condition": "amount == 5"},
    )
    assert all(entry["verified"] for entry in made), made
    functions = [entry.partition(":")[0] for entry in stops(session)]
    assert functions == ["Money.Money", "Grid.this[int x, int y].set"]


def test_function_breakpoints_are_replaced_together(session: Session, places: Program) -> None:
    begin(session, places)
    first, second = set_functions(session, "Shapes.Lines", "Shapes.Loop")
    (kept,) = set_functions(session, "Shapes.Loop")
    assert kept["id"] == second["id"]
    assert [entry.partition(":")[0] for entry in stops(session)] == ["Shapes.Loop"]
    assert first["id"] != second["id"]


def test_function_that_is_none_is_unverified_with_the_reason(session: Session, places: Program) -> None:
    begin(session, places)
    made = set_functions(session, "", "M(", "Nope.Nothing", "Abstract.Nothing", "x" * 100_000)
    assert [entry["verified"] for entry in made] == [False] * 5
    assert all(entry["message"] for entry in made)


def test_name_of_a_thousand_functions_is_bound_and_undone(session: Session, places: Program) -> None:
    begin(session, places)
    (made,) = set_functions(session, "System.Private.CoreLib!*")
    assert made["verified"]
    assert "is set in the first 1,000 of them" in made["message"]
    assert set_functions(session) == []
    assert list(stops(session)) == []


@pytest.fixture
def moved(newest_runtime: Runtime, tmp_path: Path) -> tuple[Program, Path]:
    """A program whose source was moved since it was built, and where the source is now."""
    built_in = tmp_path / "ci" / "Moved"
    built_in.mkdir(parents=True)
    source = built_in / "Program.cs"
    source.write_text(BEGIN + "        int a = 1;\n        return a;\n" + END)
    program = programs.build(built_in, newest_runtime)
    home = tmp_path / "home" / "Program.cs"
    home.parent.mkdir()
    shutil.move(source, home)
    return program, home


def launch_moved(session: Session, program: Program, path: Path, **attributes: Any) -> Any:
    (made,) = session.set_early(path, 5)
    session.launch(str(program.dll), env=dict(program.env), **attributes)
    return made


@pytest.mark.parametrize("with_map", [False, True])
def test_source_that_was_moved_is_found(session: Session, moved: tuple[Program, Path], with_map: bool) -> None:
    program, home = moved
    attributes = {"sourceFileMap": {str(program.source_dir): str(home.parent)}} if with_map else {}
    made = launch_moved(session, program, home, **attributes)
    assert session.wait_for_stop().breakpoint_ids == (made.id,)
    frame = session.stack(count=1)[0]
    assert frame.source is not None
    assert frame.source.path == str(home), "the frame shows the file that the user has"


def test_source_that_was_changed_is_refused(session: Session, moved: tuple[Program, Path]) -> None:
    program, home = moved
    home.write_text(home.read_text() + "// changed\n")
    mapping = {str(program.source_dir): str(home.parent)}
    made = launch_moved(session, program, home, sourceFileMap=mapping)
    assert session.wait_for_exit() == 1
    changed = [body["breakpoint"] for body in session.events("breakpoint")]
    assert [(entry["id"], entry["verified"], entry["reason"]) for entry in changed] == [(made.id, False, "failed")]
    assert "its checksum differs" in changed[0]["message"]


def test_source_that_was_changed_is_taken_when_allowed(session: Session, moved: tuple[Program, Path]) -> None:
    program, home = moved
    home.write_text(home.read_text() + "// changed\n")
    made = launch_moved(session, program, home, requireExactSource=False)
    assert session.wait_for_stop().breakpoint_ids == (made.id,)


@pytest.mark.parametrize("value", ["x", {"a": 1}, {"": "/x"}, {"/x": ""}, [1]])
def test_source_map_that_is_none_is_refused(session: Session, moved: tuple[Program, Path], value: Any) -> None:
    program, home = moved
    session.checks_conversation = False  # the session ends before it has begun
    with pytest.raises(DapRequestError, match="sourceFileMap"):
        launch_moved(session, program, home, sourceFileMap=value)


def explain(session: Session, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = session.request("dap-dotnet/explainBreakpoint", arguments)
    return found


def test_explanation_tells_places_condition_and_hits(session: Session, runtime: Runtime) -> None:
    program = programs.build("Loop", runtime)
    line = program.line("square")
    session.stop_in(program, "loop", "10")
    (made, _) = session.set_breakpoints(
        str(program.source), [{"line": line, "condition": "value == -1"}, program.line("after")]
    )
    before = explain(session, breakpointId=made.id)
    assert (before["state"], before["hitCount"], before["condition"]["tested"]) == ("bound", 0, 0)
    assert "No thread has reached it yet." in before["text"]
    session.continue_()
    session.wait_for_stop()
    after = explain(session, source={"path": str(program.source)}, line=line)
    assert after["breakpointId"] == made.id
    assert after["condition"]["tested"] == 9
    assert (after["condition"]["held"], after["hitCount"]) == (0, 0)
    assert "was tested 9 times: true 0 times, failed 0 times." in after["text"]
    (module,) = after["modules"]
    assert (module["name"], module["hasSymbols"], module["document"]) == ("Loop.dll", True, str(program.source))


def test_explanation_tells_what_a_breakpoint_elsewhere_would_be(session: Session, places: Program) -> None:
    source = str(places.source_dir / "Program.cs")
    begin(session, places)
    outside = explain(session, source={"path": source}, line=1)
    assert (outside["state"], outside["code"]) == ("none", "INVALID_LINE")
    assert "A breakpoint here would not be hit: No code at line 1 of Program.cs" in outside["text"]
    good = explain(session, source={"path": source}, line=places.line("yield", "Program.cs"))
    assert "A breakpoint here would be set in 1 place." in good["text"]
    indexer = places.line("get", "Program.cs")
    header = explain(session, source={"path": source}, line=indexer - 2)
    assert f"Line {indexer - 2} has no code; moved to line {indexer}, the beginning of a function." in header["text"]
    assert header["text"].endswith("is this file; 1 place there.")
    unknown = explain(session, source={"path": "/nowhere/Nothing.cs"}, line=1)
    assert unknown["modules"] == []
    assert "none has anything similar" in unknown["text"]
    assert unknown["modulesLookedAt"] > 2
    function = explain(session, function="Overloads.Take(long)")
    assert "with other parameter types, such as Places.Overloads.Take(int number)" in function["text"]


def test_explanation_tells_why_there_are_no_symbols(session: Session, newest_runtime: Runtime, tmp_path: Path) -> None:
    folder = tmp_path / "Stale"
    folder.mkdir()
    source = folder / "Program.cs"
    source.write_text(BEGIN + "        return 0;\n" + END)
    program = programs.build(folder, newest_runtime)
    here = folder / "bin"
    shutil.copytree(program.dll.parent, here)
    source.write_text(BEGIN + "        return 1;\n" + END)
    other = programs.build(folder, newest_runtime)
    assert other.pdb is not None
    shutil.copy(other.pdb, here / "Stale.pdb")
    session.set_early(source, 5)
    session.launch(str(here / "Stale.dll"), env=dict(program.env), stopAtEntry=True)
    assert session.wait_for_exit() == 0
    changed = [body["breakpoint"]["message"] for body in session.events("breakpoint")]
    assert any("id differs" in message for message in changed)


def test_explanation_of_what_is_not_there_is_refused(session: Session, runtime: Runtime) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "loop", "1")
    with pytest.raises(DapRequestError) as error:
        explain(session, breakpointId=99)
    assert error.value.code == "BREAKPOINT_NOT_FOUND"
    with pytest.raises(DapRequestError, match="breakpointId, or source"):
        explain(session)


def test_explanation_warns_of_optimised_code(session: Session, newest_runtime: Runtime) -> None:
    program = programs.build("Loop", newest_runtime, optimize=True)
    session.launch_program(program, "2", stop_at=["loop"])
    (made,) = session.wait_for_stop().breakpoint_ids
    text = explain(session, breakpointId=made)["text"]
    assert "Loop.dll is optimised" in text
    assert "as your code (it is optimised)" in text
