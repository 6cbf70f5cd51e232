"""Function evaluation: running code of the program while it is stopped for the user. Session thread only.

A call gives up the holds of the stop, so that the process runs; its completion is a hold again, and becomes the one of
the stop. Meanwhile runtime events are handled here: what would stop the program in the called code (a breakpoint, an
exception) is passed over, on other threads it is deferred until the evaluation is over, and everything else goes the
usual way. The other threads are frozen meanwhile; a call that has not ended after half of its time may wait for one of
them, and they are let go. Value handles die with each call; frames keep their numbers.

A call that cannot be aborted (it sleeps, or waits for a lock) does not cost the stop: the process is stopped in the
middle of it, and the thread stands where it stood for the user (`unfinished_calls`).
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from dap_dotnet.errors import DapDotnetError, DeadlineError, EvaluationError, RuntimeCallError
from dap_dotnet.evaluation.caller import CalleeThrew, ControlLostError
from dap_dotnet.evaluation.types.universe import universe_of
from dap_dotnet.runtime import events
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ElementType, EvalId, MethodToken, ModuleId, ThreadId, TypeId, Value, ValueHandle
from dap_dotnet.session.event_dispatcher import EventDispatcher
from dap_dotnet.session.event_queue import EventQueue, StoppingEvent
from dap_dotnet.session.frozen_threads import FrozenThreads
from dap_dotnet.session.holds import STOP_TIMEOUT_MS, Holds
from dap_dotnet.session.stops import Stop
from dap_dotnet.session.unfinished_calls import IS_BUSY, UnfinishedCalls
from dap_dotnet.values.context import Program
from dap_dotnet.values.exceptions import describe
from dap_dotnet.values.live_values import OpenedResults
from dap_dotnet.values.typenames import type_name

_ABORT_TIMEOUT_S = 2.0
_ABORTED_WITHIN_S = 3.0
"""How long the end of a call may take to be heard of when the runtime has tried to abort it: loops take over 1 s."""
_ENDED_WITHIN_S = 1.0
"""As above, where the user waits for something else."""
_PATIENCE_AGAIN_S = 0.1
"""How long the other threads stay in the further calls of an evaluation that has had to wait for one of them."""
_REASONS = {
    "CORDBG_E_ILLEGAL_IN_OPTIMIZED_CODE": (
        "the thread is in optimised code, where the runtime cannot call methods. Stop in code that is not "
        "optimised; `suppressJITOptimizations` has modules with symbols compiled that way"
    ),
    "CORDBG_E_ILLEGAL_AT_GC_UNSAFE_POINT": (
        "the thread is at a point where no garbage collection may happen, so no method can run. Try again after a step"
    ),
    "CORDBG_E_ILLEGAL_IN_PROLOG": "the thread is at the very beginning of a method. Try again after a step",
    "CORDBG_E_ILLEGAL_IN_NATIVE_CODE": (
        "the thread is in native code, where the runtime cannot call methods. Choose a thread in managed code"
    ),
    "CORDBG_E_ILLEGAL_IN_STACK_OVERFLOW": "the thread has run out of stack",
    "CORDBG_E_BAD_THREAD_STATE": "the thread has ended, or has not started yet",
}
"""What the runtime's refusal means, by the name of its HRESULT; what can be done about it."""
_VOID = Value(None, None, ElementType.VOID)


class EvaluatingSession(Protocol):
    """What a call needs of the session."""

    @property
    def holds(self) -> Holds:
        """What keeps the process stopped."""

    @property
    def current_stop(self) -> Stop | None:
        """The stop that the client knows of."""

    @property
    def unfinished_calls(self) -> UnfinishedCalls:
        """Calls that still wait on their threads."""

    @property
    def event_queue(self) -> EventQueue:
        """The runtime events that come while the call runs."""

    @property
    def opened_results(self) -> OpenedResults:
        """Results that the client has opened, which are kept over the call."""

    @property
    def frozen(self) -> FrozenThreads:
        """Threads that stay where they are while the call runs."""

    @property
    def is_over(self) -> bool:
        """Whether the program has ended or was left."""

    @property
    def wants_to_stop(self) -> bool:
        """Whether the client waits for the call to be given up: it has sent pause or disconnect, or is gone."""

    @property
    def is_work_unwanted(self) -> bool:
        """As `wants_to_stop`, or the client has cancelled the evaluation."""

    def need_stopped(self) -> Debuggee:
        """The program, stopped. Raises `NoSessionError` or `NotStoppedError`."""

    def program(self) -> Program:
        """The stopped program, for values. Raises as `need_stopped`."""

    @property
    def dispatcher(self) -> EventDispatcher:
        """Handles the events that have nothing to do with the call."""

    def values_died(self) -> None:
        """The process has run: value handles are of an old generation now."""

    def call_unfinished(self, thread: ThreadId, evaluation: EvalId) -> None:
        """The process was stopped in the middle of a call: it goes on with the program."""

    def lost_control(self, thread: ThreadId, evaluation: EvalId) -> None:
        """The call cannot be ended and the program not be stopped: it runs, and its end is to be a stop."""


class FunctionEvaluation:
    """Calls on one thread of a stopped session; implements `evaluation.caller.Caller`."""

    def __init__(
        self,
        session: EvaluatingSession,
        thread: ThreadId,
        timeout_s: float,
        *,
        others_stay: bool = False,
        together: bool = False,
    ) -> None:
        """`timeout_s`: how long each call, or with `together` all of them, may take before one is aborted.

        `others_stay`: other threads never run.
        """
        self._session = session
        self._thread = thread
        self._timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s if together else math.inf
        self._patience_s = math.inf if others_stay else timeout_s / 2

    def call(
        self, module: ModuleId, method: MethodToken, type_arguments: Sequence[TypeId], arguments: Sequence[Value]
    ) -> Value:
        """See `Caller.call`."""
        debuggee = self._ready()
        handles = [self._argument(argument) for argument in arguments]
        with _refusals("The method cannot be called here"):
            evaluation = debuggee.call(self._thread, module, method, type_arguments, handles)
        return self._run(evaluation)

    def new_string(self, text: str) -> Value:
        """See `Caller.new_string`."""
        debuggee = self._ready()
        with _refusals("No string can be created here"):
            evaluation = debuggee.new_string(self._thread, text)
        return self._run(evaluation)

    def new_object(self, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[Value]) -> Value:
        """See `Caller.new_object`."""
        debuggee = self._ready()
        handles = [self._argument(argument) for argument in arguments]
        with _refusals("The object cannot be created here"):
            evaluation = debuggee.new_object(self._thread, type_id, constructor, handles)
        return self._run(evaluation)

    def new_array(self, element: TypeId, length: int) -> Value:
        """See `Caller.new_array`."""
        debuggee = self._ready()
        with _refusals("The array cannot be created here"):
            evaluation = debuggee.new_array(self._thread, element, length)
        return self._run(evaluation)

    def _ready(self) -> Debuggee:
        """The program, stopped. Raises `EvaluationError` where the thread is still inside a call."""
        session = self._session
        if session.unfinished_calls.hides_frames(self._thread, session.current_stop):
            raise EvaluationError(IS_BUSY)
        return session.need_stopped()

    def _argument(self, value: Value) -> ValueHandle:
        if value.handle is not None:
            return value.handle
        session = self._session
        debuggee = session.need_stopped()
        if value.is_boxed or value.error is not None:
            raise EvaluationError(
                f"An argument cannot be created: {value.error or 'the box has no place in the program'}"
            )
        if value.is_null:
            made = debuggee.make_value(self._thread, ElementType.CLASS, None, b"")
        else:
            program = session.program()
            kind = universe_of(program).of_id(program, value.type)
            code = kind.underlying.code if kind is not None and kind.underlying is not None else value.element_type
            of_type = value.type if code is ElementType.VALUETYPE else None
            made = debuggee.make_value(self._thread, code, of_type, value.raw)
        if made.handle is None:
            raise EvaluationError(f"An argument cannot be created: {made.error or 'the runtime provides no value'}")
        return made.handle

    def _run(self, evaluation: EvalId) -> Value:
        session = self._session
        debuggee = session.need_stopped()
        program = session.program()
        session.opened_results.pin(program)
        with _refusals("The method cannot be called here"):
            session.frozen.keep_for_call(debuggee, self._thread)
        try:
            with session.event_queue.deferred.during_evaluation():
                session.holds.release_all()
                completed = self._await(debuggee, evaluation)
            session.holds.add(completed)
        except EvaluationError:
            session.frozen.let_go_after_calls()
            raise
        session.values_died()
        result = debuggee.eval_result(evaluation)
        if completed.threw:
            name = type_name(session.program(), result.type) if result is not None else "an exception"
            message = describe(session.program(), result).message if result is not None else ""
            raise CalleeThrew(f"The called code threw {name}{f': {message}' if message else ''}", result or _VOID)
        return _VOID if result is None else result

    def _await(self, debuggee: Debuggee, evaluation: EvalId) -> events.EvalCompleted:
        """Handle events until the evaluation completes; abort it when it takes too long or the user wants to stop.

        After half of the time it may wait for one of the other threads: they are let go, unless they are to stay;
        sooner where an earlier call of the same evaluation did.
        """
        session = self._session
        deadline = min(time.monotonic() + self._timeout_s, self._end)
        patience = time.monotonic() + self._patience_s
        aborted = code = ""
        while True:
            event = session.event_queue.take(min(max(deadline - time.monotonic(), 0.0), 0.05))
            if isinstance(event, events.EvalCompleted) and event.evaluation == evaluation:
                if aborted:
                    session.holds.add(event)
                    session.values_died()
                    raise EvaluationError(aborted, code=code or None)
                return event
            if isinstance(event, events.StopCompleted) and session.frozen.stay_for_calls and not aborted:
                session.holds.stop_arrived()
                session.holds.add(event)
                session.frozen.let_go_after_calls()
                self._patience_s = min(self._patience_s, _PATIENCE_AGAIN_S)
                session.holds.release(event)
            elif event is not None:
                self._meanwhile(debuggee, event)
            if session.frozen.stay_for_calls and not aborted and time.monotonic() > patience:
                session.holds.request_stop()
            if session.is_over:
                raise EvaluationError("The program ended during the call")
            is_unwanted = session.is_work_unwanted
            if not aborted and (is_unwanted or time.monotonic() > deadline):
                code = "" if is_unwanted else DeadlineError.code
                aborted = f"The call did not finish in {self._timeout_s:g} s and was aborted"
                if is_unwanted:
                    reason = "the session is ending" if session.wants_to_stop else "it was cancelled"
                    aborted = f"The call was aborted because {reason}"
                debuggee.abort_eval(evaluation, int(_ABORT_TIMEOUT_S * 1000))
                deadline = time.monotonic() + (_ENDED_WITHIN_S if is_unwanted else _ABORTED_WITHIN_S)
            elif aborted and time.monotonic() > deadline:
                aborted = aborted.replace(" and was aborted", "")
                if not self._stop_within(debuggee, evaluation):
                    session.lost_control(self._thread, evaluation)
                    raise ControlLostError(
                        f"{aborted} and cannot be aborted: it holds a loop that the runtime cannot stop. The program "
                        "runs until the call has ended, and stops then",
                        code=code or None,
                    )
                raise EvaluationError(
                    f"{aborted} and cannot be aborted: it sleeps, or waits for a lock or a task. The thread stays "
                    "inside the call until the program goes on and the call can end; then it goes on from where it is "
                    "shown. Until then it can make no other call",
                    code=code or None,
                )

    def _stop_within(self, debuggee: Debuggee, evaluation: EvalId) -> bool:
        """Stop the process in the middle of the call. Whether it is held now: so, or because the call has ended."""
        session = self._session
        session.holds.request_stop()
        deadline = time.monotonic() + STOP_TIMEOUT_MS / 1000 + 1
        while time.monotonic() < deadline and not session.is_over:
            event = session.event_queue.take(0.05)
            if isinstance(event, events.EvalCompleted) and event.evaluation == evaluation:
                session.holds.add(event)
                session.values_died()
                return True
            if isinstance(event, events.StopCompleted):
                session.holds.stop_arrived()
                session.holds.add(event)
                if not debuggee.has_queued_events_of(self._thread):
                    session.call_unfinished(self._thread, evaluation)
                    return True
                session.holds.release(event)  # the end of the call, for one, came just before the stop
                session.holds.request_stop()
            if isinstance(event, events.StopTimedOut):
                session.holds.stop_arrived()
                return False
            if event is not None:
                self._meanwhile(debuggee, event)
        return False

    def _meanwhile(self, debuggee: Debuggee, event: events.RuntimeEvent) -> None:
        """Something else happened while the call runs."""
        session = self._session
        if not isinstance(event, StoppingEvent):
            session.dispatcher.dispatch(event)
            return
        if event.thread != self._thread:
            session.event_queue.deferred.add(debuggee, event)
            session.frozen.has_changed()
        session.holds.pass_over(event)


@contextlib.contextmanager
def _refusals(what: str) -> Iterator[None]:
    """Raise `EvaluationError` with `what` and the reason for whatever the debuggee raises."""
    try:
        yield
    except RuntimeCallError as error:
        reason = _REASONS.get(error.hresult_name)
        text = error.message if reason is None else f"{reason} ({error.hresult_name})."
        raise EvaluationError(f"{what}: {text}") from error
    except DapDotnetError as error:
        raise EvaluationError(f"{what}: {error.message}") from error
