"""The methods that a type declares, with their parameter and result types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

if TYPE_CHECKING:
    from portablepdb.members import Method
    from portablepdb.signatures import TypeSignature


class Candidate(Struct, frozen=True):
    """A method with the exact type that declares it."""

    owner: Type
    method: Method
    module: LoadedModule | None
    is_indexer: bool = False

    def parameter_types(self, universe: Universe, methods: tuple[Type, ...] = ()) -> list[Type | None]:
        """The types of the parameters, None where they are open or not known."""
        return [self._type(universe, entry, methods) for entry in self.method.signature.parameters]

    def return_type(self, universe: Universe, methods: tuple[Type, ...] = ()) -> Type | None:
        """The type of the result."""
        return self._type(universe, self.method.signature.return_type, methods)

    def _type(self, universe: Universe, signature: TypeSignature, methods: tuple[Type, ...]) -> Type | None:
        module = self.module or universe.module_of(self.owner)
        return None if module is None else universe.of_signature(module, signature, self.owner.arguments, methods)


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
        getters = {entry.getter for entry in module.metadata.properties_of(definition[1]) if entry.getter}
        found = cache[owner] = []
        for method in module.metadata.methods_of(definition[1]):
            is_indexer = method.token in getters and len(method.signature.parameters) > 0
            found.append(Candidate(owner, method, module, is_indexer))
    return found


def methods_named(universe: Universe, start: Type, name: str) -> list[Candidate]:
    """The methods of a name that a type and its bases declare, those of the type first. Nobody changes the list."""

    def find() -> list[Candidate]:
        declared = (one for base in bases_of(universe, start) for one in candidates(universe, base))
        return [one for one in declared if one.method.name == name]

    return universe.derived(("methods named", start, name), find)
