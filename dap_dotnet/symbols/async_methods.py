"""Which methods are the code of async ones: kept with their module, since each step asks for it.

The PDB says it; of F#'s tasks, for which it does not, their shape does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import Frame, MethodToken
from dap_dotnet.symbols.fsharp_tasks import RESUMES_AT, fsharp_task
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.statements import statements_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portablepdb import AsyncInfo, Metadata, Method, SequencePoint


def _find_info(module: LoadedModule, method: MethodToken) -> AsyncInfo | None:
    if module.pdb is None:
        return None
    said = module.pdb.async_info(method)
    task = fsharp_task(module, method) if said is None else None
    if task is None:
        return said
    from portablepdb import AsyncInfo, Await, Token

    awaits = (Await(offset, RESUMES_AT, Token(method)) for offset in sorted(task.yield_offsets.values()))
    return AsyncInfo(None, tuple(awaits))


_KEPT: ModuleMemo[MethodToken, AsyncInfo | None] = ModuleMemo("async methods", _find_info)


def async_info(module: LoadedModule, method: MethodToken) -> AsyncInfo | None:
    """The awaits of an async method, by the MoveNext that is its code; None for other methods, and without symbols.

    Raises `PortablePdbError` for damaged symbols.
    """
    return _KEPT(module, method)


def is_in_hidden_await(frame: Frame | None, module: LoadedModule | None) -> bool:
    """Whether a frame behind an `await` is at one that is not in the source: that of `await using`, at its end.

    Hidden code checks for every `await` whether it has to suspend; in front of that is the statement that awaits. True
    also where a task of F#'s goes on, which is in front of everything.
    """
    if frame is None or frame.method is None or frame.il_offset is None or module is None or module.pdb is None:
        return False
    if frame.il_offset == RESUMES_AT and fsharp_task(module, frame.method) is not None:
        return True
    before, checks = _points_before(module, frame.method, frame.il_offset)
    if not before or not before.pop().is_hidden:
        return False
    while before and before[-1].il_offset in checks:
        before.pop()  # of several awaits in one statement: that is in front of the first one's check
    return bool(before) and before[-1].is_hidden


def is_behind_await(frame: Frame | None, module: LoadedModule | None) -> bool:
    """Whether a frame is in the midst of a statement, behind an `await` in it: in code that the PDB has as hidden."""
    if frame is None or frame.method is None or frame.il_offset is None or module is None or module.pdb is None:
        return False
    before, checks = _points_before(module, frame.method, frame.il_offset)
    return bool(before) and before[-1].il_offset in checks and not is_in_hidden_await(frame, module)


def _points_before(
    module: LoadedModule, method: MethodToken, il_offset: int
) -> tuple[list[SequencePoint], frozenset[int]]:
    """The sequence points up to an IL offset, in order, and the offsets of those that `_checks` has."""
    points = statements_of(module, method).points
    return [point for point in points if point.il_offset <= il_offset], _checks(module, method, points)


def _checks(module: LoadedModule, method: MethodToken, points: list[SequencePoint]) -> frozenset[int]:
    """The IL offsets at which the hidden code of an `await` begins that checks whether it has to suspend."""
    info = async_info(module, method)
    nearest = [
        next((point for point in reversed(points) if point.il_offset <= one.yield_offset), None)
        for one in (info.awaits if info is not None else ())
    ]
    return frozenset(point.il_offset for point in nearest if point is not None and point.is_hidden)


_BEGINS_ITERATION = ("MoveNextAsync", "DisposeAsync")


def _siblings(metadata: Metadata, method: MethodToken) -> Sequence[Method]:
    """The methods of the class that a method is of, itself among them. Raises `PortablePdbError`."""
    return metadata.methods_of(metadata.declaring_type_token(method))


def _find_callers(module: LoadedModule, move_next: MethodToken) -> frozenset[int]:
    from portablepdb import PortablePdbError

    kickoff = module.pdb.kickoff_method(move_next) if module.pdb is not None else None
    found = {int(kickoff)} if kickoff is not None else set()
    task = fsharp_task(module, move_next)
    if task is not None:
        found |= task.kickoffs
    try:
        if module.metadata is not None:
            for method in _siblings(module.metadata, move_next):
                if method.name.rpartition(".")[2] in _BEGINS_ITERATION:
                    found.add(int(method.token))
    except PortablePdbError:
        pass
    return frozenset(found)


_CALLERS = ModuleMemo("what calls an async method's code", _find_callers)


def is_called_by(module: LoadedModule, move_next: MethodToken, method: MethodToken | None) -> bool:
    """Whether a method of the same module is one of those that the compiler has made to run a MoveNext.

    They are the method that the user has written and, of an async iterator, what asks it for its next element and ends
    it: what called them goes on when they return.
    """
    return method is not None and int(method) in _CALLERS(module, move_next)


def _find_code(module: LoadedModule, method: MethodToken) -> MethodToken | None:
    from portablepdb import PortablePdbError

    if module.pdb is None or module.metadata is None:
        return None
    try:
        code = module.pdb.state_machine_of(method)
        if code is None and module.metadata.method(method).name.rpartition(".")[2] in _BEGINS_ITERATION:
            code = next((one.token for one in _siblings(module.metadata, method) if one.name == "MoveNext"), None)
        return None if code is None or async_info(module, MethodToken(code)) is None else MethodToken(code)
    except PortablePdbError:
        return None


_CODE = ModuleMemo("code of async methods", _find_code)


def code_run_by(module: LoadedModule, method: MethodToken) -> MethodToken | None:
    """The MoveNext that a method runs which the compiler has made, as in `is_called_by`; None for other methods."""
    return _CODE(module, method)


def _is_made_for_async(module: LoadedModule, method: MethodToken) -> bool:
    from portablepdb import PortablePdbError

    if module.metadata is None or async_info(module, method) is not None:
        return False
    try:
        siblings = _siblings(module.metadata, method)
        runs = any(one.name == "MoveNext" and async_info(module, MethodToken(one.token)) for one in siblings)
        return runs or code_run_by(module, method) is not None
    except PortablePdbError:
        return False


_MADE = ModuleMemo("methods made for async ones", _is_made_for_async)


def is_made_for_async(module: LoadedModule, method: MethodToken) -> bool:
    """Whether a method is the compiler's, without source, for an async one: it begins that, or is of its state machine.

    Not the code of the async method itself.
    """
    return _MADE(module, method)


def asks_for_element(module: LoadedModule, method: MethodToken) -> bool:
    """Whether a method is one of an async iterator that runs its code on from where that has been left."""
    return code_run_by(module, method) is not None and (module.pdb is None or not module.pdb.state_machine_of(method))


def written_method(module: LoadedModule, method: MethodToken) -> MethodToken:
    """The method of the user's that a method of an async iterator belongs to; any other method itself."""
    code = code_run_by(module, method)
    kickoff = module.pdb.kickoff_method(code) if code is not None and module.pdb is not None else None
    return method if kickoff is None else MethodToken(kickoff)
