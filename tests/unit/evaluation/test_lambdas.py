"""Lambdas and LINQ over a program that the test makes, which runs nothing."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import ControlLostError
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
    nodes = [world.new(node, Value=world.scalar("int", value), Name=world.text(f"n{value}")) for value in range(600)]
    world.local("nodes", world.array(node, nodes))
    world.method(node, "Twice", "int", il=None)
    return world


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("numbers.Where(x => x > limit).Count()", "3"),
        ("numbers.Select(x => x * limit).Sum()", "28"),
        ("numbers.OrderBy(x => x).ElementAt(2)", "3"),
        ("numbers.OrderByDescending(x => x).First()", "5"),
        ("numbers.OrderBy(x => x % 2).ThenByDescending(x => x).Last()", "1"),
        ("numbers.First(x => x > 3)", "4"),
        ("numbers.FirstOrDefault(x => x > 9)", "0"),
        ("numbers.Last(x => x > 1)", "5"),
        ("numbers.Single(x => x == 4)", "4"),
        ("numbers.Any(x => x == 5)", "true"),
        ("numbers.All(x => x > 1)", "false"),
        ("numbers.Skip(1).Count()", "4"),
        ("numbers.Max()", "5"),
        ("numbers.Nothing()", None),
        ("numbers.Where(x => true).Skip(1).Take(2).Sum()", "5"),
        ("numbers.TakeWhile(x => x != 4).Count()", "2"),
        ("numbers.SkipWhile(x => x != 4).Count()", "3"),
        ("numbers.Select(x => x).Distinct().Count()", "4"),
        ("numbers.DistinctBy(x => x % 2).Count()", "2"),
        ("numbers.GroupBy(x => x % 2).Select(g => g.Count()).Max()", "4"),
        ("numbers.GroupBy(x => x % 2).First().Key", "1"),
        ("numbers.Where(x => x > 1).Reverse().First()", "5"),
        ("numbers.Aggregate((a, b) => a * b)", "60"),
        ("numbers.Aggregate(10, (a, b) => a + b)", "24"),
        ("numbers.Average(x => x)", "2.8"),
        ("numbers.Max(x => -x)", "-1"),
        ("numbers.MinBy(x => -x)", "5"),
        ("words.MinBy(w => (string)null)", '"one"'),
        ("numbers.FirstOrDefault(x => x > 9, 7)", "7"),
        ("numbers.Where(x => x > 9).FirstOrDefault(8)", "8"),
        ("numbers.OrderBy(x => x % 2).ThenBy(x => x).Select(x => x * 2).First()", "8"),
        ("numbers.Where((x, n) => n % 2 == 0).Sum()", "12"),
        ("numbers.Select((x, n) => x * n).Sum()", "32"),
        ("numbers.SelectMany(x => numbers.Where(y => y > x)).Count()", "9"),
        ("numbers.Where(x => numbers.Count(y => y == x) > 1).Count()", "2"),
        ("numbers.Where(x => x > 3).Concat(numbers.Where(x => x < 3)).Count()", "4"),
        ("numbers.Where(x => x > 3).Contains(5)", "true"),
        ("words.Where(w => w.Length == 3).Last()", '"two"'),
        ("words.Select(w => w.Length).Max()", "5"),
        ('words.Any(w => w == "two")', "true"),
        ("words.SelectMany(w => w).Count(c => c == 'e')", "3"),
        ("nodes.Where(n => n.Value % 2 == 1).Count()", "300"),
        ("nodes.Last(n => n.Value < 300).Name", '"n299"'),
        ("nodes.Sum(n => n.Value)", "179700"),
        ("nodes.First(n => n.Value == 599).Name", '"n599"'),
        ("numbers.Count(limit => limit > 3)", "2"),
        ("numbers.Count((int x) => x > 3)", "2"),
        ("numbers.Count(x => { return x > 3; })", "2"),
    ],
)
def test_query_gives_what_linq_gives_and_runs_nothing(world: World, expression: str, shown: str | None) -> None:
    if shown is None:
        with pytest.raises(EvaluationError):
            world.evaluate(expression)
        return
    assert world.show(expression) == shown


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("numbers.First(x => x > 9)", "no matching element"),
        ("numbers.Single(x => x == 1)", "more than one matching"),
        ("numbers.Where(x => x > 9).First()", "no elements"),
        ("numbers.Where(x => x > 9).Max()", "no elements"),
        ("numbers.Where(x => x)", "CS0029"),
        ("numbers.Where(x => x > nobody).Count()", "CS0103"),
        ("numbers.Count(x => x / 0 > 1)", "DivideByZero"),
        ("numbers.Where((a, b, c) => true)", "CS1593"),
        ("numbers.Select(x => int.MaxValue).Sum()", "OverflowException"),
        ("words.Sum(w => w)", "CS0029"),
        ("nodes.Where(n => n.Nobody > 1).Count()", "CS1061"),
        ("nodes[0].Twice(x => x)", "CS1501"),
        ("limit.Where(x => x > 1)", "CS1061"),
        ("(x => x)", "CS8917"),
        ("words.OrderBy(w => w).First()", "CompareTo"),
    ],
)
def test_query_that_cannot_be_says_why(world: World, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression)


def test_query_is_lazy(world: World) -> None:
    assert world.show("numbers.Select(x => 1 / (x - 4)).First()") == "-1"
    world.debuggee.calls.clear()
    world.show("nodes.First(n => n.Value == 3).Value")
    assert world.debuggee.calls.count("elements") == 1


def test_query_is_shown_as_an_array_of_the_program(world: World) -> None:
    caller = FakeCaller(world)
    result = world.evaluate("numbers.Where(x => x > 2).Select(x => x + 1)", caller)
    assert (result.value.length, result.path, caller.made) == (3, None, ["new[3]"])


def test_lambda_takes_no_place_in_conditions_once_bound(world: World) -> None:
    from dap_dotnet.evaluation.evaluator import Condition

    condition = Condition("numbers.Any(x => x == limit + 3)")
    for _ in range(2):
        assert condition.test(world.context, None)


def test_nothing_is_let_go_of_where_the_program_runs_and_cannot_be_stopped(world: World) -> None:
    def loop() -> None:
        raise ControlLostError("it holds a loop")

    owner = world.program_type
    world.method(owner, "Loop", "int", static=True)
    world.method(owner, "Pair", "int", [("first", world.signature("App.Node")), ("second", "int")], static=True)
    with pytest.raises(ControlLostError):
        world.evaluate("App.Program.Pair(nodes[0], App.Program.Loop())", FakeCaller(world, Loop=loop))
    assert len(world.debuggee.heap.pins) == 1
