"""What one evaluation has read of its frame: variables at most once, in bulk, until the program runs (a call)."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, FieldRef, ReadKind, Value
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.frame_slots import frame_arguments, frame_locals
from dap_dotnet.values.placed_values import read_refs


class FrameReads:
    """The reading half of an `environment.Environment`. Session thread."""

    __slots__ = ("_arguments", "_locals", "calls", "context", "debuggee", "has_stored", "program", "reads")

    def __init__(self, context: FrameContext) -> None:
        self.context = context
        self.program = context.program
        self.debuggee = context.program.debuggee
        self.calls = 0
        """How often the program ran so far: handles read before the last time are dead."""
        self.has_stored = False
        """Whether the expression has changed variables, fields or elements."""
        reads = context.reads
        self.reads = reads if reads is not None and reads.generation == context.program.clock.generation else None
        """What the event of the breakpoint brought along; None when the program ran since."""
        self._arguments: list[Value] | None = None
        self._locals: list[Value] | None = None

    def argument(self, index: int) -> Value:
        """An argument of the frame; `this` is number 0 where there is one."""
        reads = self.reads
        if reads is not None and (planned := reads.variable(ReadKind.ARGUMENT, index)) is not None:
            return planned
        if self._arguments is None:
            self._arguments = frame_arguments(self.context)
        value = self._arguments[index] if index < len(self._arguments) else _missing("argument")
        if reads is not None:
            reads.note_variable(ReadKind.ARGUMENT, index, value)
        return value

    def local(self, slot: int) -> Value:
        """A local slot of the frame."""
        reads = self.reads
        if reads is not None and (planned := reads.variable(ReadKind.LOCAL, slot)) is not None:
            return planned
        values = self._locals if self._locals is not None else self._read_locals()
        value = values[slot] if slot < len(values) else _missing("local")
        if reads is not None and value.error is None:
            reads.note_variable(ReadKind.LOCAL, slot, value)
        return value

    def local_count(self) -> int:
        """How many local slots the frame has."""
        return len(self._locals if self._locals is not None else self._read_locals())

    def _read_locals(self) -> list[Value]:
        self._locals = frame_locals(self.context)
        return self._locals

    def fields(self, target: Value, wanted: list[FieldRef]) -> list[Value]:
        """Instance fields of a value that has a handle, in one call, or of its parts."""
        handle, owner, reads = target.handle, target.type, self.reads
        if target.parts is not None:
            return [target.parts[ref.field] for ref in wanted]
        assert handle is not None
        if reads is None:
            return read_refs(self.program, target, wanted)
        planned = [value for ref in wanted if (value := reads.field(handle, owner, ref)) is not None]
        if len(planned) == len(wanted):
            return planned
        values = read_refs(self.program, target, wanted)
        for ref, value in zip(wanted, values, strict=True):
            reads.note_field(handle, owner, ref, value)
        return values

    def static(self, ref: FieldRef) -> Value:
        """A static field."""
        reads = self.reads
        if reads is not None and (planned := reads.static(ref)) is not None:
            return planned
        frame = self.context.frame
        value = self.debuggee.static_fields([ref], self.context.thread, frame.index, text_limit=TEXT_LIMIT)[0]
        if reads is not None:
            reads.note_static(ref, value)
        return value

    def element(self, array: Value, position: int, source: Value | None = None) -> Value:
        """An element of an array that has a handle, by its flat position; `source` is where the position comes from."""
        handle, reads = array.handle, self.reads
        assert handle is not None
        if reads is not None and (planned := reads.element(handle, position, source)) is not None:
            return planned
        read = self.debuggee.elements(handle, position, 1, text_limit=TEXT_LIMIT)
        if not read:  # a collection that another thread was changing has an array too small for its items
            raise EvaluationError(
                f"System.IndexOutOfRangeException: Index {position} was outside the bounds of the collection's array."
            )
        value = read[0]
        if reads is not None:
            reads.note_element(handle, position, source, value)
        return value

    def program_runs(self) -> None:
        """A call is about to be made: what was read of the frame is of an earlier generation after it."""
        self.calls += 1
        self._arguments = self._locals = self.reads = None

    def stored(self) -> None:
        """Something was stored in the program: what was read before may be false now. Handles live on."""
        self.has_stored = True
        self._arguments = self._locals = self.reads = None


def _missing(what: str) -> Value:
    return Value(None, None, ElementType.END, error=f"the {what} is not available at this point in the code")
