"""A PE image: headers, sections, RVAs, the CLI header (PE/COFF specification; ECMA-335 II.25)."""

from __future__ import annotations

from typing import Any, NamedTuple

from .errors import LimitError, MalformedError, TruncatedError, UnknownFormatError
from .source import Region, Source

_CLI_DIRECTORY, _DEBUG_DIRECTORY = 14, 6
_MAX_DIRECTORIES = 16
_PE32, _PE32_PLUS = 0x10B, 0x20B
_CLI_HEADER_SIZE = 72
_MOST_SECTIONS = 96  # what loaders take


class Section(NamedTuple):
    """A section header: where its bytes are in the file and in memory."""

    name: str
    virtual_address: int
    virtual_size: int
    raw_pointer: int
    raw_size: int


class CliHeader(NamedTuple):
    """The parts of the CLI header (II.25.3.3) that readers need; RVAs and sizes in bytes."""

    flags: int
    entry_point: int
    metadata_rva: int
    metadata_size: int
    resources_rva: int
    resources_size: int
    managed_native_rva: int
    managed_native_size: int


class PeImage:
    """The headers of a PE image. ``layout`` is "flat" for a file, "mapped" for an image as the loader lays it out."""

    def __init__(self, source: Source, layout: str = "flat") -> None:
        from . import pe_layout as structs

        if layout not in ("flat", "mapped"):
            raise ValueError(f"layout is 'flat' or 'mapped', not {layout!r}")
        self.source = source
        self.layout = layout
        dos = source.region(0, 64, "the DOS header").bytes_at(0, 64, "the DOS header")
        if dos[:2] != b"MZ":
            raise UnknownFormatError(
                f"not a PE image: it begins with {dos[:2].hex(' ')}, not with MZ", file=source.name, offset=0
            )
        position = int.from_bytes(dos[60:64], "little")
        head = self._bytes(position, 24, "the PE header")
        if head[:4] != b"PE\0\0":
            raise UnknownFormatError("not a PE image: the PE signature is missing", file=source.name, offset=position)
        coff = dict(zip(structs.COFF_FIELDS, structs.COFF_FAST.unpack(head[4:]), strict=False))
        self.machine: int = coff["machine"]
        self.timestamp: int = coff["timestamp"]
        self.characteristics: int = coff["characteristics"]
        position += 24
        magic = int.from_bytes(self._bytes(position, 2, "the optional header"), "little")
        if magic not in (_PE32, _PE32_PLUS):
            raise MalformedError(f"the optional header has magic 0x{magic:x}", file=source.name, offset=position)
        fast, names = (
            (structs.OPTIONAL_32_FAST, structs.OPTIONAL_32_FIELDS)
            if magic == _PE32
            else (structs.OPTIONAL_64_FAST, structs.OPTIONAL_64_FIELDS)
        )
        optional: dict[str, Any] = dict(
            zip(names, fast.unpack(self._bytes(position, fast.size, "the optional header")), strict=False)
        )
        self.magic = magic
        self.dll_characteristics: int = optional["dll_characteristics"]
        self.size_of_image: int = optional["size_of_image"]
        self._size_of_headers: int = optional["size_of_headers"]
        count = min(optional["directory_count"], _MAX_DIRECTORIES)
        raw = self._bytes(position + fast.size, count * 8, "the data directories")
        self.directories = [
            (int.from_bytes(raw[i : i + 4], "little"), int.from_bytes(raw[i + 4 : i + 8], "little"))
            for i in range(0, count * 8, 8)
        ]
        position += coff["optional_header_size"]
        if coff["section_count"] > _MOST_SECTIONS:
            raise LimitError(f"the image claims {coff['section_count']} sections", file=source.name, offset=position)
        size = structs.SECTION_FAST.size
        raw = self._bytes(position, coff["section_count"] * size, "the section headers")
        self.sections = []
        for values in structs.SECTION_FAST.iter_unpack(raw):
            name, vsize, va, raw_size, raw_pointer = values[:5]
            text = name.rstrip(b"\0").decode("utf-8", "replace")
            self.sections.append(Section(text, va, vsize, raw_pointer, raw_size))
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
        from . import pe_layout as structs

        rva, _ = self.directory(_CLI_DIRECTORY)
        if not rva:
            return None
        raw = self.at_rva(rva, _CLI_HEADER_SIZE, "the CLI header").whole()
        values = dict(zip(structs.CLI_FIELDS, structs.CLI_FAST.unpack(raw), strict=False))
        return CliHeader(*(values[name] for name in CliHeader._fields))

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
