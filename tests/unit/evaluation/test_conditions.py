"""Conditions: refused when set, bound once, tested at each hit with few calls."""

from __future__ import annotations

import pytest
from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.evaluator import Condition, check_condition
from dap_dotnet.runtime.model import ThreadId
from tests.unit.evaluation.fakes import World
from tests.unit.evaluation.il import Il


@pytest.fixture
def world() -> World:
    world = World()
    world.local("i", world.scalar("int", 0))
    world.local("name", world.text("first"))
    order = world.type("App.Order")
    world.field(order, "total", "int")
    world.field(order, "open", "bool")
    world.local("order", world.new(order, total=world.scalar("int", 7), open=world.scalar("bool", 1)))
    return world


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected an expression"),
        ("i ==", "line 1, column 5"),
        ("i + 1", "of type 'int'"),
        ("5", "of type 'int'"),
        ('"text"', "of type 'string'"),
        ("null", "not 'bool'"),
        ('name + "x"', "of type 'string'"),
        ('$"{i}"', "of type 'string'"),
        ("(long)i", "of type 'long'"),
        ("i = 5", "write '=='"),
        ("(" * 5000, "deep"),
        ("a" * (1 << 20), "characters"),
    ],
)
def test_condition_is_refused_when_it_is_set(text: str, said: str) -> None:
    with pytest.raises(EvaluationError, match=said) as caught:
        check_condition(text)
    assert caught.value.code == "INVALID_CONDITION"


@pytest.mark.parametrize("text", ["i == 5", "order.open", "Check()", "a ? b : c", "true", "!x", "(bool)x", "x is 5"])
def test_condition_that_may_be_boolean_is_accepted(text: str) -> None:
    check_condition(text)


def test_condition_holds_or_not_by_the_frame_it_is_tested_in(world: World) -> None:
    condition = Condition('i == 3 && name == "first" && order.total > 5')
    seen = []
    for value in range(5):
        world.locals[0] = world.scalar("int", value)
        seen.append(condition.test(world.context, None))
    assert seen == [False, False, False, True, False]


def test_condition_of_another_type_is_refused_at_its_first_hit(world: World) -> None:
    condition = Condition("order.total")
    with pytest.raises(EvaluationError, match="of type 'int', not 'bool'") as caught:
        condition.test(world.context, None)
    assert caught.value.code == "INVALID_CONDITION"


@pytest.mark.parametrize(
    ("text", "said"), [("nope == 1", "CS0103"), ("order.nope", "CS1061"), ("missing.total > 1", "null")]
)
def test_condition_that_fails_says_why_and_can_be_tested_again(world: World, text: str, said: str) -> None:
    world.local("missing", None)
    condition = Condition(text)
    for _ in range(2):
        with pytest.raises(EvaluationError, match=said) as caught:
            condition.test(world.context, None)
        assert caught.value.code == "EVAL_FAILED"


def test_condition_reads_its_locals_in_one_call(world: World) -> None:
    condition = Condition("i == 0 && i < 5 && name != null")
    condition.test(world.context, None)
    world.debuggee.calls.clear()
    assert condition.test(world.context, None)
    assert world.debuggee.reads == ["locals"]


def test_condition_on_a_string_makes_no_call_into_the_program(world: World) -> None:
    world.locals[1] = world.text("x" * 3000)
    condition = Condition('name == "first"')
    assert not condition.test(world.context, None)
    world.debuggee.calls.clear()
    assert not condition.test(world.context, None)
    assert world.debuggee.reads == ["locals"]


def test_condition_interprets_a_getter_that_reads(world: World) -> None:
    order = next(entry for entry in world.metadata.types.values() if entry.full_name == "App.Order")
    world.getter(order, "Total", "int", Il().ldarg(0).ldfld(order.fields[0]).ret())
    condition = Condition("order.Total == 7")
    assert condition.test(world.context, None)
    world.debuggee.calls.clear()
    assert condition.test(world.context, None)
    assert world.debuggee.reads == ["locals", "fields"]


def test_condition_follows_objects_of_changing_types(world: World) -> None:
    base = world.type("App.Animal")
    world.field(base, "legs", "int")
    bird, dog = world.type("App.Bird", "App.Animal"), world.type("App.Dog", "App.Animal")
    world.field(bird, "wings", "int")
    world.local("animal", None, of="App.Animal")
    condition = Condition("animal?.legs == 2 && animal is Bird { wings: 2 }")
    two, four = world.scalar("int", 2), world.scalar("int", 4)
    results = []
    for animal in (
        world.new(bird, legs=two, wings=two),
        world.new(dog, legs=four),
        None,
        world.new(bird, legs=two, wings=four),
    ):
        world.locals[-1] = animal
        results.append(condition.test(world.context, None))
    assert results == [True, False, False, False]


def test_condition_follows_an_exception_of_changing_types(world: World) -> None:
    first, second = world.type("App.FirstError"), world.type("App.SecondError")
    world.field(first, "code", "int")
    world.field(second, "code", "bool")
    condition = Condition("$exception.code == 7")
    world.debuggee.exception = world.new(first, code=world.scalar("int", 7))
    assert condition.test(world.context, None)
    world.debuggee.exception = world.new(second, code=world.scalar("bool", 1))
    with pytest.raises(EvaluationError, match="CS0019"):
        condition.test(world.context, None)


def test_condition_on_the_thread_has_that_of_the_hit(world: World) -> None:
    condition = Condition("$tid == 1000")
    assert not condition.test(world.context, None)
    assert condition.test(structs.replace(world.context, thread=ThreadId(1000)), None)
