"""What follows from the metadata of all modules together is found out once, and anew when modules come or go."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.types.declarations import bases_of, methods_named
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from tests.unit.evaluation.fakes import World


def _info(number: int, *, is_dynamic: bool = False) -> ModuleInfo:
    return ModuleInfo(ModuleId(number), f"/nowhere/{number}.dll", 0, 0, is_dynamic, False, False)


def _asked(universe: Universe) -> int:
    """How often the answer is made when it is wanted twice."""
    made: list[int] = []
    for _ in range(2):
        assert universe.derived(("what", 1), lambda: made.append(1) or len(made)) == len(made)
    return len(made)


def test_answers_are_kept_until_a_module_comes_or_goes() -> None:
    modules = ModuleCatalog()
    universe = Universe(modules)
    assert _asked(universe) == 1
    assert universe.derived(("what", 1), lambda: 7) == 1
    modules.add(_info(1), lambda address, size: b"")
    assert universe.derived(("what", 1), lambda: 8) == 8
    modules.remove(ModuleId(1))
    assert universe.derived(("what", 1), lambda: 9) == 9


def test_answers_are_kept_until_a_dynamic_module_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    modules, grows = ModuleCatalog(), [True]
    universe = Universe(modules)
    monkeypatch.setattr(LoadedModule, "grow", lambda module, read: grows.pop() if grows else False)
    modules.add(_info(1, is_dynamic=True), lambda address, size: b"", lambda module: b"")
    assert _asked(universe) == 1
    grows.append(True)
    assert universe.derived(("what", 1), lambda: 7) == 7
    assert universe.derived(("what", 1), lambda: 8) == 7


def test_an_answer_that_is_none_is_kept_too() -> None:
    universe, made = Universe(ModuleCatalog()), list[int]()
    for _ in range(2):
        assert universe.derived(("nothing",), lambda: made.append(1)) is None
    assert made == [1]


def test_who_takes_what_is_kept_may_change_its_own_list() -> None:
    world = World()
    animal, dog = world.type("App.Animal"), world.type("App.Dog", "App.Animal")
    world.method(animal, "Name", "string")
    world.method(dog, "Name", "string")
    world.field(animal, "Age", "int")
    universe = Universe(world.catalog)
    kind = universe.named("App.Dog")
    assert kind is not None
    bases_of(universe, kind).clear()
    assert [one.name for one in bases_of(universe, kind)][:2] == ["App.Dog", "App.Animal"]
    assert [one.owner.name for one in methods_named(universe, kind, "Name")] == ["App.Dog", "App.Animal"]
