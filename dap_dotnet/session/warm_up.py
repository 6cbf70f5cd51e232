"""What is done while a program starts on another core, so that its first stop need not wait for it."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

_log = logging.getLogger(__name__)

_SYMBOLS = (
    "construct",
    *(f"portablepdb.{name}" for name in ("pe_structs", "debug_directory", "root", "pdb_search", "tables_pdb")),
    *(f"portablepdb.{name}" for name in ("signatures", "metadata", "tables_modules", "tables_types", "display_names")),
)
"""What a module's symbols need, by what takes 1 to 5 ms each: those that they import come with them."""
_REQUESTS = (
    "dap_dotnet.values.rendering",
    *(f"dap_dotnet.stepping.{name}" for name in ("return_values", "stepper")),
)
"""What a client's requests at a stop need: its variables, and steps."""
_EXPRESSIONS = "dap_dotnet.evaluation"
_EXPRESSION_ROOMS = ("syntax", "types", "rules", "operations", "operations.linq", "binding", "running")
"""What the first expression needs, from below: 25 ms altogether, in small steps, for a stop may come meanwhile."""


def in_turns(steps: Iterator[object], post: Callable[[Callable[[], None]], None]) -> None:
    """Take one step; the next is posted, so that requests and events that have come meanwhile are handled first."""
    if next(steps, None) is not None:
        post(lambda: in_turns(steps, post))


def warm_up(path: str) -> Iterator[str]:
    """Load the code that a first stop needs before the client hears of it. Session thread only.

    The system's cache gets a module's files with that.

    Each step gives what it has done, and takes 5 ms at most: what has arrived meanwhile waits for no more than one, and
    the program with it. A path that cannot be read is not an error here.
    """
    yield from _imported(_SYMBOLS)
    from portablepdb import PortablePdbError

    modules = ModuleCatalog()
    try:
        info = ModuleInfo(ModuleId(0), path, 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
        yield from _rehearse_first_stop(modules, modules.add(info, lambda address, size: b""))
    except (PortablePdbError, OSError) as error:
        _log.debug("warm-up with %s: %s", path, error)
    finally:
        modules.close()


def warm_up_requests() -> Iterator[str]:
    """Load the code that a client's requests at a stop need, in steps as those of `warm_up`. Session thread only."""
    yield from _imported(_REQUESTS)
    for room in _EXPRESSION_ROOMS:
        package = importlib.import_module(f"{_EXPRESSIONS}.{room}")
        yield from _imported(f"{package.__name__}.{one.name}" for one in pkgutil.iter_modules(package.__path__))
    yield from _imported((f"{_EXPRESSIONS}.evaluator",))


def _imported(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        importlib.import_module(name)
        yield name


def _rehearse_first_stop(modules: ModuleCatalog, loaded: LoadedModule) -> Iterator[str]:
    """Resolve a breakpoint on the first line of a module's Main and describe a frame there, without any process.

    The session does both as soon as the module is loaded. Gives the steps that such a line makes possible. Raises
    `PortablePdbError` for damaged files.
    """
    if loaded.assembly is None:
        return
    yield "image"
    if loaded.pdb is None:
        return
    yield "symbols"
    if not loaded.is_user_code:
        return
    yield "metadata"
    from dap_dotnet.breakpoints.binding import PdbResolver
    from dap_dotnet.breakpoints.model import LinePlace
    from dap_dotnet.symbols.entry_point import entry_location
    from dap_dotnet.symbols.frames import describe_frame

    location = entry_location(loaded)
    if location is None:
        return
    frame = Frame(0, FrameKind.IL, loaded.id, location.method, location.il_offset, MAPPING_EXACT, 0, 0)
    shown = describe_frame(modules, frame)
    if shown.path is None or shown.span is None:
        return
    if PdbResolver(modules).resolve(LinePlace(shown.path, shown.span.line), None).sites:
        yield "breakpoint"
    loaded.pdb.locals_at(location.method, location.il_offset)
    yield "frame"
