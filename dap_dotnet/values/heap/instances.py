"""What objects there are: types with their numbers and bytes, and the objects of a type."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from typing_extensions import override

from dap_dotnet.runtime.model import TypeId, Value
from dap_dotnet.values.children import Child, Container
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.live_values import LiveValue
from dap_dotnet.values.typenames import full_name, short_type_name, type_name

MOST = 10_000
"""Objects of a type that can be looked at."""


class TypeStatistics(Struct, frozen=True):
    """A type in C# notation, how many objects it has, and their own bytes."""

    type: TypeId
    name: str
    count: int
    bytes: int


def heap_statistics(program: Program, wanted: str | None = None) -> list[TypeStatistics]:
    """The types that have objects, most bytes first; with `wanted` those of that name.

    A name is in C# notation or as metadata has it, with or without namespace and type arguments. Raises
    `RuntimeCallError` where the runtime gives no heap.
    """
    found: dict[TypeId, TypeStatistics] = {}
    for one in program.debuggee.heap_types():
        if wanted is not None and not _is_named(program, one.type, wanted):
            continue
        known = found.get(one.type)
        count, size = (known.count, known.bytes) if known is not None else (0, 0)
        name = known.name if known is not None else type_name(program, one.type)
        found[one.type] = TypeStatistics(one.type, name, count + one.count, size + one.bytes)
    return sorted(found.values(), key=lambda one: (-one.bytes, one.name))


def _is_named(program: Program, type_id: TypeId, wanted: str) -> bool:
    wanted = wanted.replace(" ", "")
    names = [type_name(program, type_id), short_type_name(program, type_id)]
    metadata_name = full_name(program, program.debuggee.type_info(type_id))
    names += [metadata_name, metadata_name.rpartition(".")[2], metadata_name.partition("`")[0]]
    names.append(names[1].partition("<")[0])
    return wanted in [name.replace(" ", "") for name in names if name]


class InstancesContainer(Container):
    """The objects of some exact types, in the order of the heap, each with its number."""

    def __init__(self, context: FrameContext, types: Sequence[TypeStatistics]) -> None:
        super().__init__(context)
        self._types = types
        self._generation = -1
        self._addresses: list[int] = []

    @property
    @override
    def indexed(self) -> int:
        """Number of objects that can be looked at."""
        return min(sum(one.count for one in self._types), MOST)

    @override
    def read_indexed(self, start: int, count: int) -> list[Child]:
        """The objects from a number on."""
        program = self.context.program
        if self._generation != program.clock.generation:  # objects have moved
            self._addresses = [
                address for one in self._types for address in program.debuggee.heap_instances(one.type, 0, MOST)
            ][:MOST]
            self._generation = program.clock.generation
        return [
            Child(f"[{number}]", program.debuggee.heap_object(address), None)
            for number, address in enumerate(self._addresses[start : start + count], start)
        ]


class NamedObjects(Container):
    """Objects under names of their own."""

    def __init__(self, context: FrameContext, objects: Sequence[tuple[str, Value | None]]) -> None:
        """`objects`: name, and value (None: only the name is shown)."""
        super().__init__(context)
        program = context.program
        self._objects = [
            (name, LiveValue(program, value, None) if value is not None else None) for name, value in objects
        ]

    @property
    def roots(self) -> list[LiveValue]:
        """The values, which have to outlive function evaluations."""
        return [value for _, value in self._objects if value is not None]

    @property
    @override
    def named(self) -> int:
        """Number of objects."""
        return len(self._objects)

    @override
    def read_named(self, start: int, count: int) -> list[Child]:
        """The objects from a number on."""
        return [
            Child(name, None, None, keeps_name=True)
            if value is None
            else Child(name, value.get(), None, value.get, keeps_name=True)
            for name, value in self._objects[start : start + count]
        ]
