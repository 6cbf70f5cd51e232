"""Methods and indexers by name, as expressions ask for them: the overload that fits is run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.chosen_calls import run_chosen
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates, methods_named
from dap_dotnet.evaluation.types.inheritance import bases_of, is_subtype
from dap_dotnet.evaluation.types.universe import Universe


class NoOverloadError(EvaluationError):
    """Methods of the name are there, and none takes the arguments, or only a static one: an extension method may.

    Nothing has run.
    """


def call_method(
    env: Environment, target: Operand | None, owner: Type, name: str, given: Given, *, receiver_is: str = ""
) -> Operand | None:
    """Call a method by name: on `target`, or a static one of `owner`. None when there is no method of the name.

    `receiver_is`: "base" calls the method of `owner` itself, "value" refuses static methods (CS0176).

    Raises `EvaluationError`: CS1501 and CS1503 when no overload fits.
    """
    found = choose_method(env, target, owner, name, given, receiver_is=receiver_is)
    return run_chosen(env, found[0], found[1], is_virtual=receiver_is != "base") if found is not None else None


def choose_method(
    env: Environment, target: Operand | None, owner: Type, name: str, given: Given, *, receiver_is: str = ""
) -> tuple[Chosen, Operand | None] | None:
    """The method that `call_method` calls, and its target (None: it is static)."""
    searched = [owner]
    if target is not None and isinstance(target.type, Type):
        own = env.own_type(target)
        if own is not owner and receiver_is != "base":
            searched.append(own)
    for start in searched:
        found = methods_named(env.universe, start, name)
        if target is None:
            found = [candidate for candidate in found if candidate.method.is_static]
        if found:
            chosen = choose(env.universe, found, given, name=f"{start.name}.{name}")
            if chosen is None and target is not None and all(one.method.is_static for one in found):
                continue  # an extension method may be meant: `array.Reverse()`
            if chosen is None:
                raise NoOverloadError.of(why_no_overload(env.universe, found, given, f"{start.name}.{name}"))
            receiver = None if chosen.candidate.method.is_static else target
            if receiver is None and receiver_is == "value":
                raise NoOverloadError.of(Diagnostic("CS0176", chosen.candidate.owner.name, name))
            return chosen, receiver
    return None


def call_indexer(
    env: Environment, target: Operand, indices: Sequence[Operand], names: Sequence[str | None] = ()
) -> Operand:
    """`target[indices]` by the getter of an indexer. CS0021 when there is none. `names` are as `Given` has them."""
    for start in dict.fromkeys((target.type, env.own_type(target))):
        for declaring in bases_of(env.universe, start):
            getters = {candidate.method.name for candidate in candidates(env.universe, declaring)
                     if candidate.is_indexer}  # fmt: skip
            for name in sorted(getters, key=lambda name: ("." in name, name)):
                result = call_method(env, target, declaring, name, Given(indices, names))
                if result is not None:
                    return result
    raise Diagnostic("CS0021", target.type.name)


def has_indexer(env: Environment, target: Operand, indices: Sequence[Operand]) -> bool:
    """Whether an indexer takes values of the types of these; they may have no data. Not one of an interface alone."""
    chosen = _indexer(env, target, indices)
    return chosen is not None and "." not in chosen.candidate.method.name


def _indexer(
    env: Environment, target: Operand, indices: Sequence[Operand], names: Sequence[str | None] = ()
) -> Chosen | None:
    for start in dict.fromkeys((target.type, env.own_type(target))):
        for chosen in fitting_indexers(env.universe, start, indices, names):
            if not chosen.conversions:
                return chosen
    return None


def fitting_indexers(
    universe: Universe, start: Type, indices: Sequence[Operand], names: Sequence[str | None] = ()
) -> Iterator[Chosen]:
    """The getters that fit these indices, of a type and its bases: at most one of each.

    The type's own ones come before those that are of an interface alone.
    """
    for getters in indexers(universe, start):
        own = [candidate for candidate in getters if "." not in candidate.method.name]
        fitting = (choose(universe, group, Given(indices, names)) for group in (own, getters) if group)
        chosen = next((one for one in fitting if one is not None), None)
        if chosen is not None:
            yield chosen


def indexers(universe: Universe, start: Type) -> Iterator[list[Candidate]]:
    """The getters of the indexers of a type, and those of each of its bases."""
    for declaring in bases_of(universe, start):
        declared = candidates(universe, declaring)
        yield [candidate for candidate in declared if candidate.is_indexer and not candidate.method.is_static]


def call_to_string(env: Environment, operand: Operand) -> str:
    """`operand.ToString()`, run in the program. Null gives an empty text."""
    if env.caller is None:
        raise calls_forbidden(f"The text of a value of type '{env.own_type(operand).name}'")
    result = call_method(env, operand, env.own_type(operand), "ToString", Given(()))
    if result is None:
        raise Diagnostic("CS1061", operand.type.name, "ToString")
    return env.text(result) or "" if result.type is types.STRING else ""


def call_formatted(env: Environment, operand: Operand, format_text: str) -> str:
    """A hole of an interpolated string ("": without a format): IFormattable's `ToString`, else the object's."""
    if env.caller is None:
        formatted = f" in the format '{format_text}'" if format_text else ""
        raise calls_forbidden(f"The text of a value of type '{env.own_type(operand).name}'{formatted}")
    interface = env.universe.named("System.IFormattable")
    if interface is None or not is_subtype(env.universe, env.own_type(operand), interface):
        return call_to_string(env, operand)
    given = Given([Operand(types.STRING, format_text or None), types.NULL_OPERAND])
    result = call_method(env, operand, interface, "ToString", given)
    return (env.text(result) or "") if result is not None else ""
