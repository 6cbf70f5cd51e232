"""What to do where a step has ended: stop there, or step on to where there is source to show."""

from __future__ import annotations

import enum

from msgspec import Struct

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ModuleId, StepKind, ThreadId
from dap_dotnet.stepping.ranges import StepUnit
from dap_dotnet.stepping.skipped_methods import SkipReason, ends_steps_into, skip_reason
from dap_dotnet.symbols.async_methods import is_made_for_async
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.statements import first_visible, statements_of

_LOOK_AT_FRAMES = 40


class Landing(enum.Enum):
    """What to do where a step ended."""

    STOP = "stop"
    STEP_ON = "step on"
    """Hidden code: step over it."""
    STEP_OUT = "step out"
    """No source: go back to where there is some."""
    STEP_THROUGH = "step through"
    """Made by the compiler, such as the method that starts an async one: into the user's code that it calls."""


class StepRequest(Struct, frozen=True):
    """A step as the user asked for it."""

    kind: StepKind
    just_my_code: bool
    unit: StepUnit = StepUnit.STATEMENT
    filters: bool = False
    """Whether accessors of properties and operators are stepped over."""
    origin: tuple[ModuleId | None, MethodToken | None] = (None, None)
    """The method in which the user asked for it: one that is passed by can be stepped through all the same."""
    passes_libraries: bool = False
    """Whether languages' own libraries are passed by."""


def at_landing(module: LoadedModule | None, frame: Frame | None, request: StepRequest) -> Landing:
    """Decide on the place where a stepper completed.

    Hidden code is never shown, however it was reached: an exception filter begins with some, and a step out of Dispose
    returns to some.
    """
    if frame is None or frame.method is None or frame.il_offset is None:
        # A step into, without Just My Code, comes to the runtime's own code: at a `throw`, for one.
        is_lost = request.kind is StepKind.INTO and request.origin[1] is not None
        return Landing.STEP_OUT if is_lost and request.unit is not StepUnit.INSTRUCTION else Landing.STOP
    if module is None or module.pdb is None:
        return Landing.STEP_OUT
    # A library may call an async method, once that which was stepped over or out of has returned there.
    is_called = frame.il_offset == 0 and request.just_my_code and not module.is_optimized
    is_entered = request.kind is StepKind.INTO or (is_called and is_made_for_async(module, frame.method))
    reason = skipped(module, frame, request)
    if reason is not None:
        goes_on_inside = is_entered and reason is not SkipReason.FILTERED
        goes_on_inside = goes_on_inside and not ends_steps_into(module, frame.method)
        return Landing.STEP_THROUGH if goes_on_inside else Landing.STEP_OUT
    point = statements_of(module, frame.method).point_at(frame.il_offset)
    if point is None:
        if first_visible(module, frame.method) is not None:
            return Landing.STOP if request.unit is StepUnit.INSTRUCTION else Landing.STEP_ON
        return Landing.STEP_THROUGH if is_entered else Landing.STEP_OUT
    return Landing.STEP_ON if point.is_hidden and request.unit is not StepUnit.INSTRUCTION else Landing.STOP


def skipped(module: LoadedModule, frame: Frame, request: StepRequest) -> SkipReason | None:
    """Why a step that came to a frame does not stop in its method; None when it may."""
    if frame.method is None or (frame.module, frame.method) == request.origin:
        return None
    if is_library(module, request):
        return SkipReason.LANGUAGE_LIBRARY
    return skip_reason(module, frame.method, just_my_code=request.just_my_code, filters=request.filters)


def is_library(module: LoadedModule | None, request: StepRequest) -> bool:
    """Whether a module is a language's own library, which the step passes by."""
    return request.passes_libraries and module is not None and module.is_language_library


def caller_with_source(
    modules: ModuleCatalog, debuggee: Debuggee, thread: ThreadId, request: StepRequest
) -> Frame | None:
    """The nearest frame below a thread's top one in which a step may end; None where none is near."""
    for frame in debuggee.stack(thread, 1, _LOOK_AT_FRAMES).frames:
        module = modules.get(frame.module)
        has_source = frame.kind is FrameKind.IL and module is not None and module.pdb is not None
        if has_source and not is_library(module, request):
            return frame
    return None
