"""Custom debug information: the kinds of the Portable PDB specification and of Roslyn."""

from __future__ import annotations

from .blob_reader import BlobReader
from .errors import LimitError
from .handles import TableNumber, Token, make_token
from .records import Record

KINDS = {
    "54fd2ac5-e925-401a-9c2a-f94f171072f8": "async_stepping",
    "6da9a61e-f8c7-4874-be62-68bc5630df71": "hoisted_scopes",
    "83c563c4-b4f3-47d5-b824-ba5441477ea8": "dynamic",
    "ed9fdf71-8879-4747-8ed3-fe5ede3ce710": "tuple_names",
    "58b2eab6-209f-4e4e-a22c-b2d0f910c782": "default_namespace",
    "755f52a8-91c5-45be-b4b8-209571e552bd": "enc_local_slots",
    "a643004c-0240-496f-a783-30d64f4979de": "enc_lambdas",
    "8b78cd68-2ede-420b-980b-e15884b8aaa3": "enc_states",
    "cc110556-a091-4d38-9fec-25ab9a351a6a": "source_link",
    "0e8a571b-6926-466e-b4ad-8ab04611f5fe": "embedded_source",
    "7e4d4708-096e-4c5c-aeda-cb10ba6a740d": "metadata_refs",
    "b5feec05-8cd0-4a83-96da-466284bb4bd8": "compilation_options",
    "932e74bc-dba9-4478-8d46-0f32a7bab3d3": "type_documents",
    "9d40ace1-c703-4d0e-bf41-7243060a8fb5": "primary_constructor",
}
"""Short names of the kinds, by GUID."""


def _guid_bytes(text: str) -> bytes:
    raw = bytes.fromhex(text.replace("-", ""))
    return raw[3::-1] + raw[5:3:-1] + raw[7:5:-1] + raw[8:]


GUID_OF_KIND = {name: _guid_bytes(guid) for guid, name in KINDS.items()}
"""The GUID of each kind, as its sixteen bytes stand in the #GUID heap."""

KIND_OF_GUID = {guid: name for name, guid in GUID_OF_KIND.items()}
"""The kind of a GUID's sixteen bytes."""


class HoistedScope(Record):
    """The IL range in which a local that became a field of a state machine is alive; length 0: no user variable."""

    start_offset: int
    length: int


class Await(Record):
    """One await: where MoveNext gives up control, and the method and offset where it goes on."""

    yield_offset: int
    resume_offset: int
    resume_method: Token


class AsyncInfo(Record):
    """Async stepping. ``catch_offset`` is the compiler's own catch handler (async void and Main only), else None."""

    catch_offset: int | None
    awaits: tuple[Await, ...]


class EncLocalSlot(Record):
    """What a local slot was made for, for edit and continue. ``ordinal`` is 0 if the compiler wrote none."""

    kind: int
    syntax_offset: int
    ordinal: int


class EncLambda(Record):
    """A lambda and the ordinal of its closure: -1 static, -2 this-only."""

    syntax_offset: int
    closure_ordinal: int


class EncLambdas(Record):
    """The closures and lambdas of a method, for edit and continue."""

    method_ordinal: int
    closure_syntax_offsets: tuple[int, ...]
    lambdas: tuple[EncLambda, ...]


class EncState(Record):
    """A state of a state machine and the syntax offset of its await or yield."""

    state: int
    syntax_offset: int


class MetadataReferenceInfo(Record):
    """A reference that the compiler was given. ``flags``: bit 0 assembly (else netmodule), bit 1 embedded interop."""

    file_name: str
    aliases: str
    flags: int
    timestamp: int
    image_size: int
    mvid: bytes


class EmbeddedSource(Record):
    """Embedded source. ``format`` is 0 for raw text, else the size after inflating."""

    format: int
    data: bytes


def decode_hoisted_scopes(reader: BlobReader) -> list[HoistedScope]:
    """Pairs of 32-bit start offset and length."""
    scopes = []
    while reader.remaining:
        scopes.append(HoistedScope(reader.integer(4), reader.integer(4)))
    return scopes


def decode_async_stepping(reader: BlobReader) -> AsyncInfo:
    """The catch offset (stored + 1), then yield offset, resume offset, resume method row for each await."""
    catch = reader.integer(4) - 1
    awaits = []
    while reader.remaining:
        yield_offset, resume_offset = reader.integer(4), reader.integer(4)
        method = make_token(TableNumber.METHOD_DEF, reader.compressed("a resume method"))
        awaits.append(Await(yield_offset, resume_offset, method))
    return AsyncInfo(catch if catch >= 0 else None, tuple(awaits))


def decode_dynamic(reader: BlobReader) -> list[bool]:
    """The dynamic flags, low bit of each byte first; eight for each byte stored."""
    return [bool(byte >> bit & 1) for byte in reader.rest() for bit in range(8)]


def decode_tuple_names(reader: BlobReader) -> list[str | None]:
    """Zero-terminated UTF-8 names; an empty one is an element without a name."""
    return [name or None for name in _zero_terminated(reader)]


def decode_text(reader: BlobReader) -> str:
    """The whole blob as UTF-8 (default namespace, SourceLink)."""
    return reader.rest().decode("utf-8", "replace")


def decode_compilation_options(reader: BlobReader) -> list[tuple[str, str]]:
    """Zero-terminated UTF-8 names and values, in turn."""
    texts = _zero_terminated(reader)
    if len(texts) % 2:
        raise reader.malformed("the compilation options end with a name that has no value")
    return list(zip(texts[::2], texts[1::2], strict=False))


def decode_metadata_references(reader: BlobReader) -> list[MetadataReferenceInfo]:
    """File name and extern aliases (zero-terminated), flags, timestamp, image size, MVID."""
    references = []
    while reader.remaining:
        name, aliases = _zero_string(reader), _zero_string(reader)
        references.append(
            MetadataReferenceInfo(
                name, aliases, reader.byte(), reader.integer(4), reader.integer(4), reader.take(16, "an MVID")
            )
        )
    return references


def decode_type_documents(reader: BlobReader) -> list[int]:
    """Row ids of documents that hold declarations of a type without any method body."""
    documents = []
    while reader.remaining:
        documents.append(reader.compressed("a document row"))
    return documents


def decode_enc_local_slots(reader: BlobReader) -> list[EncLocalSlot | None]:
    """A byte for each slot: 0 short-lived; else kind + 1 in the low seven bits, an ordinal follows if bit 7 is set."""
    slots: list[EncLocalSlot | None] = []
    baseline = -1
    while reader.remaining:
        byte = reader.byte()
        if byte == 0xFF:
            baseline = -reader.compressed("a syntax offset baseline")
            continue
        if byte == 0:
            slots.append(None)
            continue
        syntax_offset = reader.compressed("a syntax offset") + baseline
        ordinal = reader.compressed("an ordinal") if byte & 0x80 else 0
        slots.append(EncLocalSlot((byte & 0x7F) - 1, syntax_offset, ordinal))
    return slots


def decode_enc_lambdas(reader: BlobReader) -> EncLambdas:
    """Method ordinal (stored + 1), baseline, closures, lambdas with the closure ordinal (stored + 2)."""
    ordinal = reader.compressed("a method ordinal") - 1
    baseline = -reader.compressed("a syntax offset baseline")
    count = reader.compressed("a closure count")
    if count > reader.remaining:
        raise reader.malformed(f"{count} closures do not fit into {reader.remaining} bytes")
    closures = tuple(reader.compressed("a syntax offset") + baseline for _ in range(count))
    lambdas = []
    while reader.remaining:
        syntax_offset = reader.compressed("a syntax offset") + baseline
        lambdas.append(EncLambda(syntax_offset, reader.compressed("a closure ordinal") - 2))
    return EncLambdas(ordinal, closures, tuple(lambdas))


def decode_enc_states(reader: BlobReader) -> list[EncState]:
    """A count; if not 0, a baseline and so many pairs of state (signed) and syntax offset."""
    count = reader.compressed("a state count")
    if not count:
        return []
    if count > reader.remaining:
        raise reader.malformed(f"{count} states do not fit into {reader.remaining} bytes")
    baseline = -reader.compressed("a syntax offset baseline")
    states = []
    for _ in range(count):
        state = reader.compressed_signed("a state number")
        states.append(EncState(state, reader.compressed("a syntax offset") + baseline))
    return states


def decode_embedded_source(reader: BlobReader, limit: int = 64 << 20) -> EmbeddedSource:
    """The source text's bytes: raw, or inflated to the size that the head names. Raises LimitError, MalformedError."""
    form = reader.integer(4, signed=True)
    if form == 0:
        return EmbeddedSource(0, reader.rest())
    if form < 0:
        raise reader.malformed(f"embedded source has the unknown format {form}")
    return EmbeddedSource(form, inflate(reader, form, limit, "embedded source"))


def inflate(reader: BlobReader, size: int, limit: int, what: str) -> bytes:
    """Inflate the rest of a blob to exactly ``size`` bytes.

    Deflate shrinks at most 1032 to 1, so a size beyond that is refused before anything is allocated.
    """
    import zlib

    packed = reader.rest()
    if size > limit or size > len(packed) * 1040 + 64:
        raise LimitError(
            f"{what} claims {size} bytes after inflating, from {len(packed)}; the budget is {limit}"
            " (open the file with limits=Limits(inflated=...) for more)",
            file=reader.file,
            offset=reader.origin,
            budget="inflated" if size > limit else None,
        )
    unpacker = zlib.decompressobj(-15)
    try:
        data = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise reader.malformed(f"{what} is not a deflate stream: {error}") from None
    if len(data) != size:
        raise reader.malformed(
            f"{what} inflates to {'more than ' if len(data) > size else ''}{min(len(data), size)}"
            f" bytes, its head says {size}"
        )
    return data


def _zero_string(reader: BlobReader) -> str:
    end = reader.data.find(b"\0", reader.position)
    if end < 0:
        raise reader.malformed("a string has no terminating zero")
    raw = reader.take(end - reader.position)
    reader.take(1)
    return raw.decode("utf-8", "replace")


def _zero_terminated(reader: BlobReader) -> list[str]:
    texts = []
    while reader.remaining:
        texts.append(_zero_string(reader))
    return texts
