"""Calls of the program's own local functions, which the compiler has made methods of a type under other names.

Those that use variables of the method around them are given these by reference, in structures that only the frame has,
or are methods of their closure, an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Type
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


def uses_variables(name: str) -> EvaluationError:
    """A local function whose variables the frame does not have."""
    return EvaluationError(
        f"The local function '{name}' uses variables of its method, which are not available in this frame"
    )


def closures_of(env: Environment, candidate: Candidate) -> list[Type] | None:
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
