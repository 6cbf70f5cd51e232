"""Method bodies and their exception clauses (ECMA-335 II.25.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .errors import LimitError, MalformedError, TruncatedError
from .handles import Token
from .pe_structs import FAT_CLAUSE, FAT_METHOD_HEADER, SMALL_CLAUSE, FatClause, SmallClause
from .records import Record

if TYPE_CHECKING:
    from .instructions import Instruction
    from .pe import PeImage

_TINY, _FAT = 0x2, 0x3
_MORE_SECTIONS, _INIT_LOCALS = 0x8, 0x10
_SECTION_EH, _SECTION_FAT, _SECTION_MORE = 0x1, 0x40, 0x80
_STAND_ALONE_SIG = 0x11
_TINY_MAX_STACK = 8
_MOST_SECTIONS = 64

CATCH, FILTER, FINALLY, FAULT = 0, 1, 2, 4
"""Kinds of exception clauses (II.25.4.6)."""


class ExceptionClause(Record):
    """An exception clause; offsets and lengths in IL bytes.

    ``kind`` is 0 for a catch, 1 for a filter, 2 for a finally, 4 for a fault (II.25.4.6).
    ``catch_type`` is the type's token of a catch (None: nil), ``filter_offset`` the IL offset of a filter.
    """

    kind: int
    try_offset: int
    try_length: int
    handler_offset: int
    handler_length: int
    catch_type: Token | None
    filter_offset: int | None


class MethodBody(Record):
    """A method body: ``il`` are the bytes of its code, so ``len(body.il)`` is the code's size.

    ``max_stack`` is how many values its evaluation stack takes, ``init_locals`` whether locals begin as zero;
    ``local_signature`` is a StandAloneSig token, None without locals; the code begins at ``origin`` in ``file``.
    """

    il: bytes
    max_stack: int
    init_locals: bool
    local_signature: Token | None
    exception_clauses: tuple[ExceptionClause, ...]
    file: str
    origin: int

    def instructions(self) -> Iterator[Instruction]:
        """The instructions in order. Raises MalformedError for an unknown opcode, TruncatedError at the end."""
        from .instructions import decode_instructions

        return decode_instructions(self.il, self.file, self.origin)


def read_body(pe: PeImage, rva: int) -> MethodBody:
    """The body at an RVA. Raises MalformedError, TruncatedError."""
    room = pe.room_at_rva(rva, "a method body")
    if not room:
        raise TruncatedError(f"a method body at RVA 0x{rva:x} is past its section", file=pe.source.name)
    # A memory reader must not be asked for the rest of the section: the header says how much is needed.
    head = pe.at_rva(rva, min(room, FAT_METHOD_HEADER.size), "a method header")
    first = head.data[head.start]
    if first & 3 == _TINY:
        size = first >> 2
        body = pe.at_rva(rva, 1 + size, "a method body")
        return MethodBody(body.bytes_at(1, size, "IL"), _TINY_MAX_STACK, False, None, (), body.file, body.origin + 1)
    if first & 3 != _FAT:
        raise head.error(MalformedError, f"a method header begins with 0x{first:02x}: neither tiny nor fat (II.25.4.1)")
    fat = FAT_METHOD_HEADER.parse(head.bytes_at(0, FAT_METHOD_HEADER.size, "a fat method header"))
    flags, size, local_signature = fat.flags, fat.code_size, fat.local_signature
    if flags >> 12 != FAT_METHOD_HEADER.size // 4:
        raise head.error(MalformedError, f"a fat method header has {flags >> 12} dwords instead of 3 (II.25.4.3)")
    if local_signature and local_signature >> 24 != _STAND_ALONE_SIG:
        raise head.error(MalformedError, f"the local signature is 0x{local_signature:08x}, not a StandAloneSig", 8)
    body = pe.at_rva(rva, FAT_METHOD_HEADER.size + size, "a method body")
    clauses: tuple[ExceptionClause, ...] = ()
    if flags & _MORE_SECTIONS:
        start = rva + FAT_METHOD_HEADER.size + size
        clauses = tuple(_clauses(pe, start + (-start) % 4))
    return MethodBody(
        body.bytes_at(FAT_METHOD_HEADER.size, size, "IL"),
        fat.max_stack,
        bool(flags & _INIT_LOCALS),
        Token(local_signature) if local_signature else None,
        clauses,
        body.file,
        body.origin + FAT_METHOD_HEADER.size,
    )


def _clauses(pe: PeImage, rva: int) -> Iterator[ExceptionClause]:
    more = True
    for _ in range(_MOST_SECTIONS):
        if not more:
            return
        head = pe.at_rva(rva, 4, "a method data section")
        raw = head.whole()
        kind = raw[0]
        if not kind & _SECTION_EH:
            raise head.error(MalformedError, f"a method data section has kind 0x{kind:02x} (II.25.4.5)")
        is_fat = bool(kind & _SECTION_FAT)
        size = int.from_bytes(raw[1:4], "little") if is_fat else raw[1]
        declared = FAT_CLAUSE if is_fat else SMALL_CLAUSE
        count = size // declared.size  # some compilers leave the header out of the size: a quotient serves both
        region = pe.at_rva(rva, 4 + count * declared.size, "a table of exception clauses")
        for clause in declared.each(region.bytes_at(4, count * declared.size, "exception clauses")):
            yield _clause(clause)
        more = bool(kind & _SECTION_MORE)
        rva += max(size, 4)
        rva += (-rva) % 4
    raise LimitError(f"a method has more than {_MOST_SECTIONS} data sections", file=pe.source.name)


def _clause(clause: FatClause | SmallClause) -> ExceptionClause:
    last = clause.class_or_filter
    return ExceptionClause(
        clause.kind,
        clause.try_offset,
        clause.try_length,
        clause.handler_offset,
        clause.handler_length,
        Token(last) if clause.kind == CATCH and last & 0xFFFFFF else None,
        last if clause.kind == FILTER else None,
    )
