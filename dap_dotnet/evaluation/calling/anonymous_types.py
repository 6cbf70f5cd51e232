"""Types of anonymous objects in the program: the compiler's for the same members, else one that is made here.

That one is the image of an assembly (ECMA-335 II.24, II.25). Its type is generic over its members' types, as the
compiler's is, with the same methods: it compares and shows itself by its members.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.program_calls import load_image
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

_MARK = "AnonymousType"
_TYPE_DEF = 0x02


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
    for row_id, offset in enumerate(metadata.image.table(_TYPE_DEF).raw_column("name"), 1):
        if _MARK in strings[offset]:
            token = TypeDefToken(_TYPE_DEF << 24 | row_id)
            found[tuple(one.name for one in metadata.properties_of(token))] = (module.id, token)
    return found


_ANONYMOUS_TYPES = CacheSlot("anonymous types by members", _find_types)


ASSEMBLY = "DapDotnet.AnonymousType"
_MOST_MEMBERS, _MOST_CHARACTERS = 100, 10_000  # so that all indices have two bytes
_CORE, _CORE_TOKEN = "System.Private.CoreLib", bytes.fromhex("7cec85d7bea7798e")
_SECTION, _FILE_ALIGNMENT, _HEADERS = 0x2000, 0x200, 0x200
_CLI_HEADER_SIZE = 72

# ECMA-335 II.23.1.16
_VOID, _BOOLEAN, _I4, _STRING, _VAR, _GENERIC_INSTANCE, _CLASS, _OBJECT, _SZARRAY = (
    0x01, 0x02, 0x08, 0x0E, 0x13, 0x15, 0x12, 0x1C, 0x1D,
)  # fmt: skip
_HAS_THIS, _PROPERTY, _FIELD = 0x20, 0x08, 0x06
_METHOD, _MEMBER_REF, _TYPE_REF, _TYPE_SPEC, _USER_STRING = 0x06, 0x0A, 0x01, 0x1B, 0x70
_SORTED = 0x16003301FA00

# ECMA-335 III.3, III.4
_LDARG_0, _LDARG_1, _DUP, _CALL, _RET, _ADD, _MUL = b"\x02", b"\x03", b"\x25", b"\x28", b"\x2a", b"\x58", b"\x5a"
_CALLVIRT, _LDSTR, _ISINST, _LDFLD, _STFLD, _BOX, _NEWARR = (
    b"\x6f",
    b"\x72",
    b"\x75",
    b"\x7b",
    b"\x7d",
    b"\x8c",
    b"\x8d",
)
_LDC_0, _LDC_1, _LDC, _BRFALSE, _STELEM_REF, _LDARG = b"\x16", b"\x17", b"\x20", b"\x39", b"\xa2", b"\xfe\x09"
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


class _Heap:
    """Strings or blobs, each once."""

    def __init__(self, start: bytes = b"\0") -> None:
        self.content = bytearray(start)
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
        self._tables = dict[int, list[bytes]]()
        self.code = bytearray()
        self._define(len(names))

    def _string(self, text: str) -> int:
        return self._strings.add(text.encode("utf-8", "replace") + b"\0") if text else 0

    def _blob(self, *parts: int | bytes) -> int:
        content = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
        return self._blobs.add(_compressed(len(content)) + content)

    def _row(self, table: int, layout: str, *columns: int) -> int:
        """The token of a new row."""
        rows = self._tables.setdefault(table, [])
        rows.append(struct.pack(f"<{layout}", *columns))
        return table << 24 | len(rows)

    def _define(self, count: int) -> None:
        names, every = self._names, range(count)
        self.version = hashlib.sha256("\0".join(names).encode("utf-8", "replace")).digest()[:16]
        title = self._string(ASSEMBLY)
        self._row(0x00, "HHHHH", 0, self._string(f"{ASSEMBLY}.dll"), 1, 0, 0)
        self._row(0x20, "IHHHHIHHH", 0x8004, 1, 0, 0, 0, 0, 0, title, 0)
        self._row(0x23, "HHHHIHHHH", 0, 0, 0, 0, 0, self._blob(_CORE_TOKEN), self._string(_CORE), 0, 0)
        in_core = 1 << 2 | 2
        for name, namespace in (
            ("Object", "System"),
            ("String", "System"),
            ("EqualityComparer`1", "System.Collections.Generic"),
            ("CompilerGeneratedAttribute", "System.Runtime.CompilerServices"),
        ):
            self._row(_TYPE_REF, "HHH", in_core, self._string(name), self._string(namespace))
        self._row(0x02, "IHHHHH", 0, self._string("<Module>"), 0, 0, 1, 1)
        own_name = self._string(f"<>f__AnonymousType0`{count}")
        self._row(0x02, "IHHHHH", 0x100101, own_name, 0, 1 << 2 | 1, 1, 1)  # public, sealed
        for number, name in enumerate(names):
            self._row(0x2A, "HHHH", number, 0, 2 << 1, self._string(f"<{name}>j__TPar"))
            self._row(0x04, "HHH", 0x21, self._string(f"<{name}>i__Field"), self._blob(_FIELD, _VAR, number))
        variables = [bytes([_VAR, number]) for number in every]
        self._own = self._type_spec(_GENERIC_INSTANCE, _CLASS, 2 << 2, count, *variables)
        self._kinds = [self._type_spec(kind) for kind in variables]
        self._fields = [
            self._row(
                _MEMBER_REF, "HHH", self._parent(self._own), self._string(f"<{name}>i__Field"),
                self._blob(_FIELD, _VAR, number),
            )
            for number, name in enumerate(names)
        ]  # fmt: skip
        self._comparers = [self._comparer(kind) for kind in variables]
        self._methods()
        self._row(0x15, "HH", 2, 1)
        for number, name in enumerate(names):
            self._row(0x17, "HHH", 0, self._string(name), self._blob(_PROPERTY | _HAS_THIS, 0, _VAR, number))
            self._row(0x18, "HHH", 2, number + 1, number + 1 << 1 | 1)
        made = self._row(_MEMBER_REF, "HHH", 4 << 3 | 1, self._string(".ctor"), self._blob(_HAS_THIS, 0, _VOID))
        self._row(0x0C, "HHH", 2 << 5 | 3, (made & 0xFFFF) << 3 | 3, self._blob(1, 0, 0, 0))

    def _type_spec(self, *parts: int | bytes) -> int:
        return self._row(_TYPE_SPEC, "H", self._blob(*parts))

    @staticmethod
    def _parent(type_spec: int) -> int:
        return (type_spec & 0xFFFF) << 3 | 4

    def _comparer(self, kind: bytes) -> tuple[int, int, int]:
        """Get, Equals and GetHashCode of EqualityComparer<T>.Default."""
        generic = bytes([_GENERIC_INSTANCE, _CLASS, 3 << 2 | 1, 1])
        parent = self._parent(self._type_spec(generic, kind))
        own = bytes([_VAR, 0])
        found = [
            self._row(_MEMBER_REF, "HHH", parent, self._string(name), self._blob(*signature))
            for name, signature in (
                ("get_Default", (0, 0, generic, own)),
                ("Equals", (_HAS_THIS, 2, _BOOLEAN, own, own)),
                ("GetHashCode", (_HAS_THIS, 1, _I4, own)),
            )
        ]
        return found[0], found[1], found[2]

    def _methods(self) -> None:
        names, count = self._names, len(self._names)
        for number, (name, field) in enumerate(zip(names, self._fields, strict=True)):
            self._method(f"get_{name}", 0x886, (_HAS_THIS, 0, _VAR, number), 1, _LDARG_0 + _of(_LDFLD, field) + _RET)
        kinds = [bytes([_VAR, number]) for number in range(count)]
        self._method(".ctor", 0x1886, (_HAS_THIS, _compressed(count), _VOID, *kinds), 1, self._constructor())
        for number, name in enumerate(names, 1):
            self._row(0x08, "HHH", 0, number, self._string(name))
        self._method("Equals", 0xC6, (_HAS_THIS, 1, _BOOLEAN, _OBJECT), count + 1, self._equals())
        self._row(0x08, "HHH", 0, 1, self._string("value"))
        self._method("GetHashCode", 0xC6, (_HAS_THIS, 0, _I4), count + 2, self._hash_code())
        self._method("ToString", 0xC6, (_HAS_THIS, 0, _STRING), count + 2, self._to_string())

    def _method(self, name: str, flags: int, signature: Iterable[int | bytes], parameters: int, code: bytes) -> None:
        self.code += bytes(-len(self.code) % 4)
        address = _SECTION + 8 + _CLI_HEADER_SIZE + len(self.code)
        self.code += struct.pack("<HHII", 0x3003, 8, len(code), 0) + code
        self._row(_METHOD, "IHHHHH", address, 0, flags, self._string(name), self._blob(*signature), parameters)

    def _of_object(self, name: str, *signature: int | bytes, owner: int = 1) -> int:
        return self._row(_MEMBER_REF, "HHH", owner << 3 | 1, self._string(name), self._blob(*signature))

    def _constructor(self) -> bytes:
        code = _LDARG_0 + _of(_CALL, self._of_object(".ctor", _HAS_THIS, 0, _VOID))
        for number, field in enumerate(self._fields, 1):
            code += _LDARG_0 + _LDARG + struct.pack("<H", number) + _of(_STFLD, field)
        return code + _RET

    def _equals(self) -> bytes:
        other = _LDARG_1 + _of(_ISINST, self._own)
        tests = [other]
        for field, (default, equals, _) in zip(self._fields, self._comparers, strict=True):
            read = _of(_LDFLD, field)
            tests.append(_of(_CALL, default) + _LDARG_0 + read + other + read + _of(_CALLVIRT, equals))
        code, end = b"", sum(len(test) + 5 for test in tests) + 2
        for test in tests:
            code += test
            code += _BRFALSE + struct.pack("<i", end - len(code) - 5)
        return code + _LDC_1 + _RET + _LDC_0 + _RET

    def _hash_code(self) -> bytes:
        code = _LDC_0
        for field, (default, _, hash_code) in zip(self._fields, self._comparers, strict=True):
            code += _LDC + struct.pack("<i", _FACTOR) + _MUL
            code += _of(_CALL, default) + _LDARG_0 + _of(_LDFLD, field) + _of(_CALLVIRT, hash_code) + _ADD
        return code + _RET

    def _to_string(self) -> bytes:
        """By String.Format, as the compiler does it."""
        pattern = "{{ " + ", ".join(f"{name} = {{{number}}}" for number, name in enumerate(self._names)) + " }}"
        text = pattern.encode("utf-16-le", "surrogatepass") + b"\1"
        place = self._user_strings.add(_compressed(len(text)) + text)
        format_text = self._of_object("Format", 0, 2, _STRING, _STRING, _SZARRAY, _OBJECT, owner=2)
        code = _of(_LDSTR, _USER_STRING << 24 | place) + _LDC + struct.pack("<i", len(self._names))
        code += _of(_NEWARR, _TYPE_REF << 24 | 1)
        for number, (field, kind) in enumerate(zip(self._fields, self._kinds, strict=True)):
            code += _DUP + _LDC + struct.pack("<i", number) + _LDARG_0 + _of(_LDFLD, field) + _of(_BOX, kind)
            code += _STELEM_REF
        return code + _of(_CALL, format_text) + _RET

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


def _of(instruction: bytes, token: int) -> bytes:
    return instruction + struct.pack("<I", token)


def _image(written: _Writer) -> bytes:
    """A library for any processor, as the compiler lays it out (II.25): code, metadata, imports, and relocations."""
    metadata, code = written.metadata(), bytes(written.code) + bytes(-len(written.code) % 4)
    at_metadata = _SECTION + 8 + _CLI_HEADER_SIZE + len(code)
    at_imports = at_metadata + len(metadata)
    at_lookup, at_hint = at_imports + 40, at_imports + 48
    at_library = at_hint + 14
    at_stub = at_library + 14 + (2 - (at_library + 14)) % 4  # the address in it is aligned
    header = struct.pack("<IHHIIII", _CLI_HEADER_SIZE, 2, 5, at_metadata, len(metadata), 1, 0)
    imports = struct.pack("<IIIII", at_lookup, 0, 0, at_library, _SECTION) + bytes(20)
    imports += struct.pack("<II", at_hint, 0) + b"\0\0_CorDllMain\0" + b"mscoree.dll\0\0\0"
    text = struct.pack("<II", at_hint, 0) + header.ljust(_CLI_HEADER_SIZE, b"\0") + code + metadata + imports
    text = text.ljust(at_stub - _SECTION, b"\0") + b"\xff\x25" + struct.pack("<I", 0x10000000 + _SECTION)
    relocations = _SECTION + (len(text) + 0x1FFF) // 0x2000 * 0x2000
    page = at_stub + 2 & ~0xFFF
    fixups = struct.pack("<IIHH", page, 12, 0x3000 | (at_stub + 2 - page), 0)
    raw = len(text) + -len(text) % _FILE_ALIGNMENT
    directories = [(0, 0)] * 16
    directories[1], directories[5] = (at_imports, 40), (relocations, len(fixups))
    directories[12], directories[14] = (_SECTION, 8), (_SECTION + 8, _CLI_HEADER_SIZE)
    coff = struct.pack("<4sHHIIIHH", b"PE\0\0", 0x14C, 2, 0, 0, 0, 0xE0, 0x2102)
    optional = struct.pack(
        "<HBBIIIIIIIIIHHHHHHIIIIHHIIIIII", 0x10B, 48, 0, raw, _FILE_ALIGNMENT, 0, at_stub, _SECTION, relocations,
        0x10000000, 0x2000, _FILE_ALIGNMENT, 4, 0, 0, 0, 4, 0, 0, relocations + 0x2000, _HEADERS, 0, 3, 0x8540,
        0x100000, 0x1000, 0x100000, 0x1000, 0, 16,
    )  # fmt: skip
    optional += b"".join(struct.pack("<II", *one) for one in directories)
    sections = struct.pack(
        "<8sIIIIIIHHI", b".text", len(text), _SECTION, raw, _HEADERS, 0, 0, 0, 0, 0x60000020
    ) + struct.pack(
        "<8sIIIIIIHHI", b".reloc", len(fixups), relocations, _FILE_ALIGNMENT, _HEADERS + raw, 0, 0, 0, 0, 0x42000040
    )
    dos = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80)
    headers = (dos.ljust(0x80, b"\0") + coff + optional + sections).ljust(_HEADERS, b"\0")
    return headers + text.ljust(raw, b"\0") + fixups.ljust(_FILE_ALIGNMENT, b"\0")
