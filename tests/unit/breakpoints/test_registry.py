"""Every transition of a logical breakpoint, without a runtime and without PDBs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dap_dotnet.breakpoints.model import (
    Bound,
    BreakpointId,
    Disabled,
    Group,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Place,
    Settings,
    Site,
    SourceGroup,
    Unbound,
    Wanted,
)
from dap_dotnet.breakpoints.registry import BreakpointRegistry
from dap_dotnet.breakpoints.resolution import NOT_LOADED, Resolution
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId
from dap_dotnet.symbols.spans import Span
from tests.support.fake_debuggee.standing import standing_debuggee

FILE = "/src/app.cs"


class FakeResolver:
    """Files with lines of code, per module; a line without code moves to the next one that has some."""

    def __init__(self) -> None:
        self.modules: dict[ModuleId, dict[str, list[int]]] = {}
        self.asked: list[tuple[str, ModuleId | None]] = []
        self.behind: dict[int, int] = {}
        """By IL offset the one to take instead."""
        self.is_release = False
        self.refused: dict[int, str] = {}
        """By IL offset why no breakpoint may be there."""

    def refusal(self, location: BreakpointLocation, runtime_version: str) -> str:
        return self.refused.get(location.il_offset, "")

    def instead_of(self, site: Site) -> Resolution | None:
        offset = self.behind.get(site.location.il_offset)
        if offset is None:
            return None
        location = BreakpointLocation(site.location.module, site.location.method, offset)
        return Resolution((Site(location, site.span, site.path),))

    def is_optimized(self, module: ModuleId) -> bool:
        return self.is_release

    def may_have(self, group: Group, module: ModuleId) -> bool:
        assert isinstance(group, SourceGroup)
        return group.path in self.modules.get(module, {})

    def resolve(self, place: Place, module: ModuleId | None) -> Resolution:
        assert isinstance(place, LinePlace)
        path, wanted = place.path, place
        self.asked.append((path, module))
        sites: list[Site] = []
        has_file = False
        for number, files in self.modules.items():
            if path not in files or module not in (None, number):
                continue
            has_file = True
            after = [line for line in files[path] if line >= wanted.line]
            if after:
                location = BreakpointLocation(number, MethodToken(0x06000001), after[0])
                sites.append(Site(location, Span(after[0], 9, after[0], 20), path))
        if sites:
            return Resolution(tuple(sites), note="" if sites[0].span.line == wanted.line else "moved")
        return Resolution(reason="no code" if has_file else NOT_LOADED, failed=has_file)


class World:
    """A registry with its surroundings."""

    def __init__(self) -> None:
        self.resolver = FakeResolver()
        self.runtime = standing_debuggee()
        self.changes: list[tuple[int, str]] = []
        self.registry = BreakpointRegistry(self.resolver, self._note, self._check)

    def _check(self, settings: Settings) -> None:
        if settings.condition == "wrong":
            raise UserError("it is wrong", code="INVALID_CONDITION")

    def _note(self, changed: LogicalBreakpoint) -> None:
        self.changes.append((changed.id, type(changed.state).__name__))

    def load(self, number: int, lines: list[int], path: str = FILE) -> None:
        self.resolver.modules[ModuleId(number)] = {path: lines}
        self.registry.module_loaded(ModuleId(number), self.runtime)

    def unload(self, number: int) -> None:
        del self.resolver.modules[ModuleId(number)]
        self.runtime.forget_module(ModuleId(number))
        self.registry.module_unloaded(ModuleId(number))

    def set(self, *lines: int, path: str = FILE) -> list[LogicalBreakpoint]:
        result = self.registry.replace(SourceGroup(path), [Wanted(LinePlace(path, line)) for line in lines])
        self.registry.apply(self.runtime)
        return result

    def apply(self) -> None:
        self.registry.apply(self.runtime)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    assert made.runtime.removed_unknown == []
    assert made.runtime.violations == []


def test_breakpoint_is_pending_until_its_module_loads(world: World) -> None:
    (entry,) = world.set(10)
    assert entry.state == Pending(NOT_LOADED)
    world.load(1, [10, 11])
    assert isinstance(entry.state, Bound)
    assert entry.state.span.line == 10
    assert world.changes == [(1, "Bound")]


def test_breakpoint_in_loaded_module_binds_without_event(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    assert isinstance(entry.state, Bound)
    assert world.changes == []


def test_module_without_the_file_changes_nothing(world: World) -> None:
    (entry,) = world.set(10)
    world.load(1, [10], path="/src/other.cs")
    assert entry.state == Pending(NOT_LOADED)
    assert world.changes == []
    assert (FILE, ModuleId(1)) not in world.resolver.asked


def test_unload_unbinds_and_reload_binds_again(world: World) -> None:
    (entry,) = world.set(10)
    world.load(1, [10])
    world.unload(1)
    assert isinstance(entry.state, Unbound)
    world.load(2, [10])
    assert isinstance(entry.state, Bound)
    assert [site.site.location.module for site in entry.state.sites] == [2]
    assert world.changes == [(1, "Bound"), (1, "Unbound"), (1, "Bound")]


def test_breakpoint_binds_in_every_module_with_the_file(world: World) -> None:
    world.load(1, [10])
    world.load(2, [10])
    (entry,) = world.set(10)
    assert isinstance(entry.state, Bound)
    assert len(entry.state.sites) == 2
    world.unload(1)
    assert isinstance(entry.state, Bound)
    assert len(entry.state.sites) == 1


def test_second_module_adds_a_site_to_a_bound_breakpoint(world: World) -> None:
    (entry,) = world.set(10)
    world.load(1, [10])
    world.load(2, [10])
    assert isinstance(entry.state, Bound)
    assert len(entry.state.sites) == 2
    assert world.changes == [(1, "Bound")], "a client sees no difference"


def test_second_module_is_reported_when_the_message_changes(world: World) -> None:
    (entry,) = world.set(10)
    world.load(1, [10])
    world.load(2, [12])
    assert isinstance(entry.state, Bound)
    assert entry.state.note == "moved"
    assert world.changes == [(1, "Bound"), (1, "Bound")]


def test_disable_takes_out_and_enable_binds_again(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    world.registry.set_enabled(entry.id, False)
    world.apply()
    assert entry.state == Disabled()
    assert world.runtime.breakpoints == {}
    world.registry.set_enabled(entry.id, True)
    world.apply()
    assert isinstance(entry.state, Bound)
    assert len(world.runtime.breakpoints) == 1


def test_disabled_breakpoint_stays_so_when_its_module_loads(world: World) -> None:
    (entry,) = world.set(10)
    world.registry.set_enabled(entry.id, False)
    world.load(1, [10])
    assert entry.state == Disabled()
    assert world.runtime.breakpoints == {}


def test_enabled_breakpoint_without_module_is_pending(world: World) -> None:
    (entry,) = world.set(10)
    world.registry.set_enabled(entry.id, False)
    world.registry.set_enabled(entry.id, True)
    assert entry.state == Pending(NOT_LOADED)


def test_refusal_of_the_runtime_is_pending_and_says_so(world: World) -> None:
    world.runtime.refused_il_offsets.add(10)
    world.load(1, [10])
    (entry,) = world.set(10)
    assert isinstance(entry.state, Pending)
    assert entry.state.failed
    assert "CORDBG_E_UNABLE_TO_SET_BREAKPOINT" in entry.state.reason


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param("CORDBG_E_X", "CORDBG_E_X", id="its error"),
        pytest.param("S_OK", "suppressJITOptimizations", id="none, of optimised code"),
    ],
)
def test_late_refusal_of_the_runtime_unbinds(world: World, error: str, said: str) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    assert isinstance(entry.state, Bound)
    world.registry.bound_failed(entry.state.sites[0].bound, error, world.runtime)
    assert isinstance(entry.state, Pending)
    assert said in entry.state.reason
    assert "S_OK" not in entry.state.reason
    assert world.changes == [(1, "Pending")]


def test_late_refusal_of_the_runtime_moves_to_the_next_place_that_it_takes(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    world.resolver.behind = {10: 11, 11: 13}
    world.runtime.refused_il_offsets.add(11)
    world.resolver.is_release = True
    assert isinstance(entry.state, Bound)
    world.registry.bound_failed(entry.state.sites[0].bound, "S_OK", world.runtime)
    assert isinstance(entry.state, Bound)
    assert [one.site.location.il_offset for one in entry.state.sites] == [13]
    assert world.changes == [(1, "Bound")]
    world.registry.bound_failed(entry.state.sites[0].bound, "S_OK", world.runtime)
    assert isinstance(entry.state, Pending)


def test_refusal_in_optimised_code_moves_to_the_next_place_that_the_runtime_takes(world: World) -> None:
    world.load(1, [10, 20])
    world.runtime.refused_il_offsets = {10, 11, 20}
    world.resolver.behind = {10: 11, 11: 13}
    world.resolver.is_release = True
    moved, refused = world.set(10, 20)
    assert isinstance(moved.state, Bound)
    assert [one.site.location.il_offset for one in moved.state.sites] == [13]
    assert isinstance(refused.state, Pending)
    assert "suppressJITOptimizations" in refused.state.reason


def test_line_without_code_moves_and_says_so(world: World) -> None:
    world.load(1, [10, 12])
    (entry,) = world.set(11)
    assert isinstance(entry.state, Bound)
    assert entry.state.span.line == 12
    assert entry.state.note == "moved"


def test_line_after_all_code_fails_in_words(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(99)
    assert entry.state == Pending("no code", failed=True)


def test_ids_count_from_one_and_stay_with_the_breakpoint(world: World) -> None:
    first = world.set(10, 20, 30)
    assert [entry.id for entry in first] == [1, 2, 3]
    second = world.set(30, 40, 10)
    assert [entry.id for entry in second] == [3, 4, 1]
    third = world.set(20)
    assert [entry.id for entry in third] == [5]


def test_ids_go_on_over_files(world: World) -> None:
    world.set(10)
    (other,) = world.set(10, path="/src/other.cs")
    assert other.id == 2


def test_same_line_twice_is_one_breakpoint(world: World) -> None:
    world.load(1, [10])
    first, second = world.set(10, 10)
    assert first is second
    assert len(world.runtime.breakpoints) == 1


def test_two_lines_that_move_to_one_place_share_the_runtime_breakpoint(world: World) -> None:
    world.load(1, [12])
    moved, exact = world.set(11, 12)
    assert len(world.runtime.breakpoints) == 1
    (bound,) = world.runtime.breakpoints
    assert world.registry.hit(bound) == [moved, exact]
    world.set(12)
    assert len(world.runtime.breakpoints) == 1
    assert world.registry.hit(bound) == [exact]
    world.set()
    assert world.runtime.breakpoints == {}


def test_kept_breakpoints_are_not_touched_in_the_runtime(world: World) -> None:
    world.load(1, [10, 20])
    world.set(10)
    before = dict(world.runtime.breakpoints)
    world.set(10, 20)
    assert before.items() <= world.runtime.breakpoints.items()
    calls = len(world.runtime.calls)
    world.set(10, 20)
    assert len(world.runtime.calls) == calls


def test_five_hundred_breakpoints_take_one_call(world: World) -> None:
    world.load(1, list(range(1, 501)))
    calls = len(world.runtime.calls)
    world.set(*range(1, 501))
    assert len(world.runtime.calls) == calls + 1
    assert len(world.runtime.breakpoints) == 500


def test_hit_of_a_removed_breakpoint_names_none(world: World) -> None:
    world.load(1, [10])
    world.set(10)
    (bound,) = world.runtime.breakpoints
    world.registry.replace(SourceGroup(FILE), [])
    assert world.registry.has_changes
    assert world.registry.hit(bound) == []
    world.apply()
    assert not world.registry.has_changes


def test_withdraw_all_leaves_nothing_in_the_runtime(world: World) -> None:
    world.load(1, [10, 20])
    entries = world.set(10, 20)
    world.registry.withdraw_all()
    world.apply()
    assert world.runtime.breakpoints == {}
    assert all(isinstance(entry.state, Pending) for entry in entries)


def test_unknown_id_is_ignored(world: World) -> None:
    world.registry.set_enabled(BreakpointId(77), False)
    assert world.registry.get(BreakpointId(77)) is None


def test_change_while_running_waits_for_apply(world: World) -> None:
    world.load(1, [10])
    world.registry.replace(SourceGroup(FILE), [Wanted(LinePlace(FILE, 10))])
    assert world.runtime.breakpoints == {}
    assert world.registry.has_changes
    world.apply()
    assert len(world.runtime.breakpoints) == 1


def test_module_that_unloads_before_apply_is_not_bound(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.registry.replace(SourceGroup(FILE), [Wanted(LinePlace(FILE, 10))])
    world.unload(1)
    world.apply()
    assert not isinstance(entry.state, Bound)
    assert world.runtime.breakpoints == {}


def test_changed_settings_apply_without_binding_again(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    entry.hit_count = 5
    calls = len(world.runtime.calls)
    wanted = Wanted(LinePlace(FILE, 10), Settings(condition="i == 3"))
    (again,) = world.registry.replace(SourceGroup(FILE), [wanted])
    world.apply()
    assert again is entry
    assert entry.settings.condition == "i == 3"
    assert entry.hit_count == 5
    assert len(world.runtime.calls) == calls


def test_settings_that_cannot_work_take_the_breakpoint_out(world: World) -> None:
    world.load(1, [10])
    (entry,) = world.set(10)
    place = LinePlace(FILE, 10)
    world.registry.replace(SourceGroup(FILE), [Wanted(place, Settings(condition="wrong"))])
    world.apply()
    assert entry.state == Pending("it is wrong", failed=True, code="INVALID_CONDITION")
    assert world.runtime.breakpoints == {}
    world.load(2, [10])
    assert isinstance(entry.state, Pending)
    world.registry.replace(SourceGroup(FILE), [Wanted(place, Settings(condition="right"))])
    world.apply()
    assert isinstance(entry.state, Bound)
