"""The stopped program as values and evaluation take it. Session thread only."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.object_expressions import EvaluatedObjectExpressions, field_type
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.returned_values import StepReturns
from dap_dotnet.session.stop_state import StopState
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.context import Clock, Program
from dap_dotnet.values.display_options import DisplayOptions
from dap_dotnet.values.kept_objects import KeptObjects

if TYPE_CHECKING:
    from dap_dotnet.evaluation.caller import Caller
    from dap_dotnet.stepping.return_values import ReturnValues


class Programs:
    """Puts together what a `Program` has, for each request and event anew: it is of the present stop."""

    def __init__(
        self,
        modules: ModuleCatalog,
        clock: Clock,
        stop_state: StopState,
        *,
        returns: Callable[[], ReturnValues | None],
        kept: KeptObjects,
        caller_for: Callable[[ThreadId, float], Caller],
        is_work_unwanted: Callable[[], bool],
    ) -> None:
        """`returns` gives what steps have brought, None before the first one.

        `caller_for` gives what runs the program's code, with how many seconds a call may take."""
        self._is_work_unwanted = is_work_unwanted
        self._modules = modules
        self._clock = clock
        self._stop_state = stop_state
        self._returns = returns
        self._kept = kept
        self._caller_for = caller_for
        self.others_stay = False
        """Whether a call that waits for another thread is to wait in vain, rather than to let that run."""

    @contextlib.contextmanager
    def with_others_staying(self) -> Iterator[None]:
        """Inside, no call lets other threads run."""
        before, self.others_stay = self.others_stay, True
        try:
            yield
        finally:
            self.others_stay = before

    def make(self, debuggee: Debuggee, display: DisplayOptions, thread: ThreadId | None = None) -> Program:
        """The program, which is stopped; `thread`: see `SessionFacts.program`."""
        state = self._stop_state
        stop = state.current
        expressions = None
        if thread is None and stop is not None:
            thread = stop.thread
        if thread is not None:
            expressions = EvaluatedObjectExpressions(thread, self._caller_for, self.with_others_staying)
        returned = StepReturns(self._returns(), stop)
        return Program(
            debuggee,
            self._modules,
            self._clock,
            expressions,
            field_type,
            state.opened_results,
            display,
            returned,
            self._kept,
            self._is_work_unwanted,
        )
