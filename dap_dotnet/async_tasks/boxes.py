"""The boxes of async methods on the heap, as the runtime's library keeps them: read from memory, many at a time.

An async method that has been left at an `await` is a box: `AsyncStateMachineBox` where it gives a Task or nothing,
`StateMachineBox` of a pooling builder where it gives a ValueTask. The box has the compiler's state machine, an object
in code that is not optimised and else a structure, and what is to go on when the method has ended. .NET Core 3.1 to
.NET 10 share the names of the fields. Session thread only, while the process is held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct, field

from dap_dotnet.async_tasks.fsharp_computations import Computation, ComputationReader
from dap_dotnet.async_tasks.state_machine import (
    AWAITER_FIELDS,
    BUILDER_FIELDS,
    COMPLETED,
    FSHARP_MACHINE,
    FSHARP_RUNNER,
    MACHINE_FIELD,
    RUNNING,
    STATE_FIELDS,
)
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, FieldLayout, MethodToken, ModuleId, TypeDefToken, TypeId, Value
from dap_dotnet.symbols.fsharp_tasks import RESUMPTION_POINT, fsharp_task
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import members
from dap_dotnet.values.context import Program
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.members import read_field
from dap_dotnet.values.typenames import full_name

_BOXES = ("AsyncStateMachineBox`1", "DebugFinalizableAsyncStateMachineBox`1", "StateMachineBox`1")
_BUILDERS = "System.Runtime.CompilerServices."
_TO_BOX = ("m_task", "m_builder", "_builder", "_methodBuilder", "MethodBuilder")
_STATES = (*STATE_FIELDS, RESUMPTION_POINT)
_MOST_TRIED = 64
_REFERENCES = frozenset({ElementType.CLASS, ElementType.OBJECT, ElementType.STRING, ElementType.SZARRAY})
_AWAITED = ("m_task", "_obj", "_value", "_awaiter")
"""In the awaiters of tasks and ValueTasks: to what they wait for."""
_CELL = "contents@"
"""In a cell of F#'s."""
_MOST_NESTED = 4
_WORD = 8
_OBJECT_ONLY = 16
"""Header and method table of an object."""


class Awaiter(Struct, frozen=True):
    """A field of a state machine that holds an awaiter."""

    offset: int
    type: TypeId | None
    """Of a value type; None for others."""
    awaited: int | None
    """Offset, from the machine's first byte, of the reference to what it waits for; None where that is not known."""


class Shape(Struct):
    """Where things are in the boxes of one exact type."""

    module: LoadedModule
    move_next: MethodToken
    machine_offset: int
    machine_size: int
    is_object: bool
    """Whether the machine is an object of its own, not a part of the box."""
    state: int
    builder: int | None
    """Offset of the machine's reference to its box; None where there is none right in the builder."""
    awaiters: dict[str, Awaiter] = field(default_factory=dict)
    task_id: int | None = None
    continuation: int | None = None
    is_fsharp: bool = False
    """Whether it is a task of F#'s, whose state does not say whether it runs."""
    runner: int | None = None
    """Offset of the reference to what has the pieces of a task of F#'s without optimisation. None for others."""


class _Size(Struct, frozen=True):
    """What tells, of the boxes of a type, which have ended."""

    box: int
    flags: int | None


class Box(Struct):
    """A box of a method that has not ended. Addresses are of the present generation; 0 for none."""

    address: int
    shape: Shape
    state: int
    machine_address: int
    """Of the object, or of the structure in the box."""
    content: bytes
    """Of the machine."""
    task_id: int
    continuation: int
    """What is to run at the end."""
    computation: Computation | None = None
    """Of a task of F#'s without optimisation; its machine is the box."""

    def word(self, offset: int) -> int:
        """A reference in the machine."""
        return int.from_bytes(self.content[offset : offset + _WORD], "little")


def box_classes(program: Program) -> list[tuple[ModuleId, TypeDefToken]]:
    """The classes of boxes, of the library's builders."""
    found = []
    for module in program.modules:
        if module.metadata is None or module.name.partition(".dll")[0] != "System.Private.CoreLib":
            continue
        for name in _BOXES:
            for one in module.metadata.types_named(name):
                if module.metadata.type_name(one.token).startswith(_BUILDERS):
                    found.append((module.id, TypeDefToken(one.token)))
    return found


class BoxReader:
    """Reads boxes; lives as long as one generation."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._sizes: dict[TypeId, _Size | None] = {}
        self._shapes: dict[TypeId, Shape] = {}
        self._tried: Counter[TypeId] = Counter()
        self._computations = ComputationReader(program, lambda value: _awaited_in(program, value))

    def read(self, address: int, type_id: TypeId) -> Box | None:
        """The box of a method that has not ended; None for one that has, and for one that cannot be read."""
        if type_id not in self._sizes:
            self._sizes[type_id] = _size_of(self._program, type_id)
        size = self._sizes[type_id]
        if size is None:
            return None
        content = self._program.debuggee.read_memory(address, size.box)
        if len(content) < size.box or _number(content, size.flags, 4) & COMPLETED:
            return None
        shape = self._shape(address, type_id)
        return self._read(address, content, shape) if shape is not None else None

    def _shape(self, address: int, type_id: TypeId) -> Shape | None:
        """From the first object that tells it: those that have ended have nothing to go by."""
        shape = self._shapes.get(type_id)
        if shape is None and self._tried[type_id] < _MOST_TRIED:
            self._tried[type_id] += 1
            try:
                shape = _shape_of(self._program, self._program.debuggee.heap_object(address))
            except DapDotnetError:
                return None
            if shape is not None:
                self._shapes[type_id] = shape
        return shape

    def _read(self, address: int, box: bytes, shape: Shape) -> Box | None:
        machine_address = address + shape.machine_offset
        content = box[shape.machine_offset : shape.machine_offset + shape.machine_size]
        if shape.is_object:
            machine_address = _number(box, shape.machine_offset)
            if not machine_address:
                return None
            content = self._program.debuggee.read_memory(machine_address, shape.machine_size)
        if len(content) < shape.machine_size:
            return None
        if shape.runner is not None:
            return self._computation(address, box, shape, _number(content, shape.runner))
        state = int.from_bytes(content[shape.state : shape.state + 4], "little", signed=True)
        # A box of a pool, and one whose method has just ended, has a machine that is all zero.
        if state < RUNNING or (shape.builder is not None and not _number(content, shape.builder)):
            return None
        return Box(
            address=address,
            shape=shape,
            state=state,
            machine_address=machine_address,
            content=content,
            task_id=_number(box, shape.task_id, 4),
            continuation=_number(box, shape.continuation),
        )

    def _computation(self, address: int, box: bytes, shape: Shape, runner: int) -> Box | None:
        known = self._computations.read(runner) if runner else None
        if known is None:
            return None
        return Box(
            address=address,
            shape=msgspec.structs.replace(shape, module=known.module, move_next=MethodToken(known.begins)),
            state=0 if known.awaiter else RUNNING,
            machine_address=address,
            content=b"",
            task_id=_number(box, shape.task_id, 4),
            continuation=_number(box, shape.continuation),
            computation=known,
        )


def _size_of(program: Program, type_id: TypeId) -> _Size | None:
    try:
        size = program.debuggee.type_layout(type_id).object_size
        return _Size(size, _offset(_places(program, type_id), "m_stateFlags")) if size is not None else None
    except DapDotnetError:
        return None


def _number(content: bytes, offset: int | None, size: int = _WORD) -> int:
    return int.from_bytes(content[offset : offset + size], "little") if offset is not None else 0


def _shape_of(program: Program, box: Value) -> Shape | None:
    """From one object of the type: not all runtimes tell the exact types of fields by the type alone."""
    debuggee = program.debuggee
    machine = read_field(program, box, MACHINE_FIELD)
    if machine is None or machine.is_null or machine.type is None or box.type is None:
        return None
    info = debuggee.type_info(machine.type)
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return None
    if full_name(program, info) == FSHARP_MACHINE:
        return _computation_shape(program, box, machine, module)
    move_next = next((one for one in module.metadata.methods_of(info.token) if one.name == "MoveNext"), None)
    size = debuggee.type_layout(machine.type).object_size
    places, own = _places(program, box.type), _places(program, machine.type)
    state, builder = (next((name for name in names if name in own), None) for names in (_STATES, BUILDER_FIELDS))
    if move_next is None or size is None or state is None or MACHINE_FIELD not in places:
        return None
    shape = Shape(
        module=module,
        move_next=MethodToken(move_next.token),
        machine_offset=places[MACHINE_FIELD].offset,
        machine_size=size if machine.is_reference else size - _OBJECT_ONLY,
        is_object=machine.is_reference,
        state=own[state].offset,
        builder=_reference_in(program, machine, builder, _TO_BOX) if builder is not None else None,
        task_id=_offset(places, "m_taskId"),
        continuation=_offset(places, "m_continuationObject"),
    )
    if shape.continuation is None:
        shape.continuation = _reference_in(program, box, "_valueTaskSource", ("_continuationState",))
    task = fsharp_task(module, shape.move_next)
    shape.is_fsharp = task is not None
    for name, place in own.items():
        if name.startswith(AWAITER_FIELDS) if task is None else name in task.awaiters.values():
            value = read_field(program, machine, name)
            kind = value.type if value is not None and not value.is_reference else None
            shape.awaiters[name] = Awaiter(place.offset, kind, _reference_in(program, machine, name, _AWAITED))
    return shape


def _computation_shape(program: Program, box: Value, machine: Value, module: LoadedModule) -> Shape | None:
    """Of a box of F#'s machine: by what one box has, as up to .NET 8 the runtime tells no layout of the machine."""
    runner = read_field(program, machine, FSHARP_RUNNER)
    size = program.debuggee.type_layout(box.type).object_size if box.type is not None else None
    if runner is None or not runner.address or size is None or box.type is None:
        return None
    content = program.debuggee.read_memory(box.address, size)
    offsets = [place for place in range(0, len(content), _WORD) if _number(content, place) == runner.address]
    places = _places(program, box.type)
    if len(offsets) != 1:
        return None
    return Shape(
        module=module,
        move_next=MethodToken(0),
        machine_offset=offsets[0],
        machine_size=_WORD,
        is_object=False,
        state=0,
        builder=None,
        task_id=_offset(places, "m_taskId"),
        continuation=_offset(places, "m_continuationObject"),
        runner=0,
    )


def _places(program: Program, type_id: TypeId) -> dict[str, FieldLayout]:
    """The instance fields of a type and its bases by name; of one name that of the most derived type."""
    found: dict[str, FieldLayout] = {}
    for declaring, info in lineage(program, type_id):
        names = {one.token: one.name for one in members(program.modules.get(info.module), info.token).fields}
        try:
            layout = program.debuggee.type_layout(declaring)
        except DapDotnetError:
            continue  # System.Object has none
        for place in layout.fields:
            if place.field in names:
                found.setdefault(names[place.field], place)
    return found


def _offset(places: Mapping[str, FieldLayout], name: str) -> int | None:
    return places[name].offset if name in places else None


def _reference_in(program: Program, owner: Value, name: str, inner: Sequence[str], depth: int = 0) -> int | None:
    """The offset, in an object or structure, of the reference that a field is, or that the structure in it has.

    `inner` are the names of the fields that lead to it. None where there is none.
    """
    if owner.type is None or depth > _MOST_NESTED:
        return None
    place = _places(program, owner.type).get(name)
    if place is None:
        return None
    if place.element_type in _REFERENCES:
        return place.offset
    value = read_field(program, owner, name) if place.element_type is ElementType.VALUETYPE else None
    if value is None or value.error is not None or value.is_reference:
        return None
    found = (_reference_in(program, value, one, inner, depth + 1) for one in inner)
    offset = next((one for one in found if one is not None), None)
    return place.offset + offset if offset is not None else None


def _awaited_in(program: Program, value: Value) -> int | None:
    """The offset, in a boxed awaiter or a cell with one, of the reference to what it waits for."""
    found = (_reference_in(program, value, name, _AWAITED) for name in (_CELL, *_AWAITED))
    offset = next((one for one in found if one is not None), None)
    return offset + _WORD if offset is not None and value.element_type is ElementType.VALUETYPE else offset


def waiting_awaiter(box: Box, wanted: str | None) -> Awaiter | None:
    """The awaiter at which a method waits: that of its state, or the only one that holds something."""
    awaiters: Mapping[str, Awaiter] = box.shape.awaiters
    if wanted is not None:
        return awaiters.get(wanted)
    held = [one for one in awaiters.values() if one.awaited is not None and box.word(one.awaited)]
    return held[0] if len(held) == 1 else None
