"""Constants, patterns and arrays: what the compiler gives or refuses, over a program that the test makes."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.parser import parse
from tests.unit.evaluation.fakes import FakeCaller, World


@pytest.fixture
def world() -> World:
    """A frame with numbers, a text, an object, and things that are null."""
    world = World()
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (3, 1, 4, 1, 5)]))
    world.local("text", world.text("text"))
    node, other = world.type("App.Node"), world.type("App.Other")
    world.local("node", world.new(node))
    world.local("other", world.new(other))
    colour = world.enum("App.Colour", "byte", Red=1)
    world.local("red", world.scalar(colour, 1))
    world.local("maybe", world.nullable("int", world.scalar("int", 4)))
    return world


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("unchecked(int.MaxValue + 1)", "-2147483648"),
        ("unchecked((byte)300)", "44"),
        ("unchecked(checked((byte)200))", "200"),
        ("maybe ?? 1.5", "4"),
        ('$"{red:X} {red:D}"', '"01 1"'),
        ("numbers is [.., 5]", "true"),
        ("numbers is [..]", "true"),
        ("numbers is [3, .., 4]", "false"),
        ("text is ['t', .. var tail] ? tail : null", '"ext"'),
        ("text is [.. { Length: 3 } head, 't'] ? head : null", '"tex"'),
        ('(1, "x") is (1, "x")', "true"),
        ("(1, 2) is (1, var b) && b == 2", "true"),
        ("(1, 2) is (Item1: 1, Item2: 2)", "true"),
        ("(a: 1, b: 2) is (a: 1, b: 3)", "false"),
        ("(a: 1, b: 2) is (a: 1, Item2: 2)", "true"),
        ("(1, 2) is (int.MaxValue, 2)", "false"),
        ("(object)1 is not int n ? 0 : n", "1"),
        ("(object)1 is int _ or long _", "true"),
        ('(1, "x") is (var a, var b) ? b + a : null', '"x1"'),
        ("(1, (2, 3)) is (_, (2, > 2))", "true"),
        ("System.Array.Find(numbers, x => x > 3)", "4"),
        ("System.Array.Exists(numbers, x => x > 9)", "false"),
        ("System.Array.FindLastIndex(numbers, x => x == 1)", "3"),
        ("System.Array.FindIndex(numbers, 2, x => x == 1)", "3"),
    ],
)
def test_expression_gives_what_csharp_gives(world: World, expression: str, shown: str) -> None:
    assert world.show(expression, FakeCaller(world)) == shown


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("int.MaxValue + 1", "CS0220"),
        ("-(int.MaxValue * 2)", "CS0220"),
        ("unchecked(checked(int.MaxValue + 1))", "CS0220"),
        ("(byte)300", "CS0221"),
        ("1 / 0", "CS0020"),
        ('"a" ?? 1', "CS0019"),
        ("(App.Node)null ?? (App.Other)null", "CS0019"),
        ('(int?)4 ?? "x"', "CS0019"),
        ("numbers.Length ?? 1", "CS0019"),
        ("(1, 2) is (1, 2, 3)", "CS8132"),
        ("(1, 2) is (Item2: 1, Item1: 2)", "CS8516"),
        ("(a: 1, b: 2) is (b: 1, a: 2)", "CS8516"),
        ("(object)1 is int n or long", "CS8780"),
        ("(object)1 is string or (int m)", "CS8780"),
        ("1 switch { not var n => 1, _ => 2 }", "CS8780"),
        ("new[] { 1 } is [1] or [var first]", "CS8780"),
        ("node is (1, 2)", "CS8129"),
        ("new int[2, 2] { { 1, 2 } }", "CS0847"),
        ("new int[,] { { 1, 2 }, { 3 } }", "CS0847"),
        ("new int[,] { 1, 2 }", "CS0846"),
        ("new int[1000, 1000]", "cannot be created here"),
    ],
)
def test_expression_that_csharp_refuses_is_refused_in_its_words(world: World, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression, FakeCaller(world))


def test_items_of_several_dimensions_come_row_by_row() -> None:
    made = parse("new int[,] { { 1, 2, 3 }, { 4, 5, 6 } }")
    assert isinstance(made, syntax.NewArray)
    assert made.items is not None
    assert (made.shape, made.rank) == ((2, 3), 2)
    assert [item.value for item in made.items if isinstance(item, syntax.Literal)] == [1, 2, 3, 4, 5, 6]
