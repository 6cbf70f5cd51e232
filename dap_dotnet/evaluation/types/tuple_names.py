"""Names of tuple elements: the compiler keeps them beside the types, flattened (Roslyn: TupleElementNames).

First the names of the tuple's own elements, then those of each element that is a tuple itself, in order. They go
through the signatures of generic members.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct

from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import (
    TUPLE_PREFIX,
    TUPLE_REST,
    ExactMethod,
    Kind,
    Operand,
    Type,
    TypeArguments,
    is_tuple,
    tuple_length,
    tuple_rest,
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


def of_argument(kind: Type, names: Names, index: int) -> Names:
    """The names inside of a generic argument of a type that has such names; () where they are not of this type."""
    if len(names) != count(kind):
        return ()
    start = tuple_length(kind) if is_tuple(kind) else 0
    start += sum(count(argument) for argument in kind.arguments[:index])
    return names[start : start + count(kind.arguments[index])]


def count(kind: Type) -> int:
    """How many names a type takes."""
    if not is_tuple(kind):
        return sum(count(argument) for argument in kind.arguments)
    return tuple_length(kind) + sum(count(argument) for argument in kind.arguments)


def element(kind: Type, names: Names, name: str) -> tuple[int, Names] | None:
    """(number of the element from 1, the names inside of it) of a tuple's element by name; None when it has none."""
    if not is_tuple(kind):
        return None
    own = names[: tuple_length(kind)]
    if name in own:
        index = own.index(name)
    elif name.startswith("Item") and name[4:].isdigit() and 0 < int(name[4:]) <= tuple_length(kind):
        index = int(name[4:]) - 1
    else:
        return None
    rest = tuple_rest(kind)
    start = tuple_length(kind) + sum(count(argument) for argument in kind.arguments[: min(index, TUPLE_REST)])
    if rest is not None and index >= TUPLE_REST:
        within = element(rest, names[start:], f"Item{index - TUPLE_REST + 1}")
        return index + 1, within[1] if within is not None else ()
    return index + 1, names[start : start + count(kind.arguments[index])]


def names_by_type(operands: Sequence[Operand]) -> dict[Type, Names]:
    """The names that the types of operands have for each type with tuples in them; None where they do not agree."""
    found = dict[Type, Names]()

    def add(kind: Type, names: Names) -> None:
        both = zip(found.get(kind, names), names, strict=True)
        found[kind] = tuple(one if one == other else None for one, other in both)
        for number, argument in enumerate(kind.arguments):
            if count(argument):
                add(argument, of_argument(kind, names, number))

    for operand in operands:
        if operand.names and len(operand.names) == count(operand.type):
            add(operand.type, operand.names)
    return found


def _names_of_value(operand: Operand) -> Names:
    """The names in the type of a value, those of a tuple that the expression made too."""
    if operand.type is not types.TUPLE:
        return operand.names
    own: Names = operand.names or (None,) * len(operand.data)
    found = own + tuple(name for item in operand.data for name in _names_of_value(item) or _no_names(item.type))
    return found if any(found) else ()


def _no_names(kind: Type) -> Names:
    return (None,) * count(kind)


def names_of_arguments(universe: Universe, target: Operand | None, owner: Type) -> list[Names]:
    """The names in each type argument of the type that declares a member, by those of the value that has it."""
    names = _fitting(universe, target, owner)
    return [of_argument(owner, names, number) or _no_names(one) for number, one in enumerate(owner.arguments)]


def _fitting(universe: Universe, target: Operand | None, owner: Type) -> Names:
    names: Names = target.names if target is not None else ()
    if target is None or len(names) != count(target.type):
        return ()
    seen = names if target.type is owner else names_as(universe, target.type, names, owner.definition)
    return seen if len(seen) == count(owner) else ()


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
            yield from of_argument(kind, names, number) or _no_names(kind.arguments[number])
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
    return [names or (None,) * count(kind) for kind, names in pairs if isinstance(kind, Type)]


def inferred_names(
    universe: Universe, candidate: Candidate, arguments: Sequence[Operand], kinds: tuple[Type, ...]
) -> TypeArguments:
    """Type arguments that were found by the arguments of a call, with the names that these give to tuples' elements."""
    if not any(_names_of_value(argument) for argument in arguments):
        return TypeArguments(kinds)
    inference = _Inference(universe, candidate, kinds)
    for signature, argument in zip(candidate.method.signature.parameters, arguments, strict=False):
        names = _names_of_value(argument) or _no_names(argument.type)
        if (names and argument.type.kind is not Kind.TUPLE) or argument.type is types.TUPLE:
            known = dict(inference.found) if is_delegate(universe, argument.type) else {}
            inference.learn(signature, argument.type, names)
            inference.found.update(known)  # what a lambda takes is fixed before it says what it gives
    made = TypeArguments(kinds)
    made.names = tuple(inference.found.get(number, ()) for number in range(len(kinds)))
    return made


class _Inference:
    """What parameters say of the names in type arguments."""

    def __init__(self, universe: Universe, candidate: Candidate, kinds: tuple[Type, ...]) -> None:
        self._universe = universe
        self._candidate = candidate
        self._kinds = kinds
        self.found: dict[int, Names] = {}

    def learn(self, signature: sig.TypeSignature, kind: Type, names: Names) -> None:
        """From one parameter, of what it is given. Where two do not say the same, there is no name."""
        if isinstance(signature, sig.MethodParameter):
            if len(names) == count(self._kinds[signature.number]):
                before = self.found.get(signature.number, names)
                both = zip(before, names, strict=True)
                self.found[signature.number] = tuple(one if one == other else None for one, other in both)
        elif isinstance(signature, sig.SzArrayType) and kind.kind is Kind.ARRAY:
            self.learn(signature.element, kind.element, names)
        elif isinstance(signature, sig.GenericInstance) and isinstance(signature.generic, sig.NamedType):
            declared = _as_declared(self._universe, self._candidate, signature.generic.token, kind)
            names = names_as(self._universe, kind, names, declared.definition) if declared is not None else ()
            if declared is None or count(declared) != len(names):
                return
            for number, (part, argument) in enumerate(zip(signature.arguments, declared.arguments, strict=False)):
                self.learn(part, argument, of_argument(declared, names, number))


def _as_declared(universe: Universe, candidate: Candidate, token: int, kind: Type) -> Type | None:
    """The type itself, or its base or interface, that a generic parameter has; None where it is none."""
    wanted = resolve(universe.modules, candidate.module, token)
    if kind.kind is Kind.ARRAY:
        return universe.of_definition(wanted, kind.arguments) if wanted is not None else None
    return instance_of(universe, kind, wanted)
