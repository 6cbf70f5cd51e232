"""Assignments, compound ones, ++ and --, over a program that the test makes: what is stored and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.assigning import assign
from dap_dotnet.evaluation.evaluator import evaluate
from tests.unit.evaluation.fakes import FakeCaller, World
from tests.unit.evaluation.il import Il


@pytest.fixture
def world() -> World:
    """A frame with variables of every kind that can be stored."""
    world = World()
    for name, of, value in [
        ("number", "int", 5), ("small", "byte", 200), ("big", "long", 1 << 40), ("half", "double", 0.5),
        ("single", "float", 1.5), ("yes", "bool", 1), ("letter", "char", ord("a")), ("money", "decimal", Decimal(2)),
    ]:  # fmt: skip
        world.local(name, world.scalar(of, value))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (10, 20, 30)]))
    world.local("matrix", world.array("int", [world.scalar("int", value) for value in range(6)], (2, 3)))
    colour = world.enum("App.Colour", Red=0, Green=1, Blue=2)
    world.local("colour", world.scalar(colour, 1))
    point = world.type("App.Point", "System.ValueType")
    world.field(point, "X", "int")
    world.field(point, "Y", "int")
    world.local("point", world.new(point, X=world.scalar("int", 3), Y=world.scalar("int", 4)))
    world.local("other", world.new(point))
    node = world.type("App.Node")
    world.field(node, "Value", "int")
    world.field(node, "Next", node)
    world.field(node, "Inner", point)
    world.field(node, "Fixed", "int").flags |= 0x20
    world.field(node, "Count", "int", static=True)
    world.field(node, "Most", "int", static=True).constant_value = 7
    world.statics[world.type_id(node), node.fields[4].token] = world.scalar("int", 1)
    world.local("node", world.new(node, Inner=world.new(point)))
    world.local("nothing", None)
    world.pdb.variables.pop()
    world.locals.pop()
    return world


@pytest.mark.parametrize(
    ("expression", "value", "afterwards"),
    [
        ("number = 7", "7", "number"),
        ("number += 2", "7", "number"),
        ("number -= small", "-195", "number"),
        ("number <<= 2", "20", "number"),
        ("small += 1", "201", "small"),
        ("small++", "200", None),
        ("++small", "201", "small"),
        ("--number", "4", "number"),
        ("big = number", "5", "big"),
        ("half = number", "5", "half"),
        ("half /= 2", "0.25", "half"),
        ("single = 2", "2", "single"),
        ("money += 0.5m", "2.5", "money"),
        ("money++", "2", None),
        ("yes = number > 9", "false", "yes"),
        ("yes |= true", "true", "yes"),
        ("letter = 'b'", "98 'b'", "letter"),
        ("letter++", "97 'a'", None),
        ("colour = App.Colour.Blue", "Blue", "colour"),
        ("colour++", "Green", None),
        ("colour -= 1", "Red", "colour"),
        ("colour = 0", "Red", "colour"),
        ("numbers[1] = 21", "21", "numbers[1]"),
        ("numbers[^1] += 5", "35", "numbers[2]"),
        ("numbers[number - 5]++", "10", None),
        ("matrix[1, 2] = -1", "-1", "matrix[1, 2]"),
        ("point.X = 30", "30", "point.X"),
        ("point.Y++", "4", None),
        ("node.Value = number = 8", "8", "node.Value + number - 8"),
        ("node.Inner.X = 6", "6", "node.Inner.X"),
        ("App.Node.Count += 2", "3", "App.Node.Count"),
        ("number = default", "0", "number"),
        ("checked(number + 1)", "6", None),
    ],
)
def test_assignment_stores_and_gives_the_value(
    world: World, expression: str, value: str, afterwards: str | None
) -> None:
    assert world.show(expression) == value
    if afterwards is not None:
        assert world.show(afterwards) == value


def test_structures_are_copied_not_shared(world: World) -> None:
    world.show("other = point")
    world.show("other.X = 50")
    assert (world.show("point.X"), world.show("other.X")) == ("3", "50")
    world.show("point = default")
    assert (world.show("point.X"), world.show("point.Y")) == ("0", "0")


def test_references_are_stored_and_cleared(world: World) -> None:
    world.show("node.Next = node")
    world.show("node.Next.Next.Value = 9")
    assert world.show("node.Value") == "9"
    assert world.show("node.Next = null") == "null"


def test_the_left_side_is_evaluated_once(world: World) -> None:
    assert world.show("numbers[(number = 1)] += 5") == "25"
    assert world.show("numbers[number--] += 1") == "26"
    assert world.show("number") == "0"


def test_deconstruction_exchanges(world: World) -> None:
    world.show("((numbers[0], numbers[1]) = (numbers[1], numbers[0])).Item1")
    assert (world.show("numbers[0]"), world.show("numbers[1]")) == ("20", "10")


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("number = 1.5", "CS0266"),
        ("number = big", "CS0266"),
        ("small = 256", "CS0031"),
        ("small += 1000", "CS0031"),
        ("small += number", "CS0266"),
        ("letter += 1", "CS0266"),
        ("number = null", "CS0037"),
        ("number = yes", "CS0029"),
        ("yes = 1", "CS0029"),
        ("yes++", "CS0023"),
        ("colour = 1", "CS0266"),
        ("node = point", "CS0029"),
        ("node.Fixed = 1", "CS0191"),
        ("App.Node.Most = 1", "CS0131"),
        ("number + 1 = 2", "CS0131"),
        ("App.Node.Most++", "CS1059"),
        ("(number + 1)++", "CS1059"),
        ("(number) = 5.5", "CS0266"),
        ("nobody = 1", "CS0103"),
        ("node.Nobody = 1", "CS1061"),
        ("App.Node.Nobody = 1", "CS0117"),
        ("numbers[3] = 1", "IndexOutOfRange"),
        ("numbers[0] = 1L", "CS0266"),
        ("node.Next.Value = 1", "null"),
        ("number ??= 1", "CS0019"),
        ("number = default(string)", "CS0029"),
        ("checked(small += 56)", "OverflowException"),
        ("(number, small) = (1, 2, 3)", "CS8132"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_nothing_changes(world: World, expression: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression)
    assert [world.show(name) for name in ("number", "small", "colour", "numbers[0]")] == ["5", "200", "Green", "10"]


def test_expression_says_whether_it_has_stored(world: World) -> None:
    assert world.evaluate("number = 6").has_stored
    assert not world.evaluate("number + 6").has_stored
    assert world.evaluate("number = 6").path == world.evaluate("number += 1;").path == "number"
    assert world.evaluate("numbers[number == 7 ? 1 : 0] = (number)").path == "numbers[number == 7 ? 1 : 0]"
    assert world.evaluate("number++").path is None


def test_nothing_is_stored_where_that_is_forbidden(world: World) -> None:
    for expression in ("number = 1", "number++", "numbers[(number = 1)]"):
        with pytest.raises(EvaluationError, match="watch"):
            evaluate(expression, world.context, None, may_store=False)
    assert world.show("number") == "5"


@pytest.mark.parametrize(
    ("target", "value", "shown"),
    [
        ("colour", "Blue", "Blue"),
        ("colour", "App.Colour.Red", "Red"),
        ("letter", "98 'b'", "98 'b'"),
        ("letter", "'c'", "99 'c'"),
        ("single", "2.5", "2.5"),
        ("single", "NaN", "NaN"),
        ("single", "-Infinity", "-Infinity"),
        ("money", "-2.25", "-2.25"),
        ("money", "3", "3"),
        ("number", "number + 1", "6"),
        ("point.X", "12", "12"),
    ],
)
def test_value_may_be_written_as_it_is_shown(world: World, target: str, value: str, shown: str) -> None:
    assign(target, value, world.context, None)
    assert world.show(target) == shown


def test_string_is_made_by_the_program_where_it_may_run(world: World) -> None:
    text = world.type("App.Holder")
    world.field(text, "Name", "string")
    world.local("holder", world.new(text))
    with pytest.raises(EvaluationError, match="not allowed"):
        world.evaluate('holder.Name = "a"')
    caller = FakeCaller(world)
    assert world.show('holder.Name = "ab" + 1', caller) == '"ab1"'
    assert caller.made == ['"ab1"']
    assert world.show("holder.Name = null") == "null"


def test_setter_with_code_of_its_own_is_called_where_the_getter_is_automatic(world: World) -> None:
    holder = world.type("App.Holder")
    field = world.field(holder, "<Plain>k__BackingField", "int")
    world.getter(holder, "Plain", "int", Il().op("ldarg.0").ldfld(field).ret())
    doubled = Il().op("ldarg.0").ldarg(1).ldc(2).op("mul").token("stfld", field).ret()
    world.method(holder, "set_Plain", "void", [("value", "int")], il=doubled)
    held = world.new(holder)
    held.fields = {field.name: world.scalar("int", 3)}
    world.local("holder", held)
    with pytest.raises(EvaluationError, match="not allowed"):
        world.evaluate("holder.Plain = 7")
    assert world.show("holder.Plain") == "3"
