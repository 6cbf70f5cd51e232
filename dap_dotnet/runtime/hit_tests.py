"""Hit tests: what the runtime's own thread decides of a breakpoint's condition, numbered as in cordebug_shim.h."""

from __future__ import annotations

import enum

from msgspec import Struct

MOST_TESTS = 64
"""The most nodes of one test."""


class HitTestKind(enum.IntEnum):
    """What a node stands for; numbered as CDS_TEST_…."""

    INTEGER = 1
    REAL = 2
    READ = 3
    NULL = 4
    TEXT = 5
    COMPARE = 6
    AND = 7
    OR = 8
    NOT = 9
    REMAINDER = 10
    BITS = 11


class Relation(enum.IntEnum):
    """How two numbers are compared; numbered as CDS_RELATION_…."""

    EQUAL = 1
    NOT_EQUAL = 2
    LESS = 3
    LESS_EQUAL = 4
    GREATER = 5
    GREATER_EQUAL = 6


class HitTestNode(Struct, frozen=True):
    """One node. `left` and `right` are numbers, from 0, of earlier nodes; for READ, NULL and TEXT `left` is a read's.

    `detail` is the `ElementType` of a READ and the `Relation` of a COMPARE. TEXT compares with `right` UTF-16 units of
    the test's text from `detail`.
    """

    kind: HitTestKind
    left: int = 0
    right: int = 0
    detail: int = 0
    integer: int = 0
    """Of an INTEGER; fits 64 bits with a sign."""
    real: float = 0.0


class HitTest(Struct, frozen=True):
    """Decides hits by what a read plan brings: one for which the last node is false is passed without an event.

    Where it is true, or needs what is not there, the event comes as ever.
    """

    nodes: tuple[HitTestNode, ...]
    text: bytes = b""
    """UTF-16, little-endian, without a mark."""
