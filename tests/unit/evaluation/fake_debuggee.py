"""The seam's reading half over a world of Python objects, strict about generations of handles."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.evaluation.numbers import decimals
from dap_dotnet.runtime.model import (
    ArrayShape,
    ElementType,
    FieldRef,
    ModuleId,
    PinId,
    ThreadId,
    TypeDefToken,
    TypeId,
    TypeInfo,
    Value,
    ValueHandle,
)
from portablepdb import signatures as sig

if TYPE_CHECKING:
    from tests.unit.evaluation.fakes import World

FORMATS = {
    ElementType.CHAR: "<H", ElementType.I1: "<b", ElementType.U1: "<B", ElementType.I2: "<h", ElementType.U2: "<H",
    ElementType.I4: "<i", ElementType.U4: "<I", ElementType.I8: "<q", ElementType.U8: "<Q", ElementType.R4: "<f",
    ElementType.R8: "<d", ElementType.BOOLEAN: "<?", ElementType.I: "<q", ElementType.U: "<Q",
}  # fmt: skip


@dataclass(eq=False)
class Object:
    """An object of the heap, or (in a field, a local) a structure."""

    type_id: int
    fields: dict[str, Any] = field(default_factory=dict)
    is_structure: bool = False
    address: int = 0


@dataclass(eq=False)
class Array:
    type_id: int
    items: list[Any]
    lengths: tuple[int, ...]
    bounds: tuple[int, ...]
    address: int = 0


@dataclass(eq=False)
class Text:
    text: str
    address: int = 0


@dataclass(frozen=True)
class Scalar:
    """A primitive, an enum or a decimal."""

    type_id: int
    value: Any


@dataclass(eq=False)
class Box:
    inner: Scalar | Object
    address: int = 0


class FakeDebuggee:
    """The seam's reading half, strict about generations. Counts its calls by name in `calls`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.calls: list[str] = []
        self.generation = 1
        self._handles: list[tuple[int, Any]] = [(0, None)]
        self.pins: dict[int, Any] = {}
        self._pins_made = 0
        self._lives_on: dict[ValueHandle | None, PinId] = {}

    # handles

    def program_ran(self) -> None:
        self.generation += 1

    def value_of(self, handle: ValueHandle | None) -> Any:
        assert handle is not None
        generation, value = self._handles[handle]
        assert generation == self.generation, "a handle of an earlier generation was used"
        return value

    def _handle(self, value: Any) -> ValueHandle:
        self._handles.append((self.generation, value))
        return ValueHandle(len(self._handles) - 1)

    def value(self, item: Any, declared: int | None = None, text_limit: int = 1024) -> Value:
        """A thing of the world as a bulk read tells it."""
        world = self._world
        if isinstance(item, Value):
            return item
        if item is None:
            code = world.infos[declared].element_type if declared is not None else ElementType.CLASS
            return Value(
                self._handle(None), TypeId(declared) if declared else None, code, is_null=True, is_reference=True
            )
        if isinstance(item, Box):
            inner = self.value(item.inner)
            return Value(self._handle(item), inner.type, inner.element_type, False, True, True, item.address, inner.raw)
        if isinstance(item, Text):
            units = item.text.encode("utf-16-le", "surrogatepass")
            head = units[: 2 * text_limit].decode("utf-16-le", "surrogatepass")
            type_id = TypeId(world.type_id("string"))
            return Value(
                self._handle(item),
                type_id,
                ElementType.STRING,
                False,
                False,
                True,
                item.address,
                b"",
                head,
                len(units) // 2,
            )
        if isinstance(item, Array):
            info = world.infos[item.type_id]
            return Value(
                self._handle(item),
                info.type,
                info.element_type,
                False,
                False,
                True,
                item.address,
                length=len(item.items),
            )
        if isinstance(item, Scalar):
            return self._scalar(item)
        info = world.infos[item.type_id]
        reference = not item.is_structure
        return Value(
            self._handle(item), info.type, info.element_type, False, False, reference, item.address, self._raw(item)
        )

    def _raw(self, item: Object) -> bytes:
        """A nullable number's bytes, as the runtime lays them out."""
        held = item.fields.get("value")
        if "hasValue" not in item.fields or not isinstance(held, Scalar):
            return b""
        raw = self._scalar(held).raw
        return bytes([item.fields["hasValue"].value]).ljust(len(raw), b"\0") + raw

    def _scalar(self, item: Scalar) -> Value:
        info = self._world.infos[item.type_id]
        if info.element_type in FORMATS:
            raw = struct.pack(FORMATS[info.element_type], item.value)
        elif isinstance(item.value, Decimal):
            raw = decimals.pack(item.value)
        else:
            made = self._world.metadata.types[int(info.token or 0)]
            raw = struct.pack(FORMATS[ElementType(made.fields[0].signature.code)], item.value)
        return Value(self._handle(item), info.type, info.element_type, raw=raw)

    # the seam

    def type_info(self, type_id: TypeId) -> TypeInfo:
        return self._world.infos[type_id]

    def make_type(self, module: ModuleId, token: TypeDefToken, arguments: Sequence[TypeId] = ()) -> TypeId:
        return TypeId(self._world.definition_id(token, tuple(arguments)))

    def arguments(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self.calls.append("arguments")
        return [self.value(item, None, text_limit) for item in self._world.arguments]

    def locals(self, thread: ThreadId, frame_index: int, *, text_limit: int = 1024) -> list[Value]:
        self.calls.append("locals")
        return [self.value(item, None, text_limit) for item in self._world.locals]

    def frame_type_arguments(self, thread: ThreadId, frame_index: int) -> tuple[TypeId, ...]:
        return tuple(TypeId(entry) for entry in self._world.frame_types)

    def fields(self, value: ValueHandle, wanted: Sequence[FieldRef], *, text_limit: int = 1024) -> list[Value]:
        self.calls.append("fields")
        item = self.value_of(value)
        item = item.inner if isinstance(item, Box) else item
        return [self._field(item, ref, text_limit) for ref in wanted]

    def _field(self, item: Object, ref: FieldRef, text_limit: int) -> Value:
        world = self._world
        found = world.metadata.all_fields[ref.field]
        owner = world.metadata.types[int(world.infos[ref.type].token or 0)]
        key = f"{owner.name}.{found.name}" if f"{owner.name}.{found.name}" in item.fields else found.name
        declared = world._exact(found.signature, tuple(int(a) for a in world.infos[ref.type].arguments))
        if key in item.fields:
            return self.value(item.fields[key], declared, text_limit)
        is_open = isinstance(found.signature, sig.TypeParameter)
        return self.value(None if is_open else world.default(found.signature), declared, text_limit)

    def static_fields(
        self, wanted: Sequence[FieldRef], thread: ThreadId, frame_index: int = 0, *, text_limit: int = 1024
    ) -> list[Value]:
        self.calls.append("static_fields")
        found = []
        for ref in wanted:
            key = (int(ref.type), int(ref.field))
            if key in self._world.statics:
                found.append(self.value(self._world.statics[key], None, text_limit))
            else:
                found.append(Value(None, None, ElementType.END, error="not initialised yet"))
        return found

    def array_shape(self, value: ValueHandle) -> ArrayShape:
        item = self.value_of(value)
        return ArrayShape(item.lengths, item.bounds)

    def elements(self, value: ValueHandle, start: int, count: int, *, text_limit: int = 1024) -> list[Value]:
        self.calls.append("elements")
        item = self.value_of(value)
        declared = int(self._world.infos[item.type_id].arguments[0])
        return [self.value(entry, declared, text_limit) for entry in item.items[start : start + count]]

    def string(self, value: ValueHandle, start: int, count: int) -> str:
        self.calls.append("string")
        units = self.value_of(value).text.encode("utf-16-le", "surrogatepass")
        return bytes(units[2 * start : 2 * (start + count)]).decode("utf-16-le", "surrogatepass")

    def current_exception(self, thread: ThreadId) -> Value | None:
        return None

    def pin(self, value: ValueHandle, *, weak: bool = False) -> PinId:
        item = self.value_of(value)
        if isinstance(item, Scalar) or (isinstance(item, Object) and item.is_structure):
            raise RuntimeCallError("Not on the heap.", hresult=0x80004005, hresult_name="E_FAIL")
        self._pins_made += 1
        self.pins[self._pins_made] = item
        return PinId(self._pins_made)

    def pinned(self, pin: PinId) -> Value:
        made = self.value(self.pins[pin])
        self._lives_on[made.handle] = pin
        return made

    def unpin(self, pin: PinId) -> None:
        del self.pins[pin]

    def argument_of(self, handle: ValueHandle) -> Any:
        """As `value_of`, for an argument: a value that was read by a pin is no argument once the pin is gone."""
        assert self._lives_on.get(handle) is None or self._lives_on[handle] in self.pins, "its pin is gone"
        return self.value_of(handle)
