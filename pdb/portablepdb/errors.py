"""The errors of the reader.

Every error of the library derives from one class::

    PortablePdbError
    ├── UnreadableError        the bytes could not be had: no such file, no permission, the memory reader failed
    ├── UnknownFormatError     the file is something else (a gzip, a zip, text)
    │   └── WindowsPdbError    it is a classic Windows PDB (MSF)
    ├── TruncatedError         a structure ends past the end of its container
    ├── MalformedError         a value breaks a rule of the specification
    ├── LimitError             the data is legal, but larger or deeper than the reader goes
    └── NoSuchEntryError       the caller asked for a row, heap offset or entry that the file does not have

Each names the file, the byte offset in it (or in the memory that was read) and the rule that was broken.
"""

from __future__ import annotations


class PortablePdbError(Exception):
    """Something could not be read.

    ``file`` names the source, ``offset`` is the byte offset in it that the message is about (None when the
    whole file is meant), ``rule`` says in words what the specification or the operating system wants.
    """

    def __init__(self, rule: str, *, file: str = "<memory>", offset: int | None = None) -> None:
        super().__init__(rule, file, offset)
        self.rule = rule
        self.file = file
        self.offset = offset

    def __str__(self) -> str:
        place = self.file if self.offset is None else f"{self.file} at offset 0x{self.offset:x}"
        return f"{place}: {self.rule}"


class UnreadableError(PortablePdbError):
    """The bytes could not be had: no such file, no permission, or the caller's memory reader failed."""


class UnknownFormatError(PortablePdbError):
    """The file is neither metadata nor a PE image; the message says what it looks like."""


class WindowsPdbError(UnknownFormatError):
    """The file is a classic Windows PDB (an MSF container); the message says how to get a portable one."""


class TruncatedError(PortablePdbError):
    """A structure ends past the end of its container."""


class MalformedError(PortablePdbError):
    """A value breaks a rule of the specification."""


class LimitError(PortablePdbError):
    """The data goes beyond what the reader follows: nesting too deep, a decompressed size that cannot be true.

    ``budget`` is the name of the spent budget (see Limits); None for limits that cannot be set.
    """

    def __init__(
        self, rule: str, *, file: str = "<memory>", offset: int | None = None, budget: str | None = None
    ) -> None:
        super().__init__(rule, file=file, offset=offset)
        self.budget = budget


class NoSuchEntryError(PortablePdbError):
    """The caller asked for a row, an offset or an entry that the file does not have."""
