"""Contents of a fake program as values of the seam.

A content is a `Scalar`, `Object`, `Array`, `Text` or `Box`, None for null, or in their place a Python int, bool, str or
list: an int, bool, string or array of what its first item is.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from dap_dotnet.errors import RuntimeCallError, StaleHandleError
from dap_dotnet.runtime.model import ArrayShape, ElementType, FieldRef, PinId, TypeId, Value, ValueHandle
from dap_dotnet.values import primitives
from portablepdb import signatures as sig
from tests.support.fake_debuggee.process import not_found
from tests.support.fake_debuggee.types import ExactTypes

FORMATS = {
    ElementType.CHAR: "<H", ElementType.I1: "<b", ElementType.U1: "<B", ElementType.I2: "<h", ElementType.U2: "<H",
    ElementType.I4: "<i", ElementType.U4: "<I", ElementType.I8: "<q", ElementType.U8: "<Q", ElementType.R4: "<f",
    ElementType.R8: "<d", ElementType.BOOLEAN: "<?", ElementType.I: "<q", ElementType.U: "<Q",
}  # fmt: skip
_FIRST_ADDRESS = 0x1000
_OBJECT_SIZE = 0x20


@dataclass(eq=False)
class Object:
    """An object of the heap or, with `is_structure`, a structure. `type` is a number or the full name of a TypeDef."""

    type: int | str
    fields: dict[str, Any] = field(default_factory=dict)
    """By name, or as Type.name where a base has a field of the same name. What is not here has its default."""
    is_structure: bool = False
    address: int = 0
    """0: the heap chooses one when the object is first read."""


@dataclass(eq=False)
class Array:
    """An array; `items` in row-major order."""

    type: int
    items: list[Any]
    lengths: tuple[int, ...]
    bounds: tuple[int, ...]
    address: int = 0


@dataclass(eq=False)
class Text:
    """A string object."""

    text: str
    address: int = 0


@dataclass(frozen=True)
class Scalar:
    """A primitive, an enum or a decimal."""

    type: int
    value: Any


@dataclass(eq=False)
class Box:
    """A boxed value."""

    inner: Scalar | Object
    address: int = 0


class Heap:
    """Makes `Value`s whose handles die with the generation, and reads what they stand for."""

    def __init__(self, types: ExactTypes, violations: list[str]) -> None:
        """`violations` takes broken rules."""
        self._types = types
        self._violations = violations
        self.statics: dict[tuple[int, int], Any] = {}
        """Contents of static fields by exact type and Field token; the others are not initialised yet."""
        self.pins: dict[PinId, Any] = {}
        self._generation = 1
        self._contents: list[Any] = []
        self._puts: dict[ValueHandle, Callable[[Any], None]] = {}
        self._natives: dict[int, tuple[Any, Text | Array]] = {}
        self._next_address = _FIRST_ADDRESS
        self._last_pin = 0
        self._pin_of: dict[ValueHandle, PinId] = {}

    def new_generation(self) -> None:
        """The process runs: handles die."""
        self._generation += 1
        self._contents.clear()
        self._puts.clear()
        self._pin_of.clear()

    def content(self, handle: ValueHandle) -> Any:
        """What a handle stands for. Raises `StaleHandleError`."""
        generation, index = divmod(handle, 1 << 32)
        if generation != self._generation:
            self._violations.append("a handle of an earlier generation was used")
            raise StaleHandleError("The value is of an earlier stop.")
        return self._contents[index]

    def argument(self, handle: ValueHandle) -> Any:
        """As `content`, for an argument of a call: a value that was read by a pin dies with the pin."""
        pin = self._pin_of.get(handle)
        assert pin is None or pin in self.pins, "the pin of an argument is gone"
        return self.content(handle)

    def _handle(self, content: Any) -> ValueHandle:
        self._contents.append(content)
        return ValueHandle((self._generation << 32) + len(self._contents) - 1)

    def new_address(self) -> int:
        """An address that no other object has."""
        self._next_address += _OBJECT_SIZE
        return self._next_address

    # values

    def value(self, content: Any, declared: int | None = None, text_limit: int = 1024) -> Value:
        """The value of a content in a place of a declared type (None: not known)."""
        if isinstance(content, Value):
            return content
        if content is None:
            kind = self._types.infos[declared].element_type if declared is not None else ElementType.CLASS
            type_id = TypeId(declared) if declared is not None else None
            return Value(self._handle(None), type_id, kind, is_null=True, is_reference=True)
        content = self.typed(content)
        if isinstance(content, Scalar):
            return self._scalar(content)
        if isinstance(content, Object) and content.is_structure:
            return self._described(content, self._object_type(content), raw=self._nullable(content))
        if not content.address:
            content.address = self.new_address()
        if isinstance(content, Object):
            return self._described(content, self._object_type(content), is_reference=True, address=content.address)
        if isinstance(content, Array):
            return self._described(
                content, content.type, is_reference=True, address=content.address, length=len(content.items)
            )
        if isinstance(content, Box):
            inner = self.value(content.inner)
            return Value(
                self._handle(content), inner.type, inner.element_type, False, True, True, content.address, inner.raw
            )
        units = content.text.encode("utf-16-le", "surrogatepass")
        head = units[: 2 * text_limit].decode("utf-16-le", "surrogatepass")
        return self._described(
            content,
            self._types.of("string"),
            is_reference=True,
            address=content.address,
            text=head,
            length=len(units) // 2,
        )

    def typed(self, content: Any) -> Any:
        """The content that a Python object stands for; the same one each time."""
        if isinstance(content, int):
            return Scalar(self._types.of("bool" if isinstance(content, bool) else "int"), content)
        if not isinstance(content, str | list):
            return content
        if id(content) not in self._natives:
            self._natives[id(content)] = content, self._native(content)
        return self._natives[id(content)][1]

    def _native(self, content: str | list[Any]) -> Text | Array:
        if isinstance(content, str):
            return Text(content)
        first = self.typed(content[0]) if content else Scalar(self._types.of("int"), 0)
        if isinstance(first, Text):
            element = self._types.of("string")
        else:
            element = self._object_type(first) if isinstance(first, Object) else TypeId(first.type)
        return Array(self._types.array_of(element), content, (len(content),), (0,))

    def default(self, signature: Any) -> Any:
        """What a field of this type has at first."""
        type_id = self._types.exact(signature)
        kind = self._types.infos[type_id].element_type
        if kind in FORMATS:
            return Scalar(type_id, 0)
        return Object(type_id, {}, True) if kind is ElementType.VALUETYPE else None

    def _described(self, content: Any, type_id: int, **more: Any) -> Value:
        info = self._types.infos[type_id]
        return Value(self._handle(content), info.type, info.element_type, **more)

    def _object_type(self, content: Object) -> TypeId:
        return self._types.of(content.type) if isinstance(content.type, str) else TypeId(content.type)

    def _scalar(self, content: Scalar) -> Value:
        info = self._types.infos[content.type]
        if info.element_type in FORMATS:
            raw = struct.pack(FORMATS[info.element_type], content.value)
        elif isinstance(content.value, Decimal):
            raw = primitives.pack_decimal(content.value)
        else:
            underlying = self._types.metadata.fields_of(int(info.token or 0))[0].signature.code
            raw = struct.pack(FORMATS[ElementType(underlying)], content.value)
        return Value(self._handle(content), info.type, info.element_type, raw=raw)

    def _nullable(self, content: Object) -> bytes:
        """A nullable number's bytes, as the runtime lays them out; of other structures none."""
        held = content.fields.get("value")
        if "hasValue" not in content.fields or not isinstance(held, Scalar):
            return b""
        raw = self._scalar(held).raw
        return bytes([content.fields["hasValue"].value]).ljust(len(raw), b"\0") + raw

    def place(
        self, put: Callable[[Any], None], content: Any, declared: int | None = None, text_limit: int = 1024
    ) -> Value:
        """As `value`, for what was read from a place, in which `put` stores."""
        made = self.value(content, declared, text_limit)
        if made.handle is not None:
            self._puts[made.handle] = put
        return made

    def store(self, handle: ValueHandle, raw: bytes) -> None:
        """Store bytes in the place of a value type's value."""
        content = self.typed(self.content(handle))
        content = content.inner if isinstance(content, Box) else content
        if isinstance(content, Scalar):
            self._put(handle, Scalar(content.type, self._decoded(content.type, raw)))
        elif isinstance(content, Object) and content.is_structure and not raw:
            content.fields.clear()
        else:
            raise _unfit("The bytes given do not fit the type.")

    def _put(self, handle: ValueHandle, content: Any) -> None:
        held = self.content(handle)
        if isinstance(held, Box):
            held.inner = content
        elif handle in self._puts:
            self._puts[handle](content)
            self._contents[handle % (1 << 32)] = content
        else:
            raise _unfit("The value was not read from a place.")

    def _decoded(self, type_id: int, raw: bytes) -> Any:
        info = self._types.infos[type_id]
        kind = info.element_type
        if kind not in FORMATS and len(raw) == 16:
            return primitives.decode_decimal(raw)
        if kind not in FORMATS:
            kind = ElementType(self._types.metadata.fields_of(int(info.token or 0))[0].signature.code)
        if len(raw or b"\0" * struct.calcsize(FORMATS[kind])) != struct.calcsize(FORMATS[kind]):
            raise _unfit("The bytes given do not fit the type.")
        return struct.unpack(FORMATS[kind], raw)[0] if raw else 0

    def store_copy(self, handle: ValueHandle, source: ValueHandle) -> None:
        """Store a copy of a value type's value."""
        copied = self.typed(self.content(source))
        copied = copied.inner if isinstance(copied, Box) else copied
        held = self.typed(self.content(handle))
        held = held.inner if isinstance(held, Box) else held
        if isinstance(copied, Object) and isinstance(held, Object) and copied.type == held.type:
            held.fields = dict(copied.fields)
        elif isinstance(copied, Scalar) and isinstance(held, Scalar) and copied.type == held.type:
            self._put(handle, copied)
        else:
            raise _unfit("The value does not fit the place.")

    def store_reference(self, handle: ValueHandle, source: ValueHandle | None) -> None:
        """Store a reference, or null."""
        self.content(handle)
        if handle not in self._puts:
            raise _unfit("The place does not hold a reference.")
        content = None if source is None else self.content(source)
        self._puts[handle](content)
        self._contents[handle % (1 << 32)] = content

    def new_object(self, type_id: int) -> Object | Box:
        """An object of zeros; a value type's in a box."""
        if self._types.infos[type_id].element_type is ElementType.CLASS:
            return Object(type_id)
        is_scalar = self._types.infos[type_id].element_type in FORMATS
        return Box(Scalar(type_id, 0) if is_scalar else Object(type_id, {}, True))

    def new_array(self, element: TypeId, length: int) -> Array:
        """An array of zeros."""
        kind = self._types.infos[element].element_type
        zero: Any = None
        if kind in FORMATS:
            zero = Scalar(element, 0)
        items = [Object(element, {}, True) if kind is ElementType.VALUETYPE else zero for _ in range(length)]
        return Array(self._types.array_of(element), items, (length,), (0,))

    # what is in them

    def read_field(self, handle: ValueHandle, wanted: FieldRef, text_limit: int = 1024) -> Value:
        """A field of an object or structure."""
        content = self.content(handle)
        content = content.inner if isinstance(content, Box) else content
        assert isinstance(content, Object), f"{content} has no fields"
        owner = self._types.infos[wanted.type]
        found = self._types.metadata.field(wanted.field)
        key = f"{self._types.metadata.type_def(int(owner.token or 0)).name}.{found.name}"
        key = key if key in content.fields else found.name
        declared = self._types.exact(found.signature, owner.arguments)
        put = partial(content.fields.__setitem__, key)
        if key in content.fields:
            return self.place(put, content.fields[key], declared, text_limit)
        is_open = isinstance(found.signature, sig.TypeParameter)
        made = None if is_open else self.default(found.signature)
        if isinstance(made, Object):
            content.fields[key] = made  # what is in it may be stored to
        return self.place(put, made, declared, text_limit)

    def read_static(self, wanted: FieldRef, text_limit: int = 1024) -> Value:
        """A static field, with `error` before it is initialised."""
        key = (int(wanted.type), int(wanted.field))
        if key not in self.statics:
            return Value(None, None, ElementType.END, error="not initialised yet")
        declared = self._types.exact(
            self._types.metadata.field(wanted.field).signature, self._types.infos[wanted.type].arguments
        )
        return self.place(partial(self.statics.__setitem__, key), self.statics[key], declared, text_limit)

    def read_elements(self, handle: ValueHandle, start: int, count: int, text_limit: int = 1024) -> list[Value]:
        """Elements of an array from a flat position on."""
        array = self.content(handle)
        declared = self._types.infos[array.type].arguments[0]
        return [
            self.place(partial(array.items.__setitem__, position), array.items[position], declared, text_limit)
            for position in range(start, min(start + count, len(array.items)))
        ]

    def shape(self, handle: ValueHandle) -> ArrayShape:
        """Dimensions of an array."""
        array = self.content(handle)
        return ArrayShape(array.lengths, array.bounds)

    def units(self, handle: ValueHandle, start: int, count: int) -> str:
        """UTF-16 units of a string."""
        units = self.content(handle).text.encode("utf-16-le", "surrogatepass")
        return bytes(units[2 * start : 2 * (start + count)]).decode("utf-16-le", "surrogatepass")

    # pins

    def pin(self, handle: ValueHandle) -> PinId:
        """Remember an object. Raises `RuntimeCallError` for what is not on the heap."""
        content = self.content(handle)
        if content is None or isinstance(content, Scalar) or (isinstance(content, Object) and content.is_structure):
            raise RuntimeCallError("It is not on the heap.", hresult=0x80004005, hresult_name="E_FAIL")
        self._last_pin += 1
        self.pins[PinId(self._last_pin)] = content
        return PinId(self._last_pin)

    def pinned(self, pin: PinId) -> Value:
        """The remembered object. Raises `RuntimeCallError` when it was forgotten."""
        if pin not in self.pins:
            raise not_found(f"pin {pin}")
        made = self.value(self.pins[pin])
        if made.handle is not None:
            self._pin_of[made.handle] = pin
        return made


def _unfit(message: str) -> RuntimeCallError:
    return RuntimeCallError(message, hresult=0, hresult_name="")
