"""Some hundred expressions, many of them made at random: the engine against what the compiler and the program give."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).with_name("differential")
EXPRESSIONS = FOLDER.joinpath("expressions.txt").read_text(encoding="utf-8").splitlines()
TYPES = {
    "Int32": "int", "UInt32": "uint", "Int64": "long", "UInt64": "ulong", "Int16": "short", "UInt16": "ushort",
    "Byte": "byte", "SByte": "sbyte", "Char": "char", "Single": "float", "Double": "double", "Decimal": "decimal",
    "Boolean": "bool", "String": "string", "Object": "object", "IntPtr": "nint", "UIntPtr": "nuint",
}  # fmt: skip


@pytest.mark.timeout(300)
@pytest.mark.parametrize("where", ["captured", "plain"])
def test_expressions_give_what_the_program_gives(
    newest_runtime: Runtime, session: Session, tmp_path: Path, where: str
) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the expressions are of C# 12")
    folder = tmp_path / "Differential"
    folder.mkdir()
    source = folder / "Program.cs"
    prints = "\n".join(f"P({number}, () => {text});" for number, text in enumerate(EXPRESSIONS))
    source.write_text(FOLDER.joinpath("Program.cs.in").read_text().replace("//PRINT", prints), encoding="utf-8")
    program = programs.build(folder, newest_runtime)
    line = markers.line_of(source, where)
    session.launch(str(program.dll), breakpoints={str(source): [line]}, env=dict(program.env))
    session.wait_for_stop()
    session.wait_for_output(f"@{len(EXPRESSIONS) - 1}\t")
    printed = dict(text[1:].split("\t", 1) for text in session.output().splitlines() if text.startswith("@"))
    wrong = []
    for number, expression in enumerate(EXPRESSIONS):
        kind, text = printed[str(number)].split("\t", 1)
        try:
            found = session.evaluate(expression)
            is_same = found.result == text and (kind not in TYPES or found.type == TYPES[kind])
            shown = f"{found.result} ({found.type})"
        except DapRequestError as error:
            is_same, shown = kind == "!" and text in error.text, error.text
        if not is_same:
            wrong.append(f"{expression}: {text} ({kind}), evaluated {shown}")
    assert not wrong, "\n".join(wrong)
