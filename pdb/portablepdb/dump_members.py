"""The records of fields, methods, properties and events of ``dump asm``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from .dump_records import Record, attempt, short, token_text
from .dump_values import DumpValues
from .handles import TableNumber, make_token
from .il import MethodBody
from .members import Event, Field, Method, Property
from .references import Constant

T = TableNumber


class MemberDump:
    """Makes the records of the members of one Metadata."""

    def __init__(self, values: DumpValues) -> None:
        self.values = values
        self.metadata = values.metadata
        self._bodies: dict[int, Any] = {}  # by RVA: methods may share one
        self._il_budget = values.image.budgets.begin("blob_bytes")

    def records(self) -> Iterator[Record]:
        """field, method, property, event."""
        for token, row in self.values.rows(T.FIELD):
            yield self.field(Field(self.metadata, token, row))
        for token, row in self.values.rows(T.METHOD_DEF):
            yield self.method(Method(self.metadata, token, row))
        for token, row in self.values.rows(T.PROPERTY):
            yield self.property(Property(self.metadata, token, row))
        for token, row in self.values.rows(T.EVENT):
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
            "marshal": self.values.one(
                T.FIELD_MARSHAL, "parent", field.token, lambda r: short(self.values.image.blobs[r.native_type])
            ),
            "name": self.values.string(row.name),
            "offset": self.values.one(T.FIELD_LAYOUT, "field", row_id, lambda r: r.offset),
            "rva": self.values.one(T.FIELD_RVA, "field", row_id, lambda r: r.rva) or 0,
            "sig": self.values.signature(row.signature, DumpValues.field_signature),
            "tok": token_text(field.token),
        }

    def method(self, method: Method) -> Record:
        """One method."""
        row = method.row
        return {
            "attrs": row.flags,
            "decl": attempt(lambda: token_text(self.metadata.declaring_type_token(method))),
            "generics": attempt(lambda: [p.name for p in method.generic_parameters]),
            "il": self.body(method),
            "impl": row.impl_flags,
            "import": self.values.one(
                T.IMPL_MAP,
                "member_forwarded",
                method.token,
                lambda r: [
                    r.flags,
                    token_text(make_token(T.MODULE_REF, r.import_scope)),
                    self.values.string(r.import_name),
                ],
            ),
            "k": "method",
            "name": self.values.string(row.name),
            "params": attempt(
                lambda: [[p.sequence, p.name, p.row.flags, _constant(p.constant)] for p in method.parameter_rows]
            ),
            "rva": row.rva,
            "sig": self.values.signature(row.signature, DumpValues.method_signature),
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
            "name": self.values.string(member.row.name),
            "others": [token_text(other) for other in member.others],
            "setter": token_text(member.setter),
            "sig": self.values.signature(member.row.type, DumpValues.method_signature),
            "tok": token_text(member.token),
        }

    def event(self, member: Event) -> Record:
        """One event."""
        return {
            "add": token_text(member.adder),
            "attrs": member.row.flags,
            "k": "event",
            "name": self.values.string(member.row.name),
            "others": [token_text(other) for other in member.others],
            "raise": token_text(member.raiser),
            "remove": token_text(member.remover),
            "tok": token_text(member.token),
            "type": token_text(member.type),
        }


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
