"""The tree of patterns, and of the expressions that have them: `is`, `switch`."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.evaluation.syntax.tree import Node, TypeSyntax


class ConstantPattern(Node, frozen=True):
    """A constant, or a type: `null`, `1`, `Colour.Red`, `Node` (only binding can tell the last two apart)."""

    value: Node


class TypePattern(Node, frozen=True):
    """`type`, or `type name`, or `var name` (`type` None). `name` None or "_" keeps nothing."""

    type: TypeSyntax | None
    name: str | None


class RelationalPattern(Node, frozen=True):
    """`< value` and its like."""

    operator: str
    value: Node


class NotPattern(Node, frozen=True):
    """`not pattern`."""

    pattern: Pattern


class JunctionPattern(Node, frozen=True):
    """`left and right`, `left or right`."""

    left: Pattern
    right: Pattern
    is_and: bool


class DiscardPattern(Node, frozen=True):
    """`_`."""


class PropertyPart(Node, frozen=True):
    """`A.B: pattern` in a property pattern."""

    path: tuple[str, ...]
    pattern: Pattern


class RecursivePattern(Node, frozen=True):
    """`type (positional) { properties } name`; `positional` None when there are no parentheses.

    `positional_names` are those before a colon, None for an item without; () where there are none at all.
    """

    type: TypeSyntax | None
    positional: tuple[Pattern, ...] | None
    properties: tuple[PropertyPart, ...]
    name: str | None
    positional_names: tuple[str | None, ...] = ()


class SlicePattern(Node, frozen=True):
    """`..` in a list pattern, or `.. pattern` for what is between the others."""

    pattern: Pattern | None = None


class ListPattern(Node, frozen=True):
    """`[a, .., b]`."""

    items: tuple[Pattern, ...]


Pattern = (
    ConstantPattern
    | TypePattern
    | RelationalPattern
    | NotPattern
    | JunctionPattern
    | DiscardPattern
    | RecursivePattern
    | SlicePattern
    | ListPattern
)


class IsPattern(Node, frozen=True):
    """`operand is pattern`."""

    operand: Node
    pattern: Pattern


class Arm(Struct, frozen=True):
    """An arm of a switch expression."""

    pattern: Pattern
    guard: Node | None
    result: Node


class Switch(Node, frozen=True):
    """`operand switch { arms }`."""

    operand: Node
    arms: tuple[Arm, ...]
