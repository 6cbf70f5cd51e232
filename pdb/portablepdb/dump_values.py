"""What the records of a dump are made of: strings, blobs, names and signatures, each made once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import signatures as sig
from .dump_records import attempt, failed, hex_text, short
from .errors import PortablePdbError
from .handles import TableNumber, make_token
from .metadata import Metadata
from .signature_text import method_text, type_text


class DumpValues:
    """Values of one Metadata as records show them; a value that cannot be read becomes the record of its error."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self.image = metadata.image
        self.type_name = metadata.type_name
        # By heap offset: rows share signatures.
        self._signatures: dict[tuple[int, Any], Any] = {}

    def string(self, offset: int) -> Any:
        """A heap string."""
        try:
            return self.image.strings[offset]
        except PortablePdbError as error:
            return failed(error)

    def hex(self, offset: int) -> Any:
        """A blob as hex."""
        return attempt(lambda: hex_text(self.image.blobs[offset]))

    def short(self, offset: int) -> Any:
        """A blob, shortened."""
        return attempt(lambda: short(self.image.blobs[offset]))

    def signature(self, offset: int, decode: Callable[[DumpValues, int], Any]) -> Any:
        """The text of a signature, made once for each heap offset."""
        key = offset, decode
        found = self._signatures.get(key)
        if found is None:
            found = self._signatures[key] = attempt(lambda: decode(self, offset))
        return found

    def field_signature(self, offset: int) -> str:
        """The type of a field."""
        return type_text(sig.decode_field(self.metadata.signature_blob(offset)), self.type_name)

    def method_signature(self, offset: int) -> str:
        """The signature of a method or property."""
        return method_text(sig.decode_method(self.metadata.signature_blob(offset)), self.type_name)

    def printed(self, token: int | None) -> Any:
        """The name of a type token; None for a nil one."""
        if token is None or not token & 0xFFFFFF:
            return None
        try:
            return self.type_name(token)
        except PortablePdbError as error:
            return failed(error)

    def rows(self, table: TableNumber) -> Iterator[tuple[int, Any]]:
        """(token, row) of a table."""
        for number, row in enumerate(self.image.table(table), 1):
            yield make_token(table, number), row

    def one(self, table: TableNumber, column: str, key: int, value: Any) -> Any:
        """The value of the only row of a sorted table with this key; None if there is none."""
        try:
            row = self.image.table(table).row_with(column, key)
            return None if row is None else value(row)
        except PortablePdbError as error:
            return failed(error)

    def member_signature(self, offset: int) -> str:
        """The signature of a MemberRef."""
        reader = self.metadata.signature_blob(offset)
        if reader.peek() & sig.KIND_MASK == sig.KIND_FIELD and reader.peek() >= 0:
            return type_text(sig.decode_field(reader), self.type_name)
        return method_text(sig.decode_method(reader), self.type_name)

    def method_arguments(self, offset: int) -> list[str]:
        """The generic arguments of a MethodSpec."""
        arguments = sig.decode_method_spec(self.metadata.signature_blob(offset))
        return [type_text(argument, self.type_name) for argument in arguments]

    def stand_alone(self, offset: int) -> Any:
        """The signature of a StandAloneSig."""
        reader = self.metadata.signature_blob(offset)
        kind = reader.peek() & sig.KIND_MASK if reader.remaining else -1
        if kind == sig.KIND_LOCALS:
            return [type_text(local, self.type_name) for local in sig.decode_locals(reader)]
        if kind == sig.KIND_FIELD:
            return "field " + type_text(sig.decode_field(reader), self.type_name)
        return method_text(sig.decode_method(reader), self.type_name)
