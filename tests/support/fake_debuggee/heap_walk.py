"""The fake program's heap as a whole: the objects that the test names, and what is in their fields."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from typing import Any

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.heap import HeapObject, HeapReference, HeapType, ReferenceKind, RetainedSize
from dap_dotnet.runtime.model import ModuleId, TypeDefToken, TypeId, Value, ValueHandle
from tests.support.fake_debuggee.types import ExactTypes
from tests.support.fake_debuggee.values import Array, Heap, Object, Text

_SIZE = 24
_FIRST_ELEMENT, _WORD = 16, 8


class HeapWalk:
    """`runtime.heap.HeapReader` over a `Heap`; each object has 24 bytes."""

    heap: Heap
    types: ExactTypes

    def __init__(self) -> None:
        self.objects: list[Any] = []
        """All objects that there are."""
        self.root_references: list[tuple[ReferenceKind, Any]] = []
        """What is referred to from outside of the heap."""
        self.is_endless = False
        """Whether `retained_size` ends only where it is given up."""
        self.is_followed = threading.Event()
        """Set once such a call has begun."""
        self._given_up = threading.Event()

    def give_up_heap(self, given_up: bool) -> None:
        """See `HeapReader`."""
        if given_up:
            self._given_up.set()
        else:
            self._given_up.clear()

    def heap_types(self) -> list[HeapType]:
        """See `HeapReader`."""
        found: dict[TypeId, int] = {}
        for one in self.objects:
            kind = self.heap.value(one).type
            assert kind is not None
            found[kind] = found.get(kind, 0) + 1
        return [HeapType(kind, count, count * _SIZE) for kind, count in found.items()]

    def heap_instances(self, type_id: TypeId, start: int, count: int) -> list[int]:
        """See `HeapReader`."""
        values = [self.heap.value(one) for one in self.objects]
        return [value.address for value in values if value.type == type_id][start : start + count]

    def heap_find(
        self, classes: Collection[tuple[ModuleId, TypeDefToken]], most: int, *, timeout_ms: int
    ) -> tuple[list[HeapObject], bool]:
        """See `HeapReader`."""
        found = []
        for one in self.objects:
            value = self.heap.value(one)
            info = self.types.infos[value.type] if value.type is not None else None
            if info is not None and value.type is not None and (info.module, info.token) in classes:
                found.append(HeapObject(value.address, value.type))
        return found[:most], len(found) <= most and timeout_ms > 0

    def type_at(self, address: int) -> TypeId:
        """See `HeapReader`."""
        found = self.heap_object(address).type
        assert found is not None
        return found

    def heap_object(self, address: int) -> Value:
        """See `HeapReader`."""
        for one in self.objects:
            value = self.heap.value(one)
            if value.address == address:
                return value
        raise RuntimeCallError("There is no such object.", hresult=0x80004005, hresult_name="E_FAIL")

    def references_to(self, address: int, most: int) -> tuple[list[HeapReference], int]:
        """See `HeapReader`."""
        found = [HeapReference(kind, 0, 0, None) for kind, one in self.root_references if self._is_at(one, address)]
        for one in self.objects:
            for number, inner in enumerate(self._inner(one)):
                if self._is_at(inner, address):
                    made = self.heap.value(one)
                    offset = _FIRST_ELEMENT + number * _WORD
                    found.append(HeapReference(ReferenceKind.OBJECT, made.address, offset, made.type))
        return found[:most], len(found)

    def retained_size(self, value: ValueHandle) -> RetainedSize:
        """See `HeapReader`."""
        if self.is_endless:
            self.is_followed.set()
            assert self._given_up.wait(20.0), "nobody gave it up"
            raise RuntimeCallError("It was given up.", hresult=0, hresult_name="")
        wanted = self._object(value)
        roots = [one for _, one in self.root_references if one is not wanted]
        others = self._reached(roots, without=wanted)
        alone = [one for one in self._reached([wanted]) if all(one is not other for other in others)]
        return RetainedSize(len(alone) * _SIZE, len(alone), _SIZE)

    def _is_at(self, one: Any, address: int) -> bool:
        return isinstance(one, Object | Array | Text) and self.heap.value(one).address == address

    def _object(self, handle: ValueHandle) -> Any:
        content = self.heap.typed(self.heap.content(handle))
        if not isinstance(content, Object | Array | Text):
            raise RuntimeCallError("It is not on the heap.", hresult=0, hresult_name="")
        return content

    def _inner(self, one: Any) -> Iterator[Any]:
        one = self.heap.typed(one)
        inner = one.fields.values() if isinstance(one, Object) else one.items if isinstance(one, Array) else ()
        return (self.heap.typed(content) for content in inner)

    def _reached(self, roots: list[Any], without: Any = None) -> list[Any]:
        found: list[Any] = []
        pending = list(roots)
        while pending:
            one = pending.pop()
            if one is not without and isinstance(one, Object | Array | Text) and all(one is not seen for seen in found):
                found.append(one)
                pending += self._inner(one)
        return found
