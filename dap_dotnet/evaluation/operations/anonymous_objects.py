"""Types of anonymous objects in the program: the compiler's for the same members, else one that is made here."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.runtime.model import TypeDefToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

_MARK = "AnonymousType"
_TYPE_DEF = 0x02


def is_anonymous(kind: Type) -> bool:
    """Whether a type is one that the compiler made for anonymous objects."""
    return _MARK in kind.full_name and kind.full_name.startswith("<>")


def prepare_type(env: Environment, names: tuple[str, ...]) -> None:
    """Let the program have a type for anonymous objects with members of these names, where it may run.

    Raises `EvaluationError`.
    """
    if env.caller is not None and not any(names in module.cached(_ANONYMOUS_TYPES) for module in env.universe.modules):
        env.runner.make_anonymous_type(env, names)


def anonymous_type(env: Environment, names: tuple[str, ...], kinds: tuple[Type, ...]) -> Type | None:
    """The type for members of these names and types; None where the program has none (see `prepare_type`)."""
    for module in env.universe.modules:
        found = module.cached(_ANONYMOUS_TYPES).get(names)
        if found is not None:
            return env.universe.of_definition(found, kinds)
    return None


def _find_types(module: LoadedModule) -> dict[tuple[str, ...], Definition]:
    """The anonymous types of a module, by the names of their properties in order."""
    metadata, found = module.metadata, dict[tuple[str, ...], Definition]()
    if metadata is None:
        return found
    strings = metadata.image.strings
    for row_id, offset in enumerate(metadata.image.table(_TYPE_DEF).raw_column("name"), 1):
        if _MARK in strings[offset]:
            token = TypeDefToken(_TYPE_DEF << 24 | row_id)
            found[tuple(one.name for one in metadata.properties_of(token))] = (module.id, token)
    return found


_ANONYMOUS_TYPES = CacheSlot("anonymous types by members", _find_types)
