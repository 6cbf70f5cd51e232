"""Sites of function breakpoints in the modules of a catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.functions.first_statement import first_statement
from dap_dotnet.breakpoints.functions.names import FunctionPattern, parse_function_name
from dap_dotnet.breakpoints.functions.search import Search, is_searched, search
from dap_dotnet.breakpoints.model import Site
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.errors import UserError
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_METHODS = 1_000
"""Of one function breakpoint, over all modules."""
_NAMED = 5


class FunctionResolver:
    """See the module's docstring. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._patterns: dict[str, FunctionPattern | UserError] = {}
        self._counts: dict[str, dict[ModuleId, int]] = {}
        """By name and module: how many methods the name means there."""

    def forget(self, module: ModuleId) -> None:
        """Drop what is kept of a module that was unloaded."""
        for counts in self._counts.values():
            counts.pop(module, None)

    def pattern(self, name: str) -> FunctionPattern:
        """The parsed name. Raises `UserError` (INVALID_FUNCTION)."""
        known = self._patterns.get(name)
        if known is None:
            try:
                known = parse_function_name(name)
            except UserError as error:
                known = error
            self._patterns[name] = known
        if isinstance(known, UserError):
            raise known
        return known

    def resolve(self, name: str, module: ModuleId | None) -> Resolution:
        """See `Resolver.resolve`."""
        try:
            pattern = self.pattern(name)
        except UserError as error:
            return Resolution(reason=error.message, failed=True, code=error.code)
        counts = self._counts.setdefault(name, {})
        if module is None:
            counts.clear()
        sites: list[Site] = []
        without_code: list[str] = []
        near: list[str] = []
        for loaded in self._modules if module is None else [self._modules.get(module)]:
            if loaded is None or not is_searched(pattern, loaded):
                continue
            assert loaded.metadata is not None
            found = search(pattern, loaded.metadata)
            room = MOST_METHODS - sum(counts.values())
            counts[loaded.id] = len(found.found)
            sites += self._sites(loaded, found, room)
            without_code += [loaded.method_text(one.method) for one in found.found if not one.has_code]
            near += [loaded.method_text(method) for method in found.near]
        total = sum(counts.values())
        if sites:
            note = ""
            if total > MOST_METHODS:
                note = f"{name} means {total:,} methods; the breakpoint is set in the first {MOST_METHODS:,} of them."
            return Resolution(tuple(sites), note=note)
        if without_code:
            reason = f"{_listed(without_code)} has no IL code (abstract, extern, or provided by the runtime)."
            return Resolution(reason=reason, failed=True)
        if near:
            reason = f"No loaded function {name} has these parameter types. There is {_listed(near)}."
            return Resolution(reason=reason)
        return Resolution(reason=_not_found(pattern)) if module is None else Resolution()

    def _sites(self, loaded: LoadedModule, found: Search, room: int) -> list[Site]:
        sites = []
        local_path = self._modules.source_map.local_path
        for one in [one for one in found.found if one.has_code][: max(room, 0)]:
            first = first_statement(loaded, one.method)
            location = BreakpointLocation(loaded.id, first.method, first.il_offset)
            sites.append(Site(location, first.span, local_path(first.path) if first.path is not None else None))
        return sites


def _not_found(pattern: FunctionPattern) -> str:
    text = f"No loaded module has a function {pattern.text}. The breakpoint binds when a module with it is loaded."
    if pattern.is_bare:
        text += " A name without a type is looked up only in modules with symbols."
    return text


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return "; ".join(names[:_NAMED]) + more
