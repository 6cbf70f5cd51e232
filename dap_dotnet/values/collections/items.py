"""What a collection is for a variables view: a count, and pages of items."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.tuple_names import Names

MOST_VISITED = 100_000
"""Entries or nodes that one page may pass by: a torn structure may be a ring."""


class Item(Struct, frozen=True):
    """One item. `path` is what follows the collection's C# expression to mean it, None when nothing does."""

    value: Value
    path: str | None
    key: Value | None = None
    """Of an entry of a dictionary."""
    names: Names = ()
    """Of the tuple's own elements, where the collection itself gives it some."""


class Collection(Protocol):
    """A collection as it is now; its handles live as long as those of the value that it was read from."""

    @property
    def count(self) -> int:
        """Number of items."""
        ...

    def page(self, start: int, count: int) -> list[Item]:
        """Items from number `start`; fewer when the collection ends, or is not as it should be."""
        ...


class Part:
    """Some neighbours among the items of another collection."""

    def __init__(self, whole: Collection, start: int, count: int) -> None:
        self._whole = whole
        self._start = start
        self.count = count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        return self._whole.page(self._start + start, min(count, self.count - start)) if start < self.count else []
