"""Static fields of a class with an initialiser: zero is believed only once the class is known to be initialised."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from tests.unit.evaluation.fakes import World


@pytest.fixture
def world() -> World:
    world = World()
    settings = world.type("App.Settings")
    world.method(settings, ".cctor", "void", static=True)
    for name in ("Limit", "Zero"):
        field = world.field(settings, name, "int", static=True)
        world.statics[world.type_id(settings), field.token] = world.scalar("int", 0)
    return world


def set_limit(world: World, value: int) -> None:
    settings = world.metadata.find_type("App.Settings")
    assert settings is not None
    limit = world.metadata.types[settings].fields[0]
    world.statics[world.type_id(world.metadata.types[settings]), limit.token] = world.scalar("int", value)


@pytest.mark.parametrize("expression", ["App.Settings.Limit", "App.Settings.Zero + 1"])
def test_zero_of_a_class_that_may_not_be_initialised_is_refused(world: World, expression: str) -> None:
    with pytest.raises(EvaluationError, match="may not be initialised yet"):
        world.show(expression)


def test_zero_is_believed_when_the_initialiser_has_set_another_field(world: World) -> None:
    set_limit(world, 10)
    assert world.show("App.Settings.Zero") == "0"
    assert world.show("App.Settings.Limit") == "10"
