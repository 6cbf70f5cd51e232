"""What other packages keep with a module: made once for each module and slot, and by the owner of the slot."""

from __future__ import annotations

import pytest

from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleMemo


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


def test_memo_asks_once_for_each_key_and_module_and_keeps_none_too() -> None:
    asked: list[tuple[str, int]] = []

    def make(module: LoadedModule, key: int) -> str | None:
        asked.append((module.name, key))
        return None if key == 0 else f"{module.name} {key}"

    memo, one, two = ModuleMemo("texts", make), loaded(1), loaded(2)
    for _ in range(2):
        assert memo(one, 0) is None
        assert memo(one, 7) == "1.dll 7"
        assert memo(two, 7) == "2.dll 7"
    assert asked == [("1.dll", 0), ("1.dll", 7), ("2.dll", 7)]


def test_memo_lets_all_go_when_they_are_many() -> None:
    asked: list[int] = []

    def make(module: LoadedModule, key: int) -> int:
        asked.append(key)
        return key

    memo, module = ModuleMemo("numbers", make, 2), loaded(1)
    for key in (1, 2, 1, 3, 3, 1):
        assert memo(module, key) == key
    assert asked == [1, 2, 3, 1]


def test_memo_keeps_nothing_of_what_failed() -> None:
    asked: list[int] = []

    def make(module: LoadedModule, key: int) -> int:
        asked.append(key)
        raise KeyError(key)

    memo, module = ModuleMemo("failures", make), loaded(1)
    for _ in range(2):
        with pytest.raises(KeyError):
            memo(module, 4)
    assert asked == [4, 4]
