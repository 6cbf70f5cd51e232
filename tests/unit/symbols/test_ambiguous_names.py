"""Which names are shown with their namespaces, and that they stay so."""

from __future__ import annotations

from types import SimpleNamespace

from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.ambiguous_names import ambiguous_names
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.typenames import shown_type_name
from tests.unit.evaluation.fake_metadata import FakeMetadata, FakeType
from tests.unit.evaluation.fakes import World

NESTED_PUBLIC = 2
DEBUG, RELEASE = (True, True), (True, False)
OTHER = ModuleId(77)


def _load(world: World, names: list[str], debuggable: tuple[bool, bool] = DEBUG) -> LoadedModule:
    """Another module with types of these names, and symbols."""
    metadata = FakeMetadata()
    metadata.debuggable = debuggable
    for token, name in enumerate(names, 0x02000001):
        metadata.types[token] = FakeType(token, name, None, NESTED_PUBLIC if "+" in name else 1)
    module = world.catalog.add(ModuleInfo(OTHER, "/nowhere/other.dll", 0, 0, False, False, False), lambda *_: b"")
    module.__dict__.update(metadata=metadata, _symbols=(SimpleNamespace(close=lambda: None), None))
    return module


def _world() -> World:
    world = World()
    world.metadata.debuggable = DEBUG
    return world


def test_names_in_two_namespaces_keep_them_whatever_is_around_them() -> None:
    world = _world()
    sold, kept, single = (world.type(name) for name in ("Sales.Order", "Store.Order", "Sales.Item"))
    line = world.type("Sales.Order+Line")
    line.flags = NESTED_PUBLIC
    shown = [shown_type_name(world.context.program, world.type_id(one)) for one in (sold, kept, single, line)]
    assert shown == ["Sales.Order", "Store.Order", "Item", "Sales.Order.Line"]
    array = world.array(kept, []).type
    assert shown_type_name(world.context.program, array) == "Store.Order[]"


def test_generic_types_and_nested_ones_do_not_share_a_name_with_others() -> None:
    world = _world()
    _load(world, ["Store.Box`1", "Store.Outer", "Store.Outer+Item", "Sales.Outer"])
    names = ambiguous_names(world.catalog)
    assert [names.has(one) for one in ("Sales.Box", "Sales.Item", "Sales.Box`1")] == [False, False, True]
    assert [names.has(one) for one in ("Store.Outer+Item", "Sales.Outer", "Outer")] == [True, True, True]


def test_a_library_is_told_apart_from_the_user_and_not_from_libraries() -> None:
    world = _world()
    world.type("App.Timer")
    _load(world, ["System.Threading.Lock", "System.Timers.Timer"], RELEASE)
    names = ambiguous_names(world.catalog)
    assert [names.has(one) for one in ("System.Timers.Timer", "App.Timer", "Other.Lock")] == [True, False, False]


def test_a_name_changes_at_most_once() -> None:
    world = _world()
    sold = world.type_id(world.type("Sales.Order"))
    program = world.context.program
    assert shown_type_name(program, sold) == "Order"
    other = _load(world, ["Store.Order"])
    assert shown_type_name(program, sold) == "Sales.Order"
    world.catalog.remove(other.id)
    assert shown_type_name(program, sold) == "Sales.Order"


def test_types_of_one_file_share_the_name_that_is_shown() -> None:
    world = _world()
    prefix = f"<Program>F{'0' * 64}__"
    _load(world, [f"Store.{prefix}Order", "<Module>", "<>f__AnonymousType0`1"])
    names = ambiguous_names(world.catalog)
    assert [names.has(one) for one in ("Sales.Order", f"Sales.{prefix}Order", "A.<Module>")] == [True, True, False]
