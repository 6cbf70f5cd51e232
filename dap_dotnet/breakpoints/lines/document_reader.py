"""The sequence points of a document at which a breakpoint can stand, out of a PDB."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.lines.document_lines import DocumentLines, Point
from dap_dotnet.breakpoints.lines.origins import Origin, origin_of
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb import SequencePoint


def read_document(loaded: LoadedModule, document_row: int) -> DocumentLines:
    """The visible sequence points of a document, ready to be asked. Damaged methods have none."""
    from portablepdb import PortablePdbError

    pdb = loaded.pdb
    assert pdb is not None
    document = pdb.documents.by_row(document_row)
    points = []
    for token in pdb.methods_of_document(document):
        method = MethodToken(token)
        try:
            found = pdb.sequence_points(method)
        except PortablePdbError:
            continue  # a method with a damaged blob has no points
        read_il = functools.cache(functools.partial(_il_of, loaded, method))
        points += [
            Point(point.start_line, point.start_column, point.end_line, point.end_column, method, point.il_offset)
            for point, after in itertools.zip_longest(found, found[1:])
            if point.document is document
            and not point.is_hidden
            and not _is_never_executed(read_il, point.il_offset, after)
        ]

    def origin(method: MethodToken) -> Origin:
        try:
            assert loaded.metadata is not None
            declared = loaded.metadata.method(method)
            return origin_of(declared.name, loaded.metadata.type_def(declared.declaring_type).name)
        except PortablePdbError:
            return Origin(None, True)

    return DocumentLines(points, origin)


_JUMP_OVER_NOP = bytes((0x17, 0x2D, 0x01, 0x00))
"""``ldc.i4.1``, ``brtrue.s`` over the next instruction, ``nop``."""


def _is_never_executed(read_il: Callable[[], bytes], il_offset: int, after: SequencePoint | None) -> bool:
    """Whether a point is on a `nop` that is always jumped over.

    Roslyn writes such a `nop` before the arms of a switch expression in unoptimised code, for ``switch { … }``, and one
    after them, for what is around it. A breakpoint there would look bound and never be hit. `after` is the next point
    of the method, which such a `nop` always has right behind it.
    """
    if after is None or after.il_offset != il_offset + 1 or il_offset < 3:
        return False
    return read_il()[il_offset - 3 : il_offset + 1] == _JUMP_OVER_NOP


def _il_of(loaded: LoadedModule, method: MethodToken) -> bytes:
    """The IL of a method; empty where it has none, or it cannot be read."""
    from portablepdb import PortablePdbError

    try:
        body = loaded.metadata.method_body(method) if loaded.metadata is not None else None
    except PortablePdbError:
        return b""
    return body.il if body is not None else b""
