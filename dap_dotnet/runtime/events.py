"""What a .NET process reports while it runs: frozen events, named after ICorDebugManagedCallback's methods."""

from __future__ import annotations

import enum
from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.protocol.messages.tests import TestReport
from dap_dotnet.runtime.model import BoundId, EvalId, MethodToken, ModuleId, ModuleInfo, StepperId, ThreadId, Value


class RuntimeEvent(Struct, frozen=True, kw_only=True):
    """What the runtime reports. `hold` is not None when the process stays stopped until `resume(event)`."""

    hold: int | None = None
    generation: int = 0

    @property
    def holds(self) -> bool:
        """Whether the process waits for `Debuggee.resume(self)`."""
        return self.hold is not None


class ProcessCreated(RuntimeEvent, frozen=True):
    """ICorDebugManagedCallback::CreateProcess: first event of a session."""


class ModuleLoaded(RuntimeEvent, frozen=True):
    """LoadModule. The only moment for `set_module_flags`."""

    module: ModuleInfo


class ModuleUnloaded(RuntimeEvent, frozen=True):
    """UnloadModule. The module's breakpoints and types are gone."""

    module: ModuleId


class ThreadStarted(RuntimeEvent, frozen=True):
    """CreateThread."""

    thread: ThreadId


class ThreadExited(RuntimeEvent, frozen=True):
    """ExitThread."""

    thread: ThreadId


class ThreadRenamed(RuntimeEvent, frozen=True):
    """NameChange; `thread` is None when an application domain changed its name."""

    thread: ThreadId | None


class BreakpointHit(RuntimeEvent, frozen=True):
    """Breakpoint. `bound` is the runtime breakpoint that was hit, `il_offset` where it is in its method.

    `values` are what the read plan number `plan` brought, in its order: None for what could not be read, for whatever
    reason, and empty when nothing was. Each was read while the process was stopped by this event.
    """

    thread: ThreadId
    bound: BoundId
    il_offset: int | None = None
    plan: int = 0
    values: tuple[Value | None, ...] = ()


STEP_NORMAL = 0
"""CorDebugStepReason: the step went on within its method, and neither called nor returned."""


class StepCompleted(RuntimeEvent, frozen=True):
    """StepComplete. `reason` is a CorDebugStepReason."""

    thread: ThreadId
    stepper: StepperId
    reason: int


class DebuggerBreak(RuntimeEvent, frozen=True):
    """Break: the program called System.Diagnostics.Debugger.Break()."""

    thread: ThreadId


class ExceptionPhase(enum.IntEnum):
    """CorDebugExceptionCallbackType: when in the life of an exception the runtime reports it."""

    FIRST_CHANCE = 1
    USER_FIRST_CHANCE = 2
    CATCH_HANDLER_FOUND = 3
    UNHANDLED = 4


class ExceptionRaised(RuntimeEvent, frozen=True):
    """ICorDebugManagedCallback2::Exception. Get the object with `Debuggee.current_exception(thread)`.

    `module`, `method`, `il_offset` are those of the callback's frame (for CATCH_HANDLER_FOUND the catching one),
    None where the runtime gives none.
    """

    thread: ThreadId
    phase: ExceptionPhase
    module: ModuleId | None
    method: MethodToken | None
    il_offset: int | None


class EvalCompleted(RuntimeEvent, frozen=True):
    """EvalComplete (`threw` False) or EvalException (`threw` True: the result is the exception object)."""

    thread: ThreadId
    evaluation: EvalId
    threw: bool


class MessageLogged(RuntimeEvent, frozen=True):
    """LogMessage: System.Diagnostics.Debugger.Log or Debug.WriteLine. Continued by the shim."""

    level: int
    category: str
    message: str


class StopCompleted(RuntimeEvent, frozen=True):
    """A `request_stop` took effect."""


class StopTimedOut(RuntimeEvent, frozen=True):
    """A `request_stop` did not take effect before its deadline; it still may, and then `StopCompleted` follows."""


class BreakpointFailed(RuntimeEvent, frozen=True):
    """BreakpointSetError: the runtime could not arm a breakpoint it had accepted."""

    bound: BoundId
    error: str


class RuntimeFailed(RuntimeEvent, frozen=True):
    """DebuggerError: the debugging connection broke. `error` names the HRESULT."""

    error: str


class ProcessExited(RuntimeEvent, frozen=True):
    """ExitProcess: the runtime is gone. No call on the debuggee but `close` is useful any more."""


class OutputWritten(RuntimeEvent, frozen=True):
    """The program wrote `text` to its standard output or error. Never holds. From an output pump."""

    is_error: bool
    text: str


class RunReported(RuntimeEvent, frozen=True):
    """A run of tests told of one, or of its end. Never holds. On the thread that follows the run."""

    report: TestReport


class ProcessReaped(RuntimeEvent, frozen=True):
    """The launcher saw the program end: `exit_code`, and the signal that killed it or None. After all its output."""

    exit_code: int
    """As a shell reports it: 128 + signal for a program killed by a signal."""
    signal: int | None


EventSink = Callable[[RuntimeEvent], None]
"""Takes an event on the thread that has it; must return at once and must not call the debuggee."""
