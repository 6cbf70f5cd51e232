"""What the shim does with hit tests: decides by the values of a plan, before an event is sent."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Sequence

from dap_dotnet.errors import InternalError
from dap_dotnet.runtime.hit_tests import MOST_TESTS, HitTest, HitTestKind, HitTestNode, Relation
from dap_dotnet.runtime.model import BoundId, ElementType, Value
from dap_dotnet.values import primitives

_RELATIONS = {
    Relation.EQUAL: operator.eq,
    Relation.NOT_EQUAL: operator.ne,
    Relation.LESS: operator.lt,
    Relation.LESS_EQUAL: operator.le,
    Relation.GREATER: operator.gt,
    Relation.GREATER_EQUAL: operator.ge,
}
_OF_READS = (HitTestKind.READ, HitTestKind.NULL, HitTestKind.TEXT)
_CONSTANTS = (HitTestKind.INTEGER, HitTestKind.REAL)


class HitTests:
    """The tests of all breakpoints, and how many hits each of these has passed."""

    def __init__(self) -> None:
        self.tests: dict[BoundId, HitTest] = {}
        self.passed: Counter[BoundId] = Counter()
        self.set_so_far: list[HitTest | None] = []

    def set(self, bound: BoundId, test: HitTest | None, reads: int) -> None:
        """See `Debuggee.set_hit_test`; the plan has `reads` reads."""
        self.set_so_far.append(test)
        if test is None:
            self.tests.pop(bound, None)
            return
        if not 0 < len(test.nodes) <= MOST_TESTS or not all(
            _is_sound(node, number, reads) for number, node in enumerate(test.nodes)
        ):
            raise InternalError("The test is too long, or a part of it comes after what needs it.")
        self.tests[bound] = test

    def passes(self, bound: BoundId, values: Sequence[Value | None]) -> bool:
        """Whether a hit is passed; counts it."""
        test = self.tests.get(bound)
        if test is None or _value(test, len(test.nodes) - 1, values) is not False:
            return False
        self.passed[bound] += 1
        return True


def _is_sound(node: HitTestNode, number: int, reads: int) -> bool:
    if node.kind in _OF_READS:
        return node.left < reads
    return node.kind in _CONSTANTS or max(node.left, node.right) < number


def _value(test: HitTest, number: int, values: Sequence[Value | None]) -> bool | int | float | None:
    """None where it is not known."""
    node = test.nodes[number]
    if node.kind in _CONSTANTS:
        return node.integer if node.kind is HitTestKind.INTEGER else node.real
    if node.kind in _OF_READS:
        value = values[node.left]
        return None if value is None else _looked_at(test, node, value)
    left = _value(test, node.left, values)
    if left is None or node.kind is HitTestKind.NOT:
        return None if left is None else not left
    if node.kind in (HitTestKind.AND, HitTestKind.OR) and left is (node.kind is HitTestKind.OR):
        return left
    right = _value(test, node.right, values)
    if right is None or node.kind in (HitTestKind.AND, HitTestKind.OR):
        return right
    if node.kind is HitTestKind.COMPARE:
        return bool(_RELATIONS[Relation(node.detail)](left, right))
    if node.kind is HitTestKind.BITS:
        return int(left) & int(right)
    return int(math.fmod(left, right)) if right not in (0, -1) else None


def _looked_at(test: HitTest, node: HitTestNode, value: Value) -> bool | int | float | None:
    if node.kind is HitTestKind.NULL:
        return value.is_null
    if node.kind is HitTestKind.READ:
        return None if value.is_null else primitives.decode(ElementType(node.detail), value.raw)
    units = test.text[2 * node.detail : 2 * (node.detail + node.right)]
    if value.is_null or value.length != node.right:
        return False
    return (value.text or "").encode("utf-16-le", "surrogatepass") == units
