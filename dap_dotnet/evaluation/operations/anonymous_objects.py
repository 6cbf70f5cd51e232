"""Anonymous objects in the program: of a type that the compiler made for the same members, else of one made here."""

from __future__ import annotations

from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.rules.inference import natural_tuple
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken, TypeDefToken
from dap_dotnet.symbols.metadata_names import Definition
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

_MARK = "AnonymousType"
_TYPE_DEF = 0x02


def is_anonymous(kind: Type) -> bool:
    """Whether a type is one that the compiler made for anonymous objects."""
    return _MARK in kind.full_name and kind.full_name.startswith("<>")


def in_program(env: Environment, operand: Operand) -> Operand:
    """The object of the program for an anonymous object of the expression.

    Raises `EvaluationError`, also where the program has no such type and nothing may run.
    """
    for item in operand.data:
        if item.type.kind is Kind.TUPLE:
            env.runner.put_on_heap(env, item)
    return _made(env, operand)


def _made(env: Environment, operand: Operand) -> Operand:
    prepare_type(env, _names(operand))
    kinds = tuple(types.OBJECT if item.type.kind is Kind.NULL else item.type for item in operand.data)
    wanted = anonymous_type(env, _names(operand), kinds)
    if wanted is None:
        raise calls_forbidden("The constructor of an anonymous object")
    constructor = next(one for one in candidates(env.universe, wanted) if one.method.name == ".ctor")
    exact = ExactMethod(wanted, MethodToken(constructor.method.token))
    return env.runner.construct(env, wanted, exact, operand.data)


def _names(operand: Operand) -> tuple[str, ...]:
    return tuple(name or "" for name in operand.names)


def natural_type(env: Environment, operand: Operand) -> Type | None:
    """The type of such an object of the expression; None where the program has none (see `prepare_types`)."""
    kinds = tuple(natural_kind(env, item) for item in operand.data)
    known = tuple(kind for kind in kinds if kind is not None)
    return anonymous_type(env, _names(operand), known) if len(known) == len(kinds) else None


def natural_kind(env: Environment, item: Operand) -> Type | None:
    """The type that an operand has by itself: of tuples and anonymous objects of the expression the program's."""
    if item.type is types.ANONYMOUS:
        return natural_type(env, item)
    return natural_tuple(env.universe, item) if item.type is types.TUPLE else item.type


def prepare_types(env: Environment, operand: Operand) -> None:
    """Let the program have types for an anonymous object of the expression, and for those in it, where it may run.

    Raises `EvaluationError`.
    """
    if operand.type is types.ANONYMOUS:
        prepare_type(env, _names(operand))
        for item in operand.data:
            prepare_types(env, item)


def prepare_type(env: Environment, names: tuple[str, ...]) -> None:
    """As `prepare_types`, for members of these names."""
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
