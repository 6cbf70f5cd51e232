"""The framework's method that throws an exception again, with the trace that it has: what an `await` does.

The compiler calls it, too: of an async method's `catch` and `finally` with an `await` in them it makes code behind
them, which throws what no handler has taken; and its entry point throws what comes out of an async Main. That of F#
ends a `with` that has no case for the exception by the instruction `rethrow`; and what its library runs of a task that
is not one state machine (Debug) calls that method behind a `use` or `finally`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dap_dotnet.runtime.model import Frame
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Instruction

_THROWN_BY = ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw")
_RUNS_PIECES = "Microsoft.FSharp.Core.CompilerServices.ResumableCode"
_CALLED = ".".join(_THROWN_BY) + "("


def is_thrown_again(modules: ModuleCatalog, top: Frame | None) -> bool:
    """Whether the top frame of a thread that throws is that method."""
    return top is not None and _names(modules, top) == _THROWN_BY


def _names(modules: ModuleCatalog, frame: Frame) -> tuple[str, str]:
    """The full name of a frame's type, and of its method; empty where they are not known."""
    from portablepdb import PortablePdbError

    module = modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return "", ""
    try:
        owner = module.metadata.declaring_type(frame.method)
        return module.metadata.type_name(owner), module.metadata.method(frame.method).name
    except PortablePdbError:
        return "", ""


def is_thrown_by_compiler(modules: ModuleCatalog, stack: Sequence[Frame]) -> bool:
    """Whether a thread that throws is in code behind a handler that the source does not have.

    `stack`: its topmost shown frames, two at least where there are so many.
    """
    calls = is_thrown_again(modules, stack[0] if stack else None)
    if len(stack) <= calls:
        return False
    frame = stack[calls]
    module = modules.get(frame.module)
    if module is None or module.pdb is None or frame.method is None or frame.il_offset is None:
        return False
    if calls and module.is_language_library and _names(modules, frame)[0] == _RUNS_PIECES:
        return True
    if not calls:  # the method may throw anywhere
        place = _point(module, frame.method, frame.il_offset)
        rethrows = (_point(module, frame.method, il_offset) for il_offset in _RETHROWS(module, frame.method))
        return place is not None and place.is_hidden and place in rethrows
    hidden = {_is_hidden(module, frame.method, il_offset) for il_offset in _CALLS(module, frame.method)}
    if len(hidden) == 2 and module.is_optimized:
        return False  # nobody knows which of them it is: places in optimised code are rough
    return hidden == {True} or (len(hidden) == 2 and _is_hidden(module, frame.method, frame.il_offset))


def is_thrown_out_of_main(modules: ModuleCatalog, stack: Sequence[Frame]) -> bool:
    """Whether a thread that throws is in an entry point that the compiler has made, which waits for an async Main.

    `stack`: its topmost shown frames, with the newest one that has symbols.
    """
    if not stack or not is_thrown_again(modules, stack[0]):
        return False
    for frame in stack:
        module = modules.get(frame.module)
        if module is not None and module.pdb is not None and module.metadata is not None and frame.method is not None:
            is_entry_point = int(module.metadata.entry_point or 0) == int(frame.method)
            return is_entry_point and not _POINTS(module, frame.method)
    return False


class _Point(NamedTuple):
    il_offset: int
    is_hidden: bool


def _point(module: LoadedModule, method: int, il_offset: int) -> _Point | None:
    before = [one for one in _POINTS(module, method) if one.il_offset <= il_offset]
    return before[-1] if before else None


def _is_hidden(module: LoadedModule, method: int, il_offset: int) -> bool:
    point = _point(module, method, il_offset)
    return point is not None and point.is_hidden


def _find_calls(module: LoadedModule, method: int) -> tuple[int, ...]:
    def is_call(one: Instruction) -> bool:
        if one.opcode.name not in ("call", "callvirt") or not isinstance(one.operand, int):
            return False
        return module.metadata is not None and module.metadata.display(one.operand).startswith(_CALLED)

    return _find(module, method, is_call)


def _find_rethrows(module: LoadedModule, method: int) -> tuple[int, ...]:
    return _find(module, method, lambda one: one.opcode.name == "rethrow")


def _find(module: LoadedModule, method: int, is_wanted: Callable[[Instruction], bool]) -> tuple[int, ...]:
    from portablepdb import PortablePdbError

    try:
        return tuple(one.offset for one in instructions_of(module, method) if is_wanted(one))
    except PortablePdbError:
        return ()


def _find_points(module: LoadedModule, method: int) -> tuple[_Point, ...]:
    from portablepdb import PortablePdbError

    try:
        points = module.pdb.sequence_points(method) if module.pdb is not None else ()
        return tuple(sorted(_Point(point.il_offset, point.is_hidden) for point in points))
    except PortablePdbError:
        return ()


_POINTS = ModuleMemo("offsets of sequence points", _find_points)
_CALLS = ModuleMemo("calls that throw an exception again", _find_calls)
_RETHROWS = ModuleMemo("instructions that throw an exception again", _find_rethrows)
