"""Where breakpoints stand for the stores of a compiled assembly; the rest is tested on running programs."""

from __future__ import annotations

import pytest

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.breakpoints.data.field_names import parse_field_name
from dap_dotnet.breakpoints.data.stores import Role
from dap_dotnet.breakpoints.model import DataGroup, FieldPlace
from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from tests.support.fake_debuggee.sample import SAMPLE, line_of


@pytest.fixture
def catalog():
    modules = ModuleCatalog()
    yield modules
    modules.close()


def load(catalog: ModuleCatalog, number: int = 1) -> LoadedModule:
    info = ModuleInfo(
        module=ModuleId(number),
        path=str(SAMPLE),
        base_address=0,
        size=0,
        is_dynamic=False,
        is_in_memory=False,
        is_mapped_layout=False,
    )
    return catalog.add(info, lambda address, size: b"")


def test_static_store_is_watched_where_the_next_statement_begins(catalog: ModuleCatalog) -> None:
    loaded = load(catalog)
    resolver = PdbResolver(catalog)
    place = parse_field_name("Program.balance")
    (site,) = resolver.resolve(place, None).sites
    assert site.span is not None
    assert site.span.line == line_of("deposit"), "the statement that stores is what is shown"
    assert loaded.pdb is not None
    points = {point.il_offset: point.start_line for point in loaded.pdb.sequence_points(site.location.method)}
    assert points[site.location.il_offset] == line_of("deposited")
    (watch,) = resolver.fields.watches(place, site.location)
    assert watch.role is Role.AFTER
    assert watch.store.is_static
    assert not watch.store.leaves


def test_store_to_any_object_is_watched_before_and_after(catalog: ModuleCatalog) -> None:
    load(catalog)
    resolver = PdbResolver(catalog)
    place = parse_field_name("Sample.Point.X")
    sites = resolver.resolve(place, None).sites
    roles = [watch.role for site in sites for watch in resolver.fields.watches(place, site.location)]
    assert sorted(role.value for role in roles) == ["after", "after", "before", "before"]
    stores = resolver.fields.stores(place)
    assert [store.span.line for store in stores if store.span][-1] == line_of("move")
    assert all(store.object_offsets for store in stores)


def test_store_to_one_object_is_watched_after_only(catalog: ModuleCatalog) -> None:
    load(catalog)
    resolver = PdbResolver(catalog)
    place = FieldPlace("Sample.Point", "X", "Sample.dll", is_exact=True, instance=1)
    assert len(resolver.resolve(place, None).sites) == 2


def test_modules_that_are_not_watched_say_so(catalog: ModuleCatalog) -> None:
    load(catalog)
    resolver = PdbResolver(catalog, lambda loaded: False)
    resolution = resolver.resolve(parse_field_name("Point.X"), None)
    assert not resolution.sites
    assert "Sample.dll is optimised" in resolution.reason


def test_field_that_nothing_stores_to_waits_for_code_that_does(catalog: ModuleCatalog) -> None:
    load(catalog)
    resolver = PdbResolver(catalog)
    resolution = resolver.resolve(parse_field_name("Point.Next"), None)
    assert "None of your loaded code stores to Point.Next" in resolution.reason
    assert not resolution.failed
    assert "No loaded module has a field" in resolver.resolve(parse_field_name("Nope.Next"), None).reason


def test_each_load_of_an_assembly_has_its_own_stores(catalog: ModuleCatalog) -> None:
    load(catalog, 1)
    second = load(catalog, 2)
    resolver = PdbResolver(catalog)
    place = parse_field_name("Program.balance")
    first = resolver.resolve(place, None).sites
    assert {site.location.module for site in first} == {1, 2}
    assert len(resolver.fields.stores(place)) == 2
    resolver.forget(second.id)
    assert {store.location.module for store in resolver.fields.stores(place)} == {1}


def test_modules_without_symbols_are_not_asked(catalog: ModuleCatalog) -> None:
    loaded = load(catalog)
    assert PdbResolver(catalog).may_have(DataGroup(), loaded.id)
    assert not PdbResolver(catalog).may_have(DataGroup(), ModuleId(9))
