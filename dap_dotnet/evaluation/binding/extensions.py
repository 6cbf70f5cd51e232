"""Extension methods, and the extension members of C# 14: what a type is given from outside.

Of extension members the compiler makes static methods (`get_Vowels(string)`), in the class that has the extension
block, and keeps their declarations in a nested type `<G>$…`, whose inner type `<M>$…` has the receiver as the
parameter of a method `<Extension>$`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.applicable import Chosen, Given, receives
from dap_dotnet.evaluation.rules.conversions import implicitly_converts
from dap_dotnet.evaluation.rules.inference import Bounds, unify
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declarations import Candidate
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import marked
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.reference_modules import reference_module

_ATTRIBUTE = "System.Runtime.CompilerServices.ExtensionAttribute"
_LINQ = "System.Linq"
"""The namespace, and the assembly, of LINQ."""
OF_SPANS = "System.MemoryExtensions"
"""The class of the framework's methods for spans and arrays."""
_GROUP, _RECEIVER = "<G>$", "<Extension>$"
_TYPE_DEF, _METHOD_DEF = 0x02, 0x06
_STATIC = 0x10


def choose_extension(scope: Scope, found: Sequence[Candidate], target: Operand, given: Given) -> Chosen | None:
    """Of extension methods of a name the one that is called on the target, as its first argument; None: none.

    One of the site's own namespace goes before those of the namespaces around it, and of using directives.
    """
    for namespaces in scope.binder.lookup.namespaces_outwards() if found else ():
        inside = [one for one in found if one.owner.full_name.rpartition(".")[0] in namespaces]
        chosen = choose(scope.universe, inside, with_target(target, given)) if inside else None
        if chosen is not None:
            return chosen
    return None


def with_target(target: Operand, given: Given) -> Given:
    """The arguments as an extension method gets them."""
    return Given(
        [target, *given.operands],
        [None, *given.names] if given.names else (),
        given.types,
        [None, *given.constants] if given.constants else (),
        frozenset(number + 1 for number in given.by_reference),
        has_receiver=True,
        site=given.site.of_extension() if given.site is not None else None,
    )


def check_receiver(universe: Universe, every: Sequence[Candidate], name: str, target: Operand) -> None:
    """CS1929 where the only extension method of a name is for other targets."""
    if len(every) != 1 or every[0].method.signature.generic_count:
        return
    (only,) = every
    parameters = only.parameter_types(universe)
    if parameters[0] is None:
        return
    shown = ", ".join(one.name if one is not None else "?" for one in parameters)
    raise Diagnostic("CS1929", target.type.name, name, f"{only.owner.name}.{name}({shown})", parameters[0].name)


def may_receive(universe: Universe, candidate: Candidate, kind: Type) -> bool:
    """Whether an extension method may be called on a value of a type, whatever its arguments are."""
    signature = candidate.method.signature
    if not signature.generic_count:
        parameter = candidate.parameter_types(universe)[0]
        return parameter is not None and receives(kind, parameter) and implicitly_converts(universe, kind, parameter)
    found = Bounds()
    unify(universe, candidate, signature.parameters[0], kind, found)
    return bool(found)


def extensions(
    env: Environment, lookup: TypeLookup, name: str, modules: Iterable[LoadedModule] | None = None
) -> list[Candidate]:
    """The extension methods of a name in the namespaces in force; of all modules, or of `modules`."""
    namespaces = set(lookup.namespaces())
    found: list[Candidate] = []
    if modules is None:
        linq = reference_module(env.program.modules, _LINQ) if _LINQ in namespaces else None
        modules = (*env.program.modules, linq) if linq is not None else env.program.modules
    for module in modules:
        for token in module.cached(_EXTENSIONS).get(name, ()):
            assert module.metadata is not None
            declaring = TypeDefToken(module.metadata.declaring_type(token))
            if module.metadata.type_def(declaring).namespace not in namespaces:
                continue
            owner = env.universe.of_definition((module.id, declaring))
            if owner is not None:
                found.append(Candidate(owner, module.metadata.method(token), module))
    return found


def extension_names(env: Environment, lookup: TypeLookup, kind: Type, prefix: str) -> list[str]:
    """The names of extension methods in force that begin with `prefix`, in any case, and may be called on a type.

    Not those of the framework's core; without a prefix the user's own alone.
    """
    core = os.path.dirname(next((module.info.path for module in env.program.modules), ""))
    modules = [
        module
        for module in env.program.modules
        if module.is_user_code or (prefix and os.path.dirname(module.info.path) != core)
    ]
    names = (name for module in modules for name in module.cached(_EXTENSIONS))
    return [
        name
        for name in dict.fromkeys(names)
        if name.lower().startswith(prefix.lower())
        and any(may_receive(env.universe, one, kind) for one in extensions(env, lookup, name, modules))
    ]


def _index_extensions(module: LoadedModule) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for token in marked(module, _ATTRIBUTE, _METHOD_DEF):
        assert module.metadata is not None
        index.setdefault(module.metadata.method(token).name, []).append(token)
    return index


_EXTENSIONS = CacheSlot("extension methods by name", _index_extensions)


# extension members


def static_extensions(scope: Scope, owner: Type, name: str) -> list[Candidate]:
    """The static extension members of a name (`get_…` for a property) that a type is given."""
    return [one for one, receiver, is_static in extension_members(scope, name) if is_static and receiver is owner]


def instance_extensions(scope: Scope, name: str) -> list[Candidate]:
    """The extension members of a name (`get_…` for a property) that values are given, of whatever type."""
    return [one for one, _, is_static in extension_members(scope, name) if not is_static]


def extension_members(scope: Scope, name: str) -> list[tuple[Candidate, Type | None, bool]]:
    """(the method that implements it, its receiver, whether it is static) of the members that a name may mean."""
    env, found = scope.env, list[tuple[Candidate, Type | None, bool]]()
    declared = [(module, members) for module in env.program.modules if (members := module.cached(_MEMBERS).get(name))]
    namespaces = set(scope.binder.lookup.namespaces()) if declared else set[str]()  # hardly a name is that of any
    for module, members in declared:
        for token, group, receiver in members:
            metadata = module.metadata
            assert metadata is not None
            outer = metadata.enclosing_type_token(group)
            assert outer is not None
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
