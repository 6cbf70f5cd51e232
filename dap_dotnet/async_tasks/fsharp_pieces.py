"""The pieces of F#'s computations: the classes that the compiler makes of the code between two `let!` or `do!`.

`load@12`, `load@14-1`, … are of the method `load`; nothing in the PDB says so. Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.statements import first_visible

if TYPE_CHECKING:
    from portablepdb import SequencePoint

PIECE = re.compile(r"(.+@)\d+(-\d+)?$")
"""The name of such a class."""
_RETURNED = (
    "Microsoft.FSharp.Core.CompilerServices.ResumableCode<",
    "Microsoft.FSharp.Control.FSharpAsync<",
    "Microsoft.FSharp.Control.AsyncReturn",
)
"""What the code of a piece returns; a lambda's does not."""
_MOST_PIECES = 200


class Piece(Struct, frozen=True):
    """The code of a piece, and where its source begins."""

    method: MethodToken
    il_offset: int
    line: int
    number: int
    """That which its class has among those of one line; 0 for none."""


@if_damaged(())
def _find_pieces(module: LoadedModule, method: MethodToken) -> tuple[Piece, ...]:

    if module.metadata is None or module.pdb is None:
        return ()
    own = module.metadata.declaring_type(method)
    name = PIECE.match(own.name)
    if name is None or own.enclosing is None:
        return ()
    found = []
    for other in own.enclosing.nested:
        same = PIECE.match(other.name)
        if same is None or same[1] != name[1]:
            continue
        for candidate in other.methods:
            token = MethodToken(candidate.token)
            point = _first_point(module, token) if candidate.name == "Invoke" else None
            if point is not None:
                number = int((same[2] or "-0")[1:])
                found.append(Piece(token, point.il_offset, point.start_line, number))
    found.sort(key=lambda piece: (piece.line, piece.number))
    return tuple(found) if len(found) <= _MOST_PIECES else ()


pieces_around = ModuleMemo("pieces of a computation", _find_pieces)
"""All pieces of the computation that a method is a piece of, its beginning first.

Also for its conditions and `finally` blocks, and for lambdas of the same method; empty for other methods.
"""


def _first_point(module: LoadedModule, method: MethodToken) -> SequencePoint | None:
    """Where the source of a piece begins; None for other methods, and without source."""
    from portablepdb.type_display import type_signature_display

    assert module.metadata is not None
    point = first_visible(module, method)
    if point is None:
        return None
    returned = type_signature_display(module.metadata, module.metadata.method(method).signature.return_type, [], [])
    return point if returned.startswith(_RETURNED) else None
