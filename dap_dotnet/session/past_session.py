"""A moment of the program's past, as requests that only read see it: what a session is to them. Session thread only.

It stands on a copy of the process, which never runs. What the client can name is in the live session's `StopState`: so
a number that it was given at another moment is stale, and never means something else.
"""

from __future__ import annotations

import queue
import time
from typing import TYPE_CHECKING

from msgspec import structs
from typing_extensions import override

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.runtime import events
from dap_dotnet.session.event_queue import EventQueue
from dap_dotnet.session.holds import STOP_TIMEOUT_MS, Holds
from dap_dotnet.session.phase import Phase
from dap_dotnet.session.session_facts import THE_PAST, SessionFacts
from dap_dotnet.session.session_parts import CALL_TIMEOUT_S
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.runtime.api import Debuggee, Snapshot
    from dap_dotnet.runtime.model import ModuleId, ThreadId
    from dap_dotnet.symbols.spans import Span

_OPENING_S = 10.0


class PastSession(SessionFacts):
    """See the module's docstring."""

    def __init__(self, live: SessionFacts, snapshot: Snapshot) -> None:
        """Open a copy of the live session's program. Raises `DapDotnetError`, as where the copy has ended."""
        self._live = live
        self.server = live.server
        self.client_events = live.client_events
        self.told_of_edits = live.told_of_edits
        self.stop_state = live.stop_state
        self.source_texts = live.source_texts
        self._options = structs.replace(
            live.options, display=structs.replace(live.options.display, may_run=False, may_run_to_string=False)
        )
        self._phase = Phase.STOPPED
        self._is_configured = self._is_program_loaded = True
        self.modules = ModuleCatalog()
        self.modules.take_rules_of(live.modules)
        self._known: dict[ModuleId, ModuleId] = {}
        """The numbers that the live session has for the modules."""
        self.event_queue = EventQueue(lambda _: None, lambda _: None, lambda _: None)
        self.holds = Holds()
        arrivals: queue.SimpleQueue[events.RuntimeEvent] = queue.SimpleQueue()
        self._debuggee = debuggee = snapshot.open(arrivals.put, trust_runtime=True)
        try:
            self.holds.attach(debuggee)
            self._take_in(debuggee, arrivals)
        except BaseException:
            self.close()
            raise

    def _take_in(self, debuggee: Debuggee, arrivals: queue.SimpleQueue[events.RuntimeEvent]) -> None:
        """Learn what the process consists of: all of it is reported before the answer to a request to stop."""
        opened = {(module.info.path, module.info.base_address): module for module in self._live.modules}
        deadline = time.monotonic() + _OPENING_S
        debuggee.request_stop(STOP_TIMEOUT_MS)
        while True:
            try:
                event = arrivals.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise DebuggeeError(f"The copy of the program was not opened within {_OPENING_S:g} s.") from None
            if isinstance(event, events.ModuleLoaded):
                loaded = self.modules.add(event.module, debuggee.read_memory, debuggee.module_metadata)
                known = opened.get((event.module.path, event.module.base_address))
                if known is not None:
                    loaded.share_files(known)
                    self._known[loaded.id] = known.id
            elif isinstance(event, events.ThreadStarted):
                self.threads.started(event.thread, is_main=debuggee.process_id == event.thread)
            elif isinstance(event, events.ProcessExited):
                raise DebuggeeError("The copy of the program has ended.")
            elif event.holds:
                self.holds.add(event)
                return

    def close(self) -> None:
        """Let go of the copy's memory. Idempotent."""
        debuggee, self._debuggee = self._debuggee, None
        if debuggee is not None:
            self.modules.close()
            debuggee.close()

    @override
    def known_module(self, module: ModuleId | None) -> ModuleId | None:
        return self._known.get(module) if module is not None else None

    @property
    @override
    def stands_still_as(self) -> str:
        return THE_PAST

    @override
    def span_now(self, path: str, span: Span) -> Span | None:
        return self._live.span_now(path, span)

    @override
    def caller_for(self, thread: ThreadId, timeout_s: float = CALL_TIMEOUT_S, *, together: bool = False) -> Caller:
        raise self.nothing_runs()

    @override
    def _is_watched(self, loaded: LoadedModule) -> bool:
        return False

    @override
    def values_changed(self) -> None:
        """Nothing does."""

    @override
    def call_is_told(self) -> None:
        """There are no calls."""
