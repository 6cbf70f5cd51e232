"""`new`, initializers, arrays and ranges, over a program that the test makes."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from tests.unit.evaluation.fakes import FakeCaller, World


@pytest.fixture
def world() -> World:
    """A frame with something to put into new objects, and types to make."""
    world = World()
    world.local("number", world.scalar("int", 5))
    world.local("small", world.scalar("byte", 6))
    world.local("text", world.text("hello"))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (10, 20, 30, 40)]))
    point = world.type("App.Point", "System.ValueType")
    world.field(point, "X", "int")
    world.field(point, "Y", "int")
    node = world.type("App.Node")
    world.field(node, "Value", "int")
    world.field(node, "Next", node)
    world.method(node, ".ctor", "void", [("value", "int")], flags=6)
    world.method(node, ".ctor", "void", flags=6)
    bag = world.type("App.Bag")
    world.method(bag, ".ctor", "void", flags=6)
    world.method(bag, "Add", "void", [("item", "int")])
    world.type("App.Shape").flags |= 0x80
    return world


@pytest.fixture
def caller(world: World) -> FakeCaller:
    """Makes objects, whose constructors store what they get in the first fields."""
    return FakeCaller(world, **{".ctor": world.store_in_fields})


@pytest.mark.parametrize(
    ("expression", "shown"),
    [
        ("new App.Node().Value", "0"),
        ("new App.Node(7).Value", "7"),
        ("new App.Node { Value = number + 1 }.Value", "6"),
        ("new App.Node(1) { Next = new App.Node(2) { Value = 9 } }.Next.Value", "9"),
        ("new App.Point { X = 3, Y = number }.Y", "5"),
        ("new int[3].Length", "3"),
        ("new int[3][1]", "0"),
        ("new[] { number, 2, small }[2]", "6"),
        ("new long[] { 1, number }[1]", "5"),
        ("new string('x', 3)", '"xxx"'),
        ("numbers[1..3].Length", "2"),
        ("numbers[1..^1][1]", "30"),
        ("numbers[..^3][0]", "10"),
        ('"hello"[1..3]', '"el"'),
        ("text[^2..]", '"lo"'),
        ("text[5..].Length", "0"),
        ("new int()", "0"),
    ],
)
def test_creation_gives_what_csharp_gives(world: World, caller: FakeCaller, expression: str, shown: str) -> None:
    assert world.show(expression, caller) == shown


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("new App.Shape()", "CS0144"),
        ("new App.Node(1, 2)", "CS1729"),
        ('new App.Node("a")', "CS1503"),
        ("new App.Node { Nobody = 1 }", "CS0117"),
        ("new App.Node { Value = 1.5 }", "CS0266"),
        ("new App.Nobody()", "CS0234"),
        ("new()", "CS8754"),
        ("new int[1.5]", "CS0266"),
        ("new int[-1]", "CS0248"),
        ("new int[1000000000]", "limit"),
        ("new int[2] { 1 }", "CS0847"),
        ("new byte[] { 300 }", "CS0031"),
        ('new[] { 1, "a" }', "CS0826"),
        ("numbers[3..1]", "ArgumentOutOfRange"),
        ("numbers[1..9]", "ArgumentOutOfRange"),
        ("number[1..2]", "CS0021"),
        ("number with { X = 1 }", "CS8858"),
    ],
)
def test_what_cannot_be_made_is_refused(world: World, caller: FakeCaller, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression, caller)


def test_nothing_is_made_where_the_program_may_not_run(world: World) -> None:
    for expression in ("new App.Node()", "new int[3]", "numbers[1..2]"):
        with pytest.raises(EvaluationError, match="not allowed"):
            world.evaluate(expression)
    assert world.show('"hello"[1..2]') == '"e"'


def test_new_object_is_not_a_change_of_what_is_shown(world: World, caller: FakeCaller) -> None:
    result = world.evaluate("new[] { 1, 2 }", caller)
    assert (result.has_stored, result.path) == (False, None)
