"""The parts of a session that a launch does without until its program runs. Session thread only.

Each is imported and made when it is first used: `launch` starts the process before that, so that the imports pass while
the runtime starts on another core.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dap_dotnet.symbols.modules import ModuleCatalog

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.runtime.model import ThreadId
    from dap_dotnet.server import Server
    from dap_dotnet.session.break_calls import BreakCalls
    from dap_dotnet.session.client_events import ClientEvents
    from dap_dotnet.session.event_queue import EventQueue
    from dap_dotnet.session.frozen_threads import FrozenThreads
    from dap_dotnet.session.holds import Holds
    from dap_dotnet.session.last_words import LastWords
    from dap_dotnet.session.logger_lines import LoggerLines
    from dap_dotnet.session.programs import Programs
    from dap_dotnet.session.session_breakpoints import SessionBreakpoints
    from dap_dotnet.session.stop_state import StopState
    from dap_dotnet.session.thread_names import ThreadNames
    from dap_dotnet.session.unfinished_calls import UnfinishedCalls
    from dap_dotnet.stepping.stepper import Stepping
    from dap_dotnet.symbols.modules import LoadedModule
    from dap_dotnet.symbols.source_texts import SourceTexts
    from dap_dotnet.values.context import Clock
    from dap_dotnet.values.kept_objects import KeptObjects

CALL_TIMEOUT_S = 5.0
"""For a call that an expression of the user's makes."""


class SessionParts:
    """The base of `SessionFacts`; `Session` has the fields and the two methods that the parts need."""

    server: Server[Any]
    client_events: ClientEvents
    modules: ModuleCatalog
    holds: Holds
    event_queue: EventQueue
    told_of_edits: set[str]
    """Sources of which the user knows that they were edited since the program was built from them."""
    stepping_so_far: Stepping | None = None
    """`stepping`, None before the first step: a stop does without what it imports."""

    def caller_for(self, thread: ThreadId, timeout_s: float = CALL_TIMEOUT_S, *, together: bool = False) -> Caller:
        """What runs the program's code on a thread for an expression; each call may take `timeout_s`."""
        raise NotImplementedError

    def values_changed(self) -> None:
        """The user has stored something in the program: what was read of it before is read again, by clients too."""
        raise NotImplementedError

    def call_is_told(self) -> None:
        """The client hears of the unfinished call from the answer to what is handled now."""
        raise NotImplementedError

    def _is_watched(self, loaded: LoadedModule) -> bool:
        """Whether stores to fields are watched in a module's code."""
        raise NotImplementedError

    def make_parts(self) -> Iterator[str]:
        """Make those that are still to be made, and import what they need: one before each name that it gives."""
        for name, member in vars(SessionParts).items():
            if isinstance(member, cached_property):
                getattr(self, name)
                yield name

    @cached_property
    def breakpoints(self) -> SessionBreakpoints:
        """Breakpoints of every kind."""
        from dap_dotnet.session.session_breakpoints import SessionBreakpoints

        return SessionBreakpoints(
            self.modules, self.client_events, self.caller_for, self._is_watched, self.server.call_later
        )

    @cached_property
    def break_calls(self) -> BreakCalls:
        """Calls of Debugger.Break on lines that have just stopped."""
        from dap_dotnet.session.break_calls import BreakCalls

        return BreakCalls(self.modules)

    @cached_property
    def stop_state(self) -> StopState:
        """What dies with a stop."""
        from dap_dotnet.session.stop_state import StopState

        return StopState()

    @cached_property
    def threads(self) -> ThreadNames:
        """The threads that the client hears of."""
        from dap_dotnet.session.thread_names import ThreadNames

        return ThreadNames()

    @cached_property
    def frozen(self) -> FrozenThreads:
        """Threads that stay where they are while the program runs."""
        from dap_dotnet.session.frozen_threads import FrozenThreads

        return FrozenThreads(self.holds, self.client_events, self.event_queue.deferred, self.server.call_later)

    @cached_property
    def unfinished_calls(self) -> UnfinishedCalls:
        """Calls of expressions that still wait on their threads."""
        from dap_dotnet.session.unfinished_calls import UnfinishedCalls

        return UnfinishedCalls(self.holds, self.event_queue.deferred)

    @cached_property
    def source_texts(self) -> SourceTexts:
        """Sources that are no files here."""
        from dap_dotnet.symbols.source_texts import SourceTexts

        return SourceTexts(self.modules)

    @cached_property
    def kept(self) -> KeptObjects:
        """What the user keeps by name."""
        from dap_dotnet.values.kept_objects import KeptObjects

        return KeptObjects()

    @cached_property
    def last_words(self) -> LastWords:
        """What the runtime writes before it ends the program."""
        from dap_dotnet.session.last_words import LastWords

        return LastWords()

    @cached_property
    def logger_lines(self) -> LoggerLines:
        """Lines that the program logs twice."""
        from dap_dotnet.session.logger_lines import LoggerLines

        return LoggerLines(
            lambda text: self.client_events.console(text.removesuffix("\n")),
            self.server.call_later,
            lambda: self.stop_state.current is None,
        )

    @cached_property
    def clock(self) -> Clock:
        """How often value handles have died."""
        from dap_dotnet.values.context import Clock

        return Clock()

    @cached_property
    def programs(self) -> Programs:
        """What puts the stopped program together for values and evaluation."""
        from dap_dotnet.session.programs import Programs

        return Programs(
            self.modules,
            self.clock,
            self.stop_state,
            returns=lambda: self.stepping_so_far.returns if self.stepping_so_far is not None else None,
            kept=self.kept,
            caller_for=self.caller_for,
            is_work_unwanted=lambda: self.server.interrupts.is_work_unwanted,
        )

    @property
    def stepping(self) -> Stepping:
        """The step under way."""
        if self.stepping_so_far is None:
            from dap_dotnet.stepping.stepper import Stepping

            registry = self.breakpoints.registry
            self.stepping_so_far = Stepping(
                self.modules,
                self.client_events.console,
                lambda location: registry.bound_at(location) is not None,
            )
        return self.stepping_so_far
