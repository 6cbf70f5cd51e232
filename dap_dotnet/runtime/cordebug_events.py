"""Events of cordebug_shim.h to the events of the seam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.runtime._shim import hresult_name, lib
from dap_dotnet.runtime.cordebug_decode import planned_values, utf16
from dap_dotnet.runtime.events import (
    BreakpointFailed,
    BreakpointHit,
    DebuggerBreak,
    EvalCompleted,
    ExceptionPhase,
    ExceptionRaised,
    MessageLogged,
    ModuleLoaded,
    ModuleUnloaded,
    ProcessCreated,
    ProcessExited,
    RuntimeEvent,
    RuntimeFailed,
    StepCompleted,
    StopCompleted,
    StopTimedOut,
    ThreadExited,
    ThreadRenamed,
    ThreadStarted,
)
from dap_dotnet.runtime.model import BoundId, EvalId, MethodToken, ModuleId, ModuleInfo, StepperId, ThreadId

# Gets the event and its keyword arguments `hold` and `generation`.
Translator = Callable[[Any, Any], RuntimeEvent]


def _module_loaded(event: Any, stamp: Any) -> RuntimeEvent:
    flags = event.flags
    return ModuleLoaded(
        ModuleInfo(
            module=ModuleId(event.module),
            path=utf16(event.text, event.text_length),
            base_address=event.address,
            size=event.module_size,
            is_dynamic=bool(flags & lib.CDS_MODULE_DYNAMIC),
            is_in_memory=bool(flags & lib.CDS_MODULE_IN_MEMORY),
            is_mapped_layout=bool(flags & lib.CDS_MODULE_MAPPED_LAYOUT),
        ),
        **stamp,
    )


def _breakpoint_hit(event: Any, stamp: Any) -> RuntimeEvent:
    il_offset = event.il_offset
    return BreakpointHit(
        ThreadId(event.thread),
        BoundId(event.object),
        il_offset if il_offset != lib.CDS_NO_OFFSET else None,
        event.detail,
        planned_values(event) if event.value_count else (),
        **stamp,
    )


def _exception_raised(event: Any, stamp: Any) -> RuntimeEvent:
    has_method = event.token != 0
    return ExceptionRaised(
        ThreadId(event.thread),
        ExceptionPhase(event.detail),
        ModuleId(event.module) if event.module else None,
        MethodToken(event.token) if has_method else None,
        event.il_offset if has_method and event.il_offset != lib.CDS_NO_OFFSET else None,
        **stamp,
    )


def _message_logged(event: Any, stamp: Any) -> RuntimeEvent:
    return MessageLogged(
        event.detail, utf16(event.text, event.text_length), utf16(event.text2, event.text2_length), **stamp
    )


_TRANSLATORS: dict[int, Translator] = {
    lib.CDS_EVENT_PROCESS_CREATED: lambda event, stamp: ProcessCreated(**stamp),
    lib.CDS_EVENT_MODULE_LOADED: _module_loaded,
    lib.CDS_EVENT_MODULE_UNLOADED: lambda event, stamp: ModuleUnloaded(ModuleId(event.module), **stamp),
    lib.CDS_EVENT_THREAD_STARTED: lambda event, stamp: ThreadStarted(ThreadId(event.thread), **stamp),
    lib.CDS_EVENT_THREAD_EXITED: lambda event, stamp: ThreadExited(ThreadId(event.thread), **stamp),
    lib.CDS_EVENT_THREAD_RENAMED: lambda event, stamp: ThreadRenamed(ThreadId(event.thread) or None, **stamp),
    lib.CDS_EVENT_BREAKPOINT_HIT: _breakpoint_hit,
    lib.CDS_EVENT_STEP_COMPLETED: lambda event, stamp: StepCompleted(
        ThreadId(event.thread), StepperId(event.object), event.detail, **stamp
    ),
    lib.CDS_EVENT_DEBUGGER_BREAK: lambda event, stamp: DebuggerBreak(ThreadId(event.thread), **stamp),
    lib.CDS_EVENT_EXCEPTION: _exception_raised,
    lib.CDS_EVENT_EVAL_COMPLETED: lambda event, stamp: EvalCompleted(
        ThreadId(event.thread), EvalId(event.object), event.detail != 0, **stamp
    ),
    lib.CDS_EVENT_MESSAGE_LOGGED: _message_logged,
    lib.CDS_EVENT_STOPPED: lambda event, stamp: StopCompleted(**stamp),
    lib.CDS_EVENT_STOP_TIMED_OUT: lambda event, stamp: StopTimedOut(**stamp),
    lib.CDS_EVENT_BREAKPOINT_FAILED: lambda event, stamp: BreakpointFailed(
        BoundId(event.object), hresult_name(event.detail), **stamp
    ),
    lib.CDS_EVENT_RUNTIME_FAILED: lambda event, stamp: RuntimeFailed(hresult_name(event.detail), **stamp),
    lib.CDS_EVENT_PROCESS_EXITED: lambda event, stamp: ProcessExited(**stamp),
}


def translate(event: Any) -> RuntimeEvent:
    """The seam's event for a `cds_event`; copies everything it keeps."""
    return _TRANSLATORS[event.kind](event, {"hold": event.hold or None, "generation": event.generation})
