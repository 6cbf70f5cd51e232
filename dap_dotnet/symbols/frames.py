"""Frames as the user sees them: a name, and where they stand in the source."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.runtime.model import Frame, FrameKind
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule, ModuleCatalog
from dap_dotnet.symbols.spans import Span, span_of

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


_KEPT = 5_000
"""Names, and places, that a module keeps: a stack is asked for at each stop, and has much the same frames."""

_Source = tuple[str | None, Span | None]
_NAMES: CacheSlot[dict[tuple[int, tuple[str, ...]], str]] = CacheSlot("names of methods", lambda loaded: {})
_SOURCES: CacheSlot[dict[tuple[int, int], _Source]] = CacheSlot("source of IL offsets", lambda loaded: {})


class FrameDescription(Struct, frozen=True):
    """A frame's name and where it stands; `path` and `span` are None without source. `is_marker`: not a method."""

    name: str
    path: str | None
    span: Span | None
    is_user_code: bool
    is_marker: bool


def describe_frame(modules: ModuleCatalog, frame: Frame, arguments: Sequence[str] = ()) -> FrameDescription:
    """The name of a frame, and where it stands in the source.

    `arguments`: the names of the generic arguments of its type, then of its method; without them, the parameters'.
    """
    if frame.kind is FrameKind.INTERNAL:
        return FrameDescription(_INTERNAL.get(frame.internal_type, "[Runtime]"), None, None, False, True)
    module = modules.get(frame.module)
    if frame.kind is FrameKind.NATIVE or frame.method is None or module is None:
        return FrameDescription("[Native Frame]", None, None, False, True)
    name = _name_of(module, frame.method, tuple(arguments))
    path, span = (None, None) if frame.il_offset is None else _source_of(module, frame.method, frame.il_offset)
    if path is not None:
        path = modules.source_map.local_path(path)
    return FrameDescription(name, path, span, module.is_user_code, False)


def _name_of(module: LoadedModule, method: int, arguments: tuple[str, ...]) -> str:
    kept = module.cached(_NAMES)
    name = kept.get((method, arguments))
    if name is None:
        name = module.name if module.metadata is None else module.metadata.display_method(method, arguments)
        if len(kept) >= _KEPT:
            kept.clear()
        kept[method, arguments] = name
    return name


def _source_of(module: LoadedModule, method: int, il_offset: int) -> _Source:
    kept = module.cached(_SOURCES)
    found = kept.get((method, il_offset))
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        found = kept[method, il_offset] = _read_source_of(module, method, il_offset)
    return found


def _read_source_of(module: LoadedModule, method: int, il_offset: int) -> _Source:
    pdb = module.pdb
    if pdb is None:
        return None, None
    visible = None
    for point in sorted(pdb.sequence_points(method), key=lambda candidate: candidate.il_offset):
        if not point.is_hidden and (visible is None or point.il_offset <= il_offset):
            visible = point
    if visible is None:
        return None, None
    return pdb.documents.by_row(visible.document_row).name, span_of(visible)
