"""What the shim does with a read plan, for the fake debuggee: on the program's thread, before the event is sent."""

from __future__ import annotations

from dap_dotnet.runtime.model import FieldRef, FieldToken, Read, ReadKind, ReadPlan, TypeId, Value
from portablepdb import PortablePdb
from tests.session.fake_program import FakeFrame
from tests.session.fake_values import FakeHeap


def planned_values(
    plan: ReadPlan | None, frame: FakeFrame, heap: FakeHeap, pdb: PortablePdb
) -> tuple[Value | None, ...]:
    """The values that a plan brings, in order; None for what is not there."""
    values: list[Value | None] = []
    for read in plan.reads if plan is not None else ():
        try:
            values.append(_value(read, values, frame, heap, pdb))
        except LookupError:
            values.append(None)
    return tuple(values)


def _value(read: Read, values: list[Value | None], frame: FakeFrame, heap: FakeHeap, pdb: PortablePdb) -> Value:
    if read.kind is ReadKind.ARGUMENT:
        return heap.value(list(frame.arguments.values())[read.index])
    if read.kind is ReadKind.LOCAL:
        names = {local.slot: local.name for local in pdb.locals_at(frame.method, frame.il_offset)}
        return heap.value(frame.locals[names[read.index]])
    if read.kind is ReadKind.STATIC:
        raise LookupError  # static fields are read by calls here
    parent = values[read.parent]
    if parent is None or parent.handle is None or parent.is_null:
        raise LookupError
    if read.kind is ReadKind.FIELD:
        if parent.type != read.owner:
            raise LookupError
        return heap.read_field(parent.handle, FieldRef(TypeId(read.type), FieldToken(read.index)), 1024)
    source = values[read.index] if read.kind is ReadKind.ELEMENT_AT else None
    position = int.from_bytes(source.raw, "little", signed=True) if source is not None else read.index
    if not 0 <= position < parent.length:
        raise LookupError
    return heap.value(heap.content(parent.handle)[position])
