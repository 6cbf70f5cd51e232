"""Type parameters of the code around a site, as types with constraints, and what meets them (C# specification 15.2.5).

Code is bound with them, and `Instantiation` then says what they stand for in a frame. The runtime does not ask for
constraints of methods: a function evaluation would run one with types that it is not made for. Nor does it ask for
`required` members (C# 11).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.types.csharp_types import Kind, Type, TypeParameter
from dap_dotnet.evaluation.types.declarations import Candidate, bases_of, constructors, is_interface
from dap_dotnet.evaluation.types.universe import Arguments, Universe, has_attribute
from dap_dotnet.runtime.model import ElementType
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.types import members

if TYPE_CHECKING:
    from portablepdb.members import GenericParameter


_CLASS, _STRUCT, _NEW = 0x04, 0x08, 0x10
"""GenericParamAttributes: constraints of a type parameter (ECMA-335 II.23.1.7)."""
_CONSTRAINTS = 0x2C
"""The table of the types that type parameters are constrained to."""


def type_parameters(
    universe: Universe, module: LoadedModule, owner: int, method: int
) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
    """The type parameters of a type and of one of its methods, by their tokens."""
    assert module.metadata is not None
    metadata = module.metadata

    def resolved() -> tuple[tuple[Type, ...], tuple[Type, ...]]:
        rows = metadata.generic_parameters_of(owner), metadata.generic_parameters_of(method)
        of_type = tuple(_parameter(universe, module, row, is_of_method=False) for row in rows[0])
        of_method = tuple(_parameter(universe, module, row, is_of_method=True) for row in rows[1])
        for row, kind in zip([*rows[0], *rows[1]], [*of_type, *of_method], strict=True):
            assert kind.parameter is not None
            kind.parameter.constraints = _constraints(universe, module, row, of_type, of_method)
        for kind in (*of_type, *of_method):
            kind.kind, kind.code = _shape(universe, kind)
        return of_type, of_method

    return universe.derived(("type parameters", module.id, method), resolved)


def _parameter(universe: Universe, module: LoadedModule, row: GenericParameter, *, is_of_method: bool) -> Type:
    def new() -> Type:
        made = Type(Kind.PARAMETER, ElementType.VAR, row.name)
        made.parameter = TypeParameter(row.row.flags, is_of_method)
        return made

    return universe.interned(("type parameter", module.id, row.token), new)


def _constraints(
    universe: Universe, module: LoadedModule, row: GenericParameter, types: Arguments, methods: Arguments
) -> tuple[Type, ...]:
    """The types that a type parameter is constrained to, as far as they are known."""
    assert module.metadata is not None
    table = module.metadata.image.table(_CONSTRAINTS)
    tokens = [table.row(number).constraint for number in table.rows_with("owner", row.token & 0xFFFFFF)]
    known = [universe.of_token(module, token, types, methods) for token in tokens]
    return tuple(kind for kind in known if kind is not None)


def _shape(universe: Universe, kind: Type, depth: int = 0) -> tuple[Kind, ElementType]:
    """Whether it stands for values, for references, or for both."""
    assert kind.parameter is not None
    flags, constraints = kind.parameter.flags, kind.parameter.constraints
    if flags & _STRUCT:
        return Kind.STRUCT, ElementType.VALUETYPE
    if flags & _CLASS or any(_is_class(universe, one, depth) for one in constraints):
        return Kind.CLASS, ElementType.CLASS
    return Kind.PARAMETER, ElementType.VAR


def _is_class(universe: Universe, constraint: Type, depth: int) -> bool:
    """Whether only references are of a constraint; ValueType and Enum are classes of values."""
    if constraint.parameter is not None:
        return depth < _MOST_STEPS and _shape(universe, constraint, depth + 1)[0] is Kind.CLASS
    of_values = constraint.full_name in ("System.ValueType", "System.Enum")
    return constraint.is_reference and not of_values and not is_interface(universe, constraint)


_MOST_STEPS = 64


def is_open(kind: Type) -> bool:
    """Whether a type is a type parameter, or is made of some."""
    return kind.parameter is not None or any(is_open(one) for one in kind.arguments)


class Instantiation:
    """What the type parameters of a site stand for in a frame."""

    def __init__(self, universe: Universe, given: dict[Type, Type]) -> None:
        self._universe = universe
        self._given = given
        self._known: dict[Type, Type] = {}

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._given)

    def of(self, kind: Type) -> Type:
        """A type with the type parameters in it replaced."""
        if kind.parameter is not None:
            return self._given.get(kind, kind)
        if not kind.arguments:
            return kind
        if kind not in self._known:
            self._known[kind] = self._replaced(kind)
        return self._known[kind]

    def _replaced(self, kind: Type) -> Type:
        arguments, universe = tuple(self.of(one) for one in kind.arguments), self._universe
        if arguments == kind.arguments:
            return kind
        if kind.kind is Kind.ARRAY:
            return universe.array(arguments[0], kind.rank, is_vector=kind.code is ElementType.SZARRAY)
        if kind.kind is Kind.POINTER:
            return universe.pointer(arguments[0])
        if kind.kind is Kind.NULLABLE:
            return universe.nullable(arguments[0])
        made = universe.of_definition(kind.definition, arguments) if kind.definition is not None else None
        assert made is not None
        return made


_ABSTRACT = 0x80
_ACCESS, _PUBLIC = 0x07, 0x06
_VALUES = frozenset({Kind.NULLABLE, Kind.BOOL, Kind.NUMBER, Kind.ENUM, Kind.STRUCT, Kind.PARAMETER})
_OBJECTS = frozenset({Kind.CLASS, Kind.STRING, Kind.ARRAY})
_CREATED = _OBJECTS | {Kind.PARAMETER}


class Refusal(Struct, frozen=True):
    """A type parameter, by its name, whose constraint a type does not meet."""

    parameter: str
    given: Type
    flag: int
    """`struct`, `class` or `new()`, as in metadata; 0: a type, which is `wanted`."""
    wanted: Type | None = None

    def error(self, method: str) -> Diagnostic:
        """CS0310, CS0311, CS0313, CS0315, CS0452, CS0453."""
        given = self.given.name
        place = f"parameter '{self.parameter}' in the generic type or method '{method}'"
        if self.wanted is not None:
            if self.given.kind is Kind.NULLABLE:
                return Diagnostic("CS0313", given, place, self.wanted.name)
            return Diagnostic("CS0315" if self.given.is_value_type else "CS0311", given, place, self.wanted.name)
        if self.flag == _NEW:
            return Diagnostic("CS0310", given, place)
        return Diagnostic("CS0453" if self.flag == _STRUCT else "CS0452", given, place)


def broken_constraint(universe: Universe, candidate: Candidate, given: tuple[Type, ...]) -> Refusal | None:
    """The first of a method's constraints that its type arguments do not meet."""
    module = candidate.module
    for parameter in candidate.method.generic_parameters if given and module is not None else ():
        assert module is not None
        if parameter.number >= len(given):
            continue
        kind = given[parameter.number]
        flags = parameter.row.flags
        if flags & _STRUCT and (not kind.is_value_type or kind.kind is Kind.NULLABLE):
            return Refusal(parameter.name, kind, _STRUCT)
        if flags & _CLASS and not kind.is_reference:
            return Refusal(parameter.name, kind, _CLASS)
        if flags & _NEW and not flags & _STRUCT and kind.kind in _CREATED and not _is_made(universe, kind):
            return Refusal(parameter.name, kind, _NEW)
        for wanted in _constraints(universe, module, parameter, candidate.owner.arguments, given):
            if kind.kind in _VALUES | _OBJECTS and not implicitly_converts(universe, kind, wanted):
                return Refusal(parameter.name, kind, 0, wanted)
    return None


def _is_made(universe: Universe, kind: Type) -> bool:
    """Whether `new T()` can make one."""
    if kind.parameter is not None:
        return bool(kind.parameter.flags & (_NEW | _STRUCT))
    definition, module = universe.definition_of(kind), universe.module_of(kind)
    if definition is None or module is None or module.metadata is None:
        return kind.kind is Kind.CLASS
    if module.metadata.type_def(definition[1]).flags & _ABSTRACT:
        return False
    return any(
        not one.method.signature.parameters and one.method.flags & _ACCESS == _PUBLIC
        for one in constructors(universe, kind)
    )


# required members

_REQUIRED = "System.Runtime.CompilerServices.RequiredMemberAttribute"
"""The compiler puts it on each such member, and on its type."""
_SETS_THEM = "System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute"


def check_required(universe: Universe, kind: Type, constructor: Candidate | None, initialised: frozenset[str]) -> None:
    """Raises `EvaluationError`, CS9035, for a required member that neither initializer nor constructor sets."""
    if constructor is not None and has_attribute(constructor.module, constructor.method.token, _SETS_THEM):
        return
    for owner in bases_of(universe, kind):
        missing = next((name for name in _required(universe, owner) if name not in initialised), None)
        if missing is not None:
            raise Diagnostic("CS9035", owner.name, missing)


def _required(universe: Universe, owner: Type) -> Iterator[str]:
    definition, module = universe.definition_of(owner), universe.module_of(owner)
    if definition is None or not has_attribute(module, definition[1], _REQUIRED):
        return
    declared = members(module, definition[1])
    for token, name in (
        *((one.token, one.name) for one in declared.properties if one.token),
        *((one.token, one.name) for one in declared.fields if not one.is_backing_field),
    ):
        if has_attribute(module, token, _REQUIRED):
            yield name
