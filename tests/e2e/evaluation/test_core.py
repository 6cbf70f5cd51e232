"""Hundreds of expressions over all kinds of values, in one program and one stop: the debugger gives what C# gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).with_name("differential")
LINES = FOLDER.joinpath("core.txt").read_text(encoding="utf-8").splitlines()
REFUSED = {text: code for text, _, code in (line.partition(" ## ") for line in LINES) if code}
"""What the compiler refuses, with its code."""
EXPRESSIONS = [line for line in LINES if " ## " not in line]
SHOWN_TYPES = frozenset({
    "int", "uint", "long", "ulong", "short", "ushort", "byte", "sbyte", "char", "float", "double", "decimal", "nint",
    "nuint", "string", "bool",
})  # fmt: skip
"""Types that the program prints as the debugger shows them; of others the values are compared."""


@pytest.mark.timeout(300)
def test_expressions_give_what_the_program_gives(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    folder = tmp_path / "Core"
    folder.mkdir()
    source = folder / "Program.cs"
    prints = "\n".join(
        f"{{ try {{ P({number}, {text}); }} catch (Exception e) {{ E({number}, e); }} }}"
        for number, text in enumerate(EXPRESSIONS)
    )
    template = FOLDER.joinpath("Core.cs.in").read_text(encoding="utf-8")
    source.write_text(template.replace("//PRINT", prints), encoding="utf-8")
    program = programs.build(folder, newest_runtime)
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
            is_same = found.result == value and (kind not in SHOWN_TYPES or found.type == kind)
            shown = f"{found.result} ({found.type})"
        except DapRequestError as error:
            is_same, shown = value.startswith("!") and value[1:] in error.text, error.text
        if not is_same:
            wrong.append(f"{expression}: {value} ({kind}), evaluated {shown}")
    for expression, code in REFUSED.items():
        try:
            wrong.append(f"{expression}: {code}, evaluated {session.evaluate(expression, frame).result}")
        except DapRequestError as error:
            if code not in error.text:
                wrong.append(f"{expression}: {code}, refused: {error.text}")
    assert not wrong, "\n".join(wrong)
