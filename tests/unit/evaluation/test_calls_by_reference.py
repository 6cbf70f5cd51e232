"""`ref` and `out` arguments, `await`, collection expressions, groups of methods: above all what is refused."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from portablepdb import signatures as sig
from tests.unit.evaluation.fakes import FakeCaller, World


@pytest.fixture
def world() -> World:
    """A frame in a class with methods that take byrefs."""
    world = World()
    world.local("number", world.scalar("int", 5))
    world.local("text", world.text("hello"))
    world.local("numbers", world.array("int", [world.scalar("int", value) for value in (3, 1)]))
    method = world.method(world.program_type, "Split", "bool", [("text", "string"), ("length", "int")], static=True)
    parameters = method.signature.parameters
    method.signature = method.signature._replace(parameters=(parameters[0], sig.ByRefType(parameters[1])))
    method.out_parameters = frozenset({2})
    return world


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("Split(text, out number)", "may not run|not allowed|cannot be called"),
        ("Split(text, out var n)", "may not run|not allowed|cannot be called"),
        ("Split(number, out var n)", "CS1503"),
        ("Split(text, out text)", "CS1503"),
        ("Split(text, ref number)", "CS1620.*'out'"),
        ("Split(text, number)", None),
        ("Split(text, out 5)", "CS1510"),
        ("Split(text, out nobody)", "CS0103"),
        ("Split(text, out long n)", "CS1503"),
        ("Split(out text, out number)", "CS1503"),
        ("Nothing(out var n)", "CS0103"),
        ("var x", "CS|declared"),
        ("await number", "CS1061"),
        ("await null", "null"),
        ("[1, 2]", "CS9176"),
        ("number = [1]", "CS9174"),
        ("(string)[1]", "CS9174"),
        ("stackalloc int[3]", "no stack of its own"),
        ("numbers.Select(nobody)", "CS0103"),
    ],
)
def test_what_cannot_be_says_why(world: World, expression: str, said: str | None) -> None:
    with pytest.raises(EvaluationError, match=said):
        world.evaluate(expression)


def test_collection_is_made_of_elements_and_spreads(world: World) -> None:
    listed: list[object] = []
    caller = FakeCaller(
        world,
        Add=lambda target, item: listed.append(world.content(item)),
        AddRange=lambda target, items: listed.extend(items.items),
        ToArray=lambda target: world.array("int", list(listed)),
        **{".ctor": lambda made: listed.clear()},
    )
    assert world.show("((int[])[number, ..numbers, 1]).Length", caller) == "4"
    assert world.show("((int[])[number, ..numbers, 1])[1]", caller) == "3"
    assert world.show("((long[])[1, number])[1]", caller) == "5"
    assert world.show("((int[])[]).Length", caller) == "0"
