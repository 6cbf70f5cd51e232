"""Calls of the program's own local functions, which the compiler has made methods of a type under other names.

Those that use variables of the method around them are given these by reference, in structures that only the frame has,
or are methods of their closure, an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct, structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Chosen, Given, in_order
from dap_dotnet.evaluation.operations.assignables import Stored, copied_to_heap
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.overloads import choose, run_chosen, why_no_overload
from dap_dotnet.evaluation.operations.reflected_calls import run_reflected
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.runtime.model import Value

_CLOSURE = re.compile(r"<.*>c__DisplayClass")


class LocalFunctions(Struct, frozen=True):
    """What a name means where it is that of a local function."""

    plain: list[Candidate]
    """Methods of the types around the site, of which some take closures by reference as their last parameters."""
    captured: list[tuple[Candidate, Run]]
    """Methods of closures that the frame has, each with what reads its closure."""
    closures: dict[Type, Run]
    """The frame's closures."""


Run = Callable[[Environment], Value]


def local_functions(binder: NameBinder, name: str) -> LocalFunctions:
    """The local functions of a name: of the methods of the types around the site, and of the frame's closures."""
    pattern = re.compile(rf"<([^<>]*)>g__{re.escape(name)}\|\d+(_\d+)?")
    plain = [
        candidate
        for owner in binder.user_types()
        for candidate in candidates(binder.universe, owner)
        if pattern.fullmatch(candidate.method.name)
    ]
    captured, closures = list[tuple[Candidate, Run]](), dict[Type, Run]()
    for read, type_id in binder.variables.closures(binder.env) if binder.variables is not None else ():
        kind = binder.env.type_of(type_id)
        if kind is not None:
            closures.setdefault(kind, read)
            captured += [(one, read) for one in candidates(binder.universe, kind) if pattern.fullmatch(one.method.name)]
    return LocalFunctions(plain, captured, closures)


def is_of_closure(binder: NameBinder, name: str) -> bool:
    """Whether a closure of the types around the site has a local function of the name."""
    mark = f">g__{name}|"
    for owner in binder.user_types():
        definition, module = binder.universe.definition_of(owner), binder.universe.module_of(owner)
        if definition is None or module is None or module.metadata is None:
            continue
        metadata = module.metadata
        for nested in metadata.nested_types(definition[1]):
            if _CLOSURE.match(nested.name) and any(mark in one.name for one in metadata.methods_of(nested.token)):
                return True
    return False


def uses_variables(name: str) -> EvaluationError:
    """A local function whose variables the frame does not have."""
    return EvaluationError(
        f"The local function '{name}' uses variables of its method, which are not available in this frame"
    )


def call_local_function(
    env: Environment, lookup: TypeLookup, found: LocalFunctions, given: Given, *, name: str, this: Operand | None
) -> Operand:
    """The result. Raises `EvaluationError` where the frame does not have the variables that the function uses."""
    if found.captured:
        only, read = found.captured[0]
        chosen = _chosen(env, lookup, only, given, name)
        return run_chosen(env, chosen, env.operand(read(env)))
    fitting = [
        (one, kinds) for one in found.plain
        if (kinds := _closures_of(env, one)) is not None and all(kind in found.closures for kind in kinds)
    ]  # fmt: skip
    if not fitting:
        raise uses_variables(name)
    if len(fitting) > 1:
        raise EvaluationError(f"Several methods have a local function '{name}', and it is ambiguous here")
    only, kinds = fitting[0]
    target = None if only.method.is_static else this
    if this is None and not only.method.is_static:
        raise uses_variables(name)
    if not kinds:
        return run_chosen(env, _chosen(env, lookup, only, given, name), target)
    places = [Stored(kind, found.closures[kind]) for kind in kinds]
    return _with_closures(env, lookup, only, given, places=places, name=name, target=target)


def _with_closures(
    env: Environment,
    lookup: TypeLookup,
    only: Candidate,
    given: Given,
    *,
    places: list[Stored],
    name: str,
    target: Operand | None,
) -> Operand:
    """A call with copies of the closures, which are stored afterwards: the function may have assigned variables."""
    kinds, written = [place.type for place in places], given
    count = len(only.method.signature.parameters) - len(kinds)
    ordered = in_order(env.universe, only, given, count) if len(given.operands) <= count else None
    if ordered is None:
        raise why_no_overload(env.universe, [only], given, name)
    given = structs.replace(ordered, types=written.types)
    before = len(env.live)
    try:
        env.live.extend(given.operands if target is None else [target, *given.operands])
        copies = [_copied(env, place) for place in places]
        constants = [*given.constants, *(None for _ in kinds)]
        by_reference = frozenset(range(count, count + len(kinds)))
        passed = Given([*given.operands, *copies], (), given.types, constants, by_reference)
        chosen = _chosen(env, lookup, only, passed, name, shown=written)
        result, after = run_reflected(env, chosen, target)
        env.live += [result, *after]
        if env.may_store:
            for number, (place, kind) in enumerate(zip(places, kinds, strict=True), count):
                assert kind is not None
                place.write(env, convert_implicitly(env, after[number], kind))
        return result
    finally:
        del env.live[before:]


def _copied(env: Environment, place: Stored) -> Operand:
    """A copy of a closure in a box of the program, in flight: its own place has no handle that outlives a call."""
    kind = place.type
    assert kind is not None
    held = copied_to_heap(env, place.read(env))
    copy = Operand(kind, held, held)
    env.live.append(copy)
    return copy


def _chosen(
    env: Environment, lookup: TypeLookup, only: Candidate, given: Given, name: str, *, shown: Given | None = None
) -> Chosen:
    """The function for the arguments. Raises `EvaluationError` where it does not take them: `shown` are the user's."""
    if not given.types:
        # The method's own type parameters are the function's, too.
        outer = [lookup.type_parameter(env, one.name) for one in only.method.generic_parameters]
        given = structs.replace(given, types=tuple(kind for kind in outer if kind is not None))
    chosen = choose(env.universe, [only], given)
    if chosen is None:
        raise EvaluationError.of(why_no_overload(env.universe, [only], shown or given, name))
    return chosen


def _closures_of(env: Environment, candidate: Candidate) -> list[Type] | None:
    """The types of the closures that a function takes as its last parameters; None where one is not known."""
    from portablepdb.signatures import ByRefType

    found = list[Type]()
    for entry in candidate.method.signature.parameters:
        if not isinstance(entry, ByRefType) or candidate.module is None:
            continue
        kind = env.universe.of_signature(candidate.module, entry.element, candidate.owner.arguments)
        if kind is None:
            return None
        if _CLOSURE.search(kind.name) is not None:
            found.append(kind)
    return found
