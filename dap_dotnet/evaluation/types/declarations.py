"""What the metadata declares of types: bases, interfaces, methods, delegates, and whether one type is another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, ExactMethod, Kind, Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType, MethodToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import TypeMembers, members

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.members import Method
    from portablepdb.signatures import TypeSignature


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


class Candidate(Struct, frozen=True):
    """A method with the exact type that declares it."""

    owner: Type
    method: Method
    module: LoadedModule | None
    is_indexer: bool = False

    @property
    def exact(self) -> ExactMethod:
        """The method as it is called; a generic one without its type arguments."""
        return ExactMethod(self.owner, MethodToken(self.method.token))

    def parameter_types(self, universe: Universe, methods: tuple[Type, ...] = ()) -> list[Type | None]:
        """The types of the parameters, None where they are open or not known."""
        return [self._type(universe, entry, methods) for entry in self.method.signature.parameters]

    def return_type(self, universe: Universe, methods: tuple[Type, ...] = ()) -> Type | None:
        """The type of the result."""
        return self._type(universe, self.method.signature.return_type, methods)

    def _type(self, universe: Universe, signature: TypeSignature, methods: tuple[Type, ...]) -> Type | None:
        module = self.module or universe.module_of(self.owner)
        return None if module is None else universe.of_signature(module, signature, self.owner.arguments, methods)


_METHODS: CacheSlot[dict[MethodToken, Method]] = CacheSlot("methods asked for, with their signatures", lambda _: {})


def declared_method(universe: Universe, method: ExactMethod) -> Candidate:
    """A method itself, as its type declares it. Raises `EvaluationError` where that has no metadata."""
    module = universe.module_of(method.owner)
    if module is None or module.metadata is None:
        raise EvaluationError(f"The methods of '{method.owner.name}' cannot be found: its module has no metadata")
    known = module.cached(_METHODS)
    found = known.get(method.token)
    if found is None:
        found = known[method.token] = module.metadata.method(method.token)
    return Candidate(method.owner, found, module)


_CANDIDATES: CacheSlot[dict[Type, list[Candidate]]] = CacheSlot("methods by type", lambda _: {})


def candidates(universe: Universe, owner: Type) -> list[Candidate]:
    """The methods that a type itself declares."""
    definition = universe.definition_of(owner)
    module = universe.modules.get(definition[0]) if definition is not None else None
    if definition is None or module is None or module.metadata is None:
        return []
    cache = module.cached(_CANDIDATES)
    found = cache.get(owner)
    if found is None:
        getters = _default_getters(module.metadata, definition[1])
        found = cache[owner] = []
        for method in module.metadata.methods_of(definition[1]):
            found.append(Candidate(owner, method, module, method.token in getters))
    return found


def constructors(universe: Universe, owner: Type) -> list[Candidate]:
    """The constructors of a type."""
    return [one for one in candidates(universe, owner) if one.method.name == ".ctor"]


def declared_members(universe: Universe, owner: Type) -> TypeMembers:
    """The fields and properties that a type itself declares; none where its metadata is not there."""
    definition = universe.definition_of(owner)
    return members(universe.module_of(owner), definition[1] if definition is not None else None)


_DEFAULT_MEMBER = "System.Reflection.DefaultMemberAttribute"


def _default_getters(metadata: Metadata, token: int) -> set[int]:
    """The getters of what `x[i]` may mean: Visual Basic has properties with parameters that it does not.

    Those that implement an interface's have a name with dots; its own attribute has named them.
    """
    getters = [(one.name, one.getter) for one in metadata.properties_of(token) if one.getter]
    indexed = [one for one in getters if metadata.method(one[1]).signature.parameters]
    if not indexed:
        return set()
    attribute = next((one for one in metadata.attributes_of(token) if one.type_name == _DEFAULT_MEMBER), None)
    name = attribute.fixed_arguments[0].value if attribute is not None and attribute.fixed_arguments else "Item"
    return {getter for property_name, getter in indexed if property_name == name or "." in property_name}


def methods_named(universe: Universe, start: Type, name: str) -> list[Candidate]:
    """The methods of a name that a type and its bases declare, those of the type first. Nobody changes the list."""

    def find() -> list[Candidate]:
        declared = (one for base in bases_of(universe, start) for one in candidates(universe, base))
        return [one for one in declared if one.method.name == name]

    return universe.derived(("methods named", start, name), find)


class DelegateSignature(Struct, frozen=True):
    """What a delegate takes and gives; `result` is VOID for none. `invoke` is its method."""

    parameters: tuple[Type | None, ...]
    result: Type | None
    invoke: Candidate
    has_references: bool
    """Whether it takes arguments by reference."""


def is_delegate(universe: Universe, kind: Type) -> bool:
    """Whether a type is one of delegates."""
    return kind.kind is Kind.CLASS and any(one.full_name == "System.Delegate" for one in bases_of(universe, kind))


def delegate_signature(universe: Universe, kind: Type) -> DelegateSignature | None:
    """What the delegates of a type take and give; None for other types."""
    from portablepdb.signatures import ByRefType

    if not is_delegate(universe, kind):
        return None
    for candidate in candidates(universe, kind):
        if candidate.method.name == "Invoke":
            return DelegateSignature(
                tuple(candidate.parameter_types(universe)),
                candidate.return_type(universe),
                candidate,
                any(isinstance(entry, ByRefType) for entry in candidate.method.signature.parameters),
            )
    return None
