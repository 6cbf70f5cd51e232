"""What a session knows, and what handlers need of it: facts to read, and checks with errors for the client.

Session thread only. Nothing here changes anything: `Session` does.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dap_dotnet.errors import FrozenError, NoSessionError, NotStoppedError, ProtocolError, UserError
from dap_dotnet.launching.procfs import environment_of
from dap_dotnet.runtime.model import ModuleId, ThreadId
from dap_dotnet.session.phase import Phase, SessionOptions
from dap_dotnet.session.session_parts import SessionParts
from dap_dotnet.symbols import runtime_async

if TYPE_CHECKING:
    from dap_dotnet.protocol.client_view import ClientView
    from dap_dotnet.runtime.api import Debuggee
    from dap_dotnet.session.call_stack import CallStack
    from dap_dotnet.session.stops import Stop
    from dap_dotnet.symbols.spans import Span
    from dap_dotnet.values.context import Program
    from dap_dotnet.values.live_values import OpenedResults


_RUNTIME_ASYNC = ("dotnet_runtimeasync", "complus_runtimeasync")
"""Variables, in lower case, that switch it on."""


THE_PAST = "the past"


class SessionFacts(SessionParts):
    """The base of `Session`, which has the fields."""

    _phase: Phase
    _options: SessionOptions
    _debuggee: Debuggee | None
    _is_configured: bool
    _is_program_loaded: bool

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self._phase

    @property
    def options(self) -> SessionOptions:
        """What launch or attach has decided."""
        return self._options

    @property
    def debuggee(self) -> Debuggee | None:
        """The program, running or stopped; None before launch or attach has worked."""
        return self._debuggee

    @cached_property
    def has_runtime_async(self) -> bool:
        """Whether the program may load modules with methods that the runtime suspends, and .NET cannot debug them.

        Without the variable it cannot: so nobody else pays for looking through the methods of modules. Looked up once.
        """
        if self._debuggee is None or not runtime_async.is_of(self._debuggee.runtime_version):
            return False
        if self._debuggee.is_frozen and self._debuggee.pause_ms is None:
            return False
        try:
            names = {name.lower() for name in environment_of(self._debuggee.process_id)}
        except OSError:  # it has ended, or is not ours to look at
            return False
        return not names.isdisjoint(_RUNTIME_ASYNC)

    @property
    def view(self) -> ClientView:
        """The client's conventions."""
        return self.server.client

    @property
    def is_active(self) -> bool:
        """Whether there is a program under control."""
        return self._debuggee is not None and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether the program has ended or was left."""
        return self._phase is Phase.ENDED

    @property
    def is_configured(self) -> bool:
        """Whether the client has sent its breakpoints."""
        return self._is_configured

    @property
    def is_loading(self) -> bool:
        """Whether a launch is under way whose program's own module is still to be loaded."""
        is_under_way = self._phase in (Phase.STARTING, Phase.RUNNING) and self._options.begins_with_main
        return is_under_way and not self._is_program_loaded

    @property
    def wants_to_stop(self) -> bool:
        """Whether a pause, a disconnect or the client's end waits behind what the session thread does now."""
        return self.server.interrupts.pause_requested or self.server.interrupts.disconnect_requested

    @property
    def is_work_unwanted(self) -> bool:
        """Whether nobody waits for what the session thread does now: as `wants_to_stop`, or the client cancelled it."""
        return self.wants_to_stop or self.server.interrupts.is_work_unwanted

    @property
    def current_stop(self) -> Stop | None:
        """The stop that the client knows of; None while the program runs."""
        return self.stop_state.current

    @property
    def opened_results(self) -> OpenedResults:
        """Results of expressions that the client has opened at this stop."""
        return self.stop_state.opened_results

    def span_now(self, path: str, span: Span) -> Span | None:
        """Where a span of the source that runs is in the file as it is now: it may have been edited. None: nowhere."""
        return self.breakpoints.resolver.lines.span_now(path, span)

    def known_module(self, module: ModuleId | None) -> ModuleId | None:
        """The number by which the client knows a module; None for one that it does not."""
        return module

    def thread_names(self, *, are_read: bool = False) -> dict[ThreadId, str]:
        """All managed threads with their names, the main thread first; while the program runs, what is known.

        None at all once it has ended. `are_read`: the program is held only for what was to be read of it already.
        """
        if self._debuggee is not None and self.holds.is_held and not are_read:
            self.threads.read(self.program())
        frozen = self.frozen.by_user
        names = {} if self.is_over else self.threads.known()
        return {thread: f"{name} [frozen]" if thread in frozen else name for thread, name in names.items()}

    def stack(self, thread: ThreadId) -> CallStack:
        """A thread's stack at this stop. Raises `NotStoppedError`."""
        return self.stop_state.stack(self.program, thread, just_my_code=self._options.just_my_code)

    def program(self, thread: ThreadId | None = None) -> Program:
        """The stopped program, for values and evaluation.

        `thread`: where expressions run at an event of which no stop is made yet; None: in that of the stop.
        """
        return self.programs.make(self.need_stopped(), self._options.display, thread)

    @property
    def is_idle(self) -> bool:
        """Whether no program has been started or attached to, nor is about to be."""
        return self._phase is Phase.IDLE

    def need_idle(self) -> None:
        """Raises `ProtocolError` once the session has, or had, a program."""
        if not self.is_idle:
            raise ProtocolError("This session already has a program: each adapter process debugs one program.")

    def need_debuggee(self) -> Debuggee:
        """The program under control. Raises `NoSessionError`."""
        if self._debuggee is None or self.is_over:
            raise NoSessionError("No program is being debugged: launch one or attach to one first.")
        return self._debuggee

    def need_stopped(self) -> Debuggee:
        """The program, stopped. Raises `NoSessionError` or `NotStoppedError`."""
        debuggee = self.need_debuggee()
        if not self.holds.is_held:
            raise NotStoppedError("The program is running: pause it first, or wait until it stops.")
        return debuggee

    def need_stop(self) -> Debuggee:
        """The program at a stop that the client knows of. Raises `NoSessionError` or `NotStoppedError`."""
        debuggee = self.need_stopped()
        if self.current_stop is None:
            raise NotStoppedError("The program has not started yet: send configurationDone first.")
        return debuggee

    def need_resumable(self) -> Debuggee:
        """The program at a stop from which it can go on. Raises as `need_stop`, and `FrozenError`."""
        debuggee = self.need_stop()
        if self.stands_still_as:
            raise self.nothing_runs()
        return debuggee

    def nothing_runs(self) -> FrozenError:
        """The refusal of what would act on what stands still."""
        shown = self.stands_still_as
        remedy = (
            "Go forward to the present first." if shown == THE_PAST else "Start the program, or attach to it, to go on."
        )
        return FrozenError(f"This is {shown}: nothing in it runs or changes. {remedy}")

    @property
    def stands_still_as(self) -> str:
        """What is shown, as the user calls it, where that is nothing that runs; empty for a program."""
        return self._debuggee.frozen_as if self._debuggee is not None else ""

    def thread_id(self, number: int) -> ThreadId:
        """A thread's number as the client gives it. Raises `UserError` for one that no operating system gives."""
        if not 0 < number < 1 << 32:
            raise UserError(f"There is no thread {number}; ask for the threads again.")
        return ThreadId(number)
