"""Multicast delegates, and arrays of .NET Core 3.1: where ordinary steppers end the program (SIGSEGV).

A delegate that calls several methods (multicast), up to .NET 9:

The runtime calls the methods of such a delegate from code of its own. A stepper without Just My Code sets a trap in it:
when it goes into the call of the delegate, and when it comes to the end of a method that was called from there. So a
step goes over such a call, and out of such a method it waits behind the call of the delegate. Steps with Just My Code
are safe, and so is every step from .NET 10 on.

An array with several dimensions, on .NET Core 3.1: its elements are read and stored by methods of the runtime's own,
which a stepper must not go into. (In optimised code there is no call.) .NET 8 and later are safe.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BreakpointLocation,
    FieldRef,
    FieldToken,
    Frame,
    FrameKind,
    MethodToken,
    StepKind,
    ThreadId,
    TypeDefToken,
    Value,
)
from dap_dotnet.stepping.plan import Continue, Decision, Done, News, StepEvent
from dap_dotnet.stepping.plans.moves import Move, Ranges
from dap_dotnet.stepping.ranges import WHOLE_METHOD
from dap_dotnet.symbols.calls import called_name, calls_in
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import is_dynamic
from dap_dotnet.symbols.statements import END_OF_METHOD
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import has_members, read_field

Place = tuple[LoadedModule | None, Frame | None]

_IS_SAFE_FROM = 10
_ARRAYS_ARE_SAFE_FROM = 8
_LOOK_AT_FRAMES = 8
_MOST_STATEMENTS = 200
_LOAD = re.compile(r"(ldloc|ldarg)(?:\.(\d|s))?")
_FIELD_TABLE = 0x04


def _is_endangered(debuggee: Debuggee, safe_from: int = _IS_SAFE_FROM) -> bool:
    """Whether the program's runtime is one of those. A version that is not known counts as old."""
    major = debuggee.runtime_version.partition(".")[0]
    return not major.isdigit() or int(major) < safe_from


class EndangeredMove(Move):
    """A stepper without Just My Code that the program survives, from a thread's top frame."""

    def __init__(
        self, thread: ThreadId, kind: StepKind, ranges: Ranges, place: Place, report: Callable[[str], None]
    ) -> None:
        """`place` is the top frame with its module; `report` gives the user a line, once a step."""
        super().__init__(thread, kind, ranges, just_my_code=False)
        self._place = place
        self._report = report
        self._call: tuple[ThreadId, int] | None = None

    @override
    def arm(self, program: Program) -> None:
        debuggee, thread, kind, (module, frame) = program.debuggee, self._thread, self._kind, self._place
        if module is not None and frame is not None and frame.method is not None and _is_endangered(debuggee):
            returns = _returns_of(module, frame.method)
            ranges = self._ranges
            compiled = _as_compiled(debuggee, thread, frame, ranges, returns) if module.is_optimized else ranges
            caller = _caller_of_stub(debuggee, thread)
            may_leave = kind is StepKind.OUT or any(start <= at < end for at in returns for start, end in compiled)
            if caller is not None and may_leave:
                if kind is not StepKind.OUT:
                    self._call = thread, frame.stack_address
                    self._wait_at_others(debuggee, module, frame.method, compiled)
                self._steppers = [debuggee.step(thread, StepKind.OVER, just_my_code=False, frame_index=caller.index)]
                return
            if kind is StepKind.INTO:
                self._kind = self._survivable(program, module, frame, compiled)
        super().arm(program)

    def _survivable(self, program: Program, module: LoadedModule, frame: Frame, ranges: Ranges) -> StepKind:
        assert frame.method is not None
        if ranges and _calls_several(program, self._thread, module, frame, ranges):
            what = "the call of a delegate: up to .NET 9"
        elif _uses_endangered_array(program.debuggee, module, frame.method, ranges):
            what = "an array with several dimensions: on .NET Core 3.1"
        else:
            return StepKind.INTO
        self._report(f"Stepped over {what} a step into it may end the program.")
        return StepKind.OVER

    def _wait_at_others(self, debuggee: Debuggee, module: LoadedModule, method: MethodToken, ranges: Ranges) -> None:
        points = module.pdb.sequence_points(method) if module.pdb is not None else ()
        others = [
            BreakpointLocation(module.id, method, point.il_offset)
            for point in points
            if not point.is_hidden and not any(start <= point.il_offset < end for start, end in ranges)
        ]
        self._set_breakpoints(debuggee, others[:_MOST_STATEMENTS])

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if isinstance(event, BreakpointHit):
            top = program.debuggee.top_frame(event.thread)
            has_arrived = top is not None and (event.thread, top.stack_address) == self._call
            return Done(News.ARRIVED) if has_arrived else Continue()
        return super().should_stop(program, event, news)


class OptimisedThrough(EndangeredMove):
    """Through optimised code of a library, which knows no Just My Code: a step with it would never end."""

    def __init__(self, thread: ThreadId, place: Place, back: Frame | None, report: Callable[[str], None]) -> None:
        """`back` is the next frame with source, None where there is none.

        The step may lose the thread where a method of the library returns.
        """
        super().__init__(thread, StepKind.INTO, WHOLE_METHOD, place, report)
        self._back = back

    @override
    def arm(self, program: Program) -> None:
        super().arm(program)
        if self._back is not None:
            index = self._back.index
            way_back = program.debuggee.step(self._thread, StepKind.OVER, just_my_code=False, frame_index=index)
            self._steppers.append(way_back)


def _caller_of_stub(debuggee: Debuggee, thread: ThreadId) -> Frame | None:
    """The method that has called a delegate, where the runtime's code for it has called the top frame's method."""
    is_behind_stub = False
    for frame in debuggee.stack(thread, 1, _LOOK_AT_FRAMES).frames:
        if frame.kind is FrameKind.IL:
            return frame if is_behind_stub else None
        is_behind_stub |= is_dynamic(frame)
    return None


def _returns_of(module: LoadedModule, method: MethodToken) -> list[int]:
    """The offsets of the instructions that leave a method."""
    return [one.offset for one in instructions_of(module, method) if one.opcode.name == "ret"]


def _calls_several(program: Program, thread: ThreadId, module: LoadedModule, frame: Frame, ranges: Ranges) -> bool:
    """Whether the statement in ranges may call a delegate with several methods: also where that is not known."""
    if frame.method is None:
        return False
    called = [
        site.il_offset
        for site in calls_in(module, frame.method, ranges)
        if site.is_virtual and called_name(module, site.token).rpartition(".")[2] == "Invoke"
    ]
    if not called:
        return False
    try:
        loaded = _loaded(program, thread, module, frame, (ranges[0][0], called[-1]))
        counts = [count for count in (_methods_of(program, value) for value in loaded) if count is not None]
    except DapDotnetError:
        return True
    return not counts or any(count > 1 for count in counts)


def _uses_endangered_array(debuggee: Debuggee, module: LoadedModule, method: MethodToken, ranges: Ranges) -> bool:
    """Whether the statement in ranges uses elements of an array with several dimensions, on such a runtime."""
    return _is_endangered(debuggee, _ARRAYS_ARE_SAFE_FROM) and any(
        site.declaring_type.endswith(",]") for site in calls_in(module, method, ranges)
    )


def _as_compiled(debuggee: Debuggee, thread: ThreadId, frame: Frame, ranges: Ranges, returns: list[int]) -> Ranges:
    """The ranges with what follows them and has no code of its own in optimised code: statements, the return."""
    try:
        mappings = debuggee.native_code(thread, frame.index).mappings
    except DapDotnetError:
        return [(0, END_OF_METHOD)]
    placed = {one.il_offset for one in mappings if one.il_offset is not None}
    ends = [min((at for at in placed if at >= end), default=END_OF_METHOD) for _, end in ranges]
    return [(start, end + (end in returns)) for (start, _), end in zip(ranges, ends, strict=True)]


def _methods_of(program: Program, value: Value) -> int | None:
    """How many methods a delegate calls, 1 for those with a single one; None for other objects."""
    count = read_field(program, value, "_invocationCount") if has_members(value) else None
    if count is None or count.error is not None:
        return None
    return max(1, int.from_bytes(count.raw, "little", signed=True))


@if_damaged([])
def _loaded(
    program: Program, thread: ThreadId, module: LoadedModule, frame: Frame, within: tuple[int, int]
) -> list[Value]:
    """The variables and fields that the instructions of a frame load, as they are before the first of them."""

    assert frame.method is not None
    assert module.metadata is not None
    debuggee, found = program.debuggee, list[Value]()
    variables = {
        "ldloc": debuggee.locals(thread, frame.index, text_limit=0),
        "ldarg": debuggee.arguments(thread, frame.index, text_limit=0),
    }
    for one in instructions_of(module, frame.method):
        name, value = one.opcode.name, None
        match = _LOAD.fullmatch(name)
        if not within[0] <= one.offset < within[1]:
            continue
        if match is not None:
            number = int(match[2]) if match[2] and match[2].isdigit() else one.operand
            values = variables[match[1]]
            value = values[number] if isinstance(number, int) and number < len(values) else None
        elif name in ("ldfld", "ldsfld") and isinstance(one.operand, int) and one.operand >> 24 == _FIELD_TABLE:
            field = module.metadata.field(one.operand)
            if name == "ldfld" and found:
                value = read_field(program, found[-1], field.name)
            elif name == "ldsfld":
                owner = debuggee.make_type(module.id, TypeDefToken(field.declaring_type.token))
                value = debuggee.static_fields([FieldRef(owner, FieldToken(one.operand))], thread, frame.index)[0]
        if value is not None and value.error is None:
            found.append(value)
    return found
