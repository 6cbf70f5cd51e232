"""What the metadata declares of types: bases, interfaces, methods, delegates, and whether one type is another.

Type parameters of the code around a site are types with constraints. Code is bound with them, and `Instantiation` then
says what they stand for in a frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, ExactMethod, Kind, Type, TypeParameter
from dap_dotnet.evaluation.types.universe import Arguments, Universe, attribute_of
from dap_dotnet.runtime.model import ElementType, MethodToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import TypeMembers, members
from portablepdb.signatures import ByRefType, TypeSignature

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.members import GenericParameter, Method
    from portablepdb.parameters import Parameter

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
    declared = universe.declaration(source) if source.definition == target.definition and source.arguments else None
    if declared is None:
        return False
    _, metadata, token = declared
    parameters = metadata.generic_parameters_of(token)
    for parameter, given, wanted in zip(parameters, source.arguments, target.arguments, strict=False):
        variance = parameter.flags & 3
        if given is wanted:
            continue
        if variance == 0 or not given.is_reference or not wanted.is_reference:
            return False
        if not (is_subtype(universe, given, wanted) if variance == 1 else is_subtype(universe, wanted, given)):
            return False
    return True


def ancestors_of(universe: Universe, start: Type) -> list[Type]:
    """The type itself, its base classes and all their interfaces, each once; nearest first.

    Of a type parameter those of its constraints. [] where a type has no definition.
    """
    if start.parameter is None:
        return _above(universe, start, has_interfaces=True)
    above = (one for constraint in start.parameter.constraints for one in ancestors_of(universe, constraint))
    return list(dict.fromkeys((start, *above)))


def _above(universe: Universe, start: Type, *, has_interfaces: bool) -> list[Type]:
    def find() -> list[Type]:
        above, pending = list[Type](), [start]
        while pending and len(above) < _MAX_BASES:
            kind = pending.pop(0)
            if kind not in above:
                above.append(kind)
                pending += _named_by(universe, kind, has_interfaces=has_interfaces)
        return above

    is_declared = universe.definition_of(start) is not None
    return list(universe.derived(("above", start, has_interfaces), find)) if is_declared else []


def _named_by(universe: Universe, kind: Type, *, has_interfaces: bool) -> Iterator[Type]:
    """The base class that a type names, and the interfaces."""
    declared = universe.declaration(kind)
    if declared is None:
        return
    module, metadata, token = declared
    type_def = metadata.type_def(token)
    for named in [*([type_def.base] if type_def.base else []), *(type_def.interfaces if has_interfaces else ())]:
        above = universe.of_token(module, named, kind.arguments)
        if above is not None and universe.definition_of(above) is not None:
            yield above


def instance_of(universe: Universe, kind: Type, definition: Definition | None) -> Type | None:
    """The type itself, or its base or interface, that is of a definition; None where it has none."""
    above = ancestors_of(universe, kind) if definition is not None else ()
    return next((one for one in above if one.definition == definition), None)


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
    if start.kind is Kind.ARRAY:
        return [universe.named("System.Array") or types.OBJECT, types.OBJECT]
    if is_interface(universe, start):
        return [*ancestors_of(universe, start), types.OBJECT]
    return _above(universe, start, has_interfaces=False)


def is_interface(universe: Universe, kind: Type) -> bool:
    """Whether a type is an interface; False also where its metadata is not there."""
    return kind.kind is Kind.CLASS and bool(_flags(universe, kind) & _INTERFACE)


def is_sealed(universe: Universe, kind: Type) -> bool:
    """Whether no class derives from a type; False also where its metadata is not there."""
    return kind.kind is not Kind.NULLABLE and bool(_flags(universe, kind) & _SEALED)


def _flags(universe: Universe, kind: Type) -> int:
    declared = universe.declaration(kind)
    return declared[1].type_def(declared[2]).flags if declared is not None else 0


def is_stack_only(universe: Universe, kind: Type) -> bool:
    """Whether a type is a `ref struct`."""
    if kind.kind is not Kind.STRUCT:
        return False
    return kind.full_name in SPANS or universe.has_attribute(kind, _BY_REF_LIKE)


class Candidate(Struct, frozen=True):
    """A method with the exact type that declares it."""

    owner: Type
    method: Method
    module: LoadedModule
    is_indexer: bool = False

    @property
    def metadata(self) -> Metadata:
        """The metadata of its module."""
        assert self.module.metadata is not None
        return self.module.metadata

    def row(self, position: int) -> Parameter | None:
        """What the metadata says of a parameter, by its number from 0; None: nothing."""
        return next((row for row in self.method.parameter_rows if row.sequence == position + 1), None)

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
        return universe.of_signature(self.module, signature, self.owner.arguments, methods)


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
    declared = universe.declaration(owner)
    if declared is None:
        return []
    module, metadata, token = declared
    cache = module.cached(_CANDIDATES)
    if owner not in cache:
        getters = _default_getters(module, metadata, token)
        cache[owner] = [Candidate(owner, one, module, one.token in getters) for one in metadata.methods_of(token)]
    return cache[owner]


def constructors(universe: Universe, owner: Type) -> list[Candidate]:
    """The constructors of a type."""
    return [one for one in candidates(universe, owner) if one.method.name == ".ctor"]


def declared_members(universe: Universe, owner: Type) -> TypeMembers:
    """The fields and properties that a type itself declares; none where its metadata is not there."""
    module, _, token = universe.declaration(owner) or (None, None, None)
    return members(module, token)


_DEFAULT_MEMBER = "System.Reflection.DefaultMemberAttribute"


def _default_getters(module: LoadedModule, metadata: Metadata, token: int) -> set[int]:
    """The getters of what `x[i]` may mean: Visual Basic has properties with parameters that it does not.

    Those that implement an interface's have a name with dots; its own attribute has named them.
    """
    getters = [(one.name, one.getter) for one in metadata.properties_of(token) if one.getter]
    indexed = [one for one in getters if metadata.method(one[1]).signature.parameters]
    if not indexed:
        return set()
    attribute = attribute_of(module, token, _DEFAULT_MEMBER)
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
    declared = candidates(universe, kind) if is_delegate(universe, kind) else ()
    invoke = next((one for one in declared if one.method.name == "Invoke"), None)
    if invoke is None:
        return None
    has_references = any(isinstance(entry, ByRefType) for entry in invoke.method.signature.parameters)
    parameters = tuple(invoke.parameter_types(universe))
    return DelegateSignature(parameters, invoke.return_type(universe), invoke, has_references)


# type parameters (C# specification 15.2.3)

CLASS, STRUCT, NEW = 0x04, 0x08, 0x10
"""GenericParamAttributes: constraints of a type parameter (ECMA-335 II.23.1.7)."""
_CONSTRAINTS = 0x2C
"""The table of the types that type parameters are constrained to."""


def type_parameters(universe: Universe, module: LoadedModule, owner: int, method: int) -> tuple[Arguments, Arguments]:
    """The type parameters of a type and of one of its methods, by their tokens."""
    assert module.metadata is not None
    metadata = module.metadata

    def resolved() -> tuple[Arguments, Arguments]:
        rows = metadata.generic_parameters_of(owner), metadata.generic_parameters_of(method)
        of_type = tuple(_parameter(universe, module, row, is_of_method=False) for row in rows[0])
        of_method = tuple(_parameter(universe, module, row, is_of_method=True) for row in rows[1])
        for row, kind in zip([*rows[0], *rows[1]], [*of_type, *of_method], strict=True):
            assert kind.parameter is not None
            kind.parameter.constraints = constraints_of(universe, module, row, of_type, of_method)
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


def constraints_of(
    universe: Universe, module: LoadedModule, row: GenericParameter, types: Arguments, methods: Arguments
) -> Arguments:
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
    if flags & STRUCT:
        return Kind.STRUCT, ElementType.VALUETYPE
    if flags & CLASS or any(_is_class(universe, one, depth) for one in constraints):
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
