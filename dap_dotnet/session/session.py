"""One debug session: its state, what it owns, and the only place that reports a stop.

Session thread only, but for `sink`, which any thread may call. The session learns everything from runtime events, in
order; handlers change it through the methods below.
"""

from __future__ import annotations

import enum
import logging
import queue
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.breakpoints.entry_point import EntryPointBreakpoint
from dap_dotnet.breakpoints.exceptions.exception_breakpoints import ExceptionBreakpoints
from dap_dotnet.breakpoints.exceptions.rules import ExceptionStage
from dap_dotnet.breakpoints.model import FieldPlace
from dap_dotnet.breakpoints.registry import BreakpointRegistry
from dap_dotnet.breakpoints.verdicts import Verdicts
from dap_dotnet.errors import DapDotnetError, NoSessionError, NotStoppedError, UserError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.runtime import events
from dap_dotnet.runtime.api import Backend, Debuggee
from dap_dotnet.runtime.model import (
    Frame,
    StepKind,
    ThreadId,
)
from dap_dotnet.server import Server
from dap_dotnet.session import stops
from dap_dotnet.session.breakpoint_expressions import ExpressionLanguage
from dap_dotnet.session.client_events import ClientEvents
from dap_dotnet.session.deferred import DeferredEvents
from dap_dotnet.session.holds import Holds
from dap_dotnet.session.runtime_events import react
from dap_dotnet.session.start_thread import StartThread
from dap_dotnet.session.watchdog import Watchdog
from dap_dotnet.stepping.stepper import Stepping
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.spans import Span
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.containers import Container
from dap_dotnet.values.context import Clock, FrameContext, Program
from dap_dotnet.values.handles import HandleTable
from dap_dotnet.values.hit_reads import ReadPlans
from dap_dotnet.values.live import Roots

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.data.data_breakpoints import DataBreakpoints

_log = logging.getLogger(__name__)


ATTACH_PATIENCE_S = 12.0
"""An attach under way must end and be undone, or the program stays stopped; a runtime may take 10 s to answer it."""
LAUNCH_PATIENCE_S = 2.0
"""A launch under way may simply be left: its launcher kills the program when the adapter is gone."""


class Phase(enum.Enum):
    """Where the session stands."""

    IDLE = "idle"
    STARTING = "starting"
    RUNNING = "running"
    STOPPED = "stopped"
    ENDED = "ended"


class SessionOptions(Struct):
    """What launch and attach decide for the whole session."""

    just_my_code: bool = True
    stop_at_entry: bool = False
    disable_optimizations: bool = False
    is_attach: bool = False
    program_name: str = ""
    source_file_map: dict[str, str] = {}
    """Compile-time path -> local path."""
    require_exact_source: bool = True


class Session:
    """See the module's docstring."""

    def __init__(self, server: Server[Session], backend: Backend) -> None:
        self.server = server
        self.backend = backend
        self.client_events = ClientEvents(server)
        self._watchdog = Watchdog(server)
        server.interrupts.on_end_wanted = self._watchdog.end_is_wanted
        self.options = SessionOptions()
        self.phase = Phase.IDLE
        self.debuggee: Debuggee | None = None
        self.start: StartThread | None = None
        self.modules = ModuleCatalog()
        self.holds = Holds()
        self.deferred = DeferredEvents()
        self.resolver = PdbResolver(self.modules, self._is_watched)
        self.verdicts = Verdicts(ExpressionLanguage(self))
        self.breakpoints = BreakpointRegistry(self.resolver, self.client_events.breakpoint_changed, self.verdicts.check)
        self._data: DataBreakpoints | None = None
        self.exceptions = ExceptionBreakpoints(self.modules, self.client_events.exception_breakpoint_changed)
        self.stepping = Stepping(self.modules)
        self.frames: HandleTable[FrameContext] = HandleTable("frame")
        self.variables: HandleTable[Container] = HandleTable("variables reference")
        self.roots = Roots()
        """Results of expressions that the client has opened at this stop."""
        self.current_stop: stops.Stop | None = None
        self.exception_stage: ExceptionStage | None = None
        self.known_threads: dict[ThreadId, str] = {}
        """Threads with their names as of the last time that they could be asked for."""
        self.clock = Clock()
        self.read_plans = ReadPlans()
        self.is_configured = False
        self.on_end: list[Callable[[], None]] = []
        """Called once, when the program has ended or was left."""
        self._events: queue.SimpleQueue[events.RuntimeEvent] = queue.SimpleQueue()
        self._early: list[events.RuntimeEvent] = []
        self._held_for_configuration: events.RuntimeEvent | None = None
        self.pause_wanted = False
        self._is_left = False
        self._stacks: dict[ThreadId, StackView] = {}
        self._frame_ids: dict[tuple[ThreadId, int], int] = {}
        self.entry = EntryPointBreakpoint()

    @property
    def data(self) -> DataBreakpoints:
        """The data breakpoints at work; loaded with the first of them."""
        if self._data is None:
            from dap_dotnet.breakpoints.data.data_breakpoints import DataBreakpoints

            self._data = DataBreakpoints(self.resolver.fields)
        return self._data

    @property
    def watches_data(self) -> bool:
        """Whether there ever was a data breakpoint."""
        return self._data is not None

    def _is_watched(self, loaded: LoadedModule) -> bool:
        """Whether stores to fields are watched in a module's code."""
        return loaded.is_user_code or (loaded.pdb is not None and self.options.disable_optimizations)

    @property
    def view(self) -> ClientView:
        """The client's conventions."""
        return self.server.client

    # --- what handlers ask -------------------------------------------------------------------------------------------

    def need_debuggee(self) -> Debuggee:
        """The program under control. Raises `NoSessionError`."""
        if self.debuggee is None or self.phase is Phase.ENDED:
            raise NoSessionError("No program is being debugged: launch one or attach to one first.")
        return self.debuggee

    def need_stopped(self) -> Debuggee:
        """The program, stopped. Raises `NoSessionError` or `NotStoppedError`."""
        debuggee = self.need_debuggee()
        if not self.holds.is_held:
            raise NotStoppedError("The program is running: pause it first, or wait until it stops.")
        return debuggee

    def thread_id(self, number: int) -> ThreadId:
        """A thread's number as the client gives it. Raises `UserError` for one that no operating system gives."""
        if not 0 < number < 1 << 32:
            raise UserError(f"There is no thread {number}; ask for the threads again.")
        return ThreadId(number)

    def need_resumable(self) -> Debuggee:
        """The program at a stop that the client knows of. Raises `NoSessionError` or `NotStoppedError`."""
        debuggee = self.need_stopped()
        if self.current_stop is None:
            raise NotStoppedError("The program is still being prepared: send configurationDone first.")
        return debuggee

    def frame_id(self, thread: ThreadId, frame: Frame) -> int:
        """The client's number for a frame: the same for the whole stop."""
        key = (thread, frame.index)
        if key not in self._frame_ids:
            self._frame_ids[key] = self.frames.add(FrameContext(self.program(), thread, frame))
        return self._frame_ids[key]

    def stack(self, thread: ThreadId) -> StackView:
        """A thread's stack at this stop. Raises `NotStoppedError`."""
        debuggee = self.need_stopped()
        return self._stacks.setdefault(thread, StackView(debuggee, thread))

    def places(self, path: str, start: tuple[int, int], end: tuple[int, int]) -> list[Span]:
        """Where breakpoints can stand between two (line, column)s of a file; from the modules that are loaded now."""
        return self.resolver.places(path, start, end)

    def program(self) -> Program:
        """The stopped program, for values and evaluation."""
        return Program(self.need_stopped(), self.modules, self.clock)

    def update_watched_data(self) -> None:
        """After breakpoints have been bound or removed, while the program is held: remember what the fields hold."""
        if self._data is not None:
            stop = self.current_stop
            entries = [entry for entry in self.breakpoints.all() if isinstance(entry.place, FieldPlace)]
            self._data.update(self.program(), entries, stop.thread if stop is not None else None)

    # --- running and stopping ----------------------------------------------------------------------------------------

    def started(self, debuggee: Debuggee) -> None:
        """Launch or attach worked: take over the debuggee and what it has already reported."""
        self.debuggee = debuggee
        self.holds.attach(debuggee)
        self.phase = Phase.RUNNING
        self.apply_exception_rule()
        early, self._early = self._early, []
        for event in early:
            self.on_runtime_event(event)

    def apply_exception_rule(self) -> None:
        """Tell the runtime which exception phases matter."""
        if self.debuggee is not None:
            phases = self.exceptions.rule.phases(just_my_code=self.options.just_my_code)
            self.debuggee.set_exception_interest(phases)

    def hold_for_configuration(self, event: events.RuntimeEvent) -> None:
        """Leave the program stopped by an event until the client has sent its breakpoints."""
        self._held_for_configuration = event

    def configured(self) -> None:
        """The client has sent its breakpoints: a program that is held before Main goes on."""
        self.is_configured = True
        held, self._held_for_configuration = self._held_for_configuration, None
        if held is not None:
            self.holds.release(held)

    def resume(self) -> None:
        """Let the program run: the stop is over. Raises `NotStoppedError`."""
        self.need_resumable()
        self.leave_stop()
        self.phase = Phase.RUNNING
        self._go_on()

    def prepare_step(self, thread: ThreadId, kind: StepKind) -> None:
        """Arm a step; `resume` begins it. Raises `NotStoppedError`, or `RuntimeCallError` for a thread without code."""
        debuggee = self.need_resumable()
        self.stepping.start(debuggee, thread, kind, just_my_code=self.options.just_my_code)

    def pause(self) -> None:
        """Stop the program; the `stopped` event follows."""
        self.need_debuggee()
        if self.current_stop is None:
            self.pause_wanted = True
            self.holds.request_stop()

    def finish(self, decision: stops.Stop | stops.Resume) -> bool:
        """Report a stop, or not. True keeps the hold of the event that was decided on."""
        if isinstance(decision, stops.Resume):
            return False
        assert self.debuggee is not None
        self.stepping.cancel(self.debuggee)
        if self._is_left:
            return False
        self.pause_wanted = False
        self.phase = Phase.STOPPED
        self.current_stop = decision
        self.client_events.stopped(decision)
        return True

    @property
    def is_over(self) -> bool:
        """Whether the program has ended or was left."""
        return self.phase is Phase.ENDED

    def values_died(self) -> None:
        """The process ran for a function evaluation: value handles are of an old generation now."""
        self.clock.generation += 1

    def lost_control(self) -> None:
        """A function evaluation could not be ended: the program runs, and the stop is over."""
        stop = self.current_stop
        self.values_died()
        self.leave_stop()
        self.phase = Phase.RUNNING
        if stop is not None:
            self.client_events.continued(stop.thread)
        if self.deferred:
            self.holds.request_stop()  # to let the frozen threads go

    def leave_stop(self) -> None:
        """The stop is over: frames, variables and opened values die."""
        self.current_stop = None
        self.exception_stage = None
        self.frames.clear()
        self._frame_ids.clear()
        self._stacks.clear()
        self.variables.clear()
        self.roots.clear()

    def end(self, exit_code: int | None) -> None:
        """The program has ended (`exit_code`; None: not known) or was left. Tells the client once."""
        if self.phase is Phase.ENDED:
            return
        self.phase = Phase.ENDED
        self.leave_stop()
        self.holds.forget()
        if exit_code is not None:
            self.client_events.exited(exit_code)
        self.client_events.terminated()
        for action in self.on_end:
            action()

    def failed_to_start(self) -> None:
        """There will be no program: the client may close the session."""
        self.phase = Phase.ENDED
        self.client_events.terminated()

    def run_without_stops(self) -> None:
        """The client only wants to run the program (`noDebug`): nothing stops it."""
        self._is_left = True

    def leave_to_end(self) -> None:
        """The program is about to be asked to end: nothing stops it any more."""
        self._is_left = True
        self.is_configured = True
        self.leave_stop()
        self.phase = Phase.RUNNING
        if self.debuggee is not None and self.holds.is_held:
            self.deferred.drop(self.debuggee)
        self.holds.release_all()

    def on_disconnect(self) -> None:
        """The server ends: a launched program that still runs is killed, an attached one runs on."""
        self._watchdog.session_ends()
        try:
            if self.start is not None and self.debuggee is None:
                self.start.give_up(ATTACH_PATIENCE_S if self.options.is_attach else LAUNCH_PATIENCE_S)
            if self.debuggee is not None:
                self.debuggee.close()
            self.modules.close()
        finally:
            self._watchdog.stand_down()

    # --- events ------------------------------------------------------------------------------------------------------

    def sink(self, event: events.RuntimeEvent) -> None:
        """Take an event. Any thread."""
        self._events.put(event)
        self.server.post(self._drain)
        if isinstance(event, events.ProcessReaped):
            self._watchdog.process_is_gone(event.exit_code)
        elif isinstance(event, events.ProcessExited):
            self._watchdog.process_is_gone()

    def next_event(self, timeout_s: float) -> events.RuntimeEvent | None:
        """Take the next event past the inbox, for a function evaluation; None when none comes in time."""
        try:
            return self._events.get(timeout=timeout_s) if timeout_s > 0 else self._events.get_nowait()
        except queue.Empty:
            return None

    def _drain(self) -> None:
        while True:
            try:
                event = self._events.get_nowait()
            except queue.Empty:
                return
            self.on_runtime_event(event)

    def on_runtime_event(self, event: events.RuntimeEvent) -> None:
        """Handle one event; the hold of a holding one is given up, unless a stop is made of it."""
        if self.debuggee is None:
            self._early.append(event)
            return
        if event.holds:
            self.holds.add(event)
        keep = self._react(event)
        if not event.holds or keep:
            return
        if self.current_stop is None and self._held_for_configuration is None:
            # A condition that called into the program has put the call's completion in the place of the event's hold.
            self._go_on()
        else:
            self.holds.release(event)

    def _go_on(self) -> None:
        """Let the program run, unless there is a stop or what was put off makes one: one event each turn."""
        if self.current_stop is not None or self.debuggee is None:
            return
        event = self.deferred.take(self.debuggee) if self.holds.is_held else None
        if event is None:
            self.holds.release_all()
        elif not self._react(event):
            self.server.post(self._go_on)

    def _react(self, event: events.RuntimeEvent) -> bool:
        try:
            # Once the client was told of the end, it wants to hear no more.
            return self.phase is not Phase.ENDED and react(self, event)
        except DapDotnetError as error:
            _log.warning("while handling %s: %s", type(event).__name__, error.message)
        except Exception:
            _log.exception("while handling %s", event)
        return False
