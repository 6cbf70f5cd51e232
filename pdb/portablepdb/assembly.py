"""Assembly: an opened PE image with metadata, and its PDB."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING

from .debug_directory import DebugDirectory
from .errors import UnknownFormatError
from .limits import Budgets, Limits
from .pe import PeImage
from .source import Source, SourceLike

if TYPE_CHECKING:
    from .debug_directory import CodeViewEntry, DebugEntry, PdbChecksum
    from .metadata import Metadata
    from .pdb_search import PdbSearchResult
    from .portable_pdb import PortablePdb


_CHECKSUMS = ("sha256", "sha384", "sha512", "sha1", "md5")
"""What compilers use, as hashlib names them; hashlib has more, not all of which make a checksum of their own."""


class Assembly:
    """A PE image (32 or 64 bit), usually with metadata. Made by :meth:`open`; a context manager.

    ``path`` is where it was opened (None: not by a path), ``file`` its name in errors, ``pe`` its headers.
    Nothing is read before it is asked for. Not thread-safe.
    """

    def __init__(
        self, source: Source, *, layout: str = "flat", text_errors: str = "strict", limits: Limits | None = None
    ) -> None:
        if not isinstance(source, Source):
            raise TypeError("Assembly.open opens a path, bytes or a stream")
        self._source = source
        self.file = source.name
        self.path: str | None = None
        self.text_errors = text_errors
        self.limits = limits
        self.pe = PeImage(source, layout)
        self.debug_directory = DebugDirectory(self.pe)
        self.budgets = Budgets(limits, source.size or self.pe.size_of_image, source.name)
        self._metadata: Metadata | None = None

    @classmethod
    def open(
        cls,
        source: SourceLike,
        *,
        layout: str = "flat",
        name: str | None = None,
        text_errors: str = "strict",
        limits: Limits | None = None,
    ) -> Assembly:
        """Open an image from a path, bytes or a reader of another process's memory.

        ``layout`` is "flat" for the bytes of a file, "mapped" for an image as the loader laid it out (by RVA);
        ``limits`` are budgets for files not to be trusted, the PDB found for the image included. Raises
        UnreadableError, UnknownFormatError, TruncatedError, MalformedError.
        """
        opened = Source.open(source, name)
        try:
            assembly = cls(opened, layout=layout, text_errors=text_errors, limits=limits)
        except BaseException:
            opened.close()
            raise
        if isinstance(source, (str, os.PathLike)):
            assembly.path = os.fspath(source)
        return assembly

    def close(self) -> None:
        """Give the file back. Nothing may be read afterwards."""
        self._source.close()

    def __enter__(self) -> Assembly:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Assembly {self.file!r}>"

    @property
    def has_metadata(self) -> bool:
        """False for a native image."""
        return self.pe.cli is not None

    @property
    def is_ready_to_run(self) -> bool:
        """Whether the image also holds precompiled code (a managed native header)."""
        return self.pe.cli is not None and self.pe.cli.managed_native_rva != 0

    @property
    def metadata(self) -> Metadata:
        """The metadata. Raises UnknownFormatError for a native image."""
        if self._metadata is None:
            from .metadata import Metadata
            from .root import MetadataImage

            region = self.pe.metadata()
            if region is None:
                raise UnknownFormatError(
                    "not a .NET assembly: the image has no CLI header (an apphost? then open the .dll beside it)",
                    file=self.file,
                )
            self._metadata = Metadata(
                MetadataImage(region, text_errors=self.text_errors, budgets=self.budgets), self.pe
            )
        return self._metadata

    @property
    def debug_entries(self) -> list[DebugEntry]:
        """The entries of the debug directory."""
        return self.debug_directory.entries

    @property
    def codeview(self) -> CodeViewEntry | None:
        """The CodeView entry, the portable one if there are several; None if there is none."""
        return self.debug_directory.code_view

    @property
    def pdb_id(self) -> bytes | None:
        """The 20-byte id of this build's portable PDB, to compare with PortablePdb.id; None if there is none."""
        return self.debug_directory.pdb_id

    @property
    def pdb_checksums(self) -> list[PdbChecksum]:
        """The checksums of the PDB that the image carries."""
        return self.debug_directory.checksums

    @property
    def is_reproducible(self) -> bool:
        """Whether the compiler marked the build deterministic."""
        return self.debug_directory.is_reproducible

    @property
    def has_embedded_pdb(self) -> bool:
        """Whether the debug directory has an EmbeddedPortablePdb entry."""
        return self.debug_directory.has_embedded_pdb

    def embedded_pdb(self) -> PortablePdb | None:
        """The embedded PDB, inflated; None if there is none. It stays usable after close()."""
        region = self.debug_directory.embedded_pdb(self.budgets)
        if region is None:
            return None
        from .portable_pdb import PortablePdb
        from .root import MetadataImage

        return PortablePdb(MetadataImage(region, text_errors=self.text_errors, budgets=self.budgets))

    @property
    def debuggable(self) -> tuple[bool, bool] | None:
        """(JIT tracking, optimizations disabled) of the DebuggableAttribute; None if the assembly has none."""
        return self.metadata.debuggable if self.has_metadata else None

    def find_pdb(self, search_paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = ()) -> PdbSearchResult:
        """Look for the PDB of this very build: embedded, beside the image, at the CodeView path, in ``search_paths``.

        A search path is a folder or a PDB file; one may stand alone. A PDB whose id differs is not taken. The result's
        ``tried`` says for every place that did not do why not, in words. Close the PDB that is found.
        """
        from .pdb_search import find_pdb

        if isinstance(search_paths, (str, os.PathLike)):
            search_paths = (search_paths,)
        return find_pdb(self.debug_directory, self.path, self.text_errors, self.budgets, search_paths)

    def verify_checksum(self, pdb_bytes: bytes) -> bool | None:
        """Whether a PDB file's bytes have a checksum that the image carries; None without a known one.

        Raises MalformedError when the bytes are no PDB with an id.
        """
        import hashlib

        from .portable_pdb import PortablePdb

        if not isinstance(pdb_bytes, bytes):
            raise TypeError(f"the bytes of a PDB are wanted, not {type(pdb_bytes).__name__}")
        image = PortablePdb.open(pdb_bytes).image
        stream = next(stream for stream in image.streams if stream.name == "#Pdb")
        blank = pdb_bytes[: stream.offset] + bytes(20) + pdb_bytes[stream.offset + 20 :]
        computed: dict[str, bytes] = {}
        known = None
        for name, checksum in self.pdb_checksums:
            algorithm = name.lower().replace("-", "")
            if algorithm in _CHECKSUMS:
                if algorithm not in computed:
                    computed[algorithm] = hashlib.new(algorithm, blank).digest()
                known = computed[algorithm] == checksum
                if known:
                    return True
        return known
