"""A PE image: headers, sections, RVAs, the CLI header (PE/COFF specification; ECMA-335 II.25)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import LimitError, MalformedError, TruncatedError, UnknownFormatError
from .foreign_files import not_image
from .records import Record
from .source import Region, Source

if TYPE_CHECKING:
    from .pe_structs import CliHeader, DataDirectory

_CLI_DIRECTORY, _DEBUG_DIRECTORY = 14, 6
_MAX_DIRECTORIES = 16
_PE32, _PE32_PLUS = 0x10B, 0x20B
_MOST_SECTIONS = 96  # what loaders take


class Section(Record):
    """A section header: where its bytes are in the file and in memory."""

    name: str
    virtual_address: int
    virtual_size: int
    raw_pointer: int
    raw_size: int


class PeImage:
    """The headers of a PE image. ``layout`` is "flat" for a file, "mapped" for an image as the loader lays it out."""

    def __init__(self, source: Source, layout: str = "flat") -> None:
        from . import pe_structs as structs

        if layout not in ("flat", "mapped"):
            raise ValueError(f"layout is 'flat' or 'mapped', not {layout!r}")
        self.source = source
        self.layout = layout
        dos = structs.DOS_HEADER.parse(self._bytes(0, structs.DOS_HEADER.size, "the DOS header"))
        if dos.magic != b"MZ":
            raise not_image(source.region(0, structs.DOS_HEADER.size, "the DOS header"))
        position = dos.pe_offset
        coff = structs.COFF_HEADER.parse(self._bytes(position, structs.COFF_HEADER.size, "the PE header"))
        if coff.signature != b"PE\0\0":
            raise UnknownFormatError("not a PE image: the PE signature is missing", file=source.name, offset=position)
        self.machine: int = coff.machine
        self.timestamp: int = coff.timestamp
        self.characteristics: int = coff.characteristics
        position += structs.COFF_HEADER.size
        magic = int.from_bytes(self._bytes(position, 2, "the optional header"), "little")
        if magic not in (_PE32, _PE32_PLUS):
            raise MalformedError(f"the optional header has magic 0x{magic:x}", file=source.name, offset=position)
        declared = structs.OPTIONAL_HEADER_32 if magic == _PE32 else structs.OPTIONAL_HEADER_64
        optional = declared.parse(self._bytes(position, declared.size, "the optional header"))
        self.magic = magic
        self.dll_characteristics: int = optional.dll_characteristics
        self.size_of_image: int = optional.size_of_image
        count = min(optional.directory_count, _MAX_DIRECTORIES)
        size = count * structs.DATA_DIRECTORY.size
        raw = self._bytes(position + declared.size, size, "the data directories")
        self.directories: list[DataDirectory] = structs.DATA_DIRECTORY.each(raw)
        position += coff.optional_header_size
        if coff.section_count > _MOST_SECTIONS:
            raise LimitError(f"the image claims {coff.section_count} sections", file=source.name, offset=position)
        raw = self._bytes(position, coff.section_count * structs.SECTION_HEADER.size, "the section headers")
        self.sections = [
            Section(
                header.name.rstrip(b"\0").decode("utf-8", "replace"),
                header.virtual_address,
                header.virtual_size,
                header.raw_pointer,
                header.raw_size,
            )
            for header in structs.SECTION_HEADER.each(raw)
        ]
        self._cli: CliHeader | None = None
        self._cli_read = False

    def directory(self, number: int) -> tuple[int, int]:
        """RVA and size of a data directory; (0, 0) if the image has none."""
        return self.directories[number] if number < len(self.directories) else (0, 0)

    @property
    def cli(self) -> CliHeader | None:
        """The CLI header; None for a native image."""
        if not self._cli_read:
            self._cli = self._read_cli()
            self._cli_read = True
        return self._cli

    def at_rva(self, rva: int, size: int, what: str) -> Region:
        """``size`` bytes at an RVA. MalformedError when no section has it, TruncatedError when they do not fit."""
        offset, available = self._place(rva, what)
        if size > available:
            raise TruncatedError(
                f"{what} (RVA 0x{rva:x}, {size} bytes) ends past its section", file=self.source.name, offset=offset
            )
        return self.source.region(offset, size, what)

    def room_at_rva(self, rva: int, what: str) -> int:
        """How many bytes the section has from an RVA on."""
        return self._place(rva, what)[1]

    def at_file_offset(self, offset: int, rva: int, size: int, what: str) -> Region:
        """Bytes that the headers name both by file offset and by RVA: by the one that the layout has."""
        if self.layout == "mapped":
            return self.at_rva(rva, size, what)
        return self.source.region(offset, size, what)

    def metadata(self) -> Region | None:
        """The metadata; None for a native image."""
        cli = self.cli
        if cli is None:
            return None
        return self.at_rva(cli.metadata_rva, cli.metadata_size, "the metadata")

    def _read_cli(self) -> CliHeader | None:
        from . import pe_structs as structs

        rva, _ = self.directory(_CLI_DIRECTORY)
        if not rva:
            return None
        header: CliHeader = structs.CLI_HEADER.parse(
            self.at_rva(rva, structs.CLI_HEADER.size, "the CLI header").whole()
        )
        return header

    def _place(self, rva: int, what: str) -> tuple[int, int]:
        if self.layout == "mapped":
            if not 0 < rva < self.size_of_image:
                raise MalformedError(f"{what} has RVA 0x{rva:x}, outside the image", file=self.source.name)
            return rva, self.size_of_image - rva
        for section in self.sections:
            if section.virtual_address <= rva < section.virtual_address + max(section.virtual_size, 1):
                skip = rva - section.virtual_address
                # SRM's rule: the smaller of the two sizes is what there is.
                return section.raw_pointer + skip, max(min(section.virtual_size, section.raw_size) - skip, 0)
        raise MalformedError(f"{what} has RVA 0x{rva:x}, which is in no section", file=self.source.name)

    def _bytes(self, offset: int, size: int, what: str) -> bytes:
        if size > 1 << 22:
            raise LimitError(f"{what} claims {size} bytes", file=self.source.name, offset=offset)
        return self.source.region(offset, size, what).whole()
