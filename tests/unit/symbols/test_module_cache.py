"""What other packages keep with a module: made once for each module and slot, and by the owner of the slot."""

from __future__ import annotations

from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule


def loaded(number: int) -> LoadedModule:
    info = ModuleInfo(ModuleId(number), f"/nowhere/{number}.dll", 0, 0, False, False, False)
    return LoadedModule(info, lambda address, size: b"")


def test_slot_is_made_of_its_module_at_the_first_use_only() -> None:
    asked: list[str] = []

    def index(module: LoadedModule) -> dict[str, int]:
        asked.append(module.name)
        return {module.name: 1}

    slot, module = CacheSlot("index", index), loaded(1)
    assert module.cached(slot) == {"1.dll": 1}
    assert module.cached(slot) is module.cached(slot)
    assert asked == ["1.dll"]


def test_slot_that_was_empty_is_not_made_again() -> None:
    slot: CacheSlot[dict[int, str]] = CacheSlot("empty", lambda _: {})
    module = loaded(1)
    kept = module.cached(slot)
    assert kept == {}
    assert module.cached(slot) is kept


def test_slots_of_one_name_and_of_two_modules_are_apart() -> None:
    first: CacheSlot[list[int]] = CacheSlot("same", lambda _: [])
    second: CacheSlot[list[int]] = CacheSlot("same", lambda _: [])
    one, two = loaded(1), loaded(2)
    one.cached(first).append(1)
    assert one.cached(second) == []
    assert two.cached(first) == []
