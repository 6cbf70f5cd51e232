"""Metadata and PDB without a file: what the engine asks of portablepdb, answered from Python objects."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from portablepdb import NoSuchEntryError
from portablepdb import signatures as sig
from portablepdb.blob_reader import BlobReader
from portablepdb.il import MethodBody
from portablepdb.scopes import LocalVariable

INTERFACE = 0x20
_OUT = 0x02
_CUSTOM_ATTRIBUTE, _TYPE_SPEC = 0x0C, 0x1B
_CLASS, _VALUE_TYPE, _VAR, _MVAR, _GENERIC_INSTANCE, _SZARRAY = 0x12, 0x11, 0x13, 0x1E, 0x15, 0x1D
NOT_KNOWN = sig.MethodParameter(99)
"""The type of a variable of which nothing is known."""


@dataclass(frozen=True)
class Attribute:
    """A custom attribute; `argument` is its only one."""

    type_name: str
    argument: Any = None

    @property
    def fixed_arguments(self) -> tuple[FakeConstant, ...]:
        return () if self.argument is None else (FakeConstant(self.argument),)


@dataclass(frozen=True)
class FakeConstant:
    value: Any


@dataclass(eq=False)
class FakeField:
    token: int
    name: str
    signature: Any
    is_static: bool = False
    constant_value: Any = None
    flags: int = 6

    @property
    def is_literal(self) -> bool:
        return self.constant_value is not None

    @property
    def constant(self) -> Any:
        return None if self.constant_value is None else self

    @property
    def value(self) -> Any:
        return self.constant_value


@dataclass(eq=False)
class FakeParameter:
    sequence: int
    name: str
    flags: int = 0
    constant: Any = None
    token: int = 0x08000001


@dataclass(eq=False)
class FakeMethod:
    token: int
    name: str
    signature: sig.MethodSignature
    declaring_type: int
    parameters: dict[int, str]
    body: MethodBody | None
    flags: int = 6
    impl_flags: int = 0
    generic_names: tuple[str, ...] = ()
    out_parameters: frozenset[int] = frozenset()
    """Their sequence numbers."""
    local_types: tuple[sig.TypeSignature, ...] = ()
    rows: list[FakeParameter] | None = None
    """Of its parameters; None: as `parameters` and `out_parameters` say."""

    @property
    def is_static(self) -> bool:
        return not self.signature.has_this

    @property
    def parameter_rows(self) -> list[FakeParameter]:
        if self.rows is not None:
            return self.rows
        return [
            FakeParameter(sequence, name, _OUT if sequence in self.out_parameters else 0)
            for sequence, name in self.parameters.items()
        ]

    @property
    def generic_parameters(self) -> list[FakeGenericParameter]:
        return generic_parameters(self.generic_names)


@dataclass(eq=False)
class FakeProperty:
    name: str
    getter: int
    token: int = 0x17000001
    setter: int | None = None


@dataclass(eq=False)
class FakeGenericParameter:
    number: int
    name: str
    flags: int = 0
    token: int = 0x2A000001

    @property
    def row(self) -> FakeGenericParameter:
        return self


_FLAGS = {"out": 1, "in": 2, "struct": 0x08}


def generic_parameters(names: tuple[str, ...]) -> list[FakeGenericParameter]:
    """Of names such as `T`, `out T`, `in T` and `struct T`."""
    return [
        FakeGenericParameter(number, name.split()[-1], _FLAGS[name.split()[0]] if " " in name else 0)
        for number, name in enumerate(names)
    ]


@dataclass(eq=False)
class FakeType:
    token: int
    full_name: str
    base: int | None
    flags: int = 0
    interfaces: list[int] = field(default_factory=list)
    generics: tuple[str, ...] = ()
    fields: list[FakeField] = field(default_factory=list)
    methods: list[FakeMethod] = field(default_factory=list)
    properties: list[FakeProperty] = field(default_factory=list)
    layout: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        return self.full_name.rpartition("+")[2].rpartition(".")[2]

    @property
    def namespace(self) -> str:
        return "" if "+" in self.full_name else self.full_name.rpartition(".")[0]

    @property
    def events(self) -> tuple[FakeProperty, ...]:
        return ()

    @property
    def is_interface(self) -> bool:
        return bool(self.flags & INTERFACE)


class FakeRows(dict[int, Any]):
    """What is there by a token or a row id; who asks for another hears so, as of the reader."""

    def __missing__(self, key: int) -> Any:
        raise NoSuchEntryError(f"there is no 0x{key:08x}")


class FakeTable:
    def __init__(self, metadata: FakeMetadata) -> None:
        self._metadata = metadata

    @property
    def row_count(self) -> int:
        return len(self._metadata.types)

    def raw_column(self, name: str) -> list[str]:
        return [getattr(entry, name) for entry in self._metadata.types.values()]

    def column(self, name: str) -> list[int]:
        """Of other tables: there are no rows."""
        return []

    def row(self, row_id: int) -> Any:
        """Of tables that have rows."""
        raise NoSuchEntryError(f"there is no row {row_id}")

    def rows_with(self, column: str, value: int) -> list[int]:
        """Of GenericParamConstraint: there are none."""
        return []

    def rows_equal(self, column: str, value: int) -> list[int]:
        """Of MethodImpl: there are none."""
        return []


@dataclass
class FakeSpec:
    signature: int


class FakeSpecs(FakeTable):
    """The table TypeSpec."""

    def row(self, row_id: int) -> Any:
        return FakeSpec(row_id) if row_id in self._metadata.specs else super().row(row_id)


class FakeAttributes(FakeTable):
    """The table CustomAttribute."""

    def column(self, name: str) -> list[int]:
        every = [(token, one) for token, attributes in self._metadata.attributes.items() for one in attributes]
        return [token if name == "parent" else self._constructor(one.type_name) for token, one in every]

    def _constructor(self, type_name: str) -> int:
        token = self._metadata.find_type(type_name)
        methods = self._metadata.types[token].methods if token is not None else []
        return next((one.token for one in methods if one.name == ".ctor"), 0)


class FakeRegion:
    def __init__(self, metadata: FakeMetadata) -> None:
        self._metadata = metadata

    def whole(self) -> bytes:
        metadata = self._metadata
        members = (*metadata.all_fields.values(), *metadata.all_methods.values())
        return b"\0".join(one.name.encode() for one in members) + b"\0"


class FakeStrings:
    def __init__(self, metadata: FakeMetadata) -> None:
        self.region = FakeRegion(metadata)

    def __getitem__(self, text: str) -> str:
        return text


_TABLES: dict[int, type[FakeTable]] = {
    _CUSTOM_ATTRIBUTE: FakeAttributes,
    _TYPE_SPEC: FakeSpecs,
}


class FakeImage:
    def __init__(self, metadata: FakeMetadata) -> None:
        self._metadata = metadata
        self.strings = FakeStrings(metadata)
        self.user_strings: dict[int, str] = FakeRows()

    def table(self, number: int) -> FakeTable:
        return _TABLES.get(number, FakeTable)(self._metadata)


class FakeMetadata:
    """What the engine asks of portablepdb's Metadata."""

    def __init__(self) -> None:
        self.types: dict[int, FakeType] = FakeRows()
        self.all_fields: dict[int, FakeField] = FakeRows()
        self.all_methods: dict[int, FakeMethod] = FakeRows()
        self.specs: dict[int, Any] = FakeRows()
        self.attributes: dict[int, list[Any]] = {}
        """By the token of what they are on."""
        self.image = FakeImage(self)
        self.debuggable: tuple[bool, bool] | None = None
        self._by_name: dict[str, int] = {}
        self._parameters = 0

    # making it

    def copy(self) -> FakeMetadata:
        """One that has the same, and can get more."""
        made = FakeMetadata()
        for token, entry in self.types.items():
            lists = (list(one) for one in (entry.interfaces, entry.fields, entry.methods, entry.properties))
            interfaces, fields, methods, properties = lists
            made.types[token] = replace(
                entry, interfaces=interfaces, fields=fields, methods=methods, properties=properties
            )
        for of, own in ((made.all_fields, self.all_fields), (made.all_methods, self.all_methods)):
            of.update(own)
        made.specs.update(self.specs)
        made.attributes.update(self.attributes)
        return made

    def add(self, entry: FakeType) -> None:
        """A type: a new one, or instead of another one of its name, which it is known as."""
        entry.token = self.find_type(entry.full_name) or 0x02000001 + len(self.types)
        self.types[entry.token] = entry

    def add_spec(self, signature: sig.GenericInstance) -> int:
        """The token of a TypeSpec."""
        known = next((number for number, one in self.specs.items() if one == signature), len(self.specs) + 1)
        self.specs[known] = signature
        return _TYPE_SPEC << 24 | known

    def new_parameter(self) -> int:
        """The token of a Param row."""
        self._parameters += 1
        return 0x08000001 + self._parameters

    def mark(self, token: int, attribute: Attribute) -> None:
        """Give a row a custom attribute."""
        self.attributes.setdefault(token, []).append(attribute)

    # reading it

    def blob(self, row_id: int) -> BlobReader:
        """Of a TypeSpec."""
        return BlobReader(encoded(self.specs[row_id]))

    def type_def(self, token: int) -> FakeType:
        return self.types[token]

    def find_type(self, full_name: str) -> int | None:
        if len(self._by_name) != len(self.types):
            self._by_name = {entry.full_name: token for token, entry in self.types.items()}
        return self._by_name.get(full_name)

    def names(self) -> list[str]:
        """The full names of all types."""
        return [entry.full_name for entry in self.types.values()]

    def type_name(self, token: int) -> str:
        return self.types[token].full_name

    def fields_of(self, token: int) -> list[FakeField]:
        return self.types[token].fields

    def methods_of(self, token: int) -> list[FakeMethod]:
        return self.types[token].methods

    def events_of(self, token: int) -> list[object]:
        """None are faked."""
        return []

    def properties_of(self, token: int) -> list[FakeProperty]:
        return self.types[token].properties

    def attributes_of(self, token: int) -> list[Any]:
        return self.attributes.get(token, [])

    def field(self, token: int) -> FakeField:
        return self.all_fields[token]

    def method(self, token: int) -> FakeMethod:
        return self.all_methods[token]

    def entity(self, token: int) -> object:
        """Of references: there are none."""
        raise NoSuchEntryError(f"there is no 0x{token:08x}")

    def user_string(self, token: int) -> str:
        return self.image.user_strings[token & 0xFFFFFF]

    def method_body(self, token: int) -> MethodBody | None:
        return self.all_methods[token].body

    def declaring_type(self, token: int) -> int:
        if token in self.all_methods:
            return self.all_methods[token].declaring_type
        for entry in self.types.values():
            if any(field.token == token for field in entry.fields):
                return entry.token
        raise NoSuchEntryError(f"there is no 0x{token:08x}")

    def enclosing_type(self, token: int) -> int | None:
        outer = self.types[token].full_name.rpartition("+")[0]
        return next((entry.token for entry in self.types.values() if entry.full_name == outer), None)

    def nested_types(self, token: int) -> list[int]:
        return [entry.token for entry in self.types.values() if self.enclosing_type(entry.token) == token]

    def generic_parameters_of(self, token: int) -> list[FakeGenericParameter]:
        return generic_parameters(
            self.types[token].generics if token in self.types else self.all_methods[token].generic_names
        )


def encoded(signature: sig.TypeSignature) -> bytes:
    """The blob of a type (ECMA-335 II.23.2.12)."""
    if isinstance(signature, sig.PrimitiveType):
        return bytes([signature.code])
    if isinstance(signature, sig.NamedType):
        coded = (signature.token & 0xFFFFFF) << 2
        number = bytes([coded]) if coded < 0x80 else (0x8000 | coded).to_bytes(2, "big")
        return bytes([_VALUE_TYPE if signature.is_value_type else _CLASS]) + number
    if isinstance(signature, sig.TypeParameter | sig.MethodParameter):
        return bytes([_VAR if isinstance(signature, sig.TypeParameter) else _MVAR, signature.number])
    if isinstance(signature, sig.SzArrayType):
        return bytes([_SZARRAY]) + encoded(signature.element)
    assert isinstance(signature, sig.GenericInstance)
    arguments = b"".join(encoded(one) for one in signature.arguments)
    return bytes([_GENERIC_INSTANCE]) + encoded(signature.generic) + bytes([len(signature.arguments)]) + arguments


class FakePdb:
    """What the engine asks of a PDB."""

    def __init__(self) -> None:
        self.variables: list[LocalVariable] = []
        self.constants: list[Any] = []
        self.imports: list[Any] = []
        self.entries: list[Any] = []

    def custom_debug_information(self, _parent: int) -> list[Any]:
        return self.entries

    def locals_at(self, method: int, il_offset: int) -> list[LocalVariable]:
        return self.variables

    def constants_at(self, method: int, il_offset: int) -> list[Any]:
        return self.constants

    def imports_at(self, method: int, il_offset: int) -> list[Any]:
        return [self.imports]

    def sequence_points(self, _method: int) -> list[object]:
        return []

    def kickoff_method(self, method: int) -> int | None:
        return None
