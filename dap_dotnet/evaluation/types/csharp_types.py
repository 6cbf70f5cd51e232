"""Types as expressions see them, and typed operands. A type is interned: two equal ones are one object."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from dap_dotnet.runtime.model import ElementType, MethodToken, TypeId, Value
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.values.tuple_names import Names
from dap_dotnet.values.typenames import KEYWORDS


class Kind(enum.Enum):
    """What an operation must know of a type."""

    BOOL = enum.auto()
    NUMBER = enum.auto()
    """char, the integer types, float, double and decimal; `code` tells them apart (decimal: VALUETYPE)."""
    STRING = enum.auto()
    ENUM = enum.auto()
    NULLABLE = enum.auto()
    STRUCT = enum.auto()
    CLASS = enum.auto()
    """Classes, interfaces and delegates, object included."""
    PARAMETER = enum.auto()
    """A type parameter that may stand for values and references; others are STRUCT or CLASS."""
    ARRAY = enum.auto()
    POINTER = enum.auto()
    NULL = enum.auto()
    """The null literal's."""
    DEFAULT = enum.auto()
    """That of the literal `default`, which becomes a value of any type."""
    VOID = enum.auto()
    TYPE = enum.auto()
    """typeof(…) and GetType(), known without the program's help."""
    TUPLE = enum.auto()
    """A tuple made in the expression, or an anonymous object."""
    PAIR = enum.auto()
    """An entry of a dictionary that is enumerated: (key, value, the KeyValuePair type)."""
    LAMBDA = enum.auto()
    SEQUENCE = enum.auto()
    """What a query gives: see `operations.linq.sequences`."""
    COLLECTION = enum.auto()
    """A collection expression as an argument, whose type its parameter tells: a tuple of operands."""


class Type:
    """One C# type. Made by `Universe` and the constants below only; compared by identity.

    `id` is the exact type in the program, None where the program has not been asked (yet). `underlying` is an enum's.
    `parameter` is set for a type parameter: see `types.declarations`.
    """

    __slots__ = (
        "arguments", "code", "definition", "full_name", "id", "kind", "name", "parameter", "rank", "underlying",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        code: ElementType,
        name: str,
        *,
        definition: Definition | None = None,
        arguments: tuple[Type, ...] = (),
        rank: int = 0,
        underlying: Type | None = None,
        full_name: str = "",
    ) -> None:
        self.kind = kind
        self.code = code
        self.name = name
        self.definition = definition
        self.arguments = arguments
        self.rank = rank
        self.underlying = underlying
        self.full_name = full_name
        self.id: TypeId | None = None
        self.parameter: TypeParameter | None = None

    def __repr__(self) -> str:
        return f"<Type {self.name}>"

    @property
    def element(self) -> Type:
        """Of a nullable, an array or a pointer: what it is made of."""
        return self.arguments[0]

    @property
    def stripped(self) -> Type:
        """Of a nullable what it may hold; any other type itself."""
        return self.arguments[0] if self.kind is Kind.NULLABLE else self

    @property
    def is_value_type(self) -> bool:
        """Whether it cannot be null and is compared by value."""
        return self.kind in _VALUE_KINDS

    @property
    def is_reference(self) -> bool:
        """Whether a value of the type is an object or null."""
        return self.kind in _REFERENCE_KINDS


class TypeParameter(Struct):
    """What the source says of a type parameter."""

    flags: int
    """GenericParamAttributes (ECMA-335 II.23.1.7)."""
    is_of_method: bool
    constraints: tuple[Type, ...] = ()
    """The classes, interfaces and type parameters that it is constrained to; ValueType where it is a `struct`."""


_VALUE_KINDS = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRUCT, Kind.NULLABLE, Kind.POINTER, Kind.TUPLE})
_REFERENCE_KINDS = frozenset({Kind.STRING, Kind.CLASS, Kind.ARRAY, Kind.NULL, Kind.TYPE})


class Elements(tuple["Operand", ...]):
    """The elements of a collection expression or a tuple; `constants`: which are such, () where none may be."""

    constants: tuple[Operand | None, ...] = ()


class TypeArguments(tuple[Type, ...]):
    """Type arguments; `names`: of each those of the elements of tuples in it, as they are written."""

    names: tuple[tuple[str | None, ...], ...] = ()


class ExactMethod(Struct, frozen=True):
    """A method of an exact type, with its own type arguments."""

    owner: Type
    token: MethodToken
    type_arguments: tuple[Type, ...] = ()


class InternedText(str):
    """The text of a constant string: all that are equal are one object, where the program has one."""

    __slots__ = ()


class WrittenText(str):
    """Stands for an interpolated string in code: the method that takes it says what it becomes. Has no text yet."""

    __slots__ = ("has_holes",)
    has_holes: bool
    """Whether it is no constant."""


class Operand(Struct):
    """A value with the type that the expression gives it.

    `data` by kind: BOOL bool; NUMBER int, float or Decimal; STRING str (or the `Value`, where only its head was read);
    ENUM int; NULLABLE the data of what it holds, or None; POINTER int; TUPLE a tuple of operands; TYPE a `Type`; the
    others the `Value` read from the program. None is null.
    `value` is what was read from the program, None for computed ones. Of a nullable it is the nullable itself, never
    what that holds: a call copies its flag.
    """

    type: Type
    data: Any
    value: Value | None = None
    names: tuple[str | None, ...] = ()
    """Names of the elements, where it is a tuple that has names for them (see `tuple_names`)."""
    place: Callable[[Any], Value] | None = None
    """Reads it again, of an environment: a span or another `ref struct` of the frame, which no object can hold."""

    @property
    def program_value(self) -> Value | None:
        """The value of the program that it is or was decoded from; None for computed ones."""
        return self.data if isinstance(self.data, Value) else self.value


PRIMITIVES: dict[ElementType, Type] = {}
SYSTEM_NAMES: dict[str, Type] = {}


def _primitive(name: str, code: ElementType, kind: Kind = Kind.NUMBER) -> Type:
    made = PRIMITIVES[code] = SYSTEM_NAMES[f"System.{name}"] = Type(kind, code, KEYWORDS[code])
    return made


BOOL = _primitive("Boolean", ElementType.BOOLEAN, Kind.BOOL)
CHAR = _primitive("Char", ElementType.CHAR)
I1 = _primitive("SByte", ElementType.I1)
U1 = _primitive("Byte", ElementType.U1)
I2 = _primitive("Int16", ElementType.I2)
U2 = _primitive("UInt16", ElementType.U2)
I4 = _primitive("Int32", ElementType.I4)
U4 = _primitive("UInt32", ElementType.U4)
I8 = _primitive("Int64", ElementType.I8)
U8 = _primitive("UInt64", ElementType.U8)
R4 = _primitive("Single", ElementType.R4)
R8 = _primitive("Double", ElementType.R8)
I = _primitive("IntPtr", ElementType.I)  # noqa: E741 - the specification's own name
U = _primitive("UIntPtr", ElementType.U)
STRING = _primitive("String", ElementType.STRING, Kind.STRING)
OBJECT = _primitive("Object", ElementType.OBJECT, Kind.CLASS)
VOID = _primitive("Void", ElementType.VOID, Kind.VOID)
DECIMAL = SYSTEM_NAMES["System.Decimal"] = Type(
    Kind.NUMBER, ElementType.VALUETYPE, "decimal", full_name="System.Decimal"
)
UNASSIGNED = Type(Kind.VOID, ElementType.VOID, "unassigned")
"""That of a variable which has no value yet."""
NULL = Type(Kind.NULL, ElementType.CLASS, "<null>")
DEFAULT = Type(Kind.DEFAULT, ElementType.CLASS, "default")
TYPE = Type(Kind.TYPE, ElementType.CLASS, "System.Type", full_name="System.Type")
TUPLE = Type(Kind.TUPLE, ElementType.VALUETYPE, "tuple")
ANONYMOUS = Type(Kind.TUPLE, ElementType.CLASS, "anonymous type")
"""An anonymous object made in the expression: a tuple whose elements have names."""
PAIR = Type(Kind.PAIR, ElementType.VALUETYPE, "KeyValuePair")
LAMBDA = Type(Kind.LAMBDA, ElementType.CLASS, "lambda expression")
SEQUENCE = Type(Kind.SEQUENCE, ElementType.CLASS, "query")
COLLECTION = Type(Kind.COLLECTION, ElementType.CLASS, "collection expression")

BY_KEYWORD: dict[str, Type] = {entry.name: entry for entry in SYSTEM_NAMES.values()}
SYSTEM_NAME_OF: dict[Type, str] = {entry: name for name, entry in SYSTEM_NAMES.items()}

NULL_OPERAND = Operand(NULL, None)
TRUE = Operand(BOOL, True)
FALSE = Operand(BOOL, False)


def boolean(value: bool) -> Operand:
    """The operand of a truth value."""
    return TRUE if value else FALSE


# types that a collection expression can make (C# 12)

_GENERIC = "System.Collections.Generic."
LIST = _GENERIC + "List`1"
ARRAYS = frozenset(_GENERIC + name for name in ("IEnumerable`1", "IReadOnlyCollection`1", "IReadOnlyList`1"))
"""Interfaces that an array stands for."""
LISTS = frozenset({LIST, _GENERIC + "ICollection`1", _GENERIC + "IList`1"})
SPAN, READ_ONLY_SPAN = "System.Span`1", "System.ReadOnlySpan`1"
SPANS = frozenset({SPAN, READ_ONLY_SPAN})
_MADE_OF_SEQUENCES = frozenset(_GENERIC + name for name in ("HashSet`1", "Queue`1", "Stack`1", "LinkedList`1"))


def element_of(kind: Type) -> Type | None:
    """The type of the elements of a collection expression for a target; None where it is not made so here."""
    if kind.kind is Kind.ARRAY:
        return kind.element if kind.rank <= 1 else None
    return kind.arguments[0] if kind.full_name in ARRAYS | LISTS | SPANS | _MADE_OF_SEQUENCES else None


# tuples: the compiler keeps the names of their elements beside the types, flattened (Roslyn: TupleElementNames), first
# those of the tuple's own elements, then those of each element that is a tuple itself, in order

TUPLE_PREFIX = "System.ValueTuple`"
TUPLE_REST = 7
"""The elements that a tuple has itself; the others are in a tuple of their own, its eighth argument."""


def is_tuple(kind: Type) -> bool:
    """Whether a type is a ValueTuple with elements."""
    return kind.full_name.startswith(TUPLE_PREFIX)


def tuple_length(kind: Type) -> int:
    """How many elements a tuple has, those from the eighth on too."""
    rest = tuple_rest(kind)
    return len(kind.arguments) if rest is None else TUPLE_REST + tuple_length(rest)


def tuple_elements(kind: Type) -> tuple[Type, ...]:
    """The types of a tuple's elements, those from the eighth on too."""
    rest = tuple_rest(kind)
    return kind.arguments if rest is None else (*kind.arguments[:TUPLE_REST], *tuple_elements(rest))


def tuple_rest(kind: Type) -> Type | None:
    """The tuple that has the elements beyond seven; None for a shorter one."""
    last = kind.arguments[TUPLE_REST] if len(kind.arguments) > TUPLE_REST else None
    return last if last is not None and is_tuple(last) else None


def names_of_argument(kind: Type, names: Names, index: int) -> Names:
    """The names inside of a generic argument of a type that has such names; () where they are not of this type."""
    if len(names) != count_names(kind):
        return ()
    start = tuple_length(kind) if is_tuple(kind) else 0
    start += sum(count_names(argument) for argument in kind.arguments[:index])
    return names[start : start + count_names(kind.arguments[index])]


def count_names(kind: Type) -> int:
    """How many names a type takes."""
    if not is_tuple(kind):
        return sum(count_names(argument) for argument in kind.arguments)
    return tuple_length(kind) + sum(count_names(argument) for argument in kind.arguments)


def tuple_element(kind: Type, names: Names, name: str) -> tuple[int, Names] | None:
    """(number of the element from 1, the names inside of it) of a tuple's element by name; None when it has none."""
    if not is_tuple(kind):
        return None
    own = names[: tuple_length(kind)]
    if name in own:
        index = own.index(name)
    elif name.startswith("Item") and name[4:].isdigit() and 0 < int(name[4:]) <= tuple_length(kind):
        index = int(name[4:]) - 1
    else:
        return None
    rest = tuple_rest(kind)
    start = tuple_length(kind) + sum(count_names(argument) for argument in kind.arguments[: min(index, TUPLE_REST)])
    if rest is not None and index >= TUPLE_REST:
        within = tuple_element(rest, names[start:], f"Item{index - TUPLE_REST + 1}")
        return index + 1, within[1] if within is not None else ()
    return index + 1, names[start : start + count_names(kind.arguments[index])]


def names_by_type(operands: Sequence[Operand]) -> dict[Type, Names]:
    """The names that the types of operands have for each type with tuples in them; None where they do not agree."""
    found = dict[Type, Names]()

    def add(kind: Type, names: Names) -> None:
        both = zip(found.get(kind, names), names, strict=True)
        found[kind] = tuple(one if one == other else None for one, other in both)
        for number, argument in enumerate(kind.arguments):
            if count_names(argument):
                add(argument, names_of_argument(kind, names, number))

    for operand in operands:
        if operand.names and len(operand.names) == count_names(operand.type):
            add(operand.type, operand.names)
    return found
