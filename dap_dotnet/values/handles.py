"""Variable references: numbers that the client uses to ask for children. They live for one stop.

Numbers grow over the whole session, so that a reference of an earlier stop is known to be stale, never mistaken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from dap_dotnet.errors import StaleHandleError

T = TypeVar("T")


class HandleTable(Generic[T]):
    """Numbers from 1 for objects of the current stop."""

    def __init__(self, kind: str) -> None:
        """`kind` names the handles in error messages: "frame", "variable"."""
        self._kind = kind
        self._next = 1
        self._items: dict[int, T] = {}
        self._later: dict[int, Callable[[], T]] = {}
        self._shared: dict[T, int] = {}

    def add(self, item: T) -> int:
        """A new handle for `item`."""
        handle = self._next
        self._next += 1
        self._items[handle] = item
        return handle

    def add_later(self, make: Callable[[], T]) -> int:
        """A new handle for what `make` gives when it is first asked for: of a page hardly one is ever opened."""
        handle = self._next
        self._next += 1
        self._later[handle] = make
        return handle

    def shared(self, item: T) -> int:
        """The one handle of all that are equal to `item`, which is hashable."""
        handle = self._shared.get(item)
        if handle is None:
            handle = self._shared[item] = self.add(item)
        return handle

    def get(self, handle: int) -> T:
        """What the handle means. Raises `StaleHandleError` for those of earlier stops, and unknown ones."""
        item = self._items.get(handle)
        if item is None and (make := self._later.get(handle)) is not None:
            item = self._items[handle] = make()
            del self._later[handle]
        if item is None:
            raise StaleHandleError(
                f"The {self._kind} {handle} belongs to an earlier stop or never existed; ask for the stack again."
            )
        return item

    def clear(self) -> None:
        """The stop is over: all handles die."""
        self._items.clear()
        self._later.clear()
        self._shared.clear()
