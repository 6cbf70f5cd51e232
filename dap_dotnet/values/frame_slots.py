"""The arguments and local slots of a frame, as its method has them; none where the runtime would tell them wrongly."""

from __future__ import annotations

from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, Value
from dap_dotnet.symbols import runtime_async
from dap_dotnet.values.context import FrameContext


def frame_arguments(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All arguments, `this` first where there is one: one bulk call. Those that cannot be read have `error`."""
    debuggee, frame = context.program.debuggee, context.frame
    module = context.program.modules.get(frame.module)
    if module is None or frame.method is None or module.metadata is None or not _is_shifted(context):
        return debuggee.arguments(context.thread, frame.index, text_limit=text_limit)
    method = module.metadata.method(frame.method)
    return _unknown(len(method.signature.parameters) + (not method.is_static))


def frame_locals(context: FrameContext, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
    """All local slots in slot order, as `frame_arguments`."""
    debuggee, frame = context.program.debuggee, context.frame
    module = context.program.modules.get(frame.module)
    if module is None or frame.method is None or module.metadata is None or not _is_shifted(context):
        return debuggee.locals(context.thread, frame.index, text_limit=text_limit)
    return _unknown(len(module.metadata.method(frame.method).local_types))


def _is_shifted(context: FrameContext) -> bool:
    module, method = context.program.modules.get(context.frame.module), context.frame.method
    if module is None or method is None:
        return False
    return runtime_async.endangers(module, method, context.program.debuggee.runtime_version)


def _unknown(count: int) -> list[Value]:
    return [Value(None, None, ElementType.END, error=runtime_async.NO_VARIABLES)] * count
