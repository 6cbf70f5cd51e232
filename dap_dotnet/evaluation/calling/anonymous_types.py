"""Types of anonymous objects in the program: the compiler's for the same members, else one that is made here.

That one is the image of an assembly (ECMA-335 II.24, II.25). Its type is generic over its members' types, as the
compiler's is, with the same methods: it compares and shows itself by its members.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.program_calls import load_image
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.runtime.model import ElementType as E
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from portablepdb.handles import TableNumber as Table

_MARK = "AnonymousType"


def is_anonymous(kind: Type) -> bool:
    """Whether a type is one that the compiler made for anonymous objects."""
    return _MARK in kind.full_name and kind.full_name.startswith("<>")


def prepare_type(env: Environment, names: tuple[str, ...]) -> None:
    """Let the program have a type for anonymous objects with members of these names, where it may run.

    Raises `EvaluationError`.
    """
    if env.caller is not None and not any(names in module.cached(_ANONYMOUS_TYPES) for module in env.universe.modules):
        load_image(env, anonymous_image(names))


def anonymous_type(env: Environment, names: tuple[str, ...], kinds: tuple[Type, ...]) -> Type | None:
    """The type for members of these names and types; None where the program has none (see `prepare_type`)."""
    for module in env.universe.modules:
        found = module.cached(_ANONYMOUS_TYPES).get(names)
        if found is not None:
            return env.universe.of_definition(found, kinds)
    return None


def _find_types(module: LoadedModule) -> dict[tuple[str, ...], Definition]:
    """The anonymous types of a module, by the names of their properties in order."""
    metadata, found = module.metadata, dict[tuple[str, ...], Definition]()
    if metadata is None:
        return found
    strings = metadata.image.strings
    for row_id, offset in enumerate(metadata.image.table(Table.TYPE_DEF).raw_column("name"), 1):
        if _MARK in strings[offset]:
            token = TypeDefToken(Table.TYPE_DEF << 24 | row_id)
            found[tuple(one.name for one in metadata.properties_of(token))] = (module.id, token)
    return found


_ANONYMOUS_TYPES = CacheSlot("anonymous types by members", _find_types)


ASSEMBLY = "DapDotnet.AnonymousType"
_MOST_MEMBERS, _MOST_CHARACTERS = 100, 10_000  # so that all indices have two bytes
_CORE, _CORE_TOKEN = "System.Private.CoreLib", bytes.fromhex("7cec85d7bea7798e")
_SECTION, _FILE_ALIGNMENT, _HEADERS = 0x2000, 0x200, 0x200
_CLI_HEADER_SIZE = 72
_HAS_THIS, _PROPERTY, _FIELD = 0x20, 0x08, 0x06
"""II.23.2."""
_USER_STRING = 0x70
_SORTED = 0x16003301FA00
_FACTOR = -1521134295
"""Of the compiler's hash codes."""


def anonymous_image(names: Sequence[str]) -> bytes:
    """An assembly with the type for members of these names, in order. Raises `EvaluationError` for too many of them."""
    if not 0 < len(names) <= _MOST_MEMBERS or sum(map(len, names)) > _MOST_CHARACTERS:
        raise EvaluationError(f"An anonymous type of {len(names)} members cannot be created here")
    return _image(_Writer(names))


def _compressed(number: int) -> bytes:
    """An unsigned integer as blobs have it (II.23.2)."""
    return bytes([number]) if number < 0x80 else struct.pack(">H", 0x8000 | number)


@lru_cache(maxsize=64)
def _opcode(name: str) -> bytes:
    from portablepdb.opcodes import OPCODES

    value = next(opcode.value for opcode in OPCODES.values() if opcode.name == name)
    return bytes([value]) if value < 0x100 else struct.pack(">H", value)


def _il(name: str, operand: int | None = None) -> bytes:
    """An instruction (III)."""
    if operand is None:
        return _opcode(name)
    return _opcode(name) + struct.pack("<H" if name == "ldarg" else "<i", operand)


class _Heap:
    """Strings or blobs, each once."""

    def __init__(self) -> None:
        self.content = bytearray(b"\0")
        self._places = dict[bytes, int]({b"\0": 0})

    def add(self, entry: bytes) -> int:
        if entry not in self._places:
            self._places[entry] = len(self.content)
            self.content += entry
        return self._places[entry]


class _Writer:
    """The metadata and the code of one type."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._strings, self._blobs, self._user_strings = _Heap(), _Heap(), _Heap()
        self._tables = dict[Table, list[bytes]]()
        self.code = bytearray()
        self._define(len(names))

    def _string(self, text: str) -> int:
        return self._strings.add(text.encode("utf-8", "replace") + b"\0") if text else 0

    def _blob(self, *parts: int | bytes) -> int:
        content = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
        return self._blobs.add(_compressed(len(content)) + content)

    def _row(self, table: Table, layout: str, *columns: int | str) -> int:
        """The token of a new row: names are put among the strings."""
        rows = self._tables.setdefault(table, [])
        values = [self._string(column) if isinstance(column, str) else column for column in columns]
        rows.append(struct.pack(f"<{layout}", *values))
        return table << 24 | len(rows)

    def _define(self, count: int) -> None:
        names = self._names
        self.version = hashlib.sha256("\0".join(names).encode("utf-8", "replace")).digest()[:16]
        self._row(Table.MODULE, "HHHHH", 0, f"{ASSEMBLY}.dll", 1, 0, 0)
        self._row(Table.ASSEMBLY, "IHHHHIHHH", 0x8004, 1, 0, 0, 0, 0, 0, ASSEMBLY, 0)
        self._row(Table.ASSEMBLY_REF, "HHHHIHHHH", 0, 0, 0, 0, 0, self._blob(_CORE_TOKEN), _CORE, 0, 0)
        for name, namespace in (
            ("Object", "System"),
            ("String", "System"),
            ("EqualityComparer`1", "System.Collections.Generic"),
            ("CompilerGeneratedAttribute", "System.Runtime.CompilerServices"),
        ):
            self._row(Table.TYPE_REF, "HHH", 1 << 2 | 2, name, namespace)
        self._row(Table.TYPE_DEF, "IHHHHH", 0, "<Module>", 0, 0, 1, 1)
        own_name = f"<>f__AnonymousType0`{count}"
        self._row(Table.TYPE_DEF, "IHHHHH", 0x100101, own_name, 0, 1 << 2 | 1, 1, 1)  # public, sealed
        variables = [bytes([E.VAR, number]) for number in range(count)]
        own = self._type_spec(E.GENERICINST, E.CLASS, 2 << 2, count, *variables)
        members = list[_Member]()
        for number, (name, variable) in enumerate(zip(names, variables, strict=True)):
            self._row(Table.GENERIC_PARAM, "HHHH", number, 0, 2 << 1, f"<{name}>j__TPar")
            self._row(Table.FIELD, "HHH", 0x21, f"<{name}>i__Field", self._blob(_FIELD, variable))
            field = self._reference(own, f"<{name}>i__Field", _FIELD, variable)
            members.append(_Member(field, self._type_spec(variable), *self._comparer(variable)))
        self._methods(members, variables, own)
        self._row(Table.PROPERTY_MAP, "HH", 2, 1)
        for number, (name, variable) in enumerate(zip(names, variables, strict=True), 1):
            self._row(Table.PROPERTY, "HHH", 0, name, self._blob(_PROPERTY | _HAS_THIS, 0, variable))
            self._row(Table.METHOD_SEMANTICS, "HHH", 2, number, number << 1 | 1)
        attribute = self._reference(Table.TYPE_REF << 24 | 4, ".ctor", _HAS_THIS, 0, E.VOID)
        self._row(Table.CUSTOM_ATTRIBUTE, "HHH", 2 << 5 | 3, (attribute & 0xFFFF) << 3 | 3, self._blob(1, 0, 0, 0))

    def _type_spec(self, *parts: int | bytes) -> int:
        return self._row(Table.TYPE_SPEC, "H", self._blob(*parts))

    def _reference(self, owner: int, name: str, *signature: int | bytes) -> int:
        """A member of the type of a TypeRef or TypeSpec token."""
        parent = (owner & 0xFFFF) << 3 | (4 if owner >> 24 == Table.TYPE_SPEC else 1)
        return self._row(Table.MEMBER_REF, "HHH", parent, name, self._blob(*signature))

    def _comparer(self, variable: bytes) -> Sequence[int]:
        """Get, Equals and GetHashCode of EqualityComparer<T>.Default."""
        generic, own = bytes([E.GENERICINST, E.CLASS, 3 << 2 | 1, 1]), bytes([E.VAR, 0])
        owner = self._type_spec(generic, variable)
        return [
            self._reference(owner, "get_Default", 0, 0, generic, own),
            self._reference(owner, "Equals", _HAS_THIS, 2, E.BOOLEAN, own, own),
            self._reference(owner, "GetHashCode", _HAS_THIS, 1, E.I4, own),
        ]

    def _methods(self, members: Sequence[_Member], variables: Sequence[bytes], own: int) -> None:
        count = len(members)
        for name, variable, member in zip(self._names, variables, members, strict=True):
            self._method(f"get_{name}", 0x886, (_HAS_THIS, 0, variable), 1, _il("ldarg.0") + _il("ldfld", member.field))
        made = _il("ldarg.0") + _il("call", self._reference(Table.TYPE_REF << 24 | 1, ".ctor", _HAS_THIS, 0, E.VOID))
        for number, member in enumerate(members, 1):
            made += _il("ldarg.0") + _il("ldarg", number) + _il("stfld", member.field)
        self._method(".ctor", 0x1886, (_HAS_THIS, _compressed(count), E.VOID, *variables), 1, made)
        for number, name in enumerate(self._names, 1):
            self._row(Table.PARAM, "HHH", 0, number, name)
        self._method("Equals", 0xC6, (_HAS_THIS, 1, E.BOOLEAN, E.OBJECT), count + 1, _equals(members, own))
        self._row(Table.PARAM, "HHH", 0, 1, "value")
        self._method("GetHashCode", 0xC6, (_HAS_THIS, 0, E.I4), count + 2, _hash_code(members))
        self._method("ToString", 0xC6, (_HAS_THIS, 0, E.STRING), count + 2, self._to_string(members))

    def _method(self, name: str, flags: int, signature: Sequence[int | bytes], parameters: int, code: bytes) -> None:
        code += _il("ret")
        self.code += bytes(-len(self.code) % 4)
        address = _SECTION + _CLI_HEADER_SIZE + len(self.code)
        self.code += struct.pack("<HHII", 0x3003, 8, len(code), 0) + code
        self._row(Table.METHOD_DEF, "IHHHHH", address, 0, flags, name, self._blob(*signature), parameters)

    def _to_string(self, members: Sequence[_Member]) -> bytes:
        """By String.Format, as the compiler does it."""
        pattern = "{{ " + ", ".join(f"{name} = {{{number}}}" for number, name in enumerate(self._names)) + " }}"
        text = pattern.encode("utf-16-le", "surrogatepass") + b"\1"
        place = self._user_strings.add(_compressed(len(text)) + text)
        signature = 0, 2, E.STRING, E.STRING, E.SZARRAY, E.OBJECT
        form = self._reference(Table.TYPE_REF << 24 | 2, "Format", *signature)
        code = _il("ldstr", _USER_STRING << 24 | place) + _il("ldc.i4", len(members))
        code += _il("newarr", Table.TYPE_REF << 24 | 1)
        for number, member in enumerate(members):
            value = _il("ldarg.0") + _il("ldfld", member.field) + _il("box", member.type)
            code += _il("dup") + _il("ldc.i4", number) + value + _il("stelem.ref")
        return code + _il("call", form)

    def metadata(self) -> bytes:
        """The metadata root with its streams (II.24.2)."""
        numbers = sorted(self._tables)
        tables = struct.pack("<IBBBBQQ", 0, 2, 0, 0, 1, sum(1 << number for number in numbers), _SORTED)
        tables += b"".join(struct.pack("<I", len(self._tables[number])) for number in numbers)
        tables += b"".join(row for number in numbers for row in self._tables[number])
        padded = [
            (name + bytes(4 - len(name) % 4), bytes(content) + bytes(-len(content) % 4))
            for name, content in (
                (b"#~", tables),
                (b"#Strings", self._strings.content),
                (b"#US", self._user_strings.content),
                (b"#GUID", self.version),
                (b"#Blob", self._blobs.content),
            )
        ]
        root = struct.pack("<IHHII12sHH", 0x424A5342, 1, 1, 0, 12, b"v4.0.30319", 0, len(padded))
        place, headers = len(root) + sum(8 + len(name) for name, _ in padded), b""
        for name, content in padded:
            headers += struct.pack("<II", place, len(content)) + name
            place += len(content)
        return root + headers + b"".join(content for _, content in padded)


class _Member(NamedTuple):
    """Tokens of a member: its field, its type, and the methods of the comparer for it."""

    field: int
    type: int
    comparer: int
    equals: int
    hash_code: int


def _equals(members: Sequence[_Member], own: int) -> bytes:
    other = _il("ldarg.1") + _il("isinst", own)
    tests = [other]
    for member in members:
        read = _il("ldfld", member.field)
        values = _il("ldarg.0") + read + other + read
        tests.append(_il("call", member.comparer) + values + _il("callvirt", member.equals))
    code, end = b"", sum(len(test) + 5 for test in tests) + 2
    for test in tests:
        code += test
        code += _il("brfalse", end - len(code) - 5)
    return code + _il("ldc.i4.1") + _il("ret") + _il("ldc.i4.0")


def _hash_code(members: Sequence[_Member]) -> bytes:
    code = _il("ldc.i4.0")
    for member in members:
        value = _il("ldarg.0") + _il("ldfld", member.field)
        code += _il("ldc.i4", _FACTOR) + _il("mul")
        code += _il("call", member.comparer) + value + _il("callvirt", member.hash_code) + _il("add")
    return code


def _image(written: _Writer) -> bytes:
    """A library for any processor (II.25): one section with the CLI header, the code and the metadata."""
    metadata, code = written.metadata(), bytes(written.code) + bytes(-len(written.code) % 4)
    at_metadata = _SECTION + _CLI_HEADER_SIZE + len(code)
    header = struct.pack("<IHHIIII", _CLI_HEADER_SIZE, 2, 5, at_metadata, len(metadata), 1, 0)
    text = header.ljust(_CLI_HEADER_SIZE, b"\0") + code + metadata
    size = len(text) + -len(text) % _FILE_ALIGNMENT
    coff = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x14C, 1, 0, 0, 0, 0xE0, 0x2102)
    optional = struct.pack(
        "<HBBIIIIIIIIIHHHHHHIIIIHHIIIIII", 0x10B, 48, 0, size, 0, 0, 0, _SECTION, 0, 0x10000000, 0x2000,
        _FILE_ALIGNMENT, 4, 0, 0, 0, 4, 0, 0, _SECTION + (size + 0x1FFF) // 0x2000 * 0x2000, _HEADERS, 0, 3, 0x8540,
        0x100000, 0x1000, 0x100000, 0x1000, 0, 16,
    )  # fmt: skip
    directories = bytes(14 * 8) + struct.pack("<II", _SECTION, _CLI_HEADER_SIZE) + bytes(8)
    section = struct.pack("<8sIIIIIIHHI", b".text", len(text), _SECTION, size, _HEADERS, 0, 0, 0, 0, 0x60000020)
    dos = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80)
    headers = dos.ljust(0x80, b"\0") + coff + optional + directories + section
    return headers.ljust(_HEADERS, b"\0") + text.ljust(size, b"\0")
