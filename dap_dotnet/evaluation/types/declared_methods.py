"""The members that a type declares; of methods also the types of parameters and results, and those of delegates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Type
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import TypeMembers, members

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.members import Method
    from portablepdb.signatures import TypeSignature


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
