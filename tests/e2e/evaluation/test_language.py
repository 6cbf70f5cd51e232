"""Queries, anonymous objects, out variables, collection expressions: the debugger gives what C# itself gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).with_name("differential")
EXPRESSIONS = FOLDER.joinpath("language.txt").read_text(encoding="utf-8").splitlines()
OF_THE_DEBUGGER = {
    "await done": "5",
    "(await done) + 1": "6",
    "program.Get(ref numbers[1], out var self) ? self._base + numbers[1] : 0": "7",
    "Split(text, out text, out numbers[0])": None,
    "Split(text, out numbers[0], out text) ? text + numbers[0] : null": '"12!2"',
    "numbers = [7, 8, ..numbers]": "{int[7]}",
    "await Task.Delay(100000)": None,
    "var big = from o in orders where o.Total > 6 select new { o.Id, o.Total }; big.Length": "2",
    "customers[1],makeid": "{Customer} {$1}",
    "customers = null; $1.Name": '"Bob"',
    "var first = pulled; Naturals().First(x => x > 5); pulled - first": "7",
    "var open = disposed; Naturals().Select(x => x).Take(2).Sum(); disposed - open": "1",
    "holder.List[0].V = 1": None,
    "holder.Auto.V = 1": None,
    "typeof(int) == text": None,
    'numbers.OrderBy(x => x, "no comparer").First()': None,
    "holder.Auto.V++": None,
    "holder.When = leapDay": "{02/29/2024 00:00:00}",
    "new Needs { Name = text }": None,
    "new Needs { Name = text, Number = 2 }.Number + new Needs(text).Number": "3",
    "holder.Field.V = 1; holder.Field.Bump() * 10 + holder.Field.V": "22",
    "var kept = cell; kept.V = 1; kept.V += 5; kept.Bump() * 100 + cell.V": "707",
}
"""What the program cannot do in a lambda: awaits, assignments, statements. None: refused."""


def test_expressions_give_what_the_program_gives(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    folder = tmp_path / "Language"
    folder.mkdir()
    source = folder / "Program.cs"
    prints = "\n".join(f"P({number}, () => {text});" for number, text in enumerate(EXPRESSIONS))
    source.write_text(
        FOLDER.joinpath("Language.cs.in").read_text(encoding="utf-8").replace("//PRINT", prints), encoding="utf-8"
    )
    program = programs.build(folder, newest_runtime)
    session.launch(
        str(program.dll), breakpoints={str(source): [markers.line_of(source, "here")]}, env=dict(program.env)
    )
    session.wait_for_stop()
    session.wait_for_output(f"@{len(EXPRESSIONS) - 1}\t")
    printed = dict(line[1:].split("\t", 1) for line in session.output().splitlines() if line.startswith("@"))
    wanted = {text: printed[str(number)] for number, text in enumerate(EXPRESSIONS)} | OF_THE_DEBUGGER
    wrong = []
    for expression, value in wanted.items():
        try:
            found = session.evaluate(expression).result
        except DapRequestError as error:
            if value is not None and not value.startswith("!"):
                wrong.append(f"{expression}: {value}, refused: {error.text}")
            continue
        if found != value:
            wrong.append(f"{expression}: {value}, evaluated {found}")
    assert not wrong, "\n".join(wrong)
    with pytest.raises(DapRequestError, match="needs all elements of a sequence of more than 1,000,000"):
        session.evaluate("Naturals().Count(x => x > 5)")
    assert session.evaluate("new Needs(text).Number").result == "1", "no call is left on the thread"
