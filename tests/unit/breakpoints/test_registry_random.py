"""20,000 random changes: each time that they are applied, the runtime has what a plain model says, no more, no less."""

from __future__ import annotations

import random

import pytest

from dap_dotnet.breakpoints.model import (
    Bound,
    BreakpointId,
    Disabled,
    LinePlace,
    LogicalBreakpoint,
    Settings,
    SourceGroup,
    Wanted,
)
from dap_dotnet.runtime.model import BreakpointLocation

from .test_registry import World

CHANGES = 20_000
FILES = ["/src/a.cs", "/src/b.cs"]
LINES = list(range(1, 13))
CONDITIONS = [None, None, "x > 1", "wrong"]


class Model:
    """The wanted state, said plainly: settings and enabled by file and line; lines of code by module."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.world = World()
        self.wanted: dict[str, dict[int, tuple[Settings, bool]]] = {file: {} for file in FILES}
        self.ids: dict[tuple[str, int], int] = {}
        self.entries: dict[tuple[str, int], LogicalBreakpoint] = {}
        self.loaded: dict[int, tuple[str, list[int]]] = {}
        self.next_module = 1

    def change(self) -> None:
        """One random change of what the user wants, or of the modules."""
        kind = self.random.choices(["set", "able", "load", "unload"], [10, 6, 1, 1])[0]
        if kind == "set":
            self.set_file(self.random.choice(FILES))
        elif kind == "able" and self.entries:
            key = self.random.choice(list(self.entries))
            enabled = self.random.random() < 0.5
            self.world.registry.set_enabled(self.entries[key].id, enabled)
            file, line = key
            self.wanted[file][line] = self.wanted[file][line][0], enabled
        elif kind == "load" and len(self.loaded) < 4:
            file, lines = self.random.choice(FILES), sorted(self.random.sample(LINES, 5))
            self.loaded[self.next_module] = file, lines
            self.world.load(self.next_module, lines, path=file)
            self.next_module += 1
        elif kind == "unload" and self.loaded:
            number = self.random.choice(list(self.loaded))
            del self.loaded[number]
            self.world.unload(number)

    def set_file(self, file: str) -> None:
        before = self.wanted[file]
        chosen = self.random.sample(LINES, self.random.randint(0, 6))
        after = {}
        for line in chosen:
            keeps = line in before and self.random.random() < 0.5
            settings = before[line][0] if keeps else Settings(condition=self.random.choice(CONDITIONS))
            after[line] = settings, before[line][1] if line in before else True
        places = [Wanted(LinePlace(file, line), settings) for line, (settings, _) in after.items()]
        found = self.world.registry.replace(SourceGroup(file), places)
        for line in before.keys() - after.keys():
            del self.entries[file, line]
            del self.ids[file, line]
        for line, entry in zip(after, found, strict=True):
            assert self.ids.setdefault((file, line), entry.id) == entry.id
            self.entries[file, line] = entry
        self.wanted[file] = after

    def locations_of(self, file: str, line: int) -> set[BreakpointLocation]:
        resolution = self.world.resolver.resolve(LinePlace(file, line), None)
        return {site.location for site in resolution.sites}

    def check(self) -> None:
        """Registry and runtime are as the model says."""
        registry, active = self.world.registry, self.world.runtime.breakpoints
        expected: set[BreakpointLocation] = set()
        assert {entry.id for entry in registry.all()} == set(self.ids.values())
        for (file, line), entry in self.entries.items():
            settings, enabled = self.wanted[file][line]
            assert entry.settings == settings
            has_to_be = self.locations_of(file, line) if enabled and settings.condition != "wrong" else set()
            assert isinstance(entry.state, Disabled) == (not enabled)
            assert isinstance(entry.state, Bound) == bool(has_to_be)
            assert {site.site.location for site in entry.sites} == has_to_be
            expected |= has_to_be
            for site in entry.sites:
                assert active[site.bound] == site.site.location
                assert entry in registry.hit(site.bound)
        assert sorted(active.values(), key=repr) == sorted(expected, key=repr), "no more, no less, and none twice"


@pytest.mark.parametrize("seed", [1, 2])
def test_random_changes_leave_registry_and_runtime_as_wanted(seed: int) -> None:
    model = Model(seed)
    for _ in range(CHANGES // 2):
        model.change()
        if model.random.random() < 0.3:
            model.world.apply()
            model.check()
    for file in FILES:
        model.world.registry.replace(SourceGroup(file), [])
    model.world.apply()
    assert model.world.runtime.breakpoints == {}
    assert model.world.registry.all() == []
    assert model.world.registry.get(BreakpointId(1)) is None
    assert not model.world.registry.has_changes
