"""What a breakpoint's event brought along, and what the next one should: read plans, learnt from the reads themselves.

The first hit of a condition binds it. From the second on, each read that it makes of the program (an argument, a local,
a field of what was read before, an element, a static field) is noted, and becomes part of the breakpoint's plan: the
runtime's thread then makes it before the event is queued. A read that the event did not bring, or brought for another
object, type or element, is made as ever. So a plan can be wrong, late or missing, and changes no result.

Session thread only. `DAP_DOTNET_READ_PLAN=0` in the environment switches it off.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    MOST_READS,
    TEXT_LIMIT,
    BoundId,
    FieldRef,
    Read,
    ReadKind,
    ReadPlan,
    TypeId,
    Value,
    ValueHandle,
)
from dap_dotnet.values import primitives

WINDOW_HITS = 1024
"""So often a plan is looked over for reads that are seldom used: conditions are edited, and objects change."""
_SELDOM = 8
_MOST_CHANGES = 8
"""In one window; a condition whose reads never repeat keeps the plan it has."""


class HitReads:
    """The reads of one hit: those that the event brought, and those made meanwhile."""

    __slots__ = ("_made", "_numbers", "_plan", "_values", "generation", "new", "used")

    def __init__(self, plan: dict[Read, int], values: Sequence[Value | None], generation: int) -> None:
        """`plan`: each read with its number; `values`: what came, by number; may be empty."""
        self._plan = plan
        self._values = values
        self.generation = generation
        """The values hold until the program runs (`values.context.Clock`)."""
        self.new: list[Read] = []
        """Reads made that the plan has not."""
        self.used: set[int] = set()
        """Numbers of the plan's reads that were asked for."""
        self._numbers: dict[ValueHandle, int] = {}
        self._made: dict[int, Value] = {}

    def variable(self, kind: ReadKind, index: int) -> Value | None:
        """An argument or a local; None when it did not come."""
        return self._find(Read(kind, index))

    def static(self, ref: FieldRef) -> Value | None:
        """A static field."""
        return self._find(Read(ReadKind.STATIC, ref.field, 0, ref.type))

    def field(self, handle: ValueHandle, owner: TypeId | None, ref: FieldRef) -> Value | None:
        """A field of an object of exact type `owner`."""
        parent = self._number(handle)
        return None if parent is None else self._find(Read(ReadKind.FIELD, ref.field, parent, ref.type, owner or 0))

    def element(self, handle: ValueHandle, position: int, source: Value | None) -> Value | None:
        """An element of an array; `source` is the value of the program that gave the position, if it is one."""
        read = self._element_read(handle, position, source)
        return None if read is None else self._find(read)

    def number_of(self, handle: ValueHandle) -> int | None:
        """The number of the plan's read that brought a value in this hit's event; None for another value."""
        number = self._numbers.get(handle)
        value = self._values[number] if number is not None and number < len(self._values) else None
        return number if value is not None and value.handle == handle else None

    def note_variable(self, kind: ReadKind, index: int, value: Value) -> None:
        """An argument or a local was read."""
        self._note(Read(kind, index), value)

    def note_static(self, ref: FieldRef, value: Value) -> None:
        """A static field was read."""
        self._note(Read(ReadKind.STATIC, ref.field, 0, ref.type), value)

    def note_field(self, handle: ValueHandle, owner: TypeId | None, ref: FieldRef, value: Value) -> None:
        """A field was read."""
        parent = self._number(handle)
        if parent is not None:
            self._note(Read(ReadKind.FIELD, ref.field, parent, ref.type, owner or 0), value)

    def note_element(self, handle: ValueHandle, position: int, source: Value | None, value: Value) -> None:
        """An element was read."""
        read = self._element_read(handle, position, source)
        if read is not None:
            self._note(read, value)

    def _element_read(self, handle: ValueHandle, position: int, source: Value | None) -> Read | None:
        parent = self._number(handle)
        if parent is None:
            return None
        if source is not None and source.handle is not None:
            number = self._number(source.handle)
            # What was computed of a value may still name it as its source.
            if number is not None and primitives.decode(source.element_type, source.raw) == position:
                return Read(ReadKind.ELEMENT_AT, number, parent)
        return Read(ReadKind.ELEMENT, position, parent)

    def _find(self, read: Read) -> Value | None:
        number = self._plan.get(read)
        if number is None:
            return None
        self.used.add(number)
        value = self._values[number] if number < len(self._values) else None
        if value is not None and value.handle is not None:
            self._numbers[value.handle] = number
        return value

    def _note(self, read: Read, value: Value) -> None:
        if value.handle is None:
            return
        number = self._plan.get(read)
        if number is None:
            number = len(self._plan) + (self.new.index(read) if read in self.new else len(self.new))
            if number >= MOST_READS:
                return
            if read not in self.new:
                self.new.append(read)
        self._numbers[value.handle] = number

    def _number(self, handle: ValueHandle) -> int | None:
        return self._numbers.get(handle)


class _Learnt:
    """The plan of one breakpoint."""

    __slots__ = ("changes", "hits", "numbers", "plan_number", "uses")

    def __init__(self) -> None:
        self.plan_number = 0
        self.numbers: dict[Read, int] = {}
        self.uses: list[int] = []
        self.hits = 0
        self.changes = 0

    def take(self, reads: HitReads) -> bool:
        """Learn from a hit. Whether the plan changed."""
        self.hits += 1
        for number in reads.used:
            self.uses[number] += 1
        changed = False
        if reads.new and self.changes < _MOST_CHANGES:
            for read in reads.new:
                self.numbers[read] = len(self.numbers)
                self.uses.append(self.hits)
            changed = True
            self.changes += 1
        if self.hits >= WINDOW_HITS:
            changed = self._drop_seldom() or changed
            self.hits = self.changes = 0
            self.uses = [0] * len(self.numbers)
        return changed

    def _drop_seldom(self) -> bool:
        """Forget what was seldom asked for, with what looks into it. Whether there was any."""
        renumbered: dict[int, int] = {}
        kept: dict[Read, int] = {}
        for read, number in self.numbers.items():
            if self.uses[number] * _SELDOM < self.hits:
                continue
            index, parent = read.index, read.parent
            if read.kind in _PARTS:
                if parent not in renumbered or (read.kind is ReadKind.ELEMENT_AT and index not in renumbered):
                    continue
                parent = renumbered[parent]
                index = renumbered[index] if read.kind is ReadKind.ELEMENT_AT else index
            renumbered[number] = len(kept)
            kept[Read(read.kind, index, parent, read.type, read.owner)] = len(kept)
        is_less = len(kept) < len(self.numbers)
        self.numbers = kept
        return is_less


_PARTS = (ReadKind.FIELD, ReadKind.ELEMENT, ReadKind.ELEMENT_AT)


class ReadPlans:
    """The plans of a session's breakpoints."""

    def __init__(self) -> None:
        self.is_enabled = os.environ.get("DAP_DOTNET_READ_PLAN") != "0"
        self._learnt: dict[BoundId, _Learnt] = {}

    def at(self, event: BreakpointHit, generation: int, *, is_fresh: bool = True) -> HitReads | None:
        """The reads of a hit; None when plans are switched off. `is_fresh`: the process has not run since it came."""
        if not self.is_enabled:
            return None
        learnt = self._learnt.get(event.bound)
        if learnt is None:
            return HitReads({}, (), generation)
        # An event of an earlier plan was queued before the change; one that was put off has no hold any more.
        values = event.values if is_fresh and event.plan == learnt.plan_number else ()
        return HitReads(learnt.numbers, values, generation)

    def number(self, bound: BoundId) -> int:
        """The number of a breakpoint's plan; 0 for none."""
        learnt = self._learnt.get(bound)
        return learnt.plan_number if learnt is not None else 0

    def learn(self, debuggee: Debuggee, bound: BoundId, reads: HitReads) -> None:
        """After the verdict on a hit: change the breakpoint's plan to what was read."""
        learnt = self._learnt.get(bound)
        if learnt is None:
            if not reads.new:
                return
            learnt = self._learnt[bound] = _Learnt()
        if learnt.take(reads):
            learnt.plan_number += 1
            debuggee.set_read_plan(bound, ReadPlan(learnt.plan_number, tuple(learnt.numbers), TEXT_LIMIT))
