"""Where a session stands, and what launch or attach has decided for the whole of it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.symbols.symbol_search import SymbolSearch
from dap_dotnet.values.display_options import DisplayOptions

if TYPE_CHECKING:
    from dap_dotnet.launching.browser import BrowserOpener


class Phase(enum.Enum):
    """Where the session stands."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    ENDED = "ended"


class HistoryLimits(Struct, frozen=True):
    """What the copies of a program may cost that its stops leave."""

    copies: int = 50
    memory_share: float = 0.25
    """Of the memory that was free at the beginning; of more than that, old copies are let go."""
    slowest_ms: float = 20.0
    """Where one takes longer, no more are made."""


class Reports(Struct, frozen=True):
    """What the user reads in the debug console besides what the program writes (`logging`)."""

    exceptions: bool = False
    module_load: bool = True
    process_exit: bool = True
    thread_exit: bool = False
    program_output: bool = True
    runtime_events: bool = False
    """What reaches the session from the runtime, before anything is made of it."""


class SessionOptions(Struct, frozen=True):
    """What launch and attach decide for the whole session."""

    just_my_code: bool = True
    stop_at_entry: bool = False
    disable_optimizations: bool = False
    is_attach: bool = False
    stop_on_attach: bool = False
    is_held_at_start: bool = False
    """With `is_attach`: none of the program's code has run, and none does before the client has sent breakpoints."""
    never_stops: bool = False
    """The client only wants to run the program (`noDebug`)."""
    runs_tests: bool = False
    source_file_map: dict[str, str] = {}
    """Compile-time path -> local path."""
    require_exact_source: bool = True
    symbol_search: SymbolSearch = SymbolSearch()
    source_link_rules: dict[str, bool] = {}
    """Pattern of addresses -> whether sources are downloaded from there."""
    step_filtering: bool = True
    """Steps into a statement pass accessors of properties and operators by."""
    reports: Reports = Reports()
    display: DisplayOptions = DisplayOptions()
    shows_output: bool = False
    """What the program writes to its standard output comes to the client through us."""
    history: HistoryLimits | None = None
    """What the copies may cost that stops leave; None: none are made."""
    browser: BrowserOpener | None = None
    """What reads the program's output until it says where it listens."""

    @property
    def begins_with_main(self) -> bool:
        """Whether the client's breakpoints are awaited before the program's own code runs."""
        return self.is_held_at_start or not self.is_attach
