"""The generic arguments of a frame, by name: what `T` is where a method runs."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import MethodToken, TypeId
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.typenames import type_name

_SHARED = "System.__Canon"
"""What stands for a reference type in code that several instantiations share, where the runtime has lost the type."""
_PARAMETERS: CacheSlot[dict[MethodToken, tuple[str, ...]]] = CacheSlot("generic parameters", lambda module: {})


def generic_arguments(context: FrameContext) -> tuple[str, ...]:
    """The names of the arguments of a frame's type, then of its method; the parameter's own where one is not known.

    Empty for a method without any, and where they cannot be read.
    """
    program, given = context.program, instantiation(context)
    module, method = program.modules.get(context.frame.module), context.frame.method
    if module is None or method is None:
        return ()
    parameters = _parameters(module, method)
    try:
        names = [type_name(program, one) for one in given[: len(parameters)]]
    except DapDotnetError:
        return ()
    return tuple(own if name == _SHARED else name for name, own in zip(names, parameters[: len(names)], strict=True))


def instantiation(context: FrameContext) -> tuple[TypeId, ...]:
    """The generic arguments of a frame's type, then of its method; () without any, and where they cannot be read."""
    module, method = context.program.modules.get(context.frame.module), context.frame.method
    if module is None or method is None or not _parameters(module, method):
        return ()
    try:
        return _given(context)
    except DapDotnetError:
        return ()


def _given(context: FrameContext) -> tuple[TypeId, ...]:
    debuggee = context.program.debuggee
    if context.frame.is_on_stack:
        return debuggee.frame_type_arguments(context.thread, context.frame.index)
    machine = context.machine() if context.machine is not None else None
    return debuggee.type_info(machine.type).arguments if machine is not None and machine.type is not None else ()


def _parameters(module: LoadedModule, method: MethodToken) -> tuple[str, ...]:
    from portablepdb import PortablePdbError

    known = module.cached(_PARAMETERS)
    if method not in known:
        names: list[str] = []
        try:
            if module.metadata is not None:
                for token in (module.metadata.declaring_type(method), method):
                    names += [one.name for one in module.metadata.generic_parameters_of(token)]
        except PortablePdbError:
            names = []
        known[method] = tuple(names)
    return known[method]
