"""portablepdb: a reader of Portable PDBs and of ECMA-335 metadata, in Python alone.

``PortablePdb`` opens a PDB, ``Assembly`` a PE image; both read lazily and are context managers. Every error is a
``PortablePdbError``. The names below load when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import (
    LimitError,
    MalformedError,
    NoSuchEntryError,
    PortablePdbError,
    TruncatedError,
    UnknownFormatError,
    UnreadableError,
    WindowsPdbError,
)

if TYPE_CHECKING:
    from .assembly import Assembly as Assembly
    from .binding import BindCandidate as BindCandidate
    from .custom_debug_info import AsyncInfo as AsyncInfo
    from .custom_debug_info import Await as Await
    from .custom_debug_info import HoistedScope as HoistedScope
    from .debug_directory import CodeViewEntry as CodeViewEntry
    from .debug_directory import PdbChecksum as PdbChecksum
    from .documents import Document as Document
    from .handles import TableNumber as TableNumber
    from .handles import Token as Token
    from .limits import Limits as Limits
    from .metadata import Metadata as Metadata
    from .pdb_search import PdbSearchResult as PdbSearchResult
    from .portable_pdb import PortablePdb as PortablePdb
    from .scopes import LocalConstant as LocalConstant
    from .scopes import LocalScope as LocalScope
    from .scopes import LocalVariable as LocalVariable
    from .sequence_points import SequencePoint as SequencePoint

_HOMES = {
    "Assembly": "assembly",
    "AsyncInfo": "custom_debug_info",
    "Await": "custom_debug_info",
    "BindCandidate": "binding",
    "CodeViewEntry": "debug_directory",
    "Document": "documents",
    "HoistedScope": "custom_debug_info",
    "LocalConstant": "scopes",
    "LocalScope": "scopes",
    "LocalVariable": "scopes",
    "Limits": "limits",
    "Metadata": "metadata",
    "PdbChecksum": "debug_directory",
    "PdbSearchResult": "pdb_search",
    "PortablePdb": "portable_pdb",
    "SequencePoint": "sequence_points",
    "TableNumber": "handles",
    "Token": "handles",
}

__all__ = [
    "Assembly",
    "AsyncInfo",
    "Await",
    "BindCandidate",
    "CodeViewEntry",
    "Document",
    "HoistedScope",
    "LimitError",
    "Limits",
    "LocalConstant",
    "LocalScope",
    "LocalVariable",
    "MalformedError",
    "Metadata",
    "NoSuchEntryError",
    "PdbChecksum",
    "PdbSearchResult",
    "PortablePdb",
    "PortablePdbError",
    "SequencePoint",
    "TableNumber",
    "Token",
    "TruncatedError",
    "UnknownFormatError",
    "UnreadableError",
    "WindowsPdbError",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
