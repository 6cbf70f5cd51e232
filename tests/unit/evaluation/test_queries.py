"""Query syntax, joins and anonymous objects over a program that the test makes, which runs nothing."""

from __future__ import annotations

import pytest
from msgspec import structs

from dap_dotnet.errors import DeadlineError, EvaluationError
from dap_dotnet.evaluation import environment
from tests.unit.evaluation.fakes import FakeCaller, World


@pytest.fixture
def world() -> World:
    """A frame with arrays of numbers, strings and objects."""
    world = World()
    world.local("limit", world.scalar("int", 2))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (3, 1, 4, 1, 5)]))
    world.local("words", world.array("string", [world.text(text) for text in ("one", "two", "three")]))
    node = world.type("App.Node")
    world.field(node, "Value", "int")
    world.field(node, "Name", "string")
    nodes = [world.new(node, Value=world.scalar("int", value), Name=world.text(f"n{value}")) for value in range(6)]
    world.local("nodes", world.array(node, nodes))
    return world


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("(from x in numbers select x).Count()", "5"),
        ("(from x in numbers where x > limit select x * 2).Sum()", "24"),
        ("(from int x in numbers where x > limit select x * 2).Sum()", "24"),
        ("(from x in numbers orderby x select x).ElementAt(2)", "3"),
        ("(from x in numbers orderby x % 2, x descending select x).Last()", "1"),
        ("(from x in numbers orderby x % 2 descending, x select x).Last()", "4"),
        ("(from x in numbers from y in numbers where x < y select x * y).Max()", "20"),
        ("(from x in numbers from y in numbers from z in words where x == y select z.Length).Sum()", "77"),
        ("(from x in numbers let y = x * x let z = y + x where z > 10 select z - y).Sum()", "12"),
        ("(from n in nodes join x in numbers on n.Value equals x select n.Name).Count()", "5"),
        ("(from n in nodes join x in numbers on n.Value equals x select n.Name).First()", '"n1"'),
        ("(from n in nodes join x in numbers on n.Value equals x into g select g.Count()).Max()", "2"),
        ("(from n in nodes join x in numbers on n.Value equals x into g from y in g select y).Sum()", "14"),
        ("(from n in nodes join m in nodes on new { n.Value } equals new { m.Value } select m).Count()", "6"),
        ("(from x in numbers group x by x % 2).First().Sum()", "10"),
        ("(from x in numbers group x * 10 by x % 2 into g orderby g.Key select g.Sum()).First()", "40"),
        ("(from x in numbers group x by x % 2 into g where g.Key == 1 select g.Count()).First()", "4"),
        ("(from x in numbers select x + 1 into y where y > 4 select y).Count()", "2"),
        ("(from x in numbers select new { x, Twice = x * 2 }).First(p => p.Twice == 8).x", "4"),
        ("(from w in words where (from c in w where c == 'e' select c).Any() select w).Count()", "2"),
        ("(from limit in numbers where limit > 3 select limit).Count()", "2"),
        ("from.Length", None),
        ("numbers.SelectMany(x => numbers, (x, y) => x - y).Max()", "4"),
        ("numbers.Zip(words, (x, w) => x * w.Length).Sum()", "32"),
        ("numbers.Where(x => true).Zip(words).Last().First", "4"),
        ("numbers.Union(numbers).Count(x => true)", "4"),
        ("numbers.Where(x => true).Union(numbers.Select(x => x + 1)).Count()", "6"),
        ("numbers.Where(x => true).Intersect(numbers.Where(y => y > 2)).Sum()", "12"),
        ("numbers.Where(x => true).Except(numbers.Where(y => y > 2)).Sum()", "1"),
        ("numbers.Where(x => true).Append(7).Prepend(9).First()", "9"),
        ("numbers.Where(x => true).Append(7).Prepend(9).Last()", "7"),
        ("numbers.Where(x => true).TakeLast(2).Sum()", "6"),
        ("numbers.Where(x => true).SkipLast(2).Sum()", "8"),
        ("numbers.Where(x => true).Order().First()", "1"),
        ("numbers.Where(x => true).OrderDescending().First()", "5"),
        ("numbers.GroupBy(x => x % 2, x => x * 2).First().Sum()", "20"),
        ("numbers.GroupBy(x => x % 2, (k, g) => k * g.Count()).Sum()", "4"),
        ("numbers.GroupBy(x => x % 2, x => -x, (k, g) => g.Min()).Min()", "-5"),
        ("numbers.Join(nodes, x => x, n => n.Value, (x, n) => n.Name).First()", '"n3"'),
        ("numbers.Cast<object>().Count()", "5"),
        ("words.OfType<string>().Count()", "3"),
        ("words.Cast<object>().OfType<int>().Count()", "0"),
        ("new { A = 1, B = limit }.B", "2"),
        ("new { limit }.limit", "2"),
        ("new { nodes[1].Name }.Name", '"n1"'),
        ("new { nodes[1]?.Name }.Name", '"n1"'),
        ("(a: 1, b: limit).b", "2"),
        ("(a: 1, b: limit).Item2", "2"),
        ('$"{new { A = 1, B = 2 }}"', '"{ A = 1, B = 2 }"'),
        ("new { A = new { B = 5 } }.A.B", "5"),
    ],
)
def test_query_expression_gives_what_its_calls_give(world: World, expression: str, shown: str | None) -> None:
    if shown is None:
        with pytest.raises(EvaluationError):
            world.evaluate(expression)
        return
    assert world.show(expression) == shown


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("from x in numbers from x in numbers select x", "CS1930"),
        ("from x in numbers let x = 1 select x", "CS1930"),
        ("from x in numbers join y in nodes on y.Value equals x select x", "CS0103"),
        ("(from x in numbers select y).First()", "CS0103"),
        ("from x in numbers where x > 1", "CS1003|CS1525|expected"),
        ("from x in limit select x", "CS1936"),
        ("from string x in numbers select x", "Cast|convert"),
        ("new { 1 }", "CS0746"),
        ("new { limit, limit }", "CS0833"),
        ("numbers.Join(nodes, x => x)", "CS1501"),
    ],
)
def test_query_expression_that_cannot_be_says_why(world: World, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression, FakeCaller(world))


def test_anonymous_object_is_of_the_type_that_the_program_has(world: World) -> None:
    world.anonymous("A", "B")
    caller = FakeCaller(world, **{".ctor": world.store_in_fields})
    assert world.show("new { A = 1, B = nodes[1] }.B.Name", caller) == '"n1"'
    assert caller.made == ["new"]
    with pytest.raises(EvaluationError, match="CS1061"):
        world.evaluate("new { A = 1, B = 2 }.C", caller)
    assert caller.made == ["new"]


REPEATING = [
    "numbers.Count(x => x > limit)",
    "(from n in nodes orderby n.Name select n.Value).Sum()",
    "words.Sum(w => { var count = 0; foreach (var c in w) count++; return count; })",
    "nodes.ToDictionary(n => n.Value, n => n.Name)",
    'string.Join(",", "abc".Select(c => c))',
]


@pytest.mark.parametrize("text", REPEATING)
def test_what_takes_too_long_is_given_up(world: World, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "MOST_SECONDS", -1.0)
    with pytest.raises(EvaluationError, match="given up after") as refused:
        world.evaluate(text)
    assert refused.value.code == DeadlineError.code


@pytest.mark.parametrize("text", REPEATING)
def test_what_nobody_waits_for_is_given_up(world: World, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = structs.replace(world.context.program, is_work_unwanted=lambda: True)
    monkeypatch.setattr(World, "context", structs.replace(world.context, program=program))
    with pytest.raises(EvaluationError, match="was cancelled, or interrupted by a pause or the end"):
        world.evaluate(text)
