"""Exact types of a fake program, made of the signatures in one module's metadata.

The metadata is portablepdb's of a real assembly, or made by a test. System types that it does not define are bare: they
have a name and an element type, but no module and no members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from dap_dotnet.runtime.model import (
    ElementType,
    FieldLayout,
    FieldToken,
    ModuleId,
    TypeDefToken,
    TypeId,
    TypeInfo,
    TypeLayout,
)
from portablepdb import signatures as sig

KEYWORDS = {
    "void": 0x01, "bool": 0x02, "char": 0x03, "sbyte": 0x04, "byte": 0x05, "short": 0x06, "ushort": 0x07, "int": 0x08,
    "uint": 0x09, "long": 0x0A, "ulong": 0x0B, "float": 0x0C, "double": 0x0D, "string": 0x0E, "nint": 0x18,
    "nuint": 0x19, "object": 0x1C,
}  # fmt: skip
SYSTEM = {
    "Boolean": 0x02, "Char": 0x03, "SByte": 0x04, "Byte": 0x05, "Int16": 0x06, "UInt16": 0x07, "Int32": 0x08,
    "UInt32": 0x09, "Int64": 0x0A, "UInt64": 0x0B, "Single": 0x0C, "Double": 0x0D, "IntPtr": 0x18, "UIntPtr": 0x19,
}  # fmt: skip
"""The primitives by their names in namespace System."""
_NAMED = {**SYSTEM, "String": 0x0E, "Object": 0x1C}
_NAMES = {code: f"System.{name}" for name, code in _NAMED.items()}
_VALUE_TYPES = ("System.ValueType", "System.Enum")
_TYPE_SPEC = 0x1B


class TypeSource(Protocol):
    """What is asked of a module's metadata."""

    def find_type(self, full_name: str) -> Any: ...
    def type_def(self, token: int) -> Any: ...
    def type_name(self, token: int) -> str: ...
    def fields_of(self, token: int) -> Sequence[Any]: ...
    def field(self, token: int) -> Any: ...
    def method(self, token: int) -> Any: ...


class ExactTypes:
    """Numbers and describes types; the same type has the same number."""

    def __init__(self, module: ModuleId, metadata: TypeSource) -> None:
        self.module = module
        self.metadata = metadata
        self.infos: dict[int, TypeInfo] = {}
        self.specs: dict[int, Any] = {}
        """Signatures of TypeSpecs by row id."""
        self._ids: dict[tuple[Any, ...], TypeId] = {}

    def of(self, written: Any) -> TypeId:
        """The exact type of a signature or of its short form; see `signature`."""
        return self.exact(self.signature(written))

    def signature(self, written: Any) -> Any:
        """`int`, `int?`, `App.Point`, `int[]`, `decimal`, or a signature as it is."""
        if not isinstance(written, str):
            return written
        if written.endswith("[]"):
            return sig.SzArrayType(self.signature(written[:-2]))
        if written.endswith("?"):
            nullable = self.signature("System.Nullable`1")
            return sig.GenericInstance(nullable, (self.signature(written[:-1]),))
        if written == "decimal":
            return self.signature("System.Decimal")
        if written in KEYWORDS:
            return sig.PrimitiveType(KEYWORDS[written])
        token = self.metadata.find_type(written)
        assert token is not None, f"the fake program has no {written}"
        return sig.NamedType(token, self.is_value_type(token))

    def is_value_type(self, token: int) -> bool:
        """Whether a TypeDef derives from System.ValueType or System.Enum."""
        base = self.metadata.type_def(token).base
        return base is not None and base >> 24 != _TYPE_SPEC and self.metadata.type_name(base) in _VALUE_TYPES

    def exact(self, signature: Any, given: Sequence[int] = ()) -> TypeId:
        """The exact type of a signature, with `given` for its type parameters."""
        if isinstance(signature, sig.PrimitiveType):
            return self.primitive(ElementType(signature.code))
        if isinstance(signature, sig.TypeParameter):
            return TypeId(given[signature.number])
        if isinstance(signature, sig.SzArrayType):
            return self._array(ElementType.SZARRAY, self.exact(signature.element, given), 1)
        if isinstance(signature, sig.ArrayType):
            return self._array(ElementType.ARRAY, self.exact(signature.element, given), signature.rank)
        arguments: tuple[TypeId, ...] = ()
        if isinstance(signature, sig.GenericInstance):
            arguments = tuple(self.exact(argument, given) for argument in signature.arguments)
            signature = signature.generic
        return self.definition(signature.token, arguments)

    def definition(self, token: int, arguments: Sequence[int] = ()) -> TypeId:
        """The exact type of a TypeDef, or a bare one of a TypeRef."""
        if token >> 24 != 0x02:
            return self._bare(self.metadata.type_name(token))
        made = self.metadata.type_def(token)
        code = ElementType.VALUETYPE if self.is_value_type(token) else ElementType.CLASS
        if made.namespace == "System" and made.name in _NAMED:
            code = ElementType(_NAMED[made.name])
        given = tuple(TypeId(argument) for argument in arguments)
        base = None
        if made.base is not None:
            is_spec = made.base >> 24 == _TYPE_SPEC
            base = self.exact(self.specs[made.base & 0xFFFFFF], given) if is_spec else self.definition(made.base)
        return self._info(code, module=self.module, token=TypeDefToken(token), arguments=given, base=base)

    def primitive(self, code: ElementType) -> TypeId:
        """The type of a primitive, string, object or void."""
        return self._info(code) if code is ElementType.VOID else self._named(_NAMES[code])

    def _named(self, name: str) -> TypeId:
        token = self.metadata.find_type(name)
        return self._bare(name) if token is None else self.definition(token)

    def _bare(self, name: str) -> TypeId:
        code = _NAMED.get(name.removeprefix("System."))
        if code is not None:
            return self._info(ElementType(code))
        return self._info(ElementType.CLASS, base=self._info(ElementType.OBJECT), name=name)

    def layout(self, type_id: TypeId) -> TypeLayout:
        """Every field has eight bytes of room, those of a base come first."""
        info = self.infos[type_id]
        if info.element_type is ElementType.SZARRAY:
            return TypeLayout(None, (), first_element_offset=16, element_size=8)
        start = 0 if info.element_type is ElementType.VALUETYPE else 8
        if info.base is not None and start:
            start = (self.layout(info.base).object_size or 16) - 8
        own = self.metadata.fields_of(info.token) if info.token is not None else []
        fields = tuple(
            FieldLayout(FieldToken(field.token), start + 8 * place, self.infos[kind].element_type, kind)
            for place, (field, kind) in enumerate(
                (field, self.exact(field.signature, info.arguments)) for field in own if not field.is_static
            )
        )
        return TypeLayout(start + 8 * len(fields) + (8 if start else 16), fields)

    def array_of(self, element: TypeId) -> TypeId:
        """The type of one-dimensional arrays from 0 on."""
        return self._array(ElementType.SZARRAY, element, 1)

    def _array(self, code: ElementType, element: TypeId, rank: int) -> TypeId:
        return self._info(code, arguments=(element,), base=self._named("System.Array"), rank=rank)

    def _info(
        self,
        code: ElementType,
        *,
        module: ModuleId | None = None,
        token: TypeDefToken | None = None,
        arguments: tuple[TypeId, ...] = (),
        base: TypeId | None = None,
        rank: int = 0,
        name: str | None = None,
    ) -> TypeId:
        key = (code, token, arguments, rank, name)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = TypeId(len(self._ids) + 1)
            self.infos[found] = TypeInfo(found, code, module, token, arguments, base, rank)
        return found
