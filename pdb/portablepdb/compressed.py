"""Compressed integers in bytes that a loop goes through by hand (ECMA-335 II.23.2), and what is wrong at a byte.

blob_reader.py reads the same where speed matters less.
"""

from __future__ import annotations

from .errors import MalformedError, PortablePdbError


class BlobError(Exception):
    """What is wrong at which byte of a blob. Does not leave the package: :meth:`located` makes the public error."""

    def __init__(self, rule: str, position: int, kind: type[PortablePdbError] = MalformedError) -> None:
        super().__init__(rule)
        self.rule = rule
        self.position = position
        self.kind = kind

    def located(self, file: str, origin: int) -> PortablePdbError:
        """The public error, given where the blob begins."""
        return self.kind(self.rule, file=file, offset=origin + self.position)


def wide(blob: bytes, position: int) -> tuple[int, int, int]:
    """A compressed integer of any width: value, next position, bits. Raises IndexError at the end of the blob."""
    first = blob[position]
    if first < 0x80:
        return first, position + 1, 7
    if first < 0xC0:
        return (first & 0x3F) << 8 | blob[position + 1], position + 2, 14
    if first >= 0xE0:
        raise BlobError(f"0x{first:02x} does not begin a compressed integer (II.23.2)", position)
    return (
        (first & 0x1F) << 24 | blob[position + 1] << 16 | blob[position + 2] << 8 | blob[position + 3],
        position + 4,
        29,
    )
