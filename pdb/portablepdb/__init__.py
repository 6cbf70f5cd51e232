"""portablepdb: a reader of Portable PDBs and of ECMA-335 metadata, in Python alone.

``PortablePdb`` opens a PDB, ``Assembly`` a PE image; both read lazily and are context managers. Every error is a
``PortablePdbError``. The names below load when first used, so that importing the package costs next to nothing. They
are the public interface, with the modules ``custom_attributes``, ``custom_debug_info``, ``disassembler``, ``flags``,
``signatures`` and ``source_link``.
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
    from .attribute_values import Argument as Argument
    from .attribute_values import ArgumentType as ArgumentType
    from .attribute_values import NamedArgument as NamedArgument
    from .attribute_values import NotDecoded as NotDecoded
    from .binding import BindCandidate as BindCandidate
    from .constants import ConstantValue as ConstantValue
    from .custom_attributes import CustomAttribute as CustomAttribute
    from .custom_debug_info import AsyncInfo as AsyncInfo
    from .custom_debug_info import Await as Await
    from .custom_debug_info import HoistedScope as HoistedScope
    from .debug_directory import CodeViewEntry as CodeViewEntry
    from .debug_directory import DebugEntry as DebugEntry
    from .debug_directory import PdbChecksum as PdbChecksum
    from .debug_entries import CustomDebugInformation as CustomDebugInformation
    from .documents import Document as Document
    from .handles import TableNumber as TableNumber
    from .handles import Token as Token
    from .il import ExceptionClause as ExceptionClause
    from .il import MethodBody as MethodBody
    from .imports import Import as Import
    from .imports import ImportKind as ImportKind
    from .imports import ImportScope as ImportScope
    from .instructions import Instruction as Instruction
    from .limits import Limits as Limits
    from .manifest import AssemblyDef as AssemblyDef
    from .manifest import ExportedType as ExportedType
    from .members import Event as Event
    from .members import Field as Field
    from .members import GenericParameter as GenericParameter
    from .members import Method as Method
    from .members import Property as Property
    from .members import TypeDef as TypeDef
    from .metadata import Metadata as Metadata
    from .opcodes import OpCode as OpCode
    from .opcodes import Operand as Operand
    from .parameters import Parameter as Parameter
    from .pdb_search import PdbSearchResult as PdbSearchResult
    from .portable_pdb import PortablePdb as PortablePdb
    from .references import AssemblyIdentity as AssemblyIdentity
    from .references import AssemblyRef as AssemblyRef
    from .references import Constant as Constant
    from .references import File as File
    from .references import Member as Member
    from .references import MemberRef as MemberRef
    from .references import MethodSpec as MethodSpec
    from .references import ModuleRef as ModuleRef
    from .references import PInvokeImport as PInvokeImport
    from .references import Resource as Resource
    from .references import TypeRef as TypeRef
    from .references import TypeSpec as TypeSpec
    from .scopes import LocalConstant as LocalConstant
    from .scopes import LocalScope as LocalScope
    from .scopes import LocalVariable as LocalVariable
    from .scopes import ScopeTree as ScopeTree
    from .sequence_points import SequencePoint as SequencePoint

_HOMES = {
    "Argument": "attribute_values",
    "ArgumentType": "attribute_values",
    "Assembly": "assembly",
    "AssemblyDef": "manifest",
    "AssemblyIdentity": "references",
    "AssemblyRef": "references",
    "AsyncInfo": "custom_debug_info",
    "Await": "custom_debug_info",
    "BindCandidate": "binding",
    "CodeViewEntry": "debug_directory",
    "Constant": "references",
    "ConstantValue": "constants",
    "CustomAttribute": "custom_attributes",
    "CustomDebugInformation": "debug_entries",
    "DebugEntry": "debug_directory",
    "Document": "documents",
    "Event": "members",
    "ExceptionClause": "il",
    "ExportedType": "manifest",
    "Field": "members",
    "File": "references",
    "GenericParameter": "members",
    "HoistedScope": "custom_debug_info",
    "Import": "imports",
    "ImportKind": "imports",
    "ImportScope": "imports",
    "Instruction": "instructions",
    "Limits": "limits",
    "LocalConstant": "scopes",
    "LocalScope": "scopes",
    "LocalVariable": "scopes",
    "Member": "references",
    "MemberRef": "references",
    "Metadata": "metadata",
    "Method": "members",
    "MethodBody": "il",
    "MethodSpec": "references",
    "ModuleRef": "references",
    "NamedArgument": "attribute_values",
    "NotDecoded": "attribute_values",
    "OpCode": "opcodes",
    "Operand": "opcodes",
    "PInvokeImport": "references",
    "Parameter": "parameters",
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
    "Argument",
    "ArgumentType",
    "Assembly",
    "AssemblyDef",
    "AssemblyIdentity",
    "AssemblyRef",
    "AsyncInfo",
    "Await",
    "BindCandidate",
    "CodeViewEntry",
    "Constant",
    "ConstantValue",
    "CustomAttribute",
    "CustomDebugInformation",
    "DebugEntry",
    "Document",
    "Event",
    "ExceptionClause",
    "ExportedType",
    "Field",
    "File",
    "GenericParameter",
    "HoistedScope",
    "Import",
    "ImportKind",
    "ImportScope",
    "Instruction",
    "LimitError",
    "Limits",
    "LocalConstant",
    "LocalScope",
    "LocalVariable",
    "MalformedError",
    "Member",
    "MemberRef",
    "Metadata",
    "Method",
    "MethodBody",
    "MethodSpec",
    "ModuleRef",
    "NamedArgument",
    "NoSuchEntryError",
    "NotDecoded",
    "OpCode",
    "Operand",
    "PInvokeImport",
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


def __dir__() -> list[str]:
    """All names, those not loaded yet too: so that help() and completion show them."""
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "Any", "annotations"})
