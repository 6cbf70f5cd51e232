"""The tree of a C# expression: small, frozen, independent of the parser that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TypeVar

from msgspec import Struct, structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.runtime.model import ElementType

Constant = bool | int | float | str | Decimal | None
"""A literal's value: a char is its UTF-16 unit, the null literal None."""


class Place:
    """Where a node stands in its text: `start` counts the characters before it, `name` those before the name that it
    ends with (`b` of `a.b` and of `a.b(1)`, the arrow of a lambda); None: it begins with its name, or has none.

    Both numbers are -1 where the text does not have the node. Places do not count when trees are compared.
    """

    __slots__ = ("name", "start")

    def __init__(self, start: int, name: int | None = None) -> None:
        self.start = start
        self.name = start if name is None else name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return f"Place({self.start}, {self.name})"


NOWHERE = Place(-1)


@contextmanager
def passing(at: Place) -> Iterator[None]:
    """An error that comes out of this passes a place."""
    try:
        yield
    except EvaluationError as error:
        error.trail.append(at)
        raise


class Node(Struct, frozen=True, kw_only=True):
    """Any part of an expression."""

    at: Place = NOWHERE


Built = TypeVar("Built", bound=Node)


def placed(node: Built, place: Place) -> Built:
    """A node at a place, unless it has one."""
    return structs.replace(node, at=place) if node.at is NOWHERE else node


def parts_of(tree: object) -> Iterator[object]:
    """A tree with all that is in it, in no particular order. Iterative: a long chain of operators is deep."""
    pending = [tree]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, tuple):
            pending.extend(part)
        elif isinstance(part, Struct):
            pending.extend(getattr(part, name) for name in part.__struct_fields__)


# types


class TypePart(Node, frozen=True):
    """One name of a qualified type name, with its type arguments; `unbound` counts the commas of `List<>`, plus 1."""

    name: str
    arguments: tuple[TypeSyntax, ...] = ()
    unbound: int = 0


class NamedTypeSyntax(Node, frozen=True):
    """`A.B<C>.D`, after an optional `global::`."""

    parts: tuple[TypePart, ...]


class PredefinedTypeSyntax(Node, frozen=True):
    """A keyword type: int, string, object… An expression, too: `int` in `int.MaxValue`."""

    keyword: str


class ArrayTypeSyntax(Node, frozen=True):
    """`element[,]`."""

    element: TypeSyntax
    rank: int


class NullableTypeSyntax(Node, frozen=True):
    """`element?`."""

    element: TypeSyntax


class PointerTypeSyntax(Node, frozen=True):
    """`element*`."""

    element: TypeSyntax


class TupleTypeSyntax(Node, frozen=True):
    """`(int, string name)`; `names` are () where no element has one."""

    elements: tuple[TypeSyntax, ...]
    names: tuple[str | None, ...] = ()


TypeSyntax = (
    NamedTypeSyntax | PredefinedTypeSyntax | ArrayTypeSyntax | NullableTypeSyntax | PointerTypeSyntax | TupleTypeSyntax
)


Names = tuple["str | None", ...]
"""Flattened as the compiler keeps them: a tuple's own, then those of each element that has tuples itself, in order."""


def element_names(kind: TypeSyntax) -> Names:
    """The names, None for each element without one; () where the type has no tuple, or no names."""
    names = tuple(_names((kind,)))
    return names if any(names) else ()


def _names(kinds: Iterable[TypeSyntax]) -> Iterator[str | None]:
    for kind in kinds:
        if isinstance(kind, TupleTypeSyntax):
            yield from kind.names or (None,) * len(kind.elements)
            yield from _names(kind.elements)
        elif isinstance(kind, NamedTypeSyntax):
            yield from _names(argument for part in kind.parts for argument in part.arguments)
        elif not isinstance(kind, PredefinedTypeSyntax):
            yield from _names((kind.element,))


# expressions


class Literal(Node, frozen=True):
    """A literal. `code` is its element type; VALUETYPE is a decimal, CLASS the null literal."""

    code: ElementType
    value: Constant


class Name(Node, frozen=True):
    """A simple name, perhaps with type arguments: a variable, a member of `this`, a type or a namespace.

    `unbound` as in `TypePart`.
    """

    name: str
    type_arguments: tuple[TypeSyntax, ...] = ()
    unbound: int = 0


class This(Node, frozen=True):
    """`this`."""


class Base(Node, frozen=True):
    """`base`, before a member access or an indexer."""


class Parenthesized(Node, frozen=True):
    """Kept only where parentheses end the reach of a `?.`."""

    inner: Node


class Member(Node, frozen=True):
    """`target.name<…>`. `p->name` is `(*p).name`."""

    target: Node
    name: str
    type_arguments: tuple[TypeSyntax, ...] = ()


class Argument(Struct, frozen=True):
    """An argument of a call or an indexer. `modifier` is "", "ref", "out" or "in"."""

    value: Node
    name: str | None = None
    modifier: str = ""
    text: str | None = None
    """As it is written; None for one that the source does not have."""


class Declaration(Node, frozen=True):
    """`var name` or `type name` after `out`, or where a pattern stands; `type` None: that of what it is given."""

    type: TypeSyntax | None
    name: str


class Index(Node, frozen=True):
    """`target[arguments]`."""

    target: Node
    arguments: tuple[Argument, ...]


class Call(Node, frozen=True):
    """`target(arguments)`."""

    target: Node
    arguments: tuple[Argument, ...]
    receiver: str | None = None
    """What a method is called on, as it is written."""
    is_clause: bool = False
    """Whether a clause of a query stands for it."""


class Receiver(Node, frozen=True):
    """In the access part of a `?.`: the value before it."""


class ConditionalAccess(Node, frozen=True):
    """`target?access`: null when the target is null; `access` contains one `Receiver`."""

    target: Node
    access: Node


class Unary(Node, frozen=True):
    """A prefix operator: + - ! ~ ^ & *."""

    operator: str
    operand: Node


class Binary(Node, frozen=True):
    """A binary operator, `&&`, `||` and `??` included."""

    operator: str
    left: Node
    right: Node


class Conditional(Node, frozen=True):
    """`condition ? when_true : when_false`; `is_reference`: `condition ? ref a : ref b`, one of two variables."""

    condition: Node
    when_true: Node
    when_false: Node
    is_reference: bool = False


class Cast(Node, frozen=True):
    """`(type)operand`."""

    type: TypeSyntax
    operand: Node


class As(Node, frozen=True):
    """`operand as type`."""

    operand: Node
    type: TypeSyntax


class TypeOf(Node, frozen=True):
    """`typeof(type)`."""

    type: TypeSyntax


class SizeOf(Node, frozen=True):
    """`sizeof(type)`."""

    type: TypeSyntax


class Default(Node, frozen=True):
    """`default(type)`, or `default` (`type` None)."""

    type: TypeSyntax | None


class Checked(Node, frozen=True):
    """`checked(operand)` or `unchecked(operand)`."""

    operand: Node
    is_checked: bool


class Hole(Struct, frozen=True):
    """A hole of an interpolated string: `{value,alignment:format}`."""

    value: Node
    alignment: int
    format: str


class Interpolated(Node, frozen=True):
    """An interpolated string."""

    parts: tuple[str | Hole, ...]


class Tuple(Node, frozen=True):
    """`(a, name: b)`."""

    items: tuple[Node, ...]
    names: tuple[str | None, ...]


class Throw(Node, frozen=True):
    """`throw operand`. `is_placed`: it stands where it may, as a branch of an expression or a statement."""

    operand: Node
    is_placed: bool = True


class Await(Node, frozen=True):
    """`await operand`."""

    operand: Node


class Element(Struct, frozen=True):
    """`value` or `..value` in a collection expression."""

    value: Node
    is_spread: bool


class Collection(Node, frozen=True):
    """`[a, ..b]`."""

    items: tuple[Element, ...]


class Anonymous(Node, frozen=True):
    """`new { a, name = b }`."""

    items: tuple[Node, ...]
    names: tuple[str, ...]


class MemberEntry(Node, frozen=True):
    """`name = value` in an initializer."""

    name: str
    value: Node | Initializer


class IndexEntry(Node, frozen=True):
    """`[arguments] = value` in an initializer."""

    arguments: tuple[Argument, ...]
    value: Node | Initializer


class ElementEntry(Node, frozen=True):
    """`value` or `{ values }` in an initializer: what Add is called with."""

    values: tuple[Node, ...]


Entry = MemberEntry | IndexEntry | ElementEntry


class Initializer(Struct, frozen=True):
    """`{ … }` after a creation."""

    entries: tuple[Entry, ...]


class New(Node, frozen=True):
    """`new type(arguments) initializer`; `type` None takes the type of the target."""

    type: TypeSyntax | None
    arguments: tuple[Argument, ...]
    initializer: Initializer | None = None


class NewArray(Node, frozen=True):
    """`new element[length] { items }`; `element` None: the common type of the items.

    Of several dimensions: `lengths` are all or none written, `shape` are those of the items, the last index of which
    runs fastest.
    """

    element: TypeSyntax | None
    lengths: tuple[Node, ...]
    items: tuple[Node, ...] | None
    shape: tuple[int, ...] = ()
    rank: int = 1


class With(Node, frozen=True):
    """`operand with initializer`."""

    operand: Node
    initializer: Initializer


class Assignment(Node, frozen=True):
    """`target operator value`; the operator is `=`, `??=`, or a compound one such as `+=`."""

    target: Node
    operator: str
    value: Node


class Increment(Node, frozen=True):
    """`++` or `--` before (`is_prefix`) or after its operand."""

    target: Node
    operator: str
    is_prefix: bool


Parameter = str | tuple[str, ...]
"""A lambda's parameter; several names are those of the elements of a tuple, as a query's range variables are."""


class Lambda(Node, frozen=True):
    """`(parameters) => body`: an expression or a `statement_tree.Block`. `types` are the parameters', where written."""

    parameters: tuple[Parameter, ...]
    body: Node
    types: tuple[TypeSyntax | None, ...] = ()
    is_async: bool = False


class Cursor(Node, frozen=True):
    """Stands in an unfinished text for the name that is to come: behind `target` and a dot, or by itself."""

    target: Node | None = None
    callee: Node | None = None
    """What is called, where the name of an argument may stand; of a new object its creation."""
    filled: Node | None = None
    """In braces that name members: a value that has them."""
    is_pattern: bool = False
    """Whether these braces are a pattern's: members are looked at, not set."""
    is_type: bool = False
    qualifier: NamedTypeSyntax | None = None
    """What stands before the name of a type."""
    is_format: bool = False
    """Whether it is a format specifier's."""


class Range(Node, frozen=True):
    """`start..end`, either of which may be missing."""

    start: Node | None
    end: Node | None
