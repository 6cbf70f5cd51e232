"""Who runs methods: by interpretation where they only read, else by a call where calls are allowed."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.method_runner import METHOD_RUNNER
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand
from dap_dotnet.runtime.model import MethodToken
from tests.unit.evaluation.fake_metadata import FakeMethod, FakeType
from tests.unit.evaluation.fakes import FakeCaller, World
from tests.unit.evaluation.il import Il

VIRTUAL = 0x46


class Order:
    """A program with an order in its frame: `Total` only reads, `Save` does more."""

    def __init__(self) -> None:
        self.world = World()
        self.type = self.world.type("App.Order")
        total = self.world.field(self.type, "total", "int")
        self.total = self.world.getter(self.type, "Total", "int", Il().ldarg(0).ldfld(total).ret(), flags=VIRTUAL)
        self.save = self.world.method(self.type, "Save", "int", il=Il().op("throw")._bytes)
        self.caller = FakeCaller(self.world, Save=lambda order: self.world.scalar("int", 1))
        self.world.local("order", self.world.new(self.type, total=self.world.scalar("int", 7)))

    def environment(self, *, with_calls: bool = True) -> Environment:
        return Environment(self.world.context, self.caller if with_calls else None, METHOD_RUNNER)

    def exact(self, env: Environment, method: FakeMethod, owner: FakeType | None = None) -> ExactMethod:
        found = env.universe.named((owner or self.type).full_name)
        assert found is not None
        return ExactMethod(found, MethodToken(method.token))


def run(order: Order, env: Environment, method: FakeMethod) -> Operand:
    target = env.operand(env.local(len(order.world.locals) - 1))
    return env.runner.run(env, order.exact(env, method), target, [])


@pytest.mark.parametrize("with_calls", [False, True])
def test_runner_interprets_what_only_reads(with_calls: bool) -> None:
    order = Order()
    assert run(order, order.environment(with_calls=with_calls), order.total).data == 7
    assert order.caller.made == []


def test_runner_calls_what_does_more_than_read() -> None:
    order = Order()
    assert run(order, order.environment(), order.save).data == 1
    assert order.caller.made == ["Save"]


def test_runner_refuses_a_call_that_is_not_allowed() -> None:
    order = Order()
    with pytest.raises(EvaluationError, match=r"App\.Order\.Save needs a call into the program"):
        run(order, order.environment(with_calls=False), order.save)
    assert order.caller.made == []


@pytest.mark.parametrize("with_calls", [False, True])
def test_runner_runs_the_override_of_the_object(with_calls: bool) -> None:
    order = Order()
    special = order.world.type("App.SpecialOrder", "App.Order")
    order.world.getter(special, "Total", "int", Il().ldc(11).ret(), flags=VIRTUAL)
    order.world.local("special", order.world.new(special, total=order.world.scalar("int", 7)))
    assert run(order, order.environment(with_calls=with_calls), order.total).data == 11


def test_runner_seldom_tries_to_interpret_what_has_failed_time_after_time() -> None:
    order = Order()
    world, target = order.world, order.world.locals[-1]
    paid = world.field(order.type, "paid", "int")
    il = Il().ldarg(0).ldfld(paid).branch("brtrue.s", 1).op("throw").ldarg(0).ldfld(paid).ret()
    due = world.method(order.type, "Due", "int", il=il)
    order.caller = FakeCaller(world, Due=lambda _: world.scalar("int", 3))
    target.fields["paid"] = world.scalar("int", 0)

    def results(count: int) -> list[object]:
        return [run(order, order.environment(), due).data for _ in range(count)]

    assert results(3) == [3, 3, 3]
    target.fields["paid"] = world.scalar("int", 4)  # from here on it could be followed
    assert run(order, order.environment(with_calls=False), due).data == 4  # where nothing else is possible it is
    assert results(40) == [3] * 30 + [4] * 10
    assert order.caller.made == ["Due"] * 33
