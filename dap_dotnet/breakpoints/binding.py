"""From places to sites in loaded modules: `PdbResolver` asks the resolver for lines, functions or fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.lines.messages import next_statement_note
from dap_dotnet.breakpoints.lines.resolver import LineResolver
from dap_dotnet.breakpoints.model import (
    DataGroup,
    FieldPlace,
    FunctionPlace,
    Group,
    InstructionGroup,
    InstructionPlace,
    Place,
    Site,
    SourceGroup,
)
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId
from dap_dotnet.symbols import runtime_async
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.data.resolver import FieldResolver
    from dap_dotnet.breakpoints.functions.resolver import FunctionResolver


class PdbResolver:
    """The `Resolver` over the modules of a catalog. Session thread only; touches files, never the runtime."""

    def __init__(
        self, modules: ModuleCatalog, is_watched: Callable[[LoadedModule], bool] = lambda loaded: loaded.is_user_code
    ) -> None:
        """`is_watched` says whether stores to fields are watched in a module's code."""
        self._modules = modules
        self.is_watched = is_watched
        self.lines = LineResolver(modules)
        self._functions: FunctionResolver | None = None
        self._fields: FieldResolver | None = None

    @property
    def functions(self) -> FunctionResolver:
        """What resolves names of functions; loaded with the first of them."""
        if self._functions is None:
            from dap_dotnet.breakpoints.functions.resolver import FunctionResolver

            self._functions = FunctionResolver(self._modules)
        return self._functions

    @property
    def fields(self) -> FieldResolver:
        """What finds the stores to fields; loaded with the first of them."""
        if self._fields is None:
            from dap_dotnet.breakpoints.data.resolver import FieldResolver

            self._fields = FieldResolver(self._modules, self.is_watched)
        return self._fields

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that is being unloaded; the catalog still has it."""
        self.lines.forget(module)
        if self._fields is not None:
            self._fields.forget(module)
        if self._functions is not None:
            self._functions.forget(module)

    def may_have(self, group: Group, module: ModuleId) -> bool:
        """See `Resolver.may_have`."""
        loaded = self._modules.get(module)
        if loaded is None:
            return False
        if isinstance(group, SourceGroup):
            return self.lines.may_have(group.path, loaded)
        if isinstance(group, InstructionGroup):
            return False  # a module has its number from its load on, and no other gets that
        if isinstance(group, DataGroup) and not self.is_watched(loaded):
            return loaded.pdb is not None
        return loaded.metadata is not None

    def resolve(self, place: Place, module: ModuleId | None) -> Resolution:
        """See `Resolver.resolve`."""
        if isinstance(place, FunctionPlace):
            return self.functions.resolve(place.name, module)
        if isinstance(place, FieldPlace):
            return self.fields.resolve(place, module)
        if isinstance(place, InstructionPlace):
            from dap_dotnet.breakpoints.instructions import resolve_instruction

            return resolve_instruction(self._modules, place, module)
        return self.lines.resolve(place, module)

    def instead_of(self, site: Site) -> Resolution | None:
        """See `Resolver.instead_of`."""
        loaded = self._modules.get(site.location.module)
        if loaded is None or not self.is_optimized(loaded.id):
            return None
        from dap_dotnet.breakpoints.lines.behind import site_behind

        found = site_behind(loaded, site)
        if found is None or found.span is None or site.span is None:
            return None
        is_moved = found.span.line != site.span.line
        return Resolution((found,), next_statement_note(site.span.line, found.span.line) if is_moved else "")

    def is_optimized(self, module: ModuleId) -> bool:
        """See `Resolver.is_optimized`."""
        loaded = self._modules.get(module)
        return loaded is not None and loaded.is_optimized

    def refusal(self, location: BreakpointLocation, runtime_version: str) -> str:
        """See `Resolver.refusal`."""
        loaded = self._modules.get(location.module)
        is_refused = loaded is not None and runtime_async.endangers(loaded, location.method, runtime_version)
        return runtime_async.NO_BREAKPOINT if is_refused else ""
