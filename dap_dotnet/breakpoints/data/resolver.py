"""Sites of data breakpoints in the modules of a catalog, and what each of them is there for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from dap_dotnet.breakpoints.data.blind_spots import SearchedModule, blind_spots
from dap_dotnet.breakpoints.data.field_names import parse_field_name
from dap_dotnet.breakpoints.data.stores import (
    FieldName,
    Role,
    Store,
    StoreWatch,
    fields_meant,
    is_definition,
    stores_in,
)
from dap_dotnet.breakpoints.model import FieldPlace, Site
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

_OPTIMISED = "is optimised"
MOST_STORES = 2_000
"""Of one data breakpoint, over all modules."""


class FieldResolver:
    """See the module's docstring. Session thread only."""

    def __init__(self, modules: ModuleCatalog, is_watched: Callable[[LoadedModule], bool]) -> None:
        """`is_watched` says whether stores to fields are watched in a module's code."""
        self._modules = modules
        self._is_watched = is_watched
        self._watches: dict[FieldPlace, dict[BreakpointLocation, list[StoreWatch]]] = {}
        self._searched: dict[FieldPlace, dict[ModuleId, SearchedModule]] = {}
        """Modules with stores that are not watched."""
        self._is_cut: dict[FieldPlace, bool] = {}
        """Whether there were more than `MOST_STORES`."""
        self._thread_static: dict[FieldName, bool] = {}
        """As of the catalog's version."""
        self._version = -1

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that was unloaded."""
        for watches in self._watches.values():
            for location in [location for location in watches if location.module == module]:
                del watches[location]
        for searched in self._searched.values():
            searched.pop(module, None)

    def watches(self, place: FieldPlace, location: BreakpointLocation) -> list[StoreWatch]:
        """The stores for which a data breakpoint has a breakpoint at a location."""
        return self._watches.get(place, {}).get(location, [])

    def stores(self, place: FieldPlace) -> list[Store]:
        """The stores that are watched, each once."""
        found = {watch.store: None for watches in self._watches.get(place, {}).values() for watch in watches}
        return list(found)

    def stores_watched_at(self, place: FieldPlace, bound: Collection[BreakpointLocation]) -> list[Store]:
        """The stores with a breakpoint at one of these locations, in the order of modules, methods and IL."""
        watches = self._watches.get(place, {})
        found = {watch.store for location in bound for watch in watches.get(location, ())}
        return sorted(found, key=lambda store: (store.location.module, store.location.method, store.location.il_offset))

    def definitions(self, place: FieldPlace) -> list[tuple[LoadedModule, FieldName, int]]:
        """The fields that a place means in the loaded modules, each with its module and its Field token."""
        return [
            (loaded, FieldName(found.type_name, found.name), found.token)
            for loaded in self._modules
            for found in fields_meant(place, loaded)
            if is_definition(found)
        ]

    def resolve(self, place: FieldPlace, module: ModuleId | None) -> Resolution:
        """See `Resolver.resolve`."""
        if not place.field:
            return _refused(place.type_name)
        known = self._watches.setdefault(place, {})
        searched = self._searched.setdefault(place, {})
        if module is None:
            known.clear()
            searched.clear()
            self._is_cut.pop(place, None)
        sites: dict[BreakpointLocation, Site] = {}
        is_known = False
        for loaded in self._modules if module is None else [self._modules.get(module)]:
            if loaded is None or loaded.metadata is None:
                continue
            fields = fields_meant(place, loaded)
            is_known |= any(is_definition(found) for found in fields)
            if not fields:
                continue
            if not self._is_watched(loaded):
                if loaded.pdb is not None or is_known:
                    searched[loaded.id] = SearchedModule(loaded.name, _why_unwatched(loaded))
                continue
            stores = stores_in(loaded, fields)
            room = max(MOST_STORES - len(self.stores(place)), 0)
            self._is_cut[place] = len(stores.found) > room or self._is_cut.get(place, False)
            if stores.unread:
                searched[loaded.id] = SearchedModule(loaded.name, unread=tuple(stores.unread))
            for store in stores.found[:room]:
                for site, watch in self._sites(place, store):
                    sites[site.location] = site
                    known.setdefault(site.location, []).append(watch)
        if known:
            return Resolution(tuple(sites.values()), note=self.note(place))
        if module is not None and not is_known:
            return Resolution()
        return Resolution(reason=self._why_none(place, is_known=is_known))

    def note(self, place: FieldPlace) -> str:
        """What of the stores to a field is not watched; empty when all are."""
        cut = f"The first {MOST_STORES:,} stores to {place.text} are watched; there are more."
        spots = blind_spots(self.stores(place), self._searched.get(place, {}).values(), self._method_text)
        return " ".join(filter(None, (cut if self._is_cut.get(place) else "", spots)))

    def _method_text(self, module: ModuleId, method: MethodToken) -> str:
        loaded = self._modules.get(module)
        return loaded.method_text(method) if loaded is not None else f"method 0x{method:08x}"

    def _sites(self, place: FieldPlace, store: Store) -> Iterable[tuple[Site, StoreWatch]]:
        method = store.location.method
        local_path = self._modules.source_map.local_path
        path = local_path(store.path) if store.path is not None else None
        needs_before = store.leaves or not (store.is_static or place.instance) or self.is_several(store)
        roles = [(Role.AFTER, offset) for offset in store.after]
        if needs_before or not roles:
            roles.append((Role.BEFORE, store.before))
        for role, il_offset in roles:
            location = BreakpointLocation(store.location.module, method, il_offset)
            yield Site(location, store.span, path), StoreWatch(role, store)

    def is_several(self, store: Store) -> bool:
        """Whether a static field has several values: one for each instantiation of its type, or for each thread."""
        return store.is_static and ("`" in store.field.type_name or self.is_thread_static(store.field))

    def is_thread_static(self, field: FieldName) -> bool:
        """Whether each thread has a value of its own."""
        if self._version != self._modules.version:
            self._version = self._modules.version
            self._thread_static.clear()
        known = self._thread_static.get(field)
        if known is None:
            known = self._thread_static[field] = self._read_thread_static(field)
        return known

    def _read_thread_static(self, field: FieldName) -> bool:
        from portablepdb import PortablePdbError

        place = FieldPlace(field.type_name, field.name, is_exact=True)
        for loaded, _, token in self.definitions(place):
            try:
                assert loaded.metadata is not None
                attributes = loaded.metadata.field(token).attributes
                if any(attribute.type_name == "System.ThreadStaticAttribute" for attribute in attributes):
                    return True
            except PortablePdbError:
                continue
        return False

    def _why_none(self, place: FieldPlace, *, is_known: bool) -> str:
        searched = self._searched.get(place, {}).values()
        optimised = [module.name for module in searched if module.unwatched == _OPTIMISED]
        if optimised:
            return (
                f"{', '.join(optimised)} {'is' if len(optimised) == 1 else 'are'} optimised: stores there cannot be "
                "watched. Build as Debug, or set suppressJITOptimizations."
            )
        if is_known:
            return (
                f"None of your loaded code stores to {place.text}. Modules that load later are searched too; stores by "
                "reflection and in optimised framework code are not seen."
            )
        return f"No loaded module has a field {place.text}. The breakpoint binds when a module with it is loaded."


def _why_unwatched(loaded: LoadedModule) -> str:
    return _OPTIMISED if loaded.pdb is not None else "has no symbols"


def _refused(text: str) -> Resolution:
    try:
        parse_field_name(text)
    except UserError as error:
        return Resolution(reason=error.message, failed=True, code=error.code)
    return Resolution(reason="The name of the field is missing.", failed=True, code="INVALID_FIELD")
