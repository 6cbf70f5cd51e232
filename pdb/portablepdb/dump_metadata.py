"""The records of ``dump asm`` that come from the metadata tables."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

from . import signatures as sig
from .custom_attributes import Argument, CustomAttribute
from .dump_records import Record, attempt, guid_at, hex_text, metadata_records, short, token_text
from .handles import TableNumber, make_token
from .il import MethodBody
from .members import Event, Field, Method, Property, TypeDef
from .metadata import Metadata
from .references import Constant
from .root import MetadataImage
from .scopes import check_runs
from .signature_text import method_text, type_text

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
        self.type_name = metadata.type_name
        # By heap offset and RVA: rows share signatures, and may share bodies.
        self._signatures: dict[tuple[int, Any], Any] = {}
        self._bodies: dict[int, Any] = {}
        self._il_budget = self.image.budgets.begin("blob_bytes")

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
            yield module_record(image, row, self.string(row.name))
        for row in image.table(T.ASSEMBLY):
            yield {
                "culture": self.string(row.culture),
                "flags": row.flags,
                "hash_alg": row.hash_algorithm,
                "k": "assembly",
                "key": self.hex(row.public_key),
                "name": self.string(row.name),
                "version": _version(row),
            }
        yield from self.references()
        yield from self.types()
        yield from self.members()
        yield from self.generics_and_members()
        yield from self.signatures()
        for number, row in enumerate(image.table(T.CUSTOM_ATTRIBUTE), 1):
            yield self.attribute(CustomAttribute(self.metadata, number, row))
        yield from self.user_strings()

    def string(self, offset: int) -> Any:
        """A heap string."""
        return attempt(lambda: self.image.strings[offset])

    def hex(self, offset: int) -> Any:
        """A blob as hex."""
        return attempt(lambda: hex_text(self.image.blobs[offset]))

    def short(self, offset: int) -> Any:
        """A blob, shortened."""
        return attempt(lambda: short(self.image.blobs[offset]))

    def signature(self, offset: int, decode: Callable[[MetadataDump, int], Any]) -> Any:
        """The text of a signature, made once for each heap offset."""
        key = offset, decode
        if key not in self._signatures:
            self._signatures[key] = attempt(lambda: decode(self, offset))
        return self._signatures[key]

    def field_signature(self, offset: int) -> str:
        """The type of a field."""
        return type_text(sig.decode_field(self.metadata.signature_blob(offset)), self.type_name)

    def method_signature(self, offset: int) -> str:
        """The signature of a method or property."""
        return method_text(sig.decode_method(self.metadata.signature_blob(offset)), self.type_name)

    def printed(self, token: int | None) -> Any:
        """The name of a type token; None for a nil one."""
        return None if token is None or not token & 0xFFFFFF else attempt(lambda: self.type_name(token))

    def rows(self, table: TableNumber) -> Iterator[tuple[int, Any]]:
        """(token, row) of a table."""
        for number, row in enumerate(self.image.table(table), 1):
            yield make_token(table, number), row

    def references(self) -> Iterator[Record]:
        """assemblyref to typeref."""
        for token, row in self.rows(T.ASSEMBLY_REF):
            yield {
                "culture": self.string(row.culture),
                "flags": row.flags,
                "hash": self.hex(row.hash_value),
                "k": "assemblyref",
                "key": self.hex(row.public_key_or_token),
                "name": self.string(row.name),
                "tok": token_text(token),
                "version": _version(row),
            }
        for token, row in self.rows(T.MODULE_REF):
            yield {"k": "moduleref", "name": self.string(row.name), "tok": token_text(token)}
        for token, row in self.rows(T.FILE):
            yield {
                "hash": self.short(row.hash_value),
                "k": "file",
                "meta": int(not row.flags & _FILE_HAS_NO_METADATA),
                "name": self.string(row.name),
                "tok": token_text(token),
            }
        for token, row in self.rows(T.EXPORTED_TYPE):
            yield {
                "attrs": row.flags,
                "impl": token_text(row.implementation),
                "k": "exportedtype",
                "name": self.string(row.name),
                "ns": self.string(row.namespace),
                "tok": token_text(token),
            }
        for token, row in self.rows(T.MANIFEST_RESOURCE):
            yield {
                "attrs": row.flags,
                "impl": token_text(row.implementation),
                "k": "resource",
                "name": self.string(row.name),
                "offset": row.offset,
                "tok": token_text(token),
            }
        for token, row in self.rows(T.TYPE_REF):
            yield {
                "full": self.printed(token),
                "k": "typeref",
                "name": self.string(row.name),
                "ns": self.string(row.namespace),
                "scope": token_text(row.resolution_scope),
                "tok": token_text(token),
            }

    def types(self) -> Iterator[Record]:
        """typedef."""
        for token, row in self.rows(T.TYPE_DEF):
            type_def = TypeDef(self.metadata, token, row)
            layout = type_def.layout
            yield {
                "attrs": row.flags,
                "base": self.printed(row.extends),
                "base_tok": token_text(row.extends),
                "decl": token_text(type_def.enclosing),
                "events": attempt(lambda t=type_def: [token_text(event.token) for event in t.events]),  # type: ignore[misc]
                "fields": attempt(lambda t=token: _run(T.FIELD, self.metadata.field_rows(t))),  # type: ignore[misc]
                "full": self.printed(token),
                "generics": attempt(lambda t=type_def: [p.name for p in t.generic_parameters]),  # type: ignore[misc]
                "interfaces": [[token_text(i), token_text(t), self.printed(t)] for i, t in type_def.interfaces],
                "k": "typedef",
                "layout": list(layout) if layout is not None and any(layout) else None,
                "methods": attempt(lambda t=token: _run(T.METHOD_DEF, self.metadata.method_rows(t))),  # type: ignore[misc]
                "name": self.string(row.name),
                "nested": [token_text(nested) for nested in type_def.nested],
                "ns": self.string(row.namespace),
                "props": attempt(lambda t=type_def: [token_text(p.token) for p in t.properties]),  # type: ignore[misc]
                "tok": token_text(token),
            }

    def members(self) -> Iterator[Record]:
        """field, method, property, event."""
        for token, row in self.rows(T.FIELD):
            yield self.field(Field(self.metadata, token, row))
        for token, row in self.rows(T.METHOD_DEF):
            yield self.method(Method(self.metadata, token, row))
        for token, row in self.rows(T.PROPERTY):
            yield self.property(Property(self.metadata, token, row))
        for token, row in self.rows(T.EVENT):
            yield self.event(Event(self.metadata, token, row))

    def field(self, field: Field) -> Record:
        """One field."""
        row = field.row
        row_id = field.token & 0xFFFFFF
        return {
            "attrs": row.flags,
            "const": attempt(lambda: _constant(field.constant)),
            "decl": attempt(lambda: token_text(self.metadata.declaring_type_token(field))),
            "k": "field",
            "marshal": self.one(
                T.FIELD_MARSHAL, "parent", field.token, lambda r: short(self.image.blobs[r.native_type])
            ),
            "name": self.string(row.name),
            "offset": self.one(T.FIELD_LAYOUT, "field", row_id, lambda r: r.offset),
            "rva": self.one(T.FIELD_RVA, "field", row_id, lambda r: r.rva) or 0,
            "sig": self.signature(row.signature, MetadataDump.field_signature),
            "tok": token_text(field.token),
        }

    def one(self, table: TableNumber, column: str, key: int, value: Any) -> Any:
        """The value of the only row of a sorted table with this key; None if there is none."""

        def look_up() -> Any:
            found = self.image.table(table)
            for row_id in found.rows_with(column, key):
                return value(found.row(row_id))
            return None

        return attempt(look_up)

    def method(self, method: Method) -> Record:
        """One method."""
        row = method.row
        return {
            "attrs": row.flags,
            "decl": attempt(lambda: token_text(self.metadata.declaring_type_token(method))),
            "generics": attempt(lambda: [p.name for p in method.generic_parameters]),
            "il": self.body(method),
            "impl": row.impl_flags,
            "import": self.one(
                T.IMPL_MAP,
                "member_forwarded",
                method.token,
                lambda r: [r.flags, token_text(make_token(T.MODULE_REF, r.import_scope)), self.string(r.import_name)],
            ),
            "k": "method",
            "name": self.string(row.name),
            "params": attempt(
                lambda: [[p.sequence, p.name, p.row.flags, _constant(p.constant)] for p in method.parameter_rows]
            ),
            "rva": row.rva,
            "sig": self.signature(row.signature, MetadataDump.method_signature),
            "tok": token_text(method.token),
        }

    def body(self, method: Method) -> Any:
        """The record of a method's IL."""
        row = method.row
        if not row.rva:
            return None
        key = row.rva << 2 | row.impl_flags & 3
        if key not in self._bodies:
            self._bodies[key] = attempt(lambda: self._il(method.token))
        return self._bodies[key]

    def _il(self, token: int) -> Record | None:
        body = self.metadata.method_body(token)
        if body is not None:
            self._il_budget.spend(len(body.il) + 24 * len(body.exception_clauses))
        return _il(body)

    def property(self, member: Property) -> Record:
        """One property."""
        return {
            "attrs": member.row.flags,
            "const": attempt(lambda: _constant(member.constant)),
            "getter": token_text(member.getter),
            "k": "property",
            "name": self.string(member.row.name),
            "others": [token_text(other) for other in member.others],
            "setter": token_text(member.setter),
            "sig": self.signature(member.row.type, MetadataDump.method_signature),
            "tok": token_text(member.token),
        }

    def event(self, member: Event) -> Record:
        """One event."""
        return {
            "add": token_text(member.adder),
            "attrs": member.row.flags,
            "k": "event",
            "name": self.string(member.row.name),
            "others": [token_text(other) for other in member.others],
            "raise": token_text(member.raiser),
            "remove": token_text(member.remover),
            "tok": token_text(member.token),
            "type": token_text(member.type),
        }

    def generics_and_members(self) -> Iterator[Record]:
        """genericparam, methodimpl, memberref."""
        constraints = self.image.table(T.GENERIC_PARAM_CONSTRAINT)
        for token, row in self.rows(T.GENERIC_PARAM):
            found = [constraints.row(number).constraint for number in constraints.rows_with("owner", token & 0xFFFFFF)]
            yield {
                "attrs": row.flags,
                "constraints": [self.printed(constraint) for constraint in found],
                "i": row.number,
                "k": "genericparam",
                "name": self.string(row.name),
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
        for token, row in self.rows(T.MEMBER_REF):
            yield {
                "k": "memberref",
                "name": self.string(row.name),
                "parent": token_text(row.class_),
                "sig": self.signature(row.signature, MetadataDump.member_signature),
                "tok": token_text(token),
            }

    def member_signature(self, offset: int) -> str:
        """The signature of a MemberRef."""
        reader = self.metadata.signature_blob(offset)
        if reader.peek() & sig.KIND_MASK == sig.KIND_FIELD and reader.peek() >= 0:
            return type_text(sig.decode_field(reader), self.type_name)
        return method_text(sig.decode_method(reader), self.type_name)

    def signatures(self) -> Iterator[Record]:
        """typespec, methodspec, standalonesig."""
        for token, _ in self.rows(T.TYPE_SPEC):
            yield {"k": "typespec", "sig": self.printed(token), "tok": token_text(token)}
        for token, row in self.rows(T.METHOD_SPEC):
            yield {
                "args": self.signature(row.instantiation, MetadataDump.method_arguments),
                "k": "methodspec",
                "method": token_text(row.method),
                "tok": token_text(token),
            }
        for token, row in self.rows(T.STAND_ALONE_SIG):
            yield {
                "k": "standalonesig",
                "sig": self.signature(row.signature, MetadataDump.stand_alone),
                "tok": token_text(token),
            }

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

    def attribute(self, attribute: CustomAttribute) -> Record:
        """One custom attribute."""
        type_name = attempt(lambda: attribute.type_name)
        args: Any = None
        if isinstance(type_name, str) and re.split(r"[.+]", type_name)[-1].startswith("Debugg"):
            args = attempt(lambda: _arguments(attribute))
        return {
            "args": args,
            "ctor": token_text(attribute.constructor),
            "k": "attr",
            "parent": token_text(attribute.parent),
            "tok": token_text(make_token(T.CUSTOM_ATTRIBUTE, attribute.row_id)),
            "type": type_name,
            "value": attempt(lambda: short(attribute.value)),
        }

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


def _constant(constant: Constant | None) -> list[Any] | None:
    return None if constant is None else [constant.type_code, short(constant.raw)]


def _il(body: MethodBody | None) -> Record | None:
    if body is None:
        return None
    return {
        "eh": [
            [
                clause.kind,
                clause.try_offset,
                clause.try_length,
                clause.handler_offset,
                clause.handler_length,
                clause.filter_offset if clause.filter_offset is not None else token_text(clause.catch_type),
            ]
            for clause in body.exception_clauses
        ],
        "init": int(body.init_locals),
        "localsig": token_text(body.local_signature),
        "maxstack": body.max_stack,
        "sha256": hashlib.sha256(body.il).hexdigest(),
        "size": len(body.il),
    }


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
    return [argument.type.name, value]
