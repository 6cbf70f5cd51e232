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
from .version import VERSION as __version__

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
    from .members import Event as Event
    from .members import Field as Field
    from .members import GenericParameter as GenericParameter
    from .members import Method as Method
    from .members import Parameter as Parameter
    from .members import Property as Property
    from .members import TypeDef as TypeDef
    from .metadata import Metadata as Metadata
    from .pdb_search import PdbSearchResult as PdbSearchResult
    from .portable_pdb import PortablePdb as PortablePdb
    from .references import AssemblyRef as AssemblyRef
    from .references import MemberRef as MemberRef
    from .references import MethodSpec as MethodSpec
    from .references import Resource as Resource
    from .references import TypeRef as TypeRef
    from .references import TypeSpec as TypeSpec
    from .scopes import LocalConstant as LocalConstant
    from .scopes import LocalScope as LocalScope
    from .scopes import LocalVariable as LocalVariable
    from .scopes import ScopeTree as ScopeTree
    from .sequence_points import SequencePoint as SequencePoint

_HOMES = {
    "Assembly": "assembly",
    "AssemblyRef": "references",
    "AsyncInfo": "custom_debug_info",
    "Await": "custom_debug_info",
    "BindCandidate": "binding",
    "CodeViewEntry": "debug_directory",
    "Document": "documents",
    "Event": "members",
    "Field": "members",
    "GenericParameter": "members",
    "HoistedScope": "custom_debug_info",
    "Limits": "limits",
    "LocalConstant": "scopes",
    "LocalScope": "scopes",
    "LocalVariable": "scopes",
    "MemberRef": "references",
    "Metadata": "metadata",
    "Method": "members",
    "MethodSpec": "references",
    "Parameter": "members",
    "PdbChecksum": "debug_directory",
    "PdbSearchResult": "pdb_search",
    "PortablePdb": "portable_pdb",
    "Property": "members",
    "Resource": "references",
    "ScopeTree": "scopes",
    "SequencePoint": "sequence_points",
    "TableNumber": "handles",
    "Token": "handles",
    "TypeDef": "members",
    "TypeRef": "references",
    "TypeSpec": "references",
}

__all__ = [
    "Assembly",
    "AssemblyRef",
    "AsyncInfo",
    "Await",
    "BindCandidate",
    "CodeViewEntry",
    "Document",
    "Event",
    "Field",
    "GenericParameter",
    "HoistedScope",
    "LimitError",
    "Limits",
    "LocalConstant",
    "LocalScope",
    "LocalVariable",
    "MalformedError",
    "MemberRef",
    "Metadata",
    "Method",
    "MethodSpec",
    "NoSuchEntryError",
    "Parameter",
    "PdbChecksum",
    "PdbSearchResult",
    "PortablePdb",
    "PortablePdbError",
    "Property",
    "Resource",
    "ScopeTree",
    "SequencePoint",
    "TableNumber",
    "Token",
    "TruncatedError",
    "TypeDef",
    "TypeRef",
    "TypeSpec",
    "UnknownFormatError",
    "UnreadableError",
    "WindowsPdbError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
