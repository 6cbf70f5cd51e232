"""Names of tuple elements through the signatures of generic members, and the types of tuples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from dap_dotnet.evaluation.types.csharp_types import (
    TUPLE_PREFIX,
    TUPLE_REST,
    ExactMethod,
    Kind,
    Operand,
    Type,
    TypeArguments,
    count_names,
    is_tuple,
    names_of_argument,
    tuple_length,
)
from dap_dotnet.evaluation.types.declarations import Candidate, instance_of, is_delegate
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType
from dap_dotnet.symbols.metadata_names import Definition, resolve
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.tuple_names import Names
from portablepdb import signatures as sig


def tuple_type(universe: Universe, kinds: Sequence[Type]) -> Type | None:
    """The type of tuples with such elements; None where the framework has none."""
    if len(kinds) <= TUPLE_REST:
        return universe.named(f"{TUPLE_PREFIX}{len(kinds)}", tuple(kinds)) if kinds else None
    rest = tuple_type(universe, kinds[TUPLE_REST:])
    return universe.named(f"{TUPLE_PREFIX}{TUPLE_REST + 1}", (*kinds[:TUPLE_REST], rest)) if rest is not None else None


def _no_names(kind: Type) -> Names:
    return (None,) * count_names(kind)


def names_of_arguments(universe: Universe, target: Operand | None, owner: Type) -> list[Names]:
    """The names in each type argument of the type that declares a member, by those of the value that has it."""
    names: Names = ()
    if target is not None and len(target.names) == count_names(target.type):
        names = target.names
        if target.type is not owner:
            names = names_as(universe, target.type, names, owner.definition)
    return [names_of_argument(owner, names, number) or _no_names(one) for number, one in enumerate(owner.arguments)]


_PLACES = tuple(Type(Kind.CLASS, ElementType.CLASS, f"!{number}") for number in range(32))
"""Stand for type arguments, to see where a base or an interface has them."""


def names_as(universe: Universe, kind: Type, names: Names, ancestor: Definition | None) -> Names:
    """The names in the base or interface of a definition that a type has, by those in itself; () for none."""
    if ancestor is None or kind.kind is Kind.ARRAY or ancestor == kind.definition:
        return names
    if kind.definition is None or len(kind.arguments) > len(_PLACES):
        return ()

    def walk(part: Type) -> Iterator[str | None]:
        if part in _PLACES:
            number = _PLACES.index(part)
            yield from names_of_argument(kind, names, number) or _no_names(kind.arguments[number])
            return
        yield from (None for _ in range(tuple_length(part) if is_tuple(part) else 0))
        for argument in part.arguments:
            yield from walk(argument)

    opened = universe.of_definition(kind.definition, _PLACES[: len(kind.arguments)])
    above = instance_of(universe, opened, ancestor) if opened is not None else None
    return tuple(walk(above)) if above is not None else ()


class GivenNames(Struct):
    """What the names in a member's type come from."""

    own: Names
    """Those that its declaration gives to tuples in its signature."""
    of_type: Sequence[Names]
    """Of each type argument of the type that declares it."""
    of_method: Sequence[Names] = ()
    """Of each of its own type arguments."""


def names_in_signature(
    universe: Universe, module: LoadedModule, signature: sig.TypeSignature, given: GivenNames
) -> Names:
    """The names in the type of a member."""
    left, of_type, of_method = iter(given.own), given.of_type, given.of_method

    def walk(part: sig.TypeSignature) -> Iterator[str | None]:
        if isinstance(part, (sig.TypeParameter, sig.MethodParameter)):
            known = of_type if isinstance(part, sig.TypeParameter) else of_method
            yield from known[part.number] if part.number < len(known) else ()
        elif isinstance(part, sig.GenericInstance):
            generic = part.generic.token if isinstance(part.generic, sig.NamedType) else None
            definition = universe.of_token(module, generic) if generic is not None else None
            if definition is not None and definition.full_name.startswith("System.ValueTuple`"):
                for _ in part.arguments:
                    yield next(left, None)
            for argument in part.arguments:
                yield from walk(argument)
        elif isinstance(part, (sig.SzArrayType, sig.ArrayType, sig.ByRefType)):
            yield from walk(part.element)

    return tuple(walk(signature))


def names_of_methods(method: ExactMethod) -> list[Names]:
    """The names in each of a method's own type arguments."""
    kinds = method.type_arguments
    given = kinds.names if isinstance(kinds, TypeArguments) else ()
    pairs = zip_longest(kinds, given[: len(kinds)], fillvalue=())
    return [names or (None,) * count_names(kind) for kind, names in pairs if isinstance(kind, Type)]


def inferred_names(
    universe: Universe, candidate: Candidate, arguments: Sequence[Operand], kinds: tuple[Type, ...]
) -> TypeArguments:
    """Type arguments that were found by the arguments of a call, with the names that these give to tuples' elements."""
    if not any(argument.names for argument in arguments):
        return TypeArguments(kinds)
    found: dict[int, Names] = {}

    def learn(signature: sig.TypeSignature, kind: Type, names: Names) -> None:
        """From one parameter, of what it is given. Where two do not say the same, there is no name."""
        if isinstance(signature, sig.MethodParameter):
            if len(names) == count_names(kinds[signature.number]):
                both = zip(found.get(signature.number, names), names, strict=True)
                found[signature.number] = tuple(one if one == other else None for one, other in both)
        elif isinstance(signature, sig.SzArrayType) and kind.kind is Kind.ARRAY:
            learn(signature.element, kind.element, names)
        elif isinstance(signature, sig.GenericInstance) and isinstance(signature.generic, sig.NamedType):
            declared = _as_declared(universe, candidate, signature.generic.token, kind)
            names = names_as(universe, kind, names, declared.definition) if declared is not None else ()
            if declared is None or count_names(declared) != len(names):
                return
            for number, (part, argument) in enumerate(zip(signature.arguments, declared.arguments, strict=False)):
                learn(part, argument, names_of_argument(declared, names, number))

    for signature, argument in zip(candidate.method.signature.parameters, arguments, strict=False):
        names = argument.names or _no_names(argument.type)
        if names:
            known = dict(found) if is_delegate(universe, argument.type) else {}
            learn(signature, argument.type, names)
            found.update(known)  # what a lambda takes is fixed before it says what it gives
    made = TypeArguments(kinds)
    made.names = tuple(found.get(number, ()) for number in range(len(kinds)))
    return made


def _as_declared(universe: Universe, candidate: Candidate, token: int, kind: Type) -> Type | None:
    """The type itself, or its base or interface, that a generic parameter has; None where it is none."""
    wanted = resolve(universe.modules, candidate.module, token)
    if kind.kind is Kind.ARRAY:
        return universe.of_definition(wanted, kind.arguments) if wanted is not None else None
    return instance_of(universe, kind, wanted)
