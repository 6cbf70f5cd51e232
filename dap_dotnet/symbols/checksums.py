"""Whether a file is the one that a document was compiled from, by the checksum in the PDB (Document.Hash)."""

from __future__ import annotations

import hashlib
import os
import stat
from functools import cached_property
from typing import TYPE_CHECKING

from dap_dotnet.source_lines import decoded, source_lines

if TYPE_CHECKING:
    from portablepdb import Document

LARGEST_SOURCE = 64 << 20
"""Bytes; larger files are not read."""


class SourceFile:
    """A local file with the checksums of what it has now. `identity` changes when the file does."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.identity = _identity(path)
        self._real_path: str | None = None
        self._digests: dict[str, frozenset[bytes]] = {}

    @property
    def exists(self) -> bool:
        """Whether it is a file that can be compared."""
        return self.identity is not None

    @property
    def has_changed(self) -> bool:
        """Whether the file is another one, or written to, since this was made."""
        return _identity(self.path) != self.identity

    @property
    def real_path(self) -> str:
        """The path without symbolic links."""
        if self._real_path is None:
            self._real_path = os.path.realpath(self.path)
        return self._real_path

    @cached_property
    def content(self) -> bytes | None:
        """Read once: checksums and lines are of the same content, whatever is written to the file later."""
        if self.identity is None:
            return None
        try:
            with open(self.path, "rb") as stream:
                return stream.read()
        except OSError:
            return None

    @cached_property
    def lines(self) -> list[str]:
        """The text in lines, without their ends; nothing where it cannot be read."""
        return source_lines(decoded(self.content)) if self.content is not None else []

    def is_source_of(self, document: Document) -> bool | None:
        """Whether the document was compiled from this content; None when the file or the checksum is missing.

        Line endings do not count: version control changes them, and they change no line's number.
        """
        if self.identity is None or not document.hash:
            return None
        from portablepdb.documents import HASH_ALGORITHMS

        algorithm = HASH_ALGORITHMS.get(str(document.hash_algorithm))
        if algorithm is None:
            return None
        known = self._digests.get(algorithm)
        if known is None:
            content = self.content
            known = self._digests[algorithm] = _digests_of(content, algorithm) if content is not None else frozenset()
        return bytes(document.hash) in known if known else None


def is_compiled_from(content: bytes, document: Document) -> bool | None:
    """Whether the document was compiled from this content, line endings aside; None when the checksum is missing."""
    from portablepdb.documents import HASH_ALGORITHMS

    algorithm = HASH_ALGORITHMS.get(str(document.hash_algorithm))
    if algorithm is None or not document.hash:
        return None
    return bytes(document.hash) in _digests_of(content, algorithm)


def _identity(path: str) -> tuple[int, int, int, int] | None:
    if not os.path.isabs(path):
        return None
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SOURCE:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _digests_of(content: bytes, algorithm: str) -> frozenset[bytes]:
    """The checksums of a content as it is and with either line ending."""
    unix = content.replace(b"\r\n", b"\n")
    variants = {content, unix, unix.replace(b"\n", b"\r\n")}
    return frozenset(hashlib.new(algorithm, variant, usedforsecurity=False).digest() for variant in variants)
