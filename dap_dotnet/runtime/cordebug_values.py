"""The part of `cordebug_debuggee` that reads values and types, and has the program evaluate functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from typing_extensions import override

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime._shim import BUFFER_TOO_SMALL, check, ffi, lib, new_sized
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.cordebug_decode import ValueBuffer, utf16
from dap_dotnet.runtime.model import (
    TEXT_LIMIT,
    ArrayShape,
    ElementType,
    EvalId,
    FieldLayout,
    FieldRef,
    FieldToken,
    MethodToken,
    ModuleId,
    PinId,
    ThreadId,
    TypeDefToken,
    TypeId,
    TypeInfo,
    TypeLayout,
    Value,
    ValueHandle,
)

_LAYOUTS_ARE_SAFE_FROM = 9
"""The major version of the runtime from which on GetTypeID takes every type."""


class CordebugValues(Debuggee):
    """`CordebugDebuggee` is made of this."""

    def __init__(self) -> None:
        self._session: Any = None
        """The `cds_session`; None once it was closed."""
        self._values = ValueBuffer()
        self._types: dict[TypeId, TypeInfo] = {}
        self._u32: Any = ffi.new("uint32_t *")
        self._resumed = 0
        """How often the program was let go on."""
        self._metadata: dict[ModuleId, tuple[int, bytes]] = {}
        """Of modules without an image: when it was read, and what was read."""

    # values and types

    @override
    def type_info(self, type_id: TypeId) -> TypeInfo:
        info = self._types.get(type_id)
        if info is None:
            described = new_sized("cds_type")
            arguments = self._type_ids(
                lambda types, capacity, count: lib.cds_type_describe(
                    self._session, type_id, types, capacity, count, described
                )
            )
            info = self._types[type_id] = TypeInfo(
                type=type_id,
                element_type=ElementType(described.element_type),
                module=ModuleId(described.module) if described.module else None,
                token=TypeDefToken(described.token) if described.token else None,
                arguments=arguments,
                base=TypeId(described.base) if described.base else None,
                rank=described.rank,
            )
        return info

    @override
    def make_type(self, module: ModuleId, token: TypeDefToken, arguments: Sequence[TypeId] = ()) -> TypeId:
        given = ffi.new("uint32_t[]", list(arguments))
        check(lib.cds_type_create(self._session, module, token, given, len(arguments), self._u32))
        return TypeId(self._u32[0])

    @override
    def module_metadata(self, module: ModuleId) -> bytes:
        resumed, known = self._metadata.get(module, (-1, b""))
        if resumed != self._resumed:
            found = self._read_metadata(module)
            known = known if found == known else found
            self._metadata[module] = self._resumed, known
        return known

    def _read_metadata(self, module: ModuleId) -> bytes:
        capacity = 1 << 16
        while True:
            found = ffi.new("uint8_t[]", capacity)
            code = lib.cds_module_metadata(self._session, module, found, capacity, self._u32)
            if code != BUFFER_TOO_SMALL:
                check(code)
                return bytes(ffi.buffer(found, self._u32[0]))
            capacity = self._u32[0]

    @override
    def type_layout(self, type_id: TypeId) -> TypeLayout:
        if self._has_fatal_layout(type_id):
            message = "Up to .NET 8 the layout of a structure of generic structures cannot be asked for."
            raise RuntimeCallError(message, hresult=0x80004001, hresult_name="E_NOTIMPL")
        described = new_sized("cds_layout")
        capacity = 64
        while True:
            found = ffi.new("cds_layout_field[]", capacity)
            code = lib.cds_type_layout(self._session, type_id, found, capacity, self._u32, described)
            if code != BUFFER_TOO_SMALL:
                break
            capacity = self._u32[0]
        check(code)
        fields = [
            FieldLayout(
                FieldToken(one.token),
                one.offset,
                ElementType(one.element_type),
                TypeId(one.type) if one.type else None,
            )
            for one in found[0 : self._u32[0]]
        ]
        return TypeLayout(
            object_size=described.object_size or None,
            fields=tuple(sorted(fields, key=lambda one: one.offset)),
            first_element_offset=described.first_element_offset or None,
            element_size=described.element_size or None,
        )

    def _has_fatal_layout(self, type_id: TypeId) -> bool:
        """Whether the library would crash (ICorDebugType2::GetTypeID, up to .NET 8; read with a native debugger)."""
        major = self.runtime_version.partition(".")[0]
        if major.isdigit() and int(major) >= _LAYOUTS_ARE_SAFE_FROM:
            return False
        info = self.type_info(type_id)
        inner = [self.type_info(one) for one in info.arguments]
        structure = ElementType.VALUETYPE
        if info.module is None and info.arguments:  # as it says of which type a field is
            return True
        return info.element_type is structure and any(
            one.element_type is structure and (one.arguments or one.module is None) for one in inner
        )

    @override
    def fields(self, value: ValueHandle, wanted: Sequence[FieldRef], *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        refs = ffi.new("cds_field[]", [(ref.type, ref.field) for ref in wanted])
        return self._read(lambda out: lib.cds_value_fields(self._session, value, refs, len(wanted), out), text_limit)

    @override
    def static_fields(
        self, wanted: Sequence[FieldRef], thread: ThreadId, frame_index: int = 0, *, text_limit: int = TEXT_LIMIT
    ) -> list[Value]:
        refs = ffi.new("cds_field[]", [(ref.type, ref.field) for ref in wanted])
        return self._read(
            lambda out: lib.cds_static_fields(self._session, thread, frame_index, refs, len(wanted), out), text_limit
        )

    @override
    def array_shape(self, value: ValueHandle) -> ArrayShape:
        most = 32  # ECMA-335 allows no more dimensions
        lengths, bounds = ffi.new("uint32_t[]", most), ffi.new("int32_t[]", most)
        check(lib.cds_array_shape(self._session, value, lengths, bounds, most, self._u32))
        rank = self._u32[0]
        return ArrayShape(tuple(lengths[0:rank]), tuple(bounds[0:rank]))

    @override
    def dereference(self, value: ValueHandle) -> Value:
        (found,) = self._read(lambda out: lib.cds_value_dereference(self._session, value, out), TEXT_LIMIT)
        return found

    @override
    def elements(self, value: ValueHandle, start: int, count: int, *, text_limit: int = TEXT_LIMIT) -> list[Value]:
        return self._read(lambda out: lib.cds_array_elements(self._session, value, start, count, out), text_limit)

    @override
    def string(self, value: ValueHandle, start: int, count: int) -> str:
        units = ffi.new("uint16_t[]", max(count, 1))
        check(lib.cds_string_read(self._session, value, start, count, units, self._u32))
        return utf16(units, self._u32[0])

    @override
    def store(self, place: ValueHandle, raw: bytes) -> None:
        check(lib.cds_value_store_bytes(self._session, place, raw, len(raw)))

    @override
    def store_copy(self, place: ValueHandle, source: ValueHandle) -> None:
        check(lib.cds_value_store_copy(self._session, place, source))

    @override
    def store_reference(self, place: ValueHandle, source: ValueHandle | None) -> None:
        check(lib.cds_value_store_reference(self._session, place, source or 0))

    @override
    def pin(self, value: ValueHandle, *, weak: bool = False) -> PinId:
        check(lib.cds_pin_create(self._session, value, weak, self._u32))
        return PinId(self._u32[0])

    @override
    def pinned(self, pin: PinId) -> Value:
        return self._read(lambda out: lib.cds_pin_read(self._session, pin, out), TEXT_LIMIT)[0]

    @override
    def unpin(self, pin: PinId) -> None:
        check(lib.cds_pin_destroy(self._session, pin))

    # function evaluation

    @override
    def call(
        self,
        thread: ThreadId,
        module: ModuleId,
        method: MethodToken,
        type_arguments: Sequence[TypeId],
        arguments: Sequence[ValueHandle],
    ) -> EvalId:
        types = ffi.new("uint32_t[]", list(type_arguments))
        values = ffi.new("uint64_t[]", list(arguments))
        check(
            lib.cds_eval_create_call(
                self._session,
                thread,
                module,
                method,
                types,
                len(type_arguments),
                values,
                len(arguments),
                self._u32,
            )
        )
        return EvalId(self._u32[0])

    @override
    def make_value(self, thread: ThreadId, element_type: ElementType, type_id: TypeId | None, raw: bytes) -> Value:
        return self._read(
            lambda out: lib.cds_value_create(self._session, thread, element_type, type_id or 0, raw, len(raw), out), 0
        )[0]

    @override
    def new_string(self, thread: ThreadId, text: str) -> EvalId:
        data = text.encode("utf-16-le", "surrogatepass")
        units = ffi.new("uint16_t[]", max(len(data) // 2, 1))  # the runtime refuses NULL for an empty string
        ffi.memmove(units, data, len(data))
        check(lib.cds_eval_create_string(self._session, thread, units, len(data) // 2, self._u32))
        return EvalId(self._u32[0])

    @override
    def new_object(
        self, thread: ThreadId, type_id: TypeId, constructor: MethodToken | None, arguments: Sequence[ValueHandle]
    ) -> EvalId:
        values = ffi.new("uint64_t[]", list(arguments))
        check(
            lib.cds_eval_create_object(
                self._session, thread, type_id, constructor or 0, values, len(arguments), self._u32
            )
        )
        return EvalId(self._u32[0])

    @override
    def new_array(self, thread: ThreadId, element: TypeId, length: int) -> EvalId:
        check(lib.cds_eval_create_array(self._session, thread, element, length, self._u32))
        return EvalId(self._u32[0])

    @override
    def eval_result(self, evaluation: EvalId, *, text_limit: int = TEXT_LIMIT) -> Value | None:
        try:
            values = self._read(lambda out: lib.cds_eval_result(self._session, evaluation, out), text_limit)
        finally:
            lib.cds_eval_destroy(self._session, evaluation)
        return values[0] if values else None

    @override
    def abort_eval(self, evaluation: EvalId, timeout_ms: int) -> bool:
        returned = ffi.new("int32_t *")
        check(lib.cds_eval_abort(self._session, evaluation, timeout_ms, returned))
        return bool(returned[0])

    # helpers

    def _read(self, call: Callable[[Any], int], text_limit: int) -> list[Value]:
        return self._values.read(call, text_limit, self._text_head)

    def _text_head(self, value: ValueHandle, limit: int) -> str:
        return self.string(value, 0, limit)

    def _type_ids(self, call: Callable[[Any, int, Any], int]) -> tuple[TypeId, ...]:
        capacity = 16
        while True:
            types = ffi.new("uint32_t[]", capacity)
            code = call(types, capacity, self._u32)
            if code != BUFFER_TOO_SMALL:
                check(code)
                return tuple(types[0 : self._u32[0]])
            capacity = self._u32[0]
