"""How a session gets its program and how it loses it: start, attach, the end, detach, replacement.

Session thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.exit_status import ExitStatus
from dap_dotnet.launching.procfs import free_memory
from dap_dotnet.session import leaving
from dap_dotnet.session.breakpoint_updates import apply_exception_rule
from dap_dotnet.session.phase import Phase, SessionOptions
from dap_dotnet.session.replacement import Replacement
from dap_dotnet.session.session_facts import SessionFacts
from dap_dotnet.session.start_thread import StartThread
from dap_dotnet.session.watchdog import Watchdog
from dap_dotnet.symbols.source_map import IGNORE_CASE, SourceMap

if TYPE_CHECKING:
    from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
    from dap_dotnet.runtime.api import Debuggee
    from dap_dotnet.runtime.model import ThreadId
    from dap_dotnet.session.history import History

_log = logging.getLogger(__name__)

ATTACH_PATIENCE_S = 12.0
"""An attach under way must end and be undone, or the program stays stopped; a runtime may take 10 s to answer it."""
LAUNCH_PATIENCE_S = 2.0
"""A launch under way may simply be left: its launcher kills the program when the adapter is gone."""


class SessionLife(SessionFacts):
    """The base of `Session`, which has the fields."""

    replacement: Replacement
    history: History | None
    """The stops that were; None where none are remembered."""
    _watchdog: Watchdog
    _start: StartThread | None
    _is_start_cancelled: bool
    _is_left: bool
    _on_end: list[Callable[[], None]]
    _on_close: list[Callable[[], None]]
    _exit_status: ExitStatus | None
    _beginning: LaunchArguments | AttachArguments | None

    def pause(self, thread: ThreadId | None = None) -> None:
        """Stop the program; the `stopped` event follows, of `thread` where that runs the user's code."""
        raise NotImplementedError

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
