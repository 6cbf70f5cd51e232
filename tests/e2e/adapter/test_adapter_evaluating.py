"""Expressions in a stopped program."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]


def test_evaluate_paths_and_indexers(runtime: Runtime, session: Session) -> None:
    program = programs.build("Values", runtime)
    session.stop_in_file(program, "Program.cs", "arrays")
    expected = {
        "numbers[1]": "2",
        "numbers": "{int[3]}",
        "words[0]": '"one"',
        "matrix[1, 2]": "6",
        "jagged[2][1]": "3",
        "points[1].Y": "4",
        "numbers.Length": "3",
    }
    assert {expression: session.evaluate(expression).result for expression in expected} == expected


@pytest.mark.parametrize(
    "expression", ["", "nothing", "numbers[99]", "numbers.Nothing", "1 +", "missing[0]", "\0", "🎉"]
)
def test_expression_that_cannot_be_evaluated_says_why(
    newest_runtime: Runtime, session: Session, expression: str
) -> None:
    program = programs.build("Values", newest_runtime)
    session.stop_in_file(program, "Program.cs", "arrays")
    with pytest.raises(DapRequestError) as refused:
        session.evaluate(expression)
    assert len(refused.value.text) > 10
    assert "Internal error" not in refused.value.text
