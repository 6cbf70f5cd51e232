"""Errors have the compiler's codes at the compiler's places: the same wrong expressions, given to both."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import markers, programs
from tests.support.differential import FOLDER
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

_ERROR = re.compile(r"Program\.cs\((\d+),(\d+)\): error (CS\d+):")
_OVER_LINES = ["i +\n  dog.Foo", "over.U(\n  1L)", "b\n  ? nope\n  : 1", "(dog\n  + 1)"]
"""Expressions on several lines: the position is the line's, too."""


@pytest.mark.timeout(300)
def test_an_error_has_the_compilers_code_and_position(
    newest_runtime: Runtime, session: Session, tmp_path: Path
) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    template = FOLDER.joinpath("Core.cs.in").read_text(encoding="utf-8")
    # The list has no `multi.SelectMany(m => m.Foo)`: the actual class may have Foo, so the lambda is no error here.
    # What SelectMany gives is not known then, which is CS0411 at its name; the compiler has CS1061 at Foo.
    listed = FOLDER.joinpath("positions.txt").read_text(encoding="utf-8").splitlines()
    expressions = [*listed, *_OVER_LINES]
    wanted = _compiled(template, expressions, newest_runtime, tmp_path)
    no_syntax = FOLDER.joinpath("syntax.txt").read_text(encoding="utf-8").splitlines()  # which hides all other errors
    expressions += no_syntax
    wanted += _compiled(template, no_syntax, newest_runtime, tmp_path / "Syntax")
    _stop(template, newest_runtime, session, tmp_path)
    frame = session.stack(count=1)[0].id
    wrong = []
    for number, expression in enumerate(expressions):
        found = _refused(session, expression, frame)
        if found not in wanted[number]:
            wrong.append(f"{expression}: {wanted[number]}, evaluated {found}")
    assert not wrong, "\n".join(wrong)


def test_a_position_is_told_with_the_message(newest_runtime: Runtime, session: Session, tmp_path: Path) -> None:
    """As people read it: not where the text has nothing else, and of the text as they have typed it in the console."""
    if newest_runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("the program is of C# 12")
    template = FOLDER.joinpath("Core.cs.in").read_text(encoding="utf-8")
    _stop(template, newest_runtime, session, tmp_path)
    frame = session.stack(count=1)[0].id

    def said(expression: str, context: str = "watch") -> str:
        with pytest.raises(DapRequestError) as caught:
            session.evaluate(expression, frame, context=context)
        return caught.value.text

    unknown = "error CS0103: The name 'nope' does not exist in the current context"
    assert said("nope") == unknown
    assert said("i + nope") == f"{unknown} (line 1, column 5)"
    assert said("i +\n nope") == f"{unknown} (line 2, column 2)"
    assert said("? i + nope", "repl") == f"{unknown} (line 1, column 7)"
    assert said("i; i + nope", "repl") == f"{unknown} (line 1, column 8)"
    assert said("var q1 = i + nope", "repl") == f"{unknown} (line 1, column 14)"
    assert said("int[] q2 = { i, nope }", "repl") == f"{unknown} (line 1, column 17)"
    assert said('"\U0001f600" + nope') == f"{unknown} (line 1, column 8)"  # in UTF-16 units
    assert said('$"{i} {i +}"').startswith("error CS1733: Syntax error in line 1, column 11:")
    # What is no fault of the text has its position in the error only.
    assert "column" not in said("i + dog.Mate.Legs")


def _compiled(template: str, expressions: list[str], runtime: Runtime, folder: Path) -> list[set[tuple[str, int, int]]]:
    """What the compiler says of each expression: codes with 1-based lines and columns in it."""
    first_line = template[: template.index("//PRINT")].count("\n") + 1
    places: list[tuple[int, int]] = []
    lines: list[str] = []
    for number, expression in enumerate(expressions):
        lines.append(f"var e{number} =")
        places.append((first_line + len(lines), expression.count("\n") + 1))
        lines += [*expression.split("\n"), ";"]
    source = folder / "Wrong" / "Program.cs"
    source.parent.mkdir(parents=True)
    source.write_text(template.replace("//PRINT", "\n".join(lines)), encoding="utf-8")
    with pytest.raises(programs.BuildError) as refused:
        programs.build(source.parent, runtime)
    said = [(int(line), int(column), code) for line, column, code in _ERROR.findall(str(refused.value))]
    return [
        {(code, line - start + 1, column) for line, column, code in said if start <= line < start + count}
        for start, count in places
    ]


def _refused(session: Session, expression: str, frame: int) -> tuple[str, int, int] | str:
    try:
        return session.evaluate(expression, frame).result
    except DapRequestError as error:
        variables = error.response["body"]["error"]["variables"]
        code = re.match(r"error (CS\d+):", error.text)
        if code is None or "errorLine" not in variables:
            return error.text
        return code[1], int(variables["errorLine"]), int(variables["errorColumn"])


def _stop(template: str, runtime: Runtime, session: Session, folder: Path) -> None:
    source = folder / "Core" / "Program.cs"
    source.parent.mkdir()
    source.write_text(template.replace("//PRINT", ""), encoding="utf-8")
    program = programs.build(source.parent, runtime)
    line = markers.line_of(source, "here")
    session.launch(str(program.dll), breakpoints={str(source): [line]}, env=dict(program.env))
    session.wait_for_stop()
