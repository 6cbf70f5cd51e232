"""``dump pdb``: the canonical dump of a Portable PDB."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from .constants import BOOLEAN, CHAR, STRING, VALUETYPE, ConstantValue
from .debug_entries import CustomDebugInformation
from .documents import Document
from .dump_records import (
    ERROR,
    Record,
    attempt,
    enc_records,
    guid_at,
    guid_text,
    hex_text,
    metadata_records,
    short,
    token_text,
)
from .handles import TableNumber, make_token
from .imports import decode_imports
from .portable_pdb import PortablePdb
from .root import MetadataImage
from .scopes import LocalScope, check_runs

T = TableNumber

_FIRST_NUMBER, _LAST_NUMBER = 0x02, 0x0D
_FLOATS = (0x0C, 0x0D)
_DECIMAL, _TICKS = 13, 8


def pdb_records(pdb: PortablePdb) -> Iterator[Record]:
    """All records of a PDB in the order of the format."""
    image = pdb.image
    whole = image.region.whole()
    rows = image.referenced_rows or ()
    yield {
        "entry": token_text(image.pdb_entry_point),
        "id": pdb.id.hex(),
        "k": "pdb",
        "refs": [[number, rows[number]] for number in image.referenced_tables],
        "sha256": hashlib.sha256(whole).hexdigest(),
        "size": len(whole),
    }
    yield from metadata_records(image, "pdb_")
    for document in pdb.documents:
        yield _document(pdb, document)
    for row_id in range(1, pdb.method_count + 1):
        yield _method(pdb, row_id)
    check_runs(image, T.LOCAL_SCOPE, "variable_list", T.LOCAL_VARIABLE)
    check_runs(image, T.LOCAL_SCOPE, "constant_list", T.LOCAL_CONSTANT)
    for row_id, row in enumerate(image.table(T.LOCAL_SCOPE), 1):
        yield _scope(LocalScope(image, row_id, row), row)
    for row_id, row in enumerate(image.table(T.IMPORT_SCOPE), 1):
        yield _import(image, row_id, row)
    for entry in pdb.custom_debug_information():
        yield _cdi(pdb, entry)
    yield from enc_records(image)


def _document(pdb: PortablePdb, document: Document) -> Record:
    image = pdb.image
    row = image.table(T.DOCUMENT).row(document.row_id)
    return {
        "alg": attempt(lambda: guid_at(image, row.hash_algorithm)),
        "hash": attempt(lambda: hex_text(image.blobs[row.hash])),
        "k": "document",
        "lang": attempt(lambda: guid_at(image, row.language)),
        "name": attempt(lambda: document.name if row.name else None),
        "row": document.row_id,
    }


def _method(pdb: PortablePdb, row_id: int) -> Record:
    image = pdb.image
    row = image.table(T.METHOD_DEBUG_INFORMATION).row(row_id)
    method = make_token(T.METHOD_DEF, row_id)
    return {
        "doc": row.document,
        "k": "method_debug",
        "kickoff": token_text(pdb.kickoff_method(method)),
        "localsig": attempt(lambda: token_text(pdb.local_signature(method))),
        "m": f"{method:08x}",
        "sp": attempt(lambda: _points(pdb, method)) if row.sequence_points else None,
    }


def _points(pdb: PortablePdb, method: int) -> list[list[int]]:
    return [
        [
            point.il_offset,
            point.start_line,
            point.start_column,
            point.end_line,
            point.end_column,
            int(point.is_hidden),
            point.document.row_id,
        ]
        for point in pdb.sequence_points(method)
    ]


def _scope(scope: LocalScope, row: Any) -> Record:
    return {
        "consts": attempt(
            lambda: [
                [c.row_id, c.name, attempt(lambda c=c: short(c.signature)), attempt(lambda c=c: constant(c.decoded))]  # type: ignore[misc]
                for c in scope.constants
            ]
        ),
        "import": row.import_scope,
        "k": "scope",
        "len": scope.end_offset - scope.start_offset,
        "m": token_text(scope.method),
        "row": scope.row_id,
        "start": scope.start_offset,
        "vars": attempt(lambda: [[row_id, *values] for row_id, values in scope.variable_rows()]),
    }


def constant(value: ConstantValue) -> Record:
    """The decoded form of a local constant."""
    record: Record = {
        "code": value.type_code,
        "mods": [["modreq" if required else "modopt", token_text(token)] for required, token in value.modifiers],
    }
    code = value.type_code
    if _FIRST_NUMBER <= code <= _LAST_NUMBER:
        if code in _FLOATS:
            record["value"] = value.raw.hex()
        elif code in (BOOLEAN, CHAR):
            record["value"] = int.from_bytes(value.raw, "little")
        else:
            record["value"] = value.value
    elif code == STRING:
        record["value"] = value.value
    if value.type_token is not None:
        record["type"] = token_text(value.type_token)
    if value.has_raw:
        record["raw"] = value.raw.hex()
        if code == VALUETYPE and len(value.raw) == _DECIMAL:
            record["decimal"] = format(value.value if value.value else abs(value.value), "f")
        elif code == VALUETYPE and len(value.raw) == _TICKS:
            record["ticks"] = value.value
    if value.rest:
        record["rest"] = value.rest.hex()
    return record


def _import(image: MetadataImage, row_id: int, row: Any) -> Record:
    def imports() -> Any:
        if not row.imports:
            return None
        found = decode_imports(image, image.blobs[row.imports], image.blobs.file_offset(row.imports))
        return [[int(i.kind), i.alias, token_text(i.assembly), i.namespace, token_text(i.type)] for i in found]

    return {"imports": attempt(imports), "k": "import", "parent": row.parent, "row": row_id}


def _cdi(pdb: PortablePdb, entry: CustomDebugInformation) -> Record:
    image = pdb.image
    kind = attempt(lambda: entry.kind)
    data: Any = None
    if kind is not None:
        data = ERROR if kind is ERROR else attempt(lambda: _cdi_data(image, kind, entry))
    guid = image.table(T.CUSTOM_DEBUG_INFORMATION).row(entry.row_id).kind
    return {
        "data": data,
        "guid": attempt(lambda: guid_at(image, guid)),
        "k": "cdi",
        "kind": kind,
        "parent": token_text(entry.parent),
        "row": entry.row_id,
        "value": attempt(lambda: short(entry.value)),
    }


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _cdi_data(image: MetadataImage, kind: str, entry: CustomDebugInformation) -> Any:
    if kind == "source_link":
        return {"sha256": _hash(entry.value), "size": len(entry.value)}
    if kind == "primary_constructor":
        return short(entry.value)
    value = entry.decoded
    if kind == "embedded_source":
        image.blobs.pay(len(value.data))
        return {"format": value.format, "sha256": _hash(value.data), "size": len(value.data)}
    if kind == "hoisted_scopes":
        return [[scope.start_offset, scope.length] for scope in value]
    if kind == "async_stepping":
        return {
            "awaits": [[a.yield_offset, a.resume_offset, token_text(a.resume_method)] for a in value.awaits],
            "catch": -1 if value.catch_offset is None else value.catch_offset,
        }
    if kind == "dynamic":
        return "".join("1" if flag else "0" for flag in value)
    if kind == "metadata_refs":
        return [[r.file_name, r.aliases, r.flags, r.timestamp, r.image_size, guid_text(r.mvid)] for r in value]
    if kind == "enc_lambdas":
        return {
            "closures": list(value.closure_syntax_offsets),
            "lambdas": [list(item) for item in value.lambdas],
            "ordinal": value.method_ordinal,
        }
    if kind in ("compilation_options", "enc_states"):
        return [list(item) for item in value]
    if kind == "enc_local_slots":
        return [None if slot is None else list(slot) for slot in value]
    if kind == "type_documents":
        return [document.row_id for document in value]
    return value  # names and text: already lists and strings


def bind_record(pdb: PortablePdb, suffix: str, line: int, column: int) -> Record:
    """The record of ``bind``."""
    documents = [document.row_id for document in pdb.documents_ending_with(suffix)]
    hits = pdb.bind_flat(documents, line, column)
    return {
        "col": column,
        "file": suffix,
        "hits": [[f"{hit.method:08x}", *hit.point[:5], hit.point.document.row_id] for hit in hits],
        "k": "bind",
        "line": line,
    }
