"""What the shim does with a read plan: on the program's thread, before the event is sent."""

from __future__ import annotations

from dap_dotnet.runtime.model import FieldRef, FieldToken, Read, ReadKind, ReadPlan, TypeId, Value
from tests.support.fake_debuggee.frames import FakeFrame
from tests.support.fake_debuggee.values import Heap


def planned_values(plan: ReadPlan | None, frame: FakeFrame, heap: Heap) -> tuple[Value | None, ...]:
    """The values that a plan brings, in order; None for what is not there."""
    values: list[Value | None] = []
    for read in plan.reads if plan is not None else ():
        try:
            values.append(_value(read, values, frame, heap, plan.text_limit if plan is not None else 0))
        except LookupError:
            values.append(None)
    return tuple(values)


def _value(read: Read, values: list[Value | None], frame: FakeFrame, heap: Heap, text_limit: int) -> Value:
    if read.kind is ReadKind.ARGUMENT:
        return heap.value(frame.read_arguments()[read.index], None, text_limit)
    if read.kind is ReadKind.LOCAL:
        return heap.value(frame.read_locals()[read.index], None, text_limit)
    field = FieldRef(TypeId(read.type), FieldToken(read.index))
    if read.kind is ReadKind.STATIC:
        return heap.read_static(field, text_limit)
    parent = values[read.parent]
    if parent is None or parent.handle is None or parent.is_null:
        raise LookupError
    if read.kind is ReadKind.FIELD:
        if parent.type != read.owner:
            raise LookupError
        return heap.read_field(parent.handle, field, text_limit)
    source = values[read.index] if read.kind is ReadKind.ELEMENT_AT else None
    position = int.from_bytes(source.raw, "little", signed=True) if source is not None else read.index
    if not 0 <= position < parent.length:
        raise LookupError
    (found,) = heap.read_elements(parent.handle, position, 1, text_limit)
    return found
