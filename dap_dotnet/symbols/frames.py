"""Frames as the user sees them: a name, and where they stand in the source."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.runtime.model import Frame, FrameKind
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
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
    name = module.name
    if module.metadata is not None:
        name = module.metadata.display_method(frame.method, arguments)
    path, span = _source_of(module, frame)
    if path is not None:
        path = modules.source_map.local_path(path)
    return FrameDescription(name, path, span, module.is_user_code, False)


def _source_of(module: LoadedModule, frame: Frame) -> tuple[str | None, Span | None]:
    pdb = module.pdb
    if pdb is None or frame.method is None or frame.il_offset is None:
        return None, None
    visible = None
    for point in sorted(pdb.sequence_points(frame.method), key=lambda candidate: candidate.il_offset):
        if not point.is_hidden and (visible is None or point.il_offset <= frame.il_offset):
            visible = point
    if visible is None:
        return None, None
    return pdb.documents.by_row(visible.document_row).name, span_of(visible)
