"""Logical breakpoints and their states.

A logical breakpoint is the user's; a bound one is the runtime's. The states are values, not flags::

    Pending ──module with the place loads──> Bound ──its last module unloads──> Unbound
       ^                                      │  ^                                │
       │                                      │  └────────module loads again──────┘
       └── the runtime refuses the place ─────┘
    any state ──disable──> Disabled ──enable──> Pending, or Bound if the place is there
"""

from __future__ import annotations

from typing import NewType

from msgspec import Struct

from dap_dotnet.runtime.model import BoundId, BreakpointLocation
from dap_dotnet.symbols.spans import Span

BreakpointId = NewType("BreakpointId", int)
"""Of a logical breakpoint: 1, 2, 3… in the order in which they were set; never used again in a session."""


class LinePlace(Struct, frozen=True):
    """A place in a source file as the client asked for it. `column` None means the line's first statement."""

    path: str
    """The source file as the client names it."""
    line: int
    column: int | None = None


class FunctionPlace(Struct, frozen=True):
    """The beginning of every method that a name means."""

    name: str


class FieldPlace(Struct, frozen=True):
    """Every place that can store to a field: of one object, of all objects, or static.

    `type_name` and `field` are as the user wrote them, or exact: the metadata's own names, with `module`'s file name.
    """

    type_name: str
    field: str
    module: str = ""
    """Empty: any module that has the type."""
    is_exact: bool = False
    instance: int = 0
    """The number of one object (or of one instantiation of a generic type, for a static field); 0 stands for all."""

    @property
    def text(self) -> str:
        """The field as people name it."""
        shown = self.type_name.replace("+", ".")
        return f"{shown}.{self.field}" if self.field else shown


class InstructionPlace(Struct, frozen=True):
    """One instruction of a loaded module. Good for one run of the program: modules are numbered anew in the next."""

    location: BreakpointLocation
    """Its IL offset need not be one at which the runtime can stop."""


Place = LinePlace | FunctionPlace | FieldPlace | InstructionPlace


class Settings(Struct, frozen=True):
    """What a breakpoint does when it is hit, as the client wrote it. None: not said."""

    condition: str | None = None
    """A C# expression that must be true."""
    hit_condition: str | None = None
    """`N`, `== N`, `>= N`, `> N`, `< N`, `<= N` or `% N`, of the hits for which the condition held."""
    log_message: str | None = None
    """Written instead of stopping."""
    after: BreakpointId | None = None
    """It is as if it were not there until this other breakpoint has acted (stopped or logged) in the session."""


class Wanted(Struct, frozen=True):
    """One breakpoint that the client wants."""

    place: Place
    settings: Settings = Settings()


class SourceGroup(Struct, frozen=True):
    """The breakpoints of one source file, which setBreakpoints replaces together."""

    path: str


class FunctionGroup(Struct, frozen=True):
    """All function breakpoints, which setFunctionBreakpoints replaces together."""


class DataGroup(Struct, frozen=True):
    """All data breakpoints, which setDataBreakpoints replaces together."""


class InstructionGroup(Struct, frozen=True):
    """All instruction breakpoints, which setInstructionBreakpoints replaces together."""


Group = SourceGroup | FunctionGroup | DataGroup | InstructionGroup


class Site(Struct, frozen=True):
    """A place in a loaded module to which a breakpoint belongs. Without symbols there are no `span` and no `path`.

    `path` is where the source is for the client: as the PDB has it, or as `sourceFileMap` says.
    """

    location: BreakpointLocation
    span: Span | None
    path: str | None


class BoundSite(Struct, frozen=True):
    """A site that the runtime has accepted."""

    site: Site
    bound: BoundId


class Pending(Struct, frozen=True):
    """No loaded module has the place, or none that the runtime accepts; `reason` says which and what to do."""

    reason: str
    failed: bool = False
    """True when waiting will not help: the line has no code in the file's module, the runtime refused."""
    code: str = ""
    """One of the codes of `errors`, such as INVALID_LINE; empty while the breakpoint just waits."""


class Bound(Struct, frozen=True):
    """The runtime has the breakpoint at one or more sites. `note` says how it differs from what was asked."""

    sites: tuple[BoundSite, ...]
    note: str = ""
    code: str = ""
    """INVALID_COLUMN when it stands elsewhere on the line than was asked; else empty."""

    @property
    def span(self) -> Span | None:
        """The actual range, of the first site; None without symbols."""
        return self.sites[0].site.span


class Unbound(Struct, frozen=True):
    """It was bound, and the modules it was bound in have unloaded; it binds again when one loads."""

    reason: str


class Disabled(Struct, frozen=True):
    """Known, but not in the runtime."""


State = Pending | Bound | Unbound | Disabled


class LogicalBreakpoint(Struct, eq=False):
    """The user's breakpoint. Identity is the id; the state is replaced, never changed in place."""

    id: BreakpointId
    place: Place
    settings: Settings
    state: State
    hit_count: int = 0
    """Hits for which the condition held, since the breakpoint was set."""

    @property
    def sites(self) -> tuple[BoundSite, ...]:
        """Where the runtime has it; empty unless it is bound."""
        return self.state.sites if isinstance(self.state, Bound) else ()
