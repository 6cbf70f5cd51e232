"""Frames as the user sees them: a name, and where they stand in the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, ModuleMemo
from dap_dotnet.symbols.spans import Span, span_of
from dap_dotnet.symbols.stack_view import LIGHTWEIGHT_FUNCTION, is_dynamic
from dap_dotnet.symbols.statements import statements_of

if TYPE_CHECKING:
    from portablepdb.parameter_style import ParameterStyle

_INTERNAL = {
    1: "[Managed to Native Transition]",
    2: "[Native to Managed Transition]",
    3: "[AppDomain Transition]",
    4: "[Lightweight Function]",
    5: "[Function Evaluation]",
    6: "[Internal Call]",
    7: "[Class Initialization]",
    8: "[Exception]",
    9: "[Security]",
    10: "[JIT Compilation]",
}


class FrameDescription(Struct, frozen=True):
    """A frame's name and where it stands; `path` and `span` are None without source. `is_marker`: not a method."""

    name: str
    path: str | None
    span: Span | None
    is_user_code: bool
    is_marker: bool


def describe_frame(
    modules: ModuleCatalog, frame: Frame, arguments: Sequence[str] = (), parameters: ParameterStyle | None = None
) -> FrameDescription:
    """The name of a frame, and where it stands in the source.

    `arguments`: the names of the generic arguments of its type, then of its method; without them, the parameters'.
    `parameters`: what is written of its parameters; None: types and names.
    """
    if frame.kind is FrameKind.INTERNAL:
        return FrameDescription(_INTERNAL.get(frame.internal_type, "[Runtime]"), None, None, False, True)
    module = modules.get(frame.module)
    is_of_no_file = frame.method is not None and not frame.method & 0xFFFFFF  # in the trace of an exception
    if frame.kind is FrameKind.NATIVE or frame.method is None or module is None or is_of_no_file:
        name = _INTERNAL[LIGHTWEIGHT_FUNCTION] if is_dynamic(frame) or is_of_no_file else "[Native Frame]"
        return FrameDescription(name, None, None, False, True)
    if parameters is None:
        name = _NAMES(module, (frame.method, tuple(arguments)))
    elif module.metadata is None:
        name = module.name
    else:
        name = module.metadata.display_method(frame.method, arguments, parameters)
    path, span = compiled_place(modules, frame)
    if path is not None:
        path = modules.source_map.local_path(path)
    return FrameDescription(name, path, span, module.is_user_code, False)


def compiled_place(modules: ModuleCatalog, frame: Frame) -> tuple[str | None, Span | None]:
    """The file, by the path that the compiler was given, and the source where a frame stands; None without source."""
    module = modules.get(frame.module)
    if module is None or frame.method is None or frame.il_offset is None:
        return None, None
    return _SOURCES(module, (frame.method, frame.il_offset))


@if_damaged(None)
def method_of(modules: ModuleCatalog, frame: Frame) -> tuple[str, str] | None:
    """(full name of the class, name) of a frame's method; None where it is not known."""

    module = modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    return module.metadata.declaring_type(frame.method).full_name, module.metadata.method(frame.method).name


def _name_of(module: LoadedModule, asked: tuple[int, tuple[str, ...]]) -> str:
    method, arguments = asked
    return module.name if module.metadata is None else module.metadata.display_method(method, arguments)


def _source_of(module: LoadedModule, place: tuple[int, int]) -> tuple[str | None, Span | None]:
    method, il_offset = place
    statements = statements_of(module, MethodToken(method))
    point = statements.visible_at(il_offset) or next(iter(statements.visible), None)
    return (None, None) if point is None else (point.document.name, span_of(point))


_KEPT = 5_000
"""Names, and places, that a module keeps: a stack is asked for at each stop, and has much the same frames."""
_NAMES = ModuleMemo("names of methods", _name_of, _KEPT)
_SOURCES = ModuleMemo("source of IL offsets", _source_of, _KEPT)
