"""All async methods that have been left at an `await` and have not ended, and who awaits whom.

Found on the heap, in one pass over it, and read from memory: nothing is run in the program. A method whose task nobody
can complete any more stands at its await until it is collected; whether it can still be reached is not known.
Session thread only, while the process is held.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec import Struct, field

from dap_dotnet.async_tasks.await_states import awaiter_field, offset_of_state
from dap_dotnet.async_tasks.awaited import Awaited, AwaitedReader
from dap_dotnet.async_tasks.awaiters import continued_by, task_of
from dap_dotnet.async_tasks.boxes import Box, BoxReader, box_classes, waiting_awaiter
from dap_dotnet.async_tasks.state_machine import MACHINE_FIELD, RUNNING, state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, MethodToken, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.live_values import HeapValue
from dap_dotnet.values.members import read_field

_MOST_BOXES = 500_000
_HEAP_TIMEOUT_MS = 5_000
_READ_TIMEOUT_S = 5.0
_MOST_FRAMES = 500
_DEEPEST = 16
"""Methods of a chain."""
_FIRST_NUMBER = 2_000_000
"""Of frames that are not on a stack: `call_stack` numbers others from 1 and from 1,000,000."""


class SuspendedMethod(Struct):
    """One call of an async method. The ids are places in `SuspendedMethods.methods`."""

    id: int
    box: Box
    il_offset: int | None
    """In its MoveNext, of the await; None where that is not known, and while it runs."""
    awaited: Awaited | None
    """What it awaits; None where that is not known, and while it runs."""
    awaits: list[int] = field(default_factory=list)
    awaited_by: list[int] = field(default_factory=list)

    @property
    def is_running(self) -> bool:
        """Whether it is on a thread, after it has been at an await before."""
        return self.box.state == RUNNING

    @property
    def is_ready(self) -> bool:
        """Whether what it awaits has completed."""
        return self.awaited is not None and self.awaited.is_completed

    def frame(self) -> Frame:
        """As a frame that is not on the stack, with its variables."""
        known = self.box.computation
        if known is not None and known.closure:
            return self._frame(MethodToken(known.closure_code), 0)
        return self.named_frame()

    def named_frame(self) -> Frame:
        """The same frame, by which the method is called."""
        return self._frame(self.box.shape.move_next, self.il_offset)

    def place(self) -> Frame:
        """The same frame, by which its place in the source is known."""
        known = self.box.computation
        if known is not None and known.place is not None:
            return self._frame(known.place.method, known.place.il_offset)
        return self.named_frame()

    def _frame(self, method: MethodToken, il_offset: int | None) -> Frame:
        number = -(_FIRST_NUMBER + self.id)
        return Frame(number, FrameKind.IL, self.box.shape.module.id, method, il_offset, MAPPING_EXACT, 0, 0)

    def machine(self, program: Program) -> HeapValue:
        """What has the variables, in most cases the state machine.

        The method must have been found in the present generation.
        """
        known = self.box.computation
        if known is not None:
            return HeapValue(program, known.closure or self.box.address)
        return HeapValue(program, self.box.address, lambda box: read_field(program, box, MACHINE_FIELD))


class SuspendedMethods(Struct, frozen=True):
    """The methods of one generation, in the order of the heap, and what is known of the list."""

    generation: int
    methods: list[SuspendedMethod]
    hidden: int
    """How many others there are, of code that is not the user's."""
    is_complete: bool
    """False: the heap was not gone through to its end in time, or not all awaiters were found."""


def suspended_methods(program: Program, *, just_my_code: bool, is_cancelled: Callable[[], bool]) -> SuspendedMethods:
    """Look for them. Raises `RuntimeCallError` where the runtime gives no heap: it does not in a garbage collection."""
    classes = box_classes(program)
    found, is_complete = program.debuggee.heap_find(classes, _MOST_BOXES, timeout_ms=_HEAP_TIMEOUT_MS)
    deadline = time.monotonic() + _READ_TIMEOUT_S

    def is_over() -> bool:
        return time.monotonic() > deadline or is_cancelled()

    reader, hidden = BoxReader(program), 0
    boxes: list[Box] = []
    for number, one in enumerate(found):
        if number % 256 == 0 and is_over():
            is_complete = False
            break
        box = reader.read(one.address, one.type)
        if box is None:
            continue
        if just_my_code and not program.modules.is_users(box.shape.module):
            hidden += 1
        else:
            boxes.append(box)
    _enter_running(program, boxes)
    objects = AwaitedReader(program, boxes)
    methods = [suspended_method(number, box, objects) for number, box in enumerate(boxes)]
    just_my_code &= program.modules.have_user_code
    is_complete &= _Edges(program, methods, just_my_code=just_my_code).find(is_over)
    return SuspendedMethods(program.clock.generation, methods, hidden, is_complete)


def suspended_method(number: int, box: Box, objects: AwaitedReader) -> SuspendedMethod:
    """The method that a box is of, under a number; its neighbours are to be entered. Raises `RuntimeCallError`."""
    if box.state == RUNNING:
        return SuspendedMethod(number, box, None, None)
    known = box.computation
    if known is not None:
        return SuspendedMethod(number, box, None, objects.behind(known.awaiter_type, known.awaited))
    module, move_next = box.shape.module, box.shape.move_next
    wanted = awaiter_field(module, move_next, box.state)
    awaiter = waiting_awaiter(box, wanted)
    if box.shape.is_fsharp and awaiter is not None and awaiter.awaited is not None and not box.word(awaiter.awaited):
        box.state = RUNNING  # what it awaited is forgotten once it has gone on
        return SuspendedMethod(number, box, None, None)
    offset = offset_of_state(module, move_next, box.state)
    return SuspendedMethod(number, box, offset, objects.read(box, awaiter) if awaiter is not None else None)


def _enter_running(program: Program, boxes: list[Box]) -> None:
    """Of F#'s tasks, whose state does not say it, find those that are on a thread now."""
    tasks = {box.address: box for box in boxes if box.shape.is_fsharp}
    code = {(box.shape.module.id, box.shape.move_next) for box in tasks.values()}
    for one in program.debuggee.threads() if code else ():
        for frame in program.debuggee.stack(one.thread, 0, _MOST_FRAMES).frames:
            if (frame.module, frame.method) not in code:
                continue
            machine = state_machine(program.debuggee, one.thread, frame.index)
            task = task_of(program, machine) if machine is not None else None
            if task is not None and task.address in tasks:
                tasks[task.address].state = RUNNING


class _Edges:
    """Who awaits whom: by what the methods await, and where others are between, by what hangs on their tasks."""

    def __init__(self, program: Program, methods: list[SuspendedMethod], *, just_my_code: bool) -> None:
        self._program = program
        self._methods = methods
        self._just_my_code = just_my_code
        self._by_machine = {one.box.machine_address: one for one in methods}
        self._direct: dict[int, list[SuspendedMethod]] = {}
        """By the address of the box of what they await."""
        by_object = {one.box.address: one for one in methods}
        by_object.update(self._by_machine)  # an async iterator is its own task
        self._computations = {
            one.box.address: (one.box.shape.module, one.box.shape.move_next)
            for one in methods
            if one.box.computation is not None
        }
        for one in methods:
            if one.awaited is not None and one.awaited.address:
                awaited = by_object.get(one.awaited.address)
                if awaited is not None:
                    self._direct.setdefault(awaited.box.address, []).append(one)
        self._behind: dict[int, list[SuspendedMethod]] = {}
        """By the address of what hangs on a task."""

    def find(self, is_over: Callable[[], bool]) -> bool:
        """Enter them. False when it was over before all were found."""
        is_complete = True
        for one in self._methods:
            awaiting = self._direct.get(one.box.address, [])
            if one.box.continuation and not any(one.box.continuation == by.box.address for by in awaiting):
                if is_complete and is_over():
                    is_complete = False
                more = self._continued(one.box.continuation) if is_complete else []
                awaiting = awaiting + [by for by in more if by not in awaiting and by is not one]
            for by in awaiting:
                one.awaited_by.append(by.id)
                by.awaits.append(one.id)
        return is_complete

    def _continued(self, continuation: int) -> list[SuspendedMethod]:
        if continuation not in self._behind:
            try:
                value = self._program.debuggee.heap_object(continuation)
                found = continued_by(self._program, value, self._computations, just_my_code=self._just_my_code)
            except DapDotnetError:
                found = []
            methods = (self._by_machine.get(awaiter.machine.address) for awaiter in found)
            self._behind[continuation] = [one for one in methods if one is not None]
        return self._behind[continuation]


class TaskChain(Struct, frozen=True):
    """An async method, the one that it awaits, and so on; `end` is what the last one awaits, or the task is, in words.

    `end` is empty where that is not known, and where the last one runs.
    """

    methods: list[SuspendedMethod]
    end: str


def task_chain(program: Program, task: Value) -> TaskChain:
    """The methods behind a task; nothing where that cannot be read, and for an object that is no task."""
    reader = BoxReader(program)
    methods: list[SuspendedMethod] = []
    seen: set[int] = set()
    value, end = task, ""
    try:
        while value.type is not None and value.address not in seen and len(methods) < _DEEPEST:
            seen.add(value.address)
            box = reader.read(value.address, value.type)
            if box is None:
                break
            method = suspended_method(len(methods), box, AwaitedReader(program, [box]))
            methods.append(method)
            end = method.awaited.text if method.awaited is not None else ""
            if method.awaited is None or not method.awaited.address:
                return TaskChain(methods, end)
            value = program.debuggee.heap_object(method.awaited.address)
        known = AwaitedReader(program, []).of(value.address)
        end = known.text if known is not None else end
    except DapDotnetError:
        pass
    return TaskChain(methods, end)
