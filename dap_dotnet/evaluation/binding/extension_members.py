"""Extension members of C# 14: properties, and static members that a type is given from outside.

The compiler makes static methods of them (`get_Vowels(string)`), in the class that has the extension block, and keeps
their declarations in a nested type `<G>$…`, whose inner type `<M>$…` has the receiver as the parameter of a method
`<Extension>$`.
"""

from __future__ import annotations

from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.user_operators import assigning_name, metadata_name
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

Operators = list[Candidate]
_GROUP, _RECEIVER = "<G>$", "<Extension>$"
_TYPE_DEF = 0x02
_STATIC = 0x10


def extension_properties(env: Environment, lookup: TypeLookup, name: str) -> list[Candidate]:
    """The getters of extension properties of a name in the namespaces in force, which take what they are read of."""
    return instance_extensions(env, lookup, f"get_{name}")


def instance_extensions(env: Environment, lookup: TypeLookup, name: str) -> list[Candidate]:
    """The extension members of a name (`get_…`, `set_…` for a property) that are no static ones."""
    return [one for one, _, is_static in _found(env, lookup, name) if not is_static]


def extension_operators(env: Environment, lookup: TypeLookup, operator: str, *, is_unary: bool = False) -> Operators:
    """The extension operators of the namespaces in force."""
    return [one for one, _, _ in _found(env, lookup, metadata_name(operator, is_unary=is_unary))]


def extension_assignments(env: Environment, lookup: TypeLookup, operator: str) -> Operators:
    """The extension operators that change what they are called on: `+=`, `++`."""
    name = assigning_name(operator)
    return [one for one, _, is_static in _found(env, lookup, name) if not is_static] if name is not None else []


def static_extensions(env: Environment, lookup: TypeLookup, owner: Type, name: str) -> list[Candidate]:
    """The static extension members of a name (`get_…` for a property) that a type is given."""
    return [one for one, receiver, is_static in _found(env, lookup, name) if is_static and receiver is owner]


def _found(env: Environment, lookup: TypeLookup, name: str) -> list[tuple[Candidate, Type | None, bool]]:
    """(the method that implements it, its receiver, whether it is static) of the members that a name may mean."""
    found = list[tuple[Candidate, Type | None, bool]]()
    declared = [(module, members) for module in env.program.modules if (members := module.cached(_MEMBERS).get(name))]
    namespaces = set(lookup.namespaces()) if declared else set[str]()  # hardly a name is that of any
    for module, members in declared:
        for token, group, receiver in members:
            metadata = module.metadata
            assert metadata is not None
            outer = metadata.enclosing_type_token(group)
            if outer is None:
                continue
            declaring = TypeDefToken(outer)
            owner = env.universe.of_definition((module.id, declaring))
            if owner is None or metadata.type_def(declaring).namespace not in namespaces:
                continue
            is_static = bool(metadata.method(token).flags & _STATIC)
            count = len(metadata.method(token).signature.parameters) + (not is_static)
            kind = env.universe.of_signature(module, metadata.method(receiver).signature.parameters[0])
            found += [
                (Candidate(owner, method, module), kind, is_static)
                for method in metadata.methods_of(declaring)
                if method.name == name and len(method.signature.parameters) == count
            ]
    return found


def _index(module: LoadedModule) -> dict[str, list[tuple[int, int, int]]]:
    """Name -> (the declaration's method, its group's type, the method with the receiver), tokens."""
    index: dict[str, list[tuple[int, int, int]]] = {}
    metadata = module.metadata
    if metadata is None or _GROUP.encode() not in metadata.image.strings.region.whole():
        return index  # most modules have none: their types are not gone through
    strings = metadata.image.strings
    for row_id, offset in enumerate(metadata.image.table(_TYPE_DEF).raw_column("name"), 1):
        if not strings[offset].startswith(_GROUP):
            continue
        group = _TYPE_DEF << 24 | row_id
        receiver = next(
            (one.token for inner in metadata.nested_types(group) for one in metadata.methods_of(inner.token)
             if one.name == _RECEIVER), None
        )  # fmt: skip
        for method in metadata.methods_of(group) if receiver is not None else ():
            assert receiver is not None
            index.setdefault(method.name, []).append((method.token, group, receiver))
    return index


_MEMBERS = CacheSlot("extension members by name", _index)
