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
LINES = FOLDER.joinpath("members.txt").read_text(encoding="utf-8").splitlines()
REFUSED = {text: words for text, _, words in (line.partition(" ## ") for line in LINES) if words}
"""What the compiler or the program refuses, with a word of the answer."""
EXPRESSIONS = [line for line in LINES if " ## " not in line]
SHOWN_TYPES = frozenset({"int", "long", "double", "string", "bool", "decimal", "float"})


@pytest.mark.timeout(300)
def test_members_are_those_that_the_program_takes(runtime: Runtime, session: Session, tmp_path: Path) -> None:
    folder = tmp_path / "Members"
    folder.mkdir()
    source = folder / "Program.cs"
    prints = "\n".join(
        f"{{ try {{ P({number}, {text}); }} catch (Exception e) {{ E({number}, e); }} }}"
        for number, text in enumerate(EXPRESSIONS)
    )
    template = FOLDER.joinpath("Members.cs.in").read_text(encoding="utf-8")
    source.write_text(template.replace("//PRINT", prints), encoding="utf-8")
    program = programs.build(folder, runtime)
    line = markers.line_of(source, "here")
    session.launch(str(program.dll), breakpoints={str(source): [line]}, env=dict(program.env))
    session.wait_for_stop()
    session.wait_for_output("@END")
    printed = dict(text[1:].partition("\t")[::2] for text in session.output().splitlines() if text.startswith("@"))
    frame = session.stack(count=1)[0].id
    wrong = []
    for number, expression in enumerate(EXPRESSIONS):
        value, _, kind = printed[str(number)].rpartition("\t")
        try:
            found = session.evaluate(expression, frame)
            is_same = found.result == value and (kind not in SHOWN_TYPES or found.type in (kind, f"{kind}?"))
            shown = f"{found.result} ({found.type})"
        except DapRequestError as error:
            is_same, shown = value.startswith("!") and value[1:] in error.text, error.text
        if not is_same:
            wrong.append(f"{expression}: {value} ({kind}), evaluated {shown}")
    for expression, words in REFUSED.items():
        try:
            wrong.append(f"{expression}: {words}, evaluated {session.evaluate(expression, frame).result}")
        except DapRequestError as error:
            if words not in error.text:
                wrong.append(f"{expression}: {words}, refused: {error.text}")
    assert not wrong, "\n".join(wrong)
