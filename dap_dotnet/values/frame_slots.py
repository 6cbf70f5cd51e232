"""The arguments and local slots of a frame, as its method has them; none where the runtime would tell them wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, Value
from dap_dotnet.symbols import runtime_async
from dap_dotnet.symbols.lost_locals import lost_slots
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.generated_names import runs_in_state_machine
from dap_dotnet.values.lineage import may_hold

if TYPE_CHECKING:
    from portablepdb import Method


def frame_arguments(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All arguments, `this` first where there is one: one bulk call. Those that cannot be read have `error`."""
    method = _shifted_method(context)
    if method is None:
        return context.program.debuggee.arguments(context.thread, context.frame.index, text_limit=text_limit)
    return [_unknown(runtime_async.NO_VARIABLES)] * (len(method.signature.parameters) + (not method.is_static))


def frame_locals(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All local slots in slot order, as `frame_arguments`."""
    method = _shifted_method(context)
    if method is None:
        values = context.program.debuggee.locals(context.thread, context.frame.index, text_limit=text_limit)
        return _less_lost(context, _of_their_types(context, values))
    return [_unknown(runtime_async.NO_VARIABLES)] * len(method.local_types)


_OTHER = "optimized away: an object of another type is at its location"


def _of_their_types(context: FrameContext, values: list[Value]) -> list[Value]:
    """The values of local slots, less the objects that in optimised code are of a type that the slot cannot have.

    The compiler of .NET Core 3.1 tells places of variables where others are kept already.
    """
    program, method = context.program, context.frame.method
    module = program.modules.get(context.frame.module)
    if module is None or method is None or module.metadata is None or not module.is_optimized:
        return values
    if not any(value.is_reference and not value.is_null for value in values):
        return values
    kinds = module.metadata.method(method).local_types
    return [
        value if slot >= len(kinds) or may_hold(program, module, kinds[slot], value) else _unknown(_OTHER)
        for slot, value in enumerate(values)
    ]


_MAYBE_LOST = "optimized away: it may have been lost when the method was suspended"


def _less_lost(context: FrameContext, values: list[Value]) -> list[Value]:
    """The values of local slots, less those that are 0 or null, perhaps, because the method was suspended since."""
    module, method = context.program.modules.get(context.frame.module), context.frame.method
    if module is None or method is None or context.frame.il_offset is None or not runs_in_state_machine(module, method):
        return values
    lost = lost_slots(module, method, context.frame.il_offset)
    return [
        _unknown(_MAYBE_LOST) if slot in lost and _is_default(value) else value for slot, value in enumerate(values)
    ]


def _is_default(value: Value) -> bool:
    return value.error is None and (value.is_null or not (value.is_reference or any(value.raw)))


def _shifted_method(context: FrameContext) -> Method | None:
    """The method of the frame, where the runtime tells the slots of their neighbours for its own; else None."""
    program, method = context.program, context.frame.method
    module = program.modules.get(context.frame.module)
    if module is None or method is None or module.metadata is None:
        return None
    is_shifted = runtime_async.endangers(module, method, program.debuggee.runtime_version)
    return module.metadata.method(method) if is_shifted else None


def _unknown(error: str) -> Value:
    return Value(None, None, ElementType.END, error=error)
