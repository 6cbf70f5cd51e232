"""What is done while a program starts on another core, so that its first stop need not wait for it."""

from __future__ import annotations

import logging

from dap_dotnet.breakpoints.binding import PdbResolver
from dap_dotnet.breakpoints.model import LinePlace
from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, ModuleId, ModuleInfo
from dap_dotnet.symbols.entry_point import entry_location
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.modules import ModuleCatalog

_log = logging.getLogger(__name__)


def warm_up(path: str) -> None:
    """Load the code that a first stop needs, and fill the system's cache with a module's files. Session thread only.

    A path that cannot be read is not an error here.
    """
    from portablepdb import PortablePdbError

    try:
        rehearse_first_stop(path)
    except (PortablePdbError, OSError) as error:
        _log.debug("warm-up with %s: %s", path, error)


def rehearse_first_stop(path: str) -> bool:
    """Resolve a breakpoint on the first line of a module's Main and describe a frame there, without any process.

    The session does both as soon as the module is loaded. Returns whether there is such a line. Raises
    `PortablePdbError` for damaged files.
    """
    modules = ModuleCatalog()
    info = ModuleInfo(ModuleId(0), path, 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
    loaded = modules.add(info, lambda address, size: b"")
    try:
        location = entry_location(loaded) if loaded.is_user_code else None
        if location is None or loaded.pdb is None:
            return False
        frame = Frame(0, FrameKind.IL, loaded.id, location.method, location.il_offset, MAPPING_EXACT, 0, 0)
        shown = describe_frame(modules, frame)
        loaded.pdb.locals_at(location.method, location.il_offset)
        if shown.path is None or shown.span is None:
            return False
        return bool(PdbResolver(modules).resolve(LinePlace(shown.path, shown.span.line), None).sites)
    finally:
        modules.close()
