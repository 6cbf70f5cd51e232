"""What a place means in the loaded modules: the contract between the registry and whoever finds sites."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from dap_dotnet.breakpoints.model import Group, Place, Site
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId

NOT_LOADED = "No loaded module has this source file. The breakpoint binds when a module with its symbols is loaded."


class Resolution(Struct, frozen=True):
    """Where a wanted breakpoint belongs: `sites`, or none and `reason`; `note` when the place was moved."""

    sites: tuple[Site, ...] = ()
    note: str = ""
    reason: str = ""
    failed: bool = False
    code: str = ""
    """One of the codes of `errors`: why there are no sites, or INVALID_COLUMN when the column was moved."""


class Resolver(Protocol):
    """Finds sites for places. Pure: it never touches the runtime."""

    def may_have(self, group: Group, module: ModuleId) -> bool:
        """Whether a module can have sites for the group: False is quick, and saves calling `resolve`."""

    def resolve(self, place: Place, module: ModuleId | None) -> Resolution:
        """Sites in one module, or in all loaded ones when `module` is None."""

    def instead_of(self, site: Site) -> Resolution | None:
        """Where a breakpoint on a line belongs whose site has no code at run time; None: nowhere else."""

    def is_optimized(self, module: ModuleId) -> bool:
        """Whether a module's code may have lost the places of statements."""

    def refusal(self, location: BreakpointLocation, runtime_version: str) -> str:
        """Why no breakpoint may be set there in a program on that version of the runtime; empty where one may."""
