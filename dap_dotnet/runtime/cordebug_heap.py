"""The part of `cordebug_debuggee` that looks at the heap."""

from __future__ import annotations

from collections.abc import Collection

from typing_extensions import override

from dap_dotnet.runtime._shim import BUFFER_TOO_SMALL, check, ffi, lib, new_sized
from dap_dotnet.runtime.cordebug_values import CordebugValues
from dap_dotnet.runtime.heap import HeapObject, HeapReference, HeapType, ReferenceKind, RetainedSize
from dap_dotnet.runtime.model import ModuleId, TypeDefToken, TypeId, Value, ValueHandle

_USUAL_TYPES = 4096


class CordebugHeap(CordebugValues):
    """`CordebugDebuggee` is made of this."""

    @override
    def give_up_heap(self, given_up: bool) -> None:
        check(lib.cds_heap_give_up(self._session, given_up))

    @override
    def heap_types(self) -> list[HeapType]:
        capacity = _USUAL_TYPES
        while True:
            found = ffi.new("cds_heap_type[]", capacity)
            code = lib.cds_heap_types(self._session, found, capacity, self._u32)
            if code != BUFFER_TOO_SMALL:
                check(code)
                break
            capacity = self._u32[0]
        return [HeapType(TypeId(found[i].type), found[i].count, found[i].bytes) for i in range(self._u32[0])]

    @override
    def heap_instances(self, type_id: TypeId, start: int, count: int) -> list[int]:
        addresses = ffi.new("uint64_t[]", max(count, 1))
        check(lib.cds_heap_instances(self._session, type_id, start, count, addresses, self._u32))
        return list(addresses[0 : self._u32[0]])

    @override
    def heap_find(
        self, classes: Collection[tuple[ModuleId, TypeDefToken]], most: int, *, timeout_ms: int
    ) -> tuple[list[HeapObject], bool]:
        wanted = ffi.new("cds_heap_class[]", list(classes))
        found, complete = ffi.new("cds_heap_found[]", max(most, 1)), ffi.new("int32_t *")
        check(lib.cds_heap_find(self._session, wanted, len(classes), timeout_ms, found, most, self._u32, complete))
        return [HeapObject(one.address, TypeId(one.type)) for one in found[0 : self._u32[0]]], bool(complete[0])

    @override
    def heap_object(self, address: int) -> Value:
        return self._read(lambda out: lib.cds_heap_object(self._session, address, out), 1024)[0]

    @override
    def type_at(self, address: int) -> TypeId:
        check(lib.cds_heap_type_at(self._session, address, self._u32))
        return TypeId(self._u32[0])

    @override
    def references_to(self, address: int, most: int) -> tuple[list[HeapReference], int]:
        found, total = ffi.new("cds_heap_reference[]", max(most, 1)), ffi.new("uint64_t *")
        check(lib.cds_heap_references(self._session, address, found, most, self._u32, total))
        references = [
            HeapReference(ReferenceKind(one.kind), one.address, one.offset, TypeId(one.type) if one.type else None)
            for one in found[0 : self._u32[0]]
        ]
        return references, int(total[0])

    @override
    def retained_size(self, value: ValueHandle) -> RetainedSize:
        size = new_sized("cds_heap_retained_size")
        check(lib.cds_heap_retained(self._session, value, size))
        return RetainedSize(size.bytes, size.objects, size.own_bytes)
