"""One debug session: what it owns, what handlers may ask of it, and the only place that reports a stop.

Session thread only. The session learns everything from runtime events, in the order that `EventQueue` says;
`runtime_events` is what each of them does. `phase`, `options` and `debuggee` are changed here and nowhere else, and
`SessionFacts` is what can be asked of them; what dies with a stop is in `StopState`, and only `Holds` lets the process
run.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.exit_status import ExitStatus
from dap_dotnet.launching.procfs import free_memory
from dap_dotnet.session import leaving
from dap_dotnet.session.breakpoint_updates import apply_exception_rule, update_watched_data
from dap_dotnet.session.client_events import ClientEvents
from dap_dotnet.session.event_dispatcher import EventDispatcher
from dap_dotnet.session.event_queue import EventQueue
from dap_dotnet.session.holds import Holds
from dap_dotnet.session.phase import Phase, SessionOptions
from dap_dotnet.session.replacement import Replacement
from dap_dotnet.session.session_facts import THE_PAST, SessionFacts
from dap_dotnet.session.session_parts import CALL_TIMEOUT_S
from dap_dotnet.session.start_thread import StartThread
from dap_dotnet.session.stops import BY_CHANCE, Resume, Stop
from dap_dotnet.session.watchdog import Watchdog
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.source_map import IGNORE_CASE, SourceMap

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

ATTACH_PATIENCE_S = 12.0
"""An attach under way must end and be undone, or the program stays stopped; a runtime may take 10 s to answer it."""
LAUNCH_PATIENCE_S = 2.0
"""A launch under way may simply be left: its launcher kills the program when the adapter is gone."""


class Session(SessionFacts):
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

    # --- beginning and ending ----------------------------------------------------------------------------------------

    def begin(
        self,
        arguments: LaunchArguments | AttachArguments,
        options: SessionOptions,
        start: Callable[[], Debuggee],
        *,
        on_success: Callable[[Debuggee], None],
        on_failure: Callable[[DapDotnetError], None],
    ) -> None:
        """Run `start`, a launch or an attach, on a thread of its own; its outcome is handled on the session thread.

        One of the two functions is called then, before the program's first event is handled. `arguments` are what the
        client has asked for, and `options` what that means.
        """
        self._beginning = arguments
        self._options = options
        self._is_left = options.never_stops
        self.modules.source_map = SourceMap(options.source_file_map, ignore_case=IGNORE_CASE)
        self.modules.symbol_search = options.symbol_search
        self.modules.source_link_rules = options.source_link_rules
        self.modules.require_exact_source = options.require_exact_source
        self._phase = Phase.STARTING

        def succeed(debuggee: Debuggee) -> None:
            on_success(debuggee)
            self._take_over(debuggee)
            if self._is_start_cancelled:
                self.run_to_end()
                debuggee.terminate()

        def fail(error: DapDotnetError) -> None:
            on_failure(error)
            self._phase = Phase.ENDED  # there will be no program: the client may close the session
            self.breakpoints.early_answers.give()
            self.client_events.ended(None)

        self._start = StartThread(start, self.server.post, succeed, fail)

    @property
    def beginning(self) -> LaunchArguments | AttachArguments | None:
        """What the client has asked for to begin with, so that it can begin again; None before."""
        return self._beginning

    @property
    def is_start_unwanted(self) -> bool:
        """Whether a launch under way, or what comes before it, should be given up. Any thread."""
        is_given_up = self._start is not None and self._start.is_given_up
        return is_given_up or self._is_start_cancelled or self.is_over or self.server.interrupts.client_gone

    def cancel_start(self) -> bool:
        """Give up a launch that is under way: a build ends, a program that is started is ended. False if there is none.

        An attach goes on.
        """
        if self._phase is not Phase.STARTING or self._options.is_attach:
            return False
        self._is_start_cancelled = True
        return True

    def _take_over(self, debuggee: Debuggee) -> None:
        self._debuggee = debuggee
        if self._options.is_attach and not debuggee.is_frozen:
            self._exit_status = ExitStatus(debuggee.process_id)
        self.holds.attach(debuggee)
        self._phase = Phase.RUNNING
        apply_exception_rule(self)
        if self._options.history is not None and debuggee.start_copier is not None:
            from dap_dotnet.session.history import History  # few sessions have one

            self.history = History(self, debuggee.start_copier, self._options.history, free_memory)
            self.client_events.goes_back()
        self.event_queue.open()
        if self._is_configured:
            self._stop_on_attach()

    def configured(self) -> None:
        """The client has sent its breakpoints: a program that is held before Main goes on."""
        self._is_configured = True
        self.holds.configured()
        self._stop_on_attach()

    def _stop_on_attach(self) -> None:
        if self._options.stop_on_attach and self._phase is Phase.RUNNING:
            self.pause()

    def program_loaded(self) -> None:
        """The program's own module is loaded, and breakpoints in it are bound."""
        self._is_program_loaded = True
        self.breakpoints.early_answers.give()

    def at_end(self, action: Callable[[], None]) -> None:
        """Call `action` once, when the program has ended or was left."""
        self._on_end.append(action)

    def at_close(self, action: Callable[[], None]) -> None:
        """Call `action` when the adapter is about to end; it does not block."""
        self._on_close.append(action)

    def end(self, exit_code: int | None) -> None:
        """The program has ended (`exit_code`; None: not known) or was left: the client hears of it, once."""
        if self.is_over:
            return
        self._phase = Phase.ENDED
        self.breakpoints.early_answers.give()
        self.process_is_gone()
        self._forget_history()
        self.replacement.take_place(or_else=lambda: self.client_events.ended(exit_code))
        for action in self._on_end:
            action()

    def _forget_history(self) -> None:
        if self.history is not None:
            self.history.close()

    def replace_program(self, begin: Callable[[], None], cancelled: Callable[[], None]) -> None:
        """End the program, or let go of one that was attached to, for another to take its place.

        The two functions are those of `Replacement`; with `begin`, the client does not hear of the end.
        """
        debuggee, stop = self.need_debuggee(), self.current_stop
        self.replacement.want(begin, cancelled)
        if stop is not None:
            self.client_events.continued(stop.thread)
        if self._options.is_attach:
            self.detach()
            return
        self._is_left = True
        self.stop_state.clear()
        self._phase = Phase.RUNNING
        debuggee.terminate()

    def end_attached(self) -> None:
        """The runtime of a program that was attached to has ended: so does the session, once the process is gone."""
        if self._exit_status is None:
            self.end(None)
        else:
            self._exit_status.when_ended(self.server.call_later, self.end)

    def process_is_gone(self) -> None:
        """There is no process to hold any more; its exit code may still be to come."""
        self.stop_state.clear()
        self.frozen.forget()
        self.kept.clear()
        self.unfinished_calls.forget()
        self.holds.forget()

    def close(self) -> None:
        """The client ends a session that has no program under control."""
        self._phase = Phase.ENDED
        self.breakpoints.early_answers.give()

    def detach(self) -> None:
        """Leave the program running, with no breakpoint behind, as soon as it is held; then the session has ended."""
        self.holds.when_held(self._detach)

    def _detach(self) -> None:
        debuggee = self._debuggee
        if debuggee is None or self.is_over:
            return
        self.breakpoints.registry.withdraw_all()
        try:
            if self.stepping_so_far is not None:
                self.stepping_so_far.cancel(debuggee)
            self.breakpoints.registry.apply(debuggee)
            debuggee.detach()
        except DapDotnetError as error:
            self.client_events.important(f"Detaching from the program failed: {error.message}")
            _log.warning("detach: %s", error.message)
        self.end(None)

    def run_to_end(self) -> None:
        """The program is about to be asked to end: it runs, and nothing stops it any more."""
        self._is_left = True
        self._is_configured = True
        self.stop_state.clear()
        self._phase = Phase.RUNNING
        self.client_events.resumed()
        if self._debuggee is not None:
            self.frozen.let_all_go(self._debuggee)
            if self.holds.is_held:
                self.event_queue.deferred.drop(self._debuggee)
        self.holds.release_all()

    def on_disconnect(self) -> None:
        """The server ends: a launched program that still runs is killed, an attached one runs on."""
        self._watchdog.session_ends()
        for action in self._on_close:
            action()
        try:
            if self._start is not None and self._debuggee is None:
                self._start.give_up(ATTACH_PATIENCE_S if self._options.is_attach else LAUNCH_PATIENCE_S)
            self._forget_history()
            if self._debuggee is not None:
                leaving.close(self._debuggee)
                self._debuggee = None
            if self._exit_status is not None:
                self._exit_status.close()
            self.modules.close()
        finally:
            self._watchdog.stand_down()

    # --- running and stopping ----------------------------------------------------------------------------------------

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

    def pause(self, thread: ThreadId | None = None) -> None:
        """Stop the program; the `stopped` event follows, of `thread` where that runs the user's code."""
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
