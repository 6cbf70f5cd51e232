"""System.Data: rows of tables and cells of rows, read from memory, against what the program has, on every runtime."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_tables_open_to_rows_and_rows_to_cells(runtime: Runtime, session: Session) -> None:
    program = programs.build("Shown", runtime)
    options = {"allowImplicitFuncEval": False}
    session.stop_in_file(program, "DataTables.cs", "tables", expressionEvaluationOptions=options)
    shown = session.locals()
    assert {name: shown[name].value for name in ("people", "numbers", "none", "inserted")} == {
        "people": "{People} Count = 4",
        "numbers": "Count = 5900",
        "none": "{None} Count = 0",
        "inserted": '{ Name = "Zed", Age = {}, Born = {}, Any = {}, Id = {}, Twice = {}, Kind = {} }',
    }
    rows = session.variables(shown["people"].variables_reference)
    assert [row.value for row in rows[:-1]] == [
        '{ Name = "Ann", Age = 43, Born = {01/02/2024 00:00:00}, Any = "x", '
        "Id = {00000000-0000-0000-0000-000000000000}, Twice = 86, Kind = 1 }",
        '{ Name = "Zed", Age = {}, Born = {}, Any = {}, Id = {}, Twice = {}, Kind = {} }',
        '{ Name = "Bob", Age = 7, Born = {}, Any = 5, Id = {}, Twice = {}, Kind = {} }',
        "{DataRow}",  # deleted
    ]
    cells = session.variables(rows[0].variables_reference)
    assert [cell.name for cell in cells[:2]] == ['["Name"]', '["Age"]']
    frame = session.stack(count=1)[0].id
    for cell in cells[:-1]:
        assert cell.evaluate_name is not None
        assert session.evaluate(cell.evaluate_name, frame).result == cell.value

    numbers, expected = shown["numbers"].variables_reference, shown["expected"].variables_reference
    for start in (0, 1, 148, 299, 1_070, 5_890):
        page = session.variables(numbers, start=start, count=10, filter="indexed")
        wanted = session.variables(expected, start=start, count=10, filter="indexed")
        assert [row.value for row in page] == [f"{{ N = {number.value} }}" for number in wanted], start
