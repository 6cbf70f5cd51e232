"""Assignments of all kinds: what the debugger stores is what the program's own code stores, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).with_name("differential")
ASSIGNMENTS = FOLDER.joinpath("assignments.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("where", ["captured", "plain", "async", "iterator"])
def test_assignments_store_what_the_program_stores(
    newest_runtime: Runtime, session: Session, tmp_path: Path, where: str
) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    folder = tmp_path / "Assignments"
    folder.mkdir()
    source = folder / "Program.cs"
    prints = "\n".join(f"P({number}, () => {text}, state);" for number, text in enumerate(ASSIGNMENTS))
    text = FOLDER.joinpath("Assignments.cs.in").read_text(encoding="utf-8").replace("//PRINT", prints)
    for mark in ("variables", "state"):
        text = text.replace(f"//{mark.upper()}", FOLDER.joinpath(f"{mark}.txt").read_text(encoding="utf-8"))
    source.write_text(text, encoding="utf-8")
    program = programs.build(folder, newest_runtime)
    session.launch(str(program.dll), breakpoints={str(source): [markers.line_of(source, where)]}, env=dict(program.env))
    session.wait_for_stop()
    session.wait_for_output(f"@{len(ASSIGNMENTS) - 1}\t")
    printed = dict(line[1:].split("\t", 1) for line in session.output().splitlines() if line.startswith("@"))
    wrong = []
    for number, assignment in enumerate(ASSIGNMENTS):
        value, state = printed[str(number)].split("\t", 1)
        try:
            found = session.evaluate(assignment).result.replace(" | ", ", ")
        except DapRequestError as error:
            wrong.append(f"{assignment}: {value}, refused: {error.text}")
            continue
        if found != value and not value.startswith("{"):
            wrong.append(f"{assignment}: {value}, evaluated {found}")
    session.continue_()
    session.wait_for_exit()
    seen = next(line for line in session.output().splitlines() if line.startswith(where + " "))
    if seen != f"{where} {state}":
        wrong.append(f"afterwards:\n{state}\n{seen}")
    assert not wrong, "\n".join(wrong)


STORED = [
    ("captured = 40", "captured + 2", "42"),
    ("captured++", "captured", "41"),
    ('word = "wo" + captured', "word.Length", "4"),
    ("numbers[1] = 60", "numbers[1] + numbers.Count", "63"),
    ('words[0] = "xyz"', "words[0]", '"xyz"'),
    ('map["zz"] = 9', 'map.Count + map["zz"]', "12"),
    ("dog.Pats += 3", "dog.Pats", "3"),
    ("animal.legs = 8", "dog.Legs", "7"),
    ("maybe = null", "maybe ?? -1", "-1"),
    ("maybe = 6", "maybe + 1", "7"),
    ("boxed = 2.5", "(double)boxed * 2", "5"),
    ("more = price", "more.Amount", "1.5"),
    ("numbers = new List<int> { 1, captured }", "numbers[1]", "41"),
    ('words = new[] { "a", word, null }', "words[1..].Length + words[1].Length", "6"),
    ("dog = new Dog { Pats = 5 }", "dog.Pats + dog.Legs", "8"),
    ("more = new Money(captured)", "more.Amount", "41"),
    ('tuple = (7, ("y", captured))', "tuple.X + tuple.Y.Item2", "48"),
    ("animal = null", "animal == null", "true"),
]


def test_assignments_are_read_back(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    for assignment, expression, expected in STORED:
        session.evaluate(assignment)
        assert (expression, session.evaluate(expression).result) == (expression, expected)
    for refused, code in (("captured = 1.5", "CS0266"), ("price.Amount = 1m", "CS0191"), ("Fixed = 1", "CS0131")):
        with pytest.raises(DapRequestError, match=code):
            session.evaluate(refused)


POINTED = [
    ("nothing = pointer", "*nothing", "77"),
    ("pointer = null", "pointer == null", "true"),
    ("pointer = (int*)untyped", "*pointer", "77"),
    ("nothing = (int*)0", "nothing == null", "true"),
    ("wild = (int*)(long)untyped", "*wild + 1", "78"),
    ("untyped = structure", "(long)untyped == (long)structure", "true"),
    ("untyped = default", "untyped == null", "true"),
    ("*twice = wild", "*pointer", "77"),
    ("pair.Second = null", "pair.Second == null", "true"),
    ("structure->Second = wild", "*pair.Second", "77"),
    ("wild = (int*)untyped", "(wild + 2) - wild", "2"),
    ("wild++", "wild - 1 == (int*)untyped && wild > (int*)untyped", "true"),
    ("wild = -1 + wild", "wild == (int*)untyped", "true"),
    ("twice = null", "twice == null", "true"),
]


def test_pointers_are_assigned(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Values", runtime), "Program.cs", "pointers")
    for assignment, expression, expected in POINTED:
        session.evaluate(assignment)
        assert (expression, session.evaluate(expression).result) == (expression, expected)
    assert session.values()["twice"] == "0x" + 16 * "0"
    scope = session.scopes(session.stack(count=1)[0].id)[0].variables_reference
    for value in ("null", session.values()["wild"]):  # as C# and as the debugger shows it
        arguments = {"variablesReference": scope, "name": "pointer", "value": value}
        assert session.request("setVariable", arguments)["value"] == value.replace("null", "0x" + 16 * "0")
    for refused, said in (
        ("pointer = 16", r"CS0266: Cannot implicitly convert type 'int' to 'int\*'"),
        ("pointer = twice", r"CS0266: Cannot implicitly convert type 'int\*\*' to 'int\*'"),
        ("pointer = untyped", "CS0266"),
        ('pointer = "x"', "CS0029"),
        ("target = pointer", "CS0266"),
        ("new object[] { pointer }", "CS0029"),
        ("pointer * 2", "CS0019"),
        ("untyped + 1", "CS0242"),
        ("pointer = &target", "Addresses are not taken in expressions"),
    ):
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(refused)
