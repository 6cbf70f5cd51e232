"""Operations run no method themselves: getters, indexers, operators and conversions go to the environment's runner."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.evaluator import compiled
from dap_dotnet.evaluation.syntax.parser import parse
from dap_dotnet.evaluation.types.csharp_types import I4, STRING, ExactMethod, Operand
from portablepdb import signatures as sig
from tests.unit.evaluation.fake_metadata import FakeProperty
from tests.unit.evaluation.fakes import FakeCaller, World


class RecordingRunner:
    """Runs nothing: notes the methods it is given, and gives each the same result."""

    def __init__(self, world: World, result: Operand) -> None:
        self._world = world
        self._result = result
        self.given: list[tuple[str, str | None, int]] = []
        """(method, type of the target, number of arguments)"""

    def run(
        self,
        env: Environment,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
        *,
        is_virtual: bool = True,
    ) -> Operand:
        name = self._world.metadata.method(method.token).name
        self.given.append((name, target.type.name if target is not None else None, len(arguments)))
        return self._result


@pytest.fixture
def world() -> World:
    world = World()
    money = world.type("App.Money", "System.ValueType")
    world.field(money, "Amount", "int")
    world.getter(money, "Rounded", "int", None)
    itself = world.signature(money)
    world.method(money, "op_Addition", "int", [("a", itself), ("b", itself)], static=True)
    world.method(money, "op_UnaryNegation", "int", [("a", itself)], static=True)
    world.method(money, "op_Explicit", "int", [("a", itself)], static=True)
    purse = world.type("App.Purse")
    item = world.method(purse, "get_Item", "int", [("index", "int")])
    purse.properties.append(FakeProperty("Item", item.token))
    world.method(purse, "Count", "int", [("least", "int")])
    world.method(purse, "ToString", sig.PrimitiveType(0x0E))
    world.local("money", world.new(money, Amount=world.scalar("int", 3)))
    world.local("purse", world.new(purse))
    return world


@pytest.mark.parametrize(
    ("text", "result", "given"),
    [
        ("money.Rounded", Operand(I4, 1), ("get_Rounded", "App.Money", 0)),
        ("money + money", Operand(I4, 1), ("op_Addition", None, 2)),
        ("-money", Operand(I4, 1), ("op_UnaryNegation", None, 1)),
        ("(int)money", Operand(I4, 1), ("op_Explicit", None, 1)),
        ("purse[0]", Operand(I4, 1), ("get_Item", "App.Purse", 1)),
        ("purse.Count(2)", Operand(I4, 1), ("Count", "App.Purse", 1)),
        ('"" + purse', Operand(STRING, "text"), ("ToString", "App.Purse", 0)),
    ],
)
def test_operation_gives_its_method_to_the_runner(
    world: World, text: str, result: Operand, given: tuple[str, str | None, int]
) -> None:
    runner = RecordingRunner(world, result)
    env = Environment(world.context, FakeCaller(world), runner)
    found = compiled(NameBinder(env), parse(text)).run(env)
    assert found.data == result.data
    assert runner.given == [given]
