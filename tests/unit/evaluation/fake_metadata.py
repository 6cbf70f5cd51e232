"""Metadata and PDB without a file: what the engine asks of portablepdb, answered from Python objects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from portablepdb import NoSuchEntryError
from portablepdb import signatures as sig
from portablepdb.il import MethodBody
from portablepdb.scopes import LocalVariable

INTERFACE = 0x20


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

    @property
    def is_static(self) -> bool:
        return not self.signature.has_this

    @property
    def parameter_rows(self) -> list[FakeParameter]:
        return [
            FakeParameter(sequence, name, 0x2 if sequence in self.out_parameters else 0)
            for sequence, name in self.parameters.items()
        ]


@dataclass(eq=False)
class FakeProperty:
    name: str
    getter: int
    token: int = 0x17000001
    setter: int | None = None


@dataclass(eq=False)
class FakeGenericParameter:
    name: str
    flags: int = 0


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
        """Of CustomAttribute: there are none."""
        return []

    def row(self, row_id: int) -> Any:
        return self._metadata.specs[row_id]


class FakeRegion:
    def whole(self) -> bytes:
        return b""


class FakeStrings:
    region = FakeRegion()

    def __getitem__(self, text: str) -> str:
        return text


class FakeImage:
    def __init__(self, metadata: FakeMetadata) -> None:
        self._metadata = metadata
        self.strings = FakeStrings()
        self.user_strings: dict[int, bytes] = FakeRows()

    def table(self, number: int) -> FakeTable:
        return FakeTable(self._metadata)


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

    def type_def(self, token: int) -> FakeType:
        return self.types[token]

    def find_type(self, full_name: str) -> int | None:
        return next((entry.token for entry in self.types.values() if entry.full_name == full_name), None)

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
        names = self.types[token].generics if token in self.types else self.all_methods[token].generic_names
        return [FakeGenericParameter(name) for name in names]


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
