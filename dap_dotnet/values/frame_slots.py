"""The arguments and local slots of a frame, as its method has them; none where the runtime would tell them wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, Value
from dap_dotnet.symbols import runtime_async
from dap_dotnet.values.context import FrameContext

if TYPE_CHECKING:
    from portablepdb import Method


def frame_arguments(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All arguments, `this` first where there is one: one bulk call. Those that cannot be read have `error`."""
    method = _shifted_method(context)
    if method is None:
        return context.program.debuggee.arguments(context.thread, context.frame.index, text_limit=text_limit)
    return _unknown(len(method.signature.parameters) + (not method.is_static))


def frame_locals(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All local slots in slot order, as `frame_arguments`."""
    method = _shifted_method(context)
    if method is None:
        return context.program.debuggee.locals(context.thread, context.frame.index, text_limit=text_limit)
    return _unknown(len(method.local_types))


def _shifted_method(context: FrameContext) -> Method | None:
    """The method of the frame, where the runtime tells the slots of their neighbours for its own; else None."""
    program, method = context.program, context.frame.method
    module = program.modules.get(context.frame.module)
    if module is None or method is None or module.metadata is None:
        return None
    is_shifted = runtime_async.endangers(module, method, program.debuggee.runtime_version)
    return module.metadata.method(method) if is_shifted else None


def _unknown(count: int) -> list[Value]:
    return [Value(None, None, ElementType.END, error=runtime_async.NO_VARIABLES)] * count
