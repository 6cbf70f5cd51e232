"""The framework's method that throws an exception again, with the trace that it has: what an `await` does.

The compiler calls it, too: of an async method's `catch` and `finally` with an `await` in them it makes code behind
them, which throws what no handler has taken; and its entry point throws what comes out of an async Main.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.runtime.model import Frame
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog, ModuleMemo

_THROWN_BY = ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw")
_CALLED = ".".join(_THROWN_BY) + "("


def is_thrown_again(modules: ModuleCatalog, top: Frame | None) -> bool:
    """Whether the top frame of a thread that throws is that method."""
    from portablepdb import PortablePdbError

    module = modules.get(top.module) if top is not None else None
    if module is None or module.metadata is None or top is None or top.method is None:
        return False
    try:
        owner = module.metadata.declaring_type(top.method)
        return (module.metadata.type_name(owner), module.metadata.method(top.method).name) == _THROWN_BY
    except PortablePdbError:
        return False


def is_thrown_by_compiler(modules: ModuleCatalog, stack: Sequence[Frame]) -> bool:
    """Whether a thread that throws is in code behind a `catch` or `finally` that the source does not have.

    `stack`: its topmost shown frames, two at least.
    """
    if len(stack) < 2 or not is_thrown_again(modules, stack[0]):
        return False
    caller = stack[1]
    module = modules.get(caller.module)
    if module is None or module.pdb is None or caller.method is None or caller.il_offset is None:
        return False
    hidden = {_is_hidden(module, caller.method, il_offset) for il_offset in _CALLS(module, caller.method)}
    if len(hidden) == 2 and module.is_optimized:
        return False  # nobody knows which of them it is: places in optimised code are rough
    return hidden == {True} or (len(hidden) == 2 and _is_hidden(module, caller.method, caller.il_offset))


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


def _is_hidden(module: LoadedModule, method: int, il_offset: int) -> bool:
    before = [is_hidden for begin, is_hidden in _POINTS(module, method) if begin <= il_offset]
    return bool(before) and before[-1]


def _find_calls(module: LoadedModule, method: int) -> tuple[int, ...]:
    from portablepdb import PortablePdbError

    if module.metadata is None:
        return ()
    try:
        body = module.metadata.method_body(method)
        return tuple(
            one.offset
            for one in (body.instructions() if body is not None else ())
            if one.opcode.name in ("call", "callvirt")
            and isinstance(one.operand, int)
            and module.metadata.display(one.operand).startswith(_CALLED)
        )
    except PortablePdbError:
        return ()


def _find_points(module: LoadedModule, method: int) -> tuple[tuple[int, bool], ...]:
    from portablepdb import PortablePdbError

    try:
        points = module.pdb.sequence_points(method) if module.pdb is not None else ()
        return tuple(sorted((point.il_offset, point.is_hidden) for point in points))
    except PortablePdbError:
        return ()


_POINTS = ModuleMemo("offsets of sequence points", _find_points)
_CALLS = ModuleMemo("calls that throw an exception again", _find_calls)
