"""The part of the seam that looks at the whole heap: what objects there are, and what refers to what.

As all of `api.Debuggee`: session thread, while the process is held. Each call goes through the heap anew, some million
objects in a second. Objects that are dead and not collected yet are among those found.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct

from dap_dotnet.runtime.model import ModuleId, TypeDefToken, TypeId, Value, ValueHandle


class HeapType(Struct, frozen=True):
    """An exact type that has objects: how many, and their own bytes."""

    type: TypeId
    count: int
    bytes: int


class HeapObject(Struct, frozen=True):
    """An object: its address, and its exact type."""

    address: int
    type: TypeId


class ReferenceKind(enum.IntEnum):
    """Where a reference is: in an object, or one of the roots that the garbage collector starts from."""

    OBJECT = 0
    STACK = 1
    HANDLE = 2
    PINNED_HANDLE = 3
    FINALIZER = 4
    DEPENDENT_HANDLE = 5


class HeapReference(Struct, frozen=True):
    """A reference to an object.

    `address` is that of the object that refers, or on which a dependent handle hangs; 0 for other roots. `offset` is
    the reference's place in it, in bytes, and `type` its exact type, None for roots.
    """

    kind: ReferenceKind
    address: int
    offset: int
    type: TypeId | None


class RetainedSize(Struct, frozen=True):
    """What an object keeps alive alone, itself included, and its own bytes."""

    bytes: int
    objects: int
    own_bytes: int


class HeapReader(Protocol):
    """All raise `RuntimeCallError` where the runtime refuses: it does in the middle of a garbage collection."""

    def give_up_heap(self, given_up: bool) -> None:
        """Let the call that goes through the heap, and later ones, end with `RuntimeCallError` until it is False again.

        Any thread.
        """

    def heap_types(self) -> Sequence[HeapType]:
        """All exact types that have objects, in no order."""

    def heap_instances(self, type_id: TypeId, start: int, count: int) -> list[int]:
        """Addresses of up to `count` objects of an exact type, in the order of the heap, from number `start`."""

    def heap_find(
        self, classes: Collection[tuple[ModuleId, TypeDefToken]], most: int, *, timeout_ms: int
    ) -> tuple[list[HeapObject], bool]:
        """(up to `most` objects of some classes, whatever their type arguments, in the order of the heap; whether all).

        Objects of derived classes are not among them. Ends after `timeout_ms`, too.
        """

    def heap_object(self, address: int) -> Value:
        """The object at an address that another of these calls gave in the present generation."""

    def type_at(self, address: int) -> TypeId:
        """The exact type whose method table stands at an address: in the handle that a System.RuntimeType keeps.

        Raises `RuntimeCallError` where the runtime takes it for none.
        """

    def references_to(self, address: int, most: int) -> tuple[list[HeapReference], int]:
        """(up to `most` references to the object at an address, roots first; how many there are)."""

    def retained_size(self, value: ValueHandle) -> RetainedSize:
        """What would go with an object. Raises `RuntimeCallError` for a heap of more than 10,000,000 objects too."""
