"""Lambdas of several statements, over a program that the test makes, which runs nothing."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import environment
from tests.unit.evaluation.fakes import World

GIVEN = [
    ("var y = x * 2; return y;", "6, 2, 8, 2, 10"),
    ("int y = 0, z = x; y += z; return y;", "3, 1, 4, 1, 5"),
    ("int y; if (x > 2) y = 1; else y = 2; return y;", "1, 2, 1, 2, 1"),
    ("if (x > 2) { return 1; } return 0.5;", "1, 0.5, 1, 0.5, 1"),
    ("long y = x; y *= 1000000000; return y;", "3000000000, 1000000000, 4000000000, 1000000000, 5000000000"),
    ("x += limit; return x;", "5, 3, 6, 3, 7"),
    ("const int two = 2; return x * two;", "6, 2, 8, 2, 10"),
    ("var sum = 0; for (int k = 0; k < x; k++) sum += k; return sum;", "3, 0, 6, 0, 10"),
    ("for (;;) { if (x > 9) break; x++; } return x;", "10, 10, 10, 10, 10"),
    ("while (true) { if (x > 9) return x; x += 3; }", "12, 10, 10, 10, 11"),
    ("do x++; while (x < 3); return x;", "4, 3, 5, 3, 6"),
    (
        "var s = 0; foreach (var n in numbers) { if (n == 4) continue; if (n == 5) break; s += n; } return s;",
        "5, 5, 5, 5, 5",
    ),
    ("foreach (long n in numbers) { return n; } return 0L;", "3, 3, 3, 3, 3"),
    (
        "switch (x) { case 1: case 3: return 10; case > 4 when x < 6: break; default: return 20; } return 30;",
        "10, 10, 20, 10, 30",
    ),
    ("int F(int n) => n < 2 ? 1 : n * F(n - 1); return F(x);", "6, 1, 24, 1, 120"),
    ("int G() { return x; } x = 7; return G();", "7, 7, 7, 7, 7"),
    ("long F(long n) => n * 1000000000; return F(x);", "3000000000, 1000000000, 4000000000, 1000000000, 5000000000"),
    ("var k = 1; var q = numbers.Where(n => n > k); k = 4; return q.Count();", "1, 1, 1, 1, 1"),
    ("var made = 0; var each = (int n) => made += n; each(1); each(x); return made;", "4, 2, 5, 2, 6"),
    ("var (a, b) = (x, 2); return a * b;", "6, 2, 8, 2, 10"),
    ("checked { return x; }", "3, 1, 4, 1, 5"),
    ("{ int y = x; } { int y = 1; return y; }", "1, 1, 1, 1, 1"),
    ("int y = 5; return numbers.Count(n => n == y);", "1, 1, 1, 1, 1"),
]
REFUSED = [
    ("int y = 2.5; return y;", "CS0266"),
    ("var y = x; y = 2.5; return y;", "CS0266"),
    ("int y; return y;", "CS0165"),
    ("if (x > 9) return 1;", "CS1643"),
    ("int x = 1; return x;", "CS0136"),
    ("int y = 1; int y = 2; return y;", "CS0128"),
    ("{ int y = 1; } return y;", "CS0103"),
    ("var y; return 1;", "CS0818"),
    ("var y = null; return 1;", "CS0815"),
    ("const int y = 1; y = 2; return y;", "CS0131"),
    ("const int y = 1; y++; return y;", "CS1059"),
    ("foreach (var n in numbers) n = 1; return 1;", "CS1656"),
    ("if (x) return 1; return 2;", "CS0029"),
    ("break;", "CS0139"),
    ("switch (x) { case 1: x = 2; default: return 1; } return 2;", "CS0163"),
    ("(x) + 1; return 1;", "CS0201|CS1525"),
    ("return;", "CS0411"),
    ("checked { return x + int.MaxValue; }", "OverflowException"),
    ("goto end; end: return 1;", "A goto statement is not supported"),
    ("throw;", "CS0156"),
    ("throw null;", "CS0411"),
    ("while (true) ;", "CS0411"),
    ("if (x > 0) throw null; return 1;", "the exception to throw is null"),
    ("x = limit = 3; return x;", "Assignments are not allowed here"),
]


@pytest.fixture
def world() -> World:
    """A frame with an array of numbers."""
    world = World()
    world.local("limit", world.scalar("int", 2))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (3, 1, 4, 1, 5)]))
    return world


@pytest.mark.parametrize(("body", "shown"), GIVEN)
def test_body_gives_what_it_gives_in_csharp(world: World, body: str, shown: str) -> None:
    made = [world.show(f"numbers.Select(x => {{ {body} }}).ElementAt({number})") for number in range(5)]
    assert ", ".join(made) == shown


@pytest.mark.parametrize(("body", "said"), REFUSED)
def test_body_that_cannot_be_is_refused_in_the_words_of_the_compiler(world: World, body: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        evaluate_for_a_hover(world, f"numbers.Select(x => {{ {body} }}).First()")


def evaluate_for_a_hover(world: World, expression: str) -> None:
    from dap_dotnet.evaluation.evaluator import evaluate

    evaluate(expression, world.context, None, may_store=False)


def test_variables_of_a_body_are_changed_where_nothing_else_may_be(world: World) -> None:
    evaluate_for_a_hover(world, "numbers.Sum(x => { var y = 1; y += x; return y; })")


@pytest.mark.parametrize(
    "text",
    [
        "numbers.Where(x => { while (true) ; }).First()",
        "numbers.Where(x => { for (;;) x++; }).First()",
        "numbers.Select(x => { int F(int n) => F(n) + F(n); return F(1); }).First()",
        "numbers.Select(x => { int F(int n) => n < 1 ? 1 : F(n - 1) + F(n - 1); return F(25); }).First()",
        "numbers.Count(a => { for (int k = 0; k < 9999999; k++) foreach (var n in numbers) ; return true; })",
    ],
)
def test_body_that_never_ends_is_ended(world: World, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "MOST_TURNS", 5_000)
    with pytest.raises(EvaluationError, match=r"run more than|steps|nests too deeply"):
        world.evaluate(text)
