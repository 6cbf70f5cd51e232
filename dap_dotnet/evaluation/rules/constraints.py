"""What calls have to meet: the constraints of type parameters (C# specification 15.2.5), `required` members (C# 11).

The runtime does not ask for constraints: a function evaluation would run a method with types that it is not made for.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, constructors
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe, has_attribute
from dap_dotnet.symbols.types import members

_CLASS, _STRUCT, _NEW = 0x04, 0x08, 0x10
"""GenericParamAttributes: constraints of a type parameter (ECMA-335 II.23.1.7)."""
_ABSTRACT = 0x80
_ACCESS, _PUBLIC = 0x07, 0x06
_CONSTRAINTS = 0x2C
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
    for parameter in candidate.method.generic_parameters if given else ():
        kind = given[parameter.number] if parameter.number < len(given) else None
        if kind is None:
            continue
        flags = parameter.row.flags
        if flags & _STRUCT and (not kind.is_value_type or kind.kind is Kind.NULLABLE):
            return Refusal(parameter.name, kind, _STRUCT)
        if flags & _CLASS and not kind.is_reference:
            return Refusal(parameter.name, kind, _CLASS)
        if flags & _NEW and not flags & _STRUCT and kind.kind in _CREATED and not _is_made(universe, kind):
            return Refusal(parameter.name, kind, _NEW)
        for wanted in _wanted(universe, candidate, parameter.token, given) if not flags & _STRUCT else ():
            if kind.kind in _VALUES | _OBJECTS and not implicitly_converts(universe, kind, wanted):
                return Refusal(parameter.name, kind, 0, wanted)
    return None


def _wanted(universe: Universe, candidate: Candidate, parameter: int, given: tuple[Type, ...]) -> list[Type]:
    """The types that a type parameter is constrained to, as far as they are known."""
    module = candidate.module
    if module is None or module.metadata is None:
        return []
    table = module.metadata.image.table(_CONSTRAINTS)
    tokens = [table.row(row).constraint for row in table.rows_with("owner", parameter & 0xFFFFFF)]
    found = [universe.of_token(module, token, candidate.owner.arguments, given) for token in tokens]
    return [kind for kind in found if kind is not None]


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
