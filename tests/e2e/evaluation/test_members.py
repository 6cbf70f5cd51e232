"""Which member, overload or conversion an expression means, in hierarchies that make it hard: as in C#, everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).with_name("differential")
SHOWN_TYPES = frozenset({"int", "long", "double", "string", "bool", "decimal", "float"})


@pytest.mark.timeout(300)
def test_members_are_those_that_the_program_takes(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    _compare("Members", runtime, session, tmp_path)


@pytest.mark.timeout(300)
def test_expressions_of_new_csharp_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if int(newest_runtime.major.partition(".")[0]) < FIRST_OF_CSHARP_14:
        pytest.skip("the program is of C# 14")
    _compare("Modern", newest_runtime, session, tmp_path)
    for expression, value in OF_THE_DEBUGGER.items():
        try:
            found: str | None = session.evaluate(expression).result
        except DapRequestError:
            found = None
        assert found == value, expression


FIRST_OF_CSHARP_14 = 10
OF_THE_DEBUGGER = {
    # Its display runs the program's ToString.
    "ann,makeid": "{Person { Name = Ann, Age = 30, Nick = A, Role = p, Pair = (Ann, 30), Boss =  }} {$1}",
    "$1.Name": '"Ann"',
    "nby,b": "0b0000_0111",
    "n2,b": "null",
    "list[^1] = 80; list.Last()": "80",
    "list[^1]--; list[^1]": "79",
    "t,results": None,
    "i,results": None,
    "[1, 2] = 3": None,
    "var span = arr.AsSpan()": None,
}
"""What the compiler does not know, or does not allow here. None: refused."""


def _compare(name: str, runtime: Runtime, session: Session, tmp_path: Path) -> None:
    """Compare what a program prints for expressions with what the debugger gives; `## words`: it is refused so."""
    folder = tmp_path / name
    folder.mkdir()
    lines = FOLDER.joinpath(f"{name.lower()}.txt").read_text(encoding="utf-8").splitlines()
    refused = {text: words for text, _, words in (line.partition(" ## ") for line in lines) if words}
    expressions = [line for line in lines if " ## " not in line]
    source = folder / "Program.cs"
    prints = "\n".join(
        f"{{ try {{ P({number}, {text}); }} catch (Exception e__) {{ E({number}, e__); }} }}"
        for number, text in enumerate(expressions)
    )
    template = FOLDER.joinpath(f"{name}.cs.in").read_text(encoding="utf-8")
    source.write_text(template.replace("//PRINT", prints), encoding="utf-8")
    program = programs.build(folder, runtime)
    line = markers.line_of(source, "here")
    session.launch(str(program.dll), breakpoints={str(source): [line]}, env=dict(program.env))
    session.wait_for_stop()
    session.wait_for_output("@END")
    printed = dict(text[1:].partition("\t")[::2] for text in session.output().splitlines() if text.startswith("@"))
    frame = session.stack(count=1)[0].id
    wrong = []
    for number, expression in enumerate(expressions):
        value, _, kind = printed[str(number)].rpartition("\t")
        try:
            found = session.evaluate(expression, frame)
            is_same = found.result == value and (kind not in SHOWN_TYPES or found.type in (kind, f"{kind}?"))
            shown = f"{found.result} ({found.type})"
        except DapRequestError as error:
            thrown = value[1:].rpartition(".")[2]
            is_same, shown = value.startswith("!") and thrown in error.text, error.text
        if not is_same:
            wrong.append(f"{expression}: {value} ({kind}), evaluated {shown}")
    for expression, words in refused.items():
        try:
            wrong.append(f"{expression}: {words}, evaluated {session.evaluate(expression, frame).result}")
        except DapRequestError as error:
            if words not in error.text:
                wrong.append(f"{expression}: {words}, refused: {error.text}")
    assert not wrong, "\n".join(wrong)
