"""Statements of the debug console that no expression says: loops, conditions, blocks."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

STATEMENTS = [
    ("for (int k = 0; k < 3; k++) sum += k", "8"),
    ("sum = 0; foreach (var each in numbers) { sum += each; }", "18"),
    ("if (sum == 5) sum = 50; else sum = 1;", "50"),
    ("{ int twice = 2 * sum; sum = twice; } ", "10"),
    ("int factor = 4; while (sum < 21) sum *= factor;", "80"),
    ("switch (sum)\n{\n  case 5: sum = 7; break; // seven\n  default: sum = 8; break;\n}", "7"),
    ("foreach (var word in words)\n{\n    if (word.Length < 2) continue;\n    sum += word.Length;\n}", "10"),
]
MISTAKES = [
    ("foreach (var each in) sum++;", "CS1525: Syntax error in line 1, column 21"),
    ("if (true)\n  sum +;", "CS1525: Syntax error in line 2, column 8"),
    ("foreach (var each in numbers) nobody += each;", r"CS0103: The name 'nobody'.*\(line 1, column 31\)"),
]


def test_statements_that_are_no_expressions_run(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    session.evaluate("int sum = 0")
    for text, expected in STATEMENTS:
        session.evaluate("sum = 5")
        session.evaluate(text)
        assert (text, session.evaluate("sum").result) == (text, expected)
        with pytest.raises(DapRequestError, match="CS1525"):
            session.evaluate(text, context="watch")


def test_statement_that_catches_runs_in_the_program(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", runtime), "main")
    session.evaluate("try { numbers.Add(words[9].Length); } catch (IndexOutOfRangeException) { numbers.Add(9); }")
    assert session.evaluate("numbers[3]").result == "9"
    with pytest.raises(DapRequestError, match="has a copy of the frame's variable"):
        session.evaluate("try { words = null; } catch (IndexOutOfRangeException) { }")


def test_error_in_such_a_statement_has_its_place(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", newest_runtime), "main")
    session.evaluate("int sum = 0")
    for text, said in MISTAKES:
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(text)
    assert session.evaluate("sum").result == "0"
