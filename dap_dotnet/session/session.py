"""One debug session: what it owns, what handlers may ask of it, and the only place that reports a stop.

Session thread only. The session learns everything from runtime events, in the order that `EventQueue` says;
`runtime_events` is what each of them does. `phase`, `options` and `debuggee` are changed here and, where a session
begins and ends, in `session_life`, and nowhere else. `SessionFacts` is what can be asked of them; what dies with a stop
is in `StopState`, and only `Holds` lets the process run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

from dap_dotnet.launching.exit_status import ExitStatus
from dap_dotnet.session.breakpoint_updates import apply_exception_rule, update_watched_data
from dap_dotnet.session.client_events import ClientEvents
from dap_dotnet.session.event_dispatcher import EventDispatcher
from dap_dotnet.session.event_queue import EventQueue
from dap_dotnet.session.holds import Holds
from dap_dotnet.session.phase import Phase, SessionOptions
from dap_dotnet.session.replacement import Replacement
from dap_dotnet.session.session_facts import THE_PAST, SessionFacts
from dap_dotnet.session.session_life import SessionLife
from dap_dotnet.session.session_parts import CALL_TIMEOUT_S
from dap_dotnet.session.start_thread import StartThread
from dap_dotnet.session.stops import BY_CHANCE, Resume, Stop
from dap_dotnet.session.watchdog import Watchdog
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
    from dap_dotnet.runtime import events
    from dap_dotnet.runtime.api import Backend, Debuggee
    from dap_dotnet.runtime.model import EvalId, StepKind, ThreadId
    from dap_dotnet.server import Server
    from dap_dotnet.session.call_stack import CallStack
    from dap_dotnet.session.history import History
    from dap_dotnet.session.symbol_downloads import SymbolDownloads
    from dap_dotnet.stepping.ranges import StepUnit
    from dap_dotnet.stepping.step_in_targets import StepInTarget

_log = logging.getLogger(__name__)


class Session(SessionLife):
    """See the module's docstring."""

    def __init__(
        self,
        server: Server[Session],
        backend: Backend,
        reactions: Callable[[], Callable[[Session, events.RuntimeEvent], bool]],
        *,
        is_configured: bool = False,
    ) -> None:
        """`reactions` gives, at the first event, what does what an event asks for.

        That returns True to keep the event's hold, because a stop was made of it. `is_configured`: the client has sent
        its breakpoints already.
        """
        self.server = server
        self.backend = backend
        self.dumped_exceptions = 0
        self.client_events = ClientEvents(server, self._source_reference)
        self.client_events.span_now = self.span_now
        self._untold_call: ThreadId | None = None
        """The thread of a call that could not be ended, until the user hears of it."""
        self.told_of_edits = set()
        self._watchdog = Watchdog(server)
        server.interrupts.when_end_is_wanted(self._watchdog.end_is_wanted)
        self._options = SessionOptions()
        self._phase = Phase.IDLE
        self._debuggee: Debuggee | None = None
        self._start: StartThread | None = None
        self._is_configured = is_configured
        self._is_start_cancelled = False
        self._is_program_loaded = False
        self._is_left = False
        self._is_pause_wanted = False
        self.thread_to_pause: ThreadId | None = None
        """That the client has named last in asking for a pause; perhaps none of the program's."""
        self._on_end: list[Callable[[], None]] = []
        self._on_close: list[Callable[[], None]] = []
        self.holds = Holds()
        self.dispatcher = EventDispatcher(self, lambda event: self._react(self, event), server.post)
        self.event_queue = EventQueue(server.post, self.dispatcher.dispatch, self._watchdog.event_arrived)
        self.modules = ModuleCatalog()
        self.reactions = reactions
        self._exit_status: ExitStatus | None = None
        self.replacement = Replacement(server.post)
        self._beginning: LaunchArguments | AttachArguments | None = None
        self.history: History | None = None
        """The stops that were; None where none are remembered."""

    def _source_reference(self, path: str) -> int:
        return self.source_texts.given(path)

    @cached_property
    def _react(self) -> Callable[[Session, events.RuntimeEvent], bool]:
        return self.reactions()

    @property
    def shown(self) -> SessionFacts:
        """What requests that only read are answered from: the session itself, or a moment of its past."""
        past = self.history.past if self.history is not None else None
        return self if past is None else past

    @property
    @override
    def stands_still_as(self) -> str:
        return super().stands_still_as if self.shown is self else THE_PAST

    @override
    def stack(self, thread: ThreadId) -> CallStack:
        return super().stack(thread) if self.shown is self else self.shown.stack(thread)

    @cached_property
    def symbol_downloads(self) -> SymbolDownloads:
        """PDBs that come from symbol servers."""
        from dap_dotnet.session.symbol_downloads import SymbolDownloads

        return SymbolDownloads(self)

    # --- what its parts ask ------------------------------------------------------------------------------------------

    @override
    def caller_for(self, thread: ThreadId, timeout_s: float = CALL_TIMEOUT_S, *, together: bool = False) -> Caller:
        from dap_dotnet.session.function_evaluation import FunctionEvaluation

        others_stay = self.programs.others_stay
        return FunctionEvaluation(self, thread, timeout_s, others_stay=others_stay, together=together)

    @override
    def _is_watched(self, loaded: LoadedModule) -> bool:
        return loaded.is_user_code or (loaded.pdb is not None and self._options.disable_optimizations)

    def resume(self, alone: ThreadId | None = None) -> None:
        """Let the program run, or one thread of it `alone`: the stop is over. Raises `NotStoppedError`.

        Only in a request's handler. The program runs while the response is written; what is to be told the client, of
        events that were deferred too, comes after that.
        """
        debuggee = self.need_resumable()
        if self.current_stop is not None:
            self.break_calls.goes_on(debuggee, self.current_stop)
            if self.history is not None:
                self.history.leave(self.current_stop)
        stepping = self.stepping_so_far
        if stepping is not None:
            stepping.returns.forget(debuggee)
        apply_exception_rule(self)
        self.frozen.goes_on(debuggee)
        self.unfinished_calls.goes_on()
        if alone is not None:
            self.frozen.run_alone(debuggee, alone)
        self.stop_state.clear()
        self._phase = Phase.RUNNING
        if not self.event_queue.deferred:
            self.holds.release_all()
        self.server.after_response(self._resumed)

    def _resumed(self) -> None:
        self.client_events.resumed()
        self.dispatcher.go_on()

    def prepare_step(
        self, thread: ThreadId, kind: StepKind, target: StepInTarget | None = None, *, unit: StepUnit
    ) -> None:
        """Arm a step over one `unit`, INTO the call `target` if there is one; `resume` begins it.

        Where an exception has stopped the thread that no handler of the user's takes, it is armed when the runtime has
        found another one: to arm it before ends .NET 10 by SIGSEGV if there is none.
        Raises `NotStoppedError`, or `RuntimeCallError` for a thread without code.
        """
        self.need_resumable()
        options, stop = self._options, self.current_stop
        frame = stop.frame if stop is not None and stop.thread == thread else None

        def start() -> None:
            self.stepping.start(
                self.program(),
                thread,
                kind,
                frame,
                target,
                unit=unit,
                just_my_code=options.just_my_code,
                filters=options.step_filtering,
            )

        if self.unfinished_calls.hides_frames(thread, stop):
            self.unfinished_calls.step_when_ended(thread, start)
            self.client_events.important("The step begins when the call made by an expression has ended.")
        elif stop is not None and stop.thread == thread and self._is_thrown_to_others(stop):
            self.stepping.start_when_caught(self.program(), thread, start)
        else:
            start()

    def _is_thrown_to_others(self, stop: Stop) -> bool:
        """Whether a stop is at an exception of which it is not known yet who takes it, if anybody does."""
        if stop.exception_stage is None:
            return False
        from dap_dotnet.breakpoints.exceptions.rules import ExceptionStage  # a launch does not wait for either
        from dap_dotnet.stepping.plans.thrown import is_taken_by_user

        if stop.exception_stage is ExceptionStage.THROWN:
            return not is_taken_by_user(self.program(), stop.thread)
        return stop.exception_stage is ExceptionStage.UNHANDLED

    @override
    def pause(self, thread: ThreadId | None = None) -> None:
        self.need_debuggee()
        if self.current_stop is None:
            self.thread_to_pause = thread
            self._is_pause_wanted = True
            self.holds.request_stop()

    def stop_request_answered(self, *, has_stopped: bool) -> bool:
        """The runtime answered the request to stop. Returns whether that is to become a stop: the user's pause.

        Just after an attach what the program consists of may still wait to be reported: that comes first, and then the
        program is asked to stop again.
        """
        self.holds.stop_arrived()
        if not has_stopped:
            self._is_pause_wanted = False
        elif self._is_pause_wanted and self._options.is_attach and self.need_debuggee().has_queued_events():
            self.holds.request_stop()
            return False
        return self._is_pause_wanted and self.current_stop is None

    def finish(self, decision: Stop | Resume) -> bool:
        """Report a stop, or not. True keeps the hold of the event that was decided on."""
        if isinstance(decision, Resume):
            return False
        assert self._debuggee is not None
        if self.stepping_so_far is not None:
            self.stepping_so_far.cancel(self._debuggee)
        self.unfinished_calls.program_stopped(decision)
        self.frozen.stopped(self._debuggee)
        if self._is_left:
            return False
        self._is_pause_wanted = False
        self._phase = Phase.STOPPED
        self.stop_state.current = decision
        self.client_events.stopped(decision)
        if self.breakpoints.has_data:
            has_arrived = decision.reason not in BY_CHANCE
            for change in self.breakpoints.unseen_changes(self.program(), decision.thread, has_arrived=has_arrived):
                self.client_events.changed_unseen(change.logical, change.text)
        return True

    def values_died(self) -> None:
        """The process ran for a function evaluation: value handles are of an old generation now."""
        self.clock.generation += 1

    @override
    def values_changed(self) -> None:
        if self.is_over or self._debuggee is None:
            return
        self.opened_results.keep()
        self.values_died()
        if self.holds.is_held:
            update_watched_data(self)
        if self.view.supports_invalidated_event:
            self.client_events.variables_invalidated()

    def call_unfinished(self, thread: ThreadId, evaluation: EvalId) -> None:
        """The process was stopped in the middle of a function evaluation, which goes on with the program.

        The stop stays, and the frames that the client knows keep their numbers.
        """
        self.values_died()
        known = self.stop_state.known_top(thread)
        self.unfinished_calls.add(self.need_debuggee(), thread, evaluation, self.current_stop, known)
        self._untold_call = thread
        self.server.post(self._tell_of_call)  # unless the answer to what is handled now does
        if self.current_stop is not None and self.view.supports_invalidated_event:
            self.client_events.variables_invalidated()

    @override
    def call_is_told(self) -> None:
        self._untold_call = None

    def _tell_of_call(self) -> None:
        thread, self._untold_call = self._untold_call, None
        if thread is not None:
            self.client_events.important(
                "A call that an expression or the text of a value made has not ended in time and cannot be aborted. "
                f"Thread {thread} goes on from where it is shown as soon as the call ends, while the program runs."
            )

    def lost_control(self, thread: ThreadId, evaluation: EvalId) -> None:
        """A function evaluation could not be ended: the program runs, and stops again when that ends."""
        stop = self.current_stop
        self.values_died()
        if stop is not None:
            self.unfinished_calls.lose(self.need_debuggee(), thread, evaluation, stop)
        self.stop_state.clear()
        self._phase = Phase.RUNNING
        if stop is not None:
            self.client_events.continued(stop.thread)
        if self.event_queue.deferred:
            self.holds.request_stop()  # to let the frozen threads go
