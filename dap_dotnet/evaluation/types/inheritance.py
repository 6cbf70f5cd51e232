"""Bases, interfaces, what can be derived or boxed, and whether one type is another: from metadata alone."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType
from dap_dotnet.symbols.metadata_names import Definition

_ARRAY_BASES = frozenset({
    "System.Array", "System.ICloneable", "System.Collections.IList", "System.Collections.ICollection",
    "System.Collections.IEnumerable", "System.Collections.IStructuralComparable",
    "System.Collections.IStructuralEquatable",
})  # fmt: skip
ARRAY_INTERFACES = frozenset({
    "System.Collections.Generic.IEnumerable`1", "System.Collections.Generic.ICollection`1",
    "System.Collections.Generic.IList`1", "System.Collections.Generic.IReadOnlyList`1",
    "System.Collections.Generic.IReadOnlyCollection`1",
})  # fmt: skip
_BY_REF_LIKE = "System.Runtime.CompilerServices.IsByRefLikeAttribute"
_INTERFACE, _SEALED = 0x20, 0x100
_MAX_BASES = 256


def is_subtype(universe: Universe, source: Type, target: Type) -> bool:
    """Whether an object of exact type `source` is a `target`: identity, base classes, interfaces, array covariance.

    From metadata alone.
    """
    if source is target or target is types.OBJECT:
        return True
    if source.kind is Kind.NUMBER and target.kind is Kind.NUMBER:
        return source.code is target.code
    if source.kind is Kind.ARRAY:
        return _array_is(universe, source, target)
    return any(found is target or _variant(universe, found, target) for found in ancestors_of(universe, source))


def _array_is(universe: Universe, source: Type, target: Type) -> bool:
    if target.kind is Kind.ARRAY:
        same_shape = source.rank == target.rank and source.code is target.code
        return same_shape and _element_is(universe, source.element, target.element)
    if target.full_name in _ARRAY_BASES:
        return True
    is_vector = source.code is ElementType.SZARRAY and target.full_name in ARRAY_INTERFACES
    return is_vector and _element_is(universe, source.element, target.arguments[0])


def _element_is(universe: Universe, source: Type, target: Type) -> bool:
    return source is target or (source.is_reference and is_subtype(universe, source, target))


def _variant(universe: Universe, source: Type, target: Type) -> bool:
    """Whether an instantiation converts by variance of its interface's or delegate's type parameters."""
    if source.definition is None or source.definition != target.definition or not source.arguments:
        return False
    module = universe.modules.get(source.definition[0])
    if module is None or module.metadata is None:
        return False
    parameters = module.metadata.generic_parameters_of(source.definition[1])
    for parameter, given, wanted in zip(parameters, source.arguments, target.arguments, strict=False):
        variance = parameter.flags & 3
        if given is wanted:
            continue
        if variance == 0 or not given.is_reference or not wanted.is_reference:
            return False
        if not (is_subtype(universe, given, wanted) if variance == 1 else is_subtype(universe, wanted, given)):
            return False
    return True


def ancestors(universe: Universe, definition: Definition, arguments: tuple[Type, ...]) -> list[Type]:
    """The type itself, its base classes and all their interfaces, each once; nearest first."""
    return _above(universe, definition, arguments, has_interfaces=True)


def bases(universe: Universe, definition: Definition, arguments: tuple[Type, ...]) -> list[Type]:
    """The type and its base classes, most derived first."""
    return _above(universe, definition, arguments, has_interfaces=False)


def _above(
    universe: Universe, definition: Definition, arguments: tuple[Type, ...], *, has_interfaces: bool
) -> list[Type]:
    def find() -> list[Type]:
        found: list[Type] = []
        pending = [(definition, arguments)]
        while pending and len(found) < _MAX_BASES:
            following, given = pending.pop(0)
            kind = universe.of_definition(following, given)
            if kind not in found:
                found += [kind] if kind is not None else []
                pending += _named_by(universe, following, given, has_interfaces=has_interfaces)
        return found

    return list(universe.derived(("above", definition, arguments, has_interfaces), find))


def _named_by(
    universe: Universe, definition: Definition, arguments: tuple[Type, ...], *, has_interfaces: bool
) -> Iterator[tuple[Definition, tuple[Type, ...]]]:
    """The base class that a type names, and the interfaces."""
    module = universe.modules.get(definition[0])
    if module is None or module.metadata is None:
        return
    type_def = module.metadata.type_def(definition[1])
    for token in [*([type_def.base] if type_def.base else []), *(type_def.interfaces if has_interfaces else ())]:
        kind = universe.of_token(module, token, arguments)
        own = universe.definition_of(kind) if kind is not None else None
        if kind is not None and own is not None:
            yield own, kind.arguments


def ancestors_of(universe: Universe, start: Type) -> list[Type]:
    """As `ancestors`; of a type parameter those of its constraints. [] where a type has no definition."""
    if start.parameter is None:
        definition = universe.definition_of(start)
        return ancestors(universe, definition, start.arguments) if definition is not None else []
    above = (one for constraint in start.parameter.constraints for one in ancestors_of(universe, constraint))
    return list(dict.fromkeys((start, *above)))


def sequence_element(universe: Universe, kind: Type) -> Type | None:
    """The type of the elements of what is an IEnumerable<T>, or an array; None for other types."""
    if kind.kind is Kind.ARRAY:
        return kind.element
    found = (one for one in ancestors_of(universe, kind) if one.full_name == _SEQUENCE)
    return next((one.element for one in found), None)


_SEQUENCE = "System.Collections.Generic.IEnumerable`1"


def bases_of(universe: Universe, start: Type) -> list[Type]:
    """The type and its bases; of an interface, also the interfaces it extends and object.

    Of a type parameter the classes and the interfaces that it is constrained to.
    """
    if start.parameter is not None:
        above = ancestors_of(universe, start)[1:]
        own = [one for one in above if not is_interface(universe, one) and one.parameter is None]
        interfaces = [one for one in above if is_interface(universe, one)]
        return [*(one for one in own if one is not types.OBJECT), *interfaces, types.OBJECT]
    definition = universe.definition_of(start)
    if definition is None:
        return [universe.named("System.Array") or types.OBJECT, types.OBJECT] if start.kind is Kind.ARRAY else []
    if is_interface(universe, start):
        return [*ancestors(universe, definition, start.arguments), types.OBJECT]
    return bases(universe, definition, start.arguments)


def is_interface(universe: Universe, kind: Type) -> bool:
    """Whether a type is an interface; False also where its metadata is not there."""
    return kind.kind is Kind.CLASS and bool(_flags(universe, kind) & _INTERFACE)


def is_sealed(universe: Universe, kind: Type) -> bool:
    """Whether no class derives from a type; False also where its metadata is not there."""
    return kind.kind is not Kind.NULLABLE and bool(_flags(universe, kind) & _SEALED)


def _flags(universe: Universe, kind: Type) -> int:
    definition = universe.definition_of(kind)
    module = universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or module is None or module.metadata is None:
        return 0
    return module.metadata.type_def(definition[1]).flags


def is_stack_only(universe: Universe, kind: Type) -> bool:
    """Whether a type is a `ref struct`."""
    if kind.kind is not Kind.STRUCT:
        return False
    return kind.full_name in SPANS or universe.has_attribute(kind, _BY_REF_LIKE)
