"""Calls of the program's own local functions, which the compiler has made methods of a type under other names.

Those that use variables of the method around them are given these by reference, or are methods of their closure: only
the method itself can call them.
"""

from __future__ import annotations

import re

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.type_lookup import TypeLookup
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.overloads import choose, run_chosen, why_no_overload
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates

_CLOSURE = re.compile(r"<.*>c__DisplayClass")


def local_functions(binder: NameBinder, name: str) -> list[Candidate]:
    """The local functions of a name in the methods of the types around the site."""
    pattern = re.compile(rf"<[^<>]*>g__{re.escape(name)}\|\d+(_\d+)?")
    return [
        candidate
        for owner in binder.user_types()
        for candidate in candidates(binder.universe, owner)
        if pattern.fullmatch(candidate.method.name)
    ]


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
    """A local function that only its method can call."""
    return EvaluationError(
        f"The local function '{name}' uses variables of its method, which only the method itself can pass to it"
    )


def call_local_function(
    env: Environment, lookup: TypeLookup, found: list[Candidate], given: Given, *, name: str, this: Operand | None
) -> Operand:
    """The result. Raises `EvaluationError` where the function uses variables of its method."""
    if len(found) > 1:
        raise EvaluationError(f"Several methods have a local function '{name}', and which is meant cannot be told here")
    (only,) = found
    if any(_is_closure(env, only, entry) for entry in only.method.signature.parameters):
        raise uses_variables(name)
    if not given.types:
        # The method's own type parameters are the function's, too.
        outer = [lookup.type_parameter(env, one.name) for one in only.method.generic_parameters]
        given = structs.replace(given, types=tuple(kind for kind in outer if kind is not None))
    chosen = choose(env.universe, found, given)
    if chosen is None or (this is None and not only.method.is_static):
        raise EvaluationError(why_no_overload(env.universe, found, given, name).message)
    return run_chosen(env, chosen, None if only.method.is_static else this)


def _is_closure(env: Environment, candidate: Candidate, entry: object) -> bool:
    from portablepdb.signatures import ByRefType

    if not isinstance(entry, ByRefType) or candidate.module is None:
        return False
    kind = env.universe.of_signature(candidate.module, entry.element, candidate.owner.arguments)
    return kind is None or _CLOSURE.search(kind.name) is not None
