"""The text of the canonical dump: one JSON object a line, with the same bytes from every reader that follows the rules.

``k`` names the kind of a record. Values are null, int, str, list and dict alone; a boolean is 0 or 1. A token is eight
hex digits, a nil one null; a blob is its hex, or ``sha256:LENGTH:HEX`` beyond 64 bytes; ``{"error": 1}`` stands where
a value could not be decoded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .errors import LimitError, PortablePdbError
from .root import MetadataImage

ERROR = {"error": 1}
_SHORT = 64

Record = dict[str, Any]

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode


def line(record: Record) -> str:
    """A record as its line, without the line end."""
    return _encode(record)


def lines(image: MetadataImage, records: Iterable[Record]) -> Iterator[str]:
    """The lines of a dump, without line ends. LimitError when they are more than a dump of such a file may have.

    Blobs that thousands of rows share are paid for in the meantime, too.
    """
    budget = image.budgets.begin("output")
    with image.blobs.metered(image.budgets.begin("blob_bytes")):
        for record in records:
            text = line(record)
            budget.spend(len(text))
            yield text


def token_text(token: int | None) -> str | None:
    """A token as eight hex digits; None for a nil one."""
    return f"{token:08x}" if token is not None and token & 0xFFFFFF else None


def short(data: bytes) -> str:
    """A blob as hex, or as length and hash when it is long."""
    if len(data) <= _SHORT:
        return data.hex()
    return f"sha256:{len(data)}:{hashlib.sha256(data).hexdigest()}"


def hex_text(data: bytes) -> str:
    """A blob as hex, whatever its length."""
    return data.hex()


def guid_text(data: bytes) -> str:
    """Sixteen stored bytes as a GUID."""
    head = data[3::-1] + data[5:3:-1] + data[7:5:-1]
    text = (head + data[8:]).hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def guid_at(image: MetadataImage, index: int) -> str | None:
    """The GUID of a heap index; None for 0."""
    return guid_text(image.guids.raw(index)) if index else None


def attempt(make: Callable[[], Any]) -> Any:
    """The value, or the error mark when decoding it fails; a spent budget ends the dump."""
    try:
        return make()
    except PortablePdbError as error:
        return failed(error)


def failed(error: PortablePdbError) -> Record:
    """The error mark, inside an ``except``; a spent budget is raised again."""
    if isinstance(error, LimitError) and error.budget is not None:
        raise error
    return ERROR


def metadata_records(image: MetadataImage, prefix: str = "") -> Iterator[Record]:
    """``metadata``, then one ``table`` for each table with rows."""
    yield {
        "k": prefix + "metadata",
        "length": image.region.size,
        "streams": [[stream.name, stream.offset, stream.size] for stream in image.streams],
        "version": image.version,
    }
    for number, rows in enumerate(image.row_counts):
        if rows:
            yield {"k": prefix + "table", "rows": rows, "size": image.table(number).row_size, "t": number}


def enc_records(image: MetadataImage) -> Iterator[Record]:
    """``enc_log`` and ``enc_map`` of a delta."""
    for number, row in enumerate(image.table(0x1E), 1):
        yield {"i": number, "k": "enc_log", "op": row.operation, "tok": token_text(row.token)}
    for number, row in enumerate(image.table(0x1F), 1):
        yield {"i": number, "k": "enc_map", "tok": token_text(row.token)}
