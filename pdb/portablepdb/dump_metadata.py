"""The records of ``dump asm`` that come from the metadata tables."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from .attribute_values import Argument
from .custom_attributes import CustomAttribute
from .dump_members import MemberDump
from .dump_records import Record, attempt, guid_at, metadata_records, token_text
from .dump_values import DumpValues
from .handles import BlobOffset, TableNumber, Token, make_token
from .members import TypeDef
from .metadata import Metadata
from .root import MetadataImage
from .scopes import check_runs
from .tables_types import CustomAttributeRow

T = TableNumber

# Each target's pointer table (of #- images) has the number just before it.
_LISTS = (
    (T.TYPE_DEF, "field_list", T.FIELD),
    (T.TYPE_DEF, "method_list", T.METHOD_DEF),
    (T.METHOD_DEF, "param_list", T.PARAM),
    (T.EVENT_MAP, "event_list", T.EVENT),
    (T.PROPERTY_MAP, "property_list", T.PROPERTY),
)
_USER_STRING = 0x70000000
_INT32 = 0x08
_TEXT_UNITS = 64
_FILE_HAS_NO_METADATA = 1
_MOST_KEPT = 4096


def module_record(image: MetadataImage, row: Any, name: Any) -> Record:
    """The record of a Module row; ``name`` as it is to be shown."""
    return {
        "base": attempt(lambda: guid_at(image, row.enc_base_id)),
        "gen": row.generation,
        "id": attempt(lambda: guid_at(image, row.enc_id)),
        "k": "module",
        "mvid": attempt(lambda: guid_at(image, row.mvid)),
        "name": name,
    }


class MetadataDump:
    """Makes the records of one Metadata."""

    def __init__(self, metadata: Metadata) -> None:
        self.metadata = metadata
        self.image = metadata.image
        self.values = DumpValues(metadata)
        # Attributes are of few types and often have equal values, which the heap has once.
        self._attribute_type = lru_cache(_MOST_KEPT)(self._type_of_attribute)
        self._attribute_value = lru_cache(_MOST_KEPT)(self._value_of_attribute)

    def records(self) -> Iterator[Record]:
        """All of them in the order of the format."""
        with self.metadata.metered(self.image.budgets.begin("signature_bytes")):
            yield from self._records()

    def _records(self) -> Iterator[Record]:
        image = self.image
        yield from metadata_records(image)
        for table, column, target in _LISTS:
            if not image.row_counts[target - 1]:  # no pointer table stands between
                check_runs(image, table, column, target)
        for row in image.table(T.MODULE):
            yield module_record(image, row, self.values.string(row.name))
        for row in image.table(T.ASSEMBLY):
            yield {
                "culture": self.values.string(row.culture),
                "flags": row.flags,
                "hash_alg": row.hash_algorithm,
                "k": "assembly",
                "key": self.values.hex(row.public_key),
                "name": self.values.string(row.name),
                "version": _version(row),
            }
        yield from self.references()
        yield from self.types()
        yield from MemberDump(self.values).records()
        yield from self.generics_and_members()
        yield from self.signatures()
        for token, row in self.values.rows(T.CUSTOM_ATTRIBUTE):
            yield self.attribute(token, row)
        yield from self.user_strings()

    def references(self) -> Iterator[Record]:
        """assemblyref to typeref."""
        for token, row in self.values.rows(T.ASSEMBLY_REF):
            yield {
                "culture": self.values.string(row.culture),
                "flags": row.flags,
                "hash": self.values.hex(row.hash_value),
                "k": "assemblyref",
                "key": self.values.hex(row.public_key_or_token),
                "name": self.values.string(row.name),
                "tok": token_text(token),
                "version": _version(row),
            }
        for token, row in self.values.rows(T.MODULE_REF):
            yield {"k": "moduleref", "name": self.values.string(row.name), "tok": token_text(token)}
        for token, row in self.values.rows(T.FILE):
            yield {
                "hash": self.values.short(row.hash_value),
                "k": "file",
                "meta": int(not row.flags & _FILE_HAS_NO_METADATA),
                "name": self.values.string(row.name),
                "tok": token_text(token),
            }
        for token, row in self.values.rows(T.EXPORTED_TYPE):
            yield {
                "attrs": row.flags,
                "impl": token_text(row.implementation),
                "k": "exportedtype",
                "name": self.values.string(row.name),
                "ns": self.values.string(row.namespace),
                "tok": token_text(token),
            }
        for token, row in self.values.rows(T.MANIFEST_RESOURCE):
            yield {
                "attrs": row.flags,
                "impl": token_text(row.implementation),
                "k": "resource",
                "name": self.values.string(row.name),
                "offset": row.offset,
                "tok": token_text(token),
            }
        for token, row in self.values.rows(T.TYPE_REF):
            yield {
                "full": self.values.printed(token),
                "k": "typeref",
                "name": self.values.string(row.name),
                "ns": self.values.string(row.namespace),
                "scope": token_text(row.resolution_scope),
                "tok": token_text(token),
            }

    def types(self) -> Iterator[Record]:
        """typedef."""
        for token, row in self.values.rows(T.TYPE_DEF):
            type_def = TypeDef(self.metadata, token, row)
            layout = type_def.layout
            yield {
                "attrs": row.flags,
                "base": self.values.printed(row.extends),
                "base_tok": token_text(row.extends),
                "decl": token_text(type_def.enclosing),
                "events": attempt(lambda t=type_def: [token_text(event.token) for event in t.events]),  # type: ignore[misc]
                "fields": attempt(lambda t=token: _run(T.FIELD, self.metadata.field_rows(t))),  # type: ignore[misc]
                "full": self.values.printed(token),
                "generics": attempt(lambda t=type_def: [p.name for p in t.generic_parameters]),  # type: ignore[misc]
                "interfaces": self._interfaces(token),
                "k": "typedef",
                "layout": list(layout) if layout is not None and any(layout) else None,
                "methods": attempt(lambda t=token: _run(T.METHOD_DEF, self.metadata.method_rows(t))),  # type: ignore[misc]
                "name": self.values.string(row.name),
                "nested": [token_text(nested) for nested in type_def.nested],
                "ns": self.values.string(row.namespace),
                "props": attempt(lambda t=type_def: [token_text(p.token) for p in t.properties]),  # type: ignore[misc]
                "tok": token_text(token),
            }

    def _interfaces(self, type_def: int) -> list[Any]:
        """InterfaceImpl row, interface and its name, of a TypeDef."""
        table = self.image.table(T.INTERFACE_IMPL)
        found = [(row_id, table.row(row_id).interface) for row_id in table.rows_with("class_", type_def & 0xFFFFFF)]
        return [
            [token_text(make_token(T.INTERFACE_IMPL, row_id)), token_text(interface), self.values.printed(interface)]
            for row_id, interface in found
        ]

    def generics_and_members(self) -> Iterator[Record]:
        """genericparam, methodimpl, memberref."""
        constraints = self.image.table(T.GENERIC_PARAM_CONSTRAINT)
        for token, row in self.values.rows(T.GENERIC_PARAM):
            found = [constraints.row(number).constraint for number in constraints.rows_with("owner", token & 0xFFFFFF)]
            yield {
                "attrs": row.flags,
                "constraints": [self.values.printed(constraint) for constraint in found],
                "i": row.number,
                "k": "genericparam",
                "name": self.values.string(row.name),
                "owner": token_text(row.owner),
                "tok": token_text(token),
            }
        impls = [(row.class_, number, row) for number, row in enumerate(self.image.table(T.METHOD_IMPL), 1)]
        for class_, number, row in sorted(impls, key=lambda impl: impl[:2]):
            yield {
                "body": token_text(row.body),
                "class": token_text(make_token(T.TYPE_DEF, class_)),
                "decl": token_text(row.declaration),
                "k": "methodimpl",
                "row": number,
            }
        for token, row in self.values.rows(T.MEMBER_REF):
            yield {
                "k": "memberref",
                "name": self.values.string(row.name),
                "parent": token_text(row.class_),
                "sig": self.values.signature(row.signature, DumpValues.member_signature),
                "tok": token_text(token),
            }

    def signatures(self) -> Iterator[Record]:
        """typespec, methodspec, standalonesig."""
        for token, _ in self.values.rows(T.TYPE_SPEC):
            yield {"k": "typespec", "sig": self.values.printed(token), "tok": token_text(token)}
        for token, row in self.values.rows(T.METHOD_SPEC):
            yield {
                "args": self.values.signature(row.instantiation, DumpValues.method_arguments),
                "k": "methodspec",
                "method": token_text(row.method),
                "tok": token_text(token),
            }
        for token, row in self.values.rows(T.STAND_ALONE_SIG):
            yield {
                "k": "standalonesig",
                "sig": self.values.signature(row.signature, DumpValues.stand_alone),
                "tok": token_text(token),
            }

    def attribute(self, token: int, row: Any) -> Record:
        """One custom attribute."""
        type_name = self._attribute_type(row.type)
        args, value = self._attribute_value(row.type, row.value)
        return {
            "args": args,
            "ctor": token_text(row.type),
            "k": "attr",
            "parent": token_text(row.parent),
            "tok": token_text(token),
            "type": type_name,
            "value": value,
        }

    def _type_of_attribute(self, constructor: int) -> Any:
        """The name of the type that a constructor is of."""
        return attempt(lambda: self._an_attribute(constructor, 0).type_name)

    def _value_of_attribute(self, constructor: int, value: int) -> tuple[Any, Any]:
        """(arguments, bytes) of a value; the arguments of attributes for debuggers alone."""
        type_name = self._attribute_type(constructor)
        args: Any = None
        if isinstance(type_name, str) and re.split(r"[.+]", type_name)[-1].startswith("Debugg"):
            args = attempt(lambda: _arguments(self._an_attribute(constructor, value)))
        return args, self.values.short(value)

    def _an_attribute(self, constructor: int, value: int) -> CustomAttribute:
        """An attribute, whatever it is on."""
        return CustomAttribute(self.metadata, 0, CustomAttributeRow(Token(0), Token(constructor), BlobOffset(value)))

    def user_strings(self) -> Iterator[Record]:
        """userstring."""
        heap = self.image.user_strings
        for offset in heap.offsets():
            raw = heap.raw(offset)
            yield {
                "k": "userstring",
                "len": len(raw) // 2,
                "sha256": hashlib.sha256(raw).hexdigest(),
                "text": raw[: _TEXT_UNITS * 2].decode("utf-16-le", "surrogatepass"),
                "tok": f"{_USER_STRING + offset:08x}",
            }


def _version(row: Any) -> str:
    return f"{row.major_version}.{row.minor_version}.{row.build_number}.{row.revision_number}"


def _run(table: TableNumber, rows: Any) -> list[Any] | None:
    return [token_text(make_token(table, rows[0])), len(rows)] if len(rows) else None


def _arguments(attribute: CustomAttribute) -> Record:
    # The rule of the format, so that two readers agree: an enum of another assembly counts as int32.
    fixed, named_arguments = attribute.decode(lambda name: _INT32)
    return {
        "fixed": [_argument(argument) for argument in fixed],
        "named": [
            ["field" if named.is_field else "property", named.name, *_argument(named.argument)]
            for named in named_arguments
        ],
    }


def _argument(argument: Argument) -> list[Any]:
    value = argument.value
    if isinstance(value, list):
        value = [_argument(item) for item in value]
    elif isinstance(value, float):
        value = struct.pack("<f" if argument.type.name == "float32" else "<d", value).hex()
    elif isinstance(value, bool):
        value = int(value)
    elif isinstance(value, str) and argument.type.name == "char":
        value = ord(value)
    return [argument.type.name, value]
