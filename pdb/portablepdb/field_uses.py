"""Where the IL of a module uses a field: instructions that load, store or take the address of it (ECMA-335 III.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .errors import PortablePdbError
from .handles import TableNumber as T
from .handles import Token, make_token
from .records import Record

if TYPE_CHECKING:
    from .instructions import Instruction
    from .metadata import Metadata
    from .pe import PeImage

LOADS = {"ldfld": 0x7B, "ldsfld": 0x7E}
ADDRESSES = {"ldflda": 0x7C, "ldsflda": 0x7F}
STORES = {"stfld": 0x7D, "stsfld": 0x80}
"""Opcodes by name."""
_FIELD_SIGNATURE = b"\x06"


class NamedField(Record):
    """A field as a token of the module names it. ``token`` is a Field or MemberRef.

    ``type_name`` is the declaring type's full metadata name without generic arguments; ``assembly`` the simple name of
    the assembly that a reference names, None for the module's own fields and where none is named.
    """

    token: Token
    type_name: str
    name: str
    assembly: str | None


class FieldUse(Record):
    """An instruction that uses a field, in the method of a MethodDef token."""

    method: Token
    instruction: Instruction
    field: Token


def named_fields(metadata: Metadata, names: Iterable[str]) -> Iterator[NamedField]:
    """The Field and MemberRef tokens of fields with one of these names, in row order. Damaged rows are left out."""
    image = metadata.image
    offsets = _offsets(metadata, names)
    if not offsets:
        return
    for number, offset in enumerate(image.table(T.FIELD).raw_column("name"), 1):
        if offset in offsets:
            token = make_token(T.FIELD, number)
            try:
                type_name = metadata.type_name(metadata.declaring_type_token(token))
            except PortablePdbError:
                continue
            yield NamedField(token, type_name, offsets[offset], None)
    members = image.table(T.MEMBER_REF)
    for number, offset in enumerate(members.raw_column("name"), 1):
        if offset not in offsets:
            continue
        try:
            row = members.row(number)
            parent = _open_type(metadata, row.class_) if image.blobs[row.signature][:1] == _FIELD_SIGNATURE else None
            if parent is not None:
                token = make_token(T.MEMBER_REF, number)
                yield NamedField(token, metadata.type_name(parent), offsets[offset], metadata.assembly_of(parent))
        except PortablePdbError:
            continue


def _offsets(metadata: Metadata, names: Iterable[str]) -> dict[int, str]:
    """Where the names may begin in the heap. No name is decoded that cannot be one of them; ends may be shared."""
    heap = metadata.image.strings.region
    found: dict[int, str] = {}
    for name in names:
        needle = name.encode("utf-8", "surrogatepass") + b"\0"
        position = heap.data.find(needle, heap.start, heap.end)
        while position >= 0:
            found[position - heap.start] = name
            position = heap.data.find(needle, position + 1, heap.end)
    return found


def _open_type(metadata: Metadata, token: int) -> int | None:
    """The TypeDef or TypeRef of a MemberRef's parent, an instantiation's generic type for a TypeSpec."""
    if token >> 24 in (T.TYPE_DEF, T.TYPE_REF):
        return token
    if token >> 24 != T.TYPE_SPEC:
        return None
    from .signatures import GenericInstance, NamedType, decode_type

    found = decode_type(metadata.signature_blob(metadata.image.table(T.TYPE_SPEC).row(token & 0xFFFFFF).signature))
    if isinstance(found, GenericInstance):
        found = found.generic
    return found.token if isinstance(found, NamedType) else None


def _may_have(pe: PeImage, needles: list[bytes]) -> bool:
    """Whether any of the bytes are in the file; True for an image in memory, which is not read for that."""
    try:
        whole = pe.source.rest()
    except PortablePdbError:
        return True
    return any(whole.data.find(needle, whole.start, whole.end) >= 0 for needle in needles)


def uses_of_fields(metadata: Metadata, fields: set[Token], opcodes: dict[str, int]) -> Iterator[FieldUse]:
    """Every instruction with one of these opcodes on one of these tokens, by method and IL offset.

    The image is searched for the bytes first, so that a module without such an instruction costs one pass. Methods
    with damaged bodies are left out.
    """
    if metadata.pe is None:
        return
    needles = [bytes([code]) + field.to_bytes(4, "little") for code in opcodes.values() for field in fields]
    if not _may_have(metadata.pe, needles):
        return
    for row_id, rva in enumerate(metadata.image.table(T.METHOD_DEF).raw_column("rva"), 1):
        if not rva:
            continue
        method = make_token(T.METHOD_DEF, row_id)
        try:
            body = metadata.method_body(method)
            if body is None or not any(needle in body.il for needle in needles):
                continue
            for instruction in body.instructions():
                if instruction.opcode.name in opcodes and instruction.operand in fields:
                    assert isinstance(instruction.operand, int)
                    yield FieldUse(method, instruction, Token(instruction.operand))
        except PortablePdbError:
            continue
