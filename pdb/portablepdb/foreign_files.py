"""What a file is that is no metadata, in words that help."""

from __future__ import annotations

from .errors import UnknownFormatError, WindowsPdbError
from .source import Region

_LOOKS_LIKE = (
    (b"\x1f\x8b", "it is a gzip file: unpack it first"),
    (b"PK\x03\x04", "it is a zip archive (a .nupkg or .snupkg is one): unpack it first"),
    (b"MSCF", "it is a cabinet file, as symbol servers store compressed PDBs (.pd_): unpack it first"),
    (b"MZ", "it is a PE image, not a standalone PDB; open it as an assembly"),
    (b"\x7fELF", "it is an ELF file"),
)


def not_metadata(region: Region) -> UnknownFormatError:
    """The error about a region that does not begin as metadata does."""
    head = region.bytes_at(0, min(32, region.size), "the first bytes")
    if head.startswith((b"Microsoft C/C++ MSF", b"Microsoft C/C++ program database")):
        rule = (
            "this is a Windows PDB, not a portable one: build with <DebugType>portable</DebugType>"
            " (csc -debug:portable), or convert it with the Pdb2Pdb tool of dotnet/symreader-converter"
        )
        return WindowsPdbError(rule, file=region.file, offset=region.origin)
    words = _looks_like(head)
    if words is None:
        words = "the file is empty" if not head else f"it begins with {head[:4].hex(' ')}, metadata with 42 53 4a 42"
    rule = f"not a Portable PDB or metadata: {words}"
    return UnknownFormatError(rule, file=region.file, offset=region.origin)


def not_image(region: Region) -> UnknownFormatError:
    """The error about a region that does not begin as a PE image does."""
    head = region.bytes_at(0, min(32, region.size), "the first bytes")
    if head.startswith(b"BSJB"):
        words = "it is a Portable PDB: PortablePdb.open reads it"
    else:
        words = _looks_like(head) or f"it begins with {head[:2].hex(' ')}, not with MZ"
    return UnknownFormatError(f"not a PE image: {words}", file=region.file, offset=region.origin)


def _looks_like(head: bytes) -> str | None:
    return next((text for magic, text in _LOOKS_LIKE if head.startswith(magic)), None)
