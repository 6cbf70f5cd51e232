"""Type parameters of the code around a site, as types with constraints (C# specification 15.2.3, 15.2.5).

Code is bound with them, and `Instantiation` then says what they stand for in a frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.types.csharp_types import Kind, Type, TypeParameter
from dap_dotnet.evaluation.types.inheritance import is_interface
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb.members import GenericParameter

_CLASS, _STRUCT = 0x04, 0x08
_CONSTRAINTS = 0x2C


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
    universe: Universe, module: LoadedModule, row: GenericParameter, types: Sequence[Type], methods: Sequence[Type]
) -> tuple[Type, ...]:
    assert module.metadata is not None
    table = module.metadata.image.table(_CONSTRAINTS)
    tokens = [table.row(number).constraint for number in table.rows_with("owner", row.token & 0xFFFFFF)]
    known = [universe.of_token(module, token, tuple(types), tuple(methods)) for token in tokens]
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
