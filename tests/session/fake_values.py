"""Python objects as values of the fake debuggee: int, str, None, list (an array of int), and `FakeObject`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dap_dotnet.errors import StaleHandleError
from dap_dotnet.runtime.model import ElementType, FieldRef, ModuleId, TypeDefToken, TypeId, TypeInfo, Value, ValueHandle
from portablepdb import Metadata

INT, STRING, INT_ARRAY, STRING_ARRAY, OBJECT = (TypeId(number) for number in range(1, 6))
_FIRST_CLASS = 100


@dataclass
class FakeObject:
    """An object of a class of the sample."""

    type_name: str
    fields: dict[str, Any] = field(default_factory=dict)


class FakeHeap:
    """Makes `Value`s whose handles die with the generation."""

    def __init__(self, module: ModuleId, metadata: Metadata) -> None:
        self._module = module
        self._metadata = metadata
        self._generation = 1
        self._objects: list[Any] = []

    def new_generation(self) -> None:
        """The process runs: handles die."""
        self._generation += 1
        self._objects.clear()

    def value(self, content: Any, text_limit: int = 1024) -> Value:
        """The value that stands for a Python object."""
        if content is None:
            return Value(handle=self._handle(None), type=OBJECT, element_type=ElementType.CLASS, is_null=True)
        handle = self._handle(content)
        if isinstance(content, int):
            raw = content.to_bytes(4, "little", signed=True)
            return Value(handle=handle, type=INT, element_type=ElementType.I4, raw=raw)
        address = id(content) & 0x7FFF_FFFF
        if isinstance(content, str):
            return Value(handle=handle, type=STRING, element_type=ElementType.STRING, is_reference=True,
                         address=address, text=content[:text_limit], length=len(content))  # fmt: skip
        if isinstance(content, list):
            kind = STRING_ARRAY if content and isinstance(content[0], str) else INT_ARRAY
            return Value(handle=handle, type=kind, element_type=ElementType.SZARRAY, is_reference=True,
                         address=address, length=len(content))  # fmt: skip
        assert isinstance(content, FakeObject)
        return Value(handle=handle, type=self._class(content.type_name), element_type=ElementType.CLASS,
                     is_reference=True, address=address)  # fmt: skip

    def content(self, handle: ValueHandle) -> Any:
        """The object behind a handle. Raises `StaleHandleError`."""
        generation, index = divmod(handle, 1 << 20)
        if generation != self._generation:
            raise StaleHandleError("The value is of an earlier stop.")
        return self._objects[index]

    def read_field(self, handle: ValueHandle, wanted: FieldRef, text_limit: int) -> Value:
        """A field of an object, null where the script has set none."""
        name = self._metadata.field(wanted.field).name
        return self.value(self.content(handle).fields.get(name), text_limit)

    def type_info(self, type_id: TypeId) -> TypeInfo:
        """Describe a type."""
        if type_id >= _FIRST_CLASS:
            token = TypeDefToken(type_id - _FIRST_CLASS + 0x02000001)
            return self._info(type_id, ElementType.CLASS, module=self._module, token=token, base=OBJECT)
        match type_id:
            case 1:
                return self._info(type_id, ElementType.I4)
            case 2:
                return self._info(type_id, ElementType.STRING)
            case 3:
                return self._info(type_id, ElementType.SZARRAY, arguments=(INT,), rank=1)
            case 4:
                return self._info(type_id, ElementType.SZARRAY, arguments=(STRING,), rank=1)
        return self._info(type_id, ElementType.OBJECT)

    def _class(self, name: str) -> TypeId:
        token = self._metadata.find_type(name)
        assert token is not None, f"the sample has no {name}"
        return self.class_type(token)

    def class_type(self, token: int) -> TypeId:
        """The type of a TypeDef of the sample."""
        return TypeId(token - 0x02000001 + _FIRST_CLASS)

    def _handle(self, content: Any) -> ValueHandle:
        self._objects.append(content)
        return ValueHandle((self._generation << 20) + len(self._objects) - 1)

    def _info(self, type_id: TypeId, element_type: ElementType, **more: Any) -> TypeInfo:
        known: dict[str, Any] = {"module": None, "token": None, "arguments": (), "base": None, "rank": 0, **more}
        return TypeInfo(type=type_id, element_type=element_type, **known)
