"""Calls of the program's own local functions, which the compiler has made methods of a type under other names.

Those that use variables of the method around them are given these by reference, in structures that only the frame has,
or are methods of their closure, an object.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.members import result_of
from dap_dotnet.evaluation.binding.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Captured, Code, Invoked, Stored
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored as StoredPlace
from dap_dotnet.evaluation.rules.applicable import in_order
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declarations import Candidate, candidates
from dap_dotnet.runtime.model import Value

_CLOSURE = re.compile(r"<.*>c__DisplayClass")
Read = Callable[[Environment], Value]


def is_local_function(scope: Scope, name: str) -> bool:
    """Whether a name is that of a local function."""
    plain, captured = _plain(scope, name), _captured(scope, name)
    return bool(plain or captured)


def local_function_call(scope: Scope, name: str, arguments: Arguments, this: Code | None) -> Code | None:
    """The call; None where no local function has the name.

    Raises `EvaluationError` where the frame does not have the variables that the function uses.
    """
    meant = _meant(scope, name, this)
    if meant is None:
        return None
    only, target, closures = meant
    given = arguments.given
    if not given.types:
        # The method's own type parameters are the function's, too.
        lookup = scope.binder.lookup
        outer = [lookup.type_parameter(scope.env, one.name) for one in only.method.generic_parameters]
        arguments.take_types(tuple(kind for kind in outer if kind is not None))
    if closures:
        count = len(only.method.signature.parameters) - len(closures)
        is_few = len(given.operands) <= count
        ordered = in_order(scope.universe, only, arguments.given, count) if is_few else None
        if ordered is None:
            raise why_no_overload(scope.universe, [only], given, name)
        arguments.add_references(ordered, closures)
    chosen = choose(scope.universe, [only], arguments.given)
    if chosen is None:
        raise why_no_overload(scope.universe, [only], given if closures else arguments.given, name)
    return Invoked(result_of(scope, chosen), chosen.exact, target, arguments.passed(chosen))


def local_function_group(scope: Scope, name: str, this: Code | None) -> tuple[Type, Code | None, str] | None:
    """(its type, what it is called on, its own name) of a local function as a delegate's method; None: there is none.

    Raises `EvaluationError` where a delegate cannot have what the function uses.
    """
    meant = _meant(scope, name, this)
    if meant is None:
        return None
    only, target, closures = meant
    if closures:
        raise _uses_variables(name)
    return only.owner, target, only.method.name


def _meant(scope: Scope, name: str, this: Code | None) -> tuple[Candidate, Code | None, Sequence[Code]] | None:
    """The function of a name, what it is called on, and the closures that it takes last; None: there is none."""
    captured, plain = _captured(scope, name), _plain(scope, name)
    if captured:
        only, read = captured[0]
        kind = scope.env.type_of(read(scope.env).type)
        if kind is None:
            raise _uses_variables(name)
        return only, _closure(kind, read), ()
    if not plain:
        return None
    known = {kind: read for read, kind in _closures(scope)}
    fitting = [
        (one, kinds)
        for one in plain
        if (kinds := _closures_of(scope, one)) is not None and all(kind in known for kind in kinds)
    ]
    if not fitting:
        raise _uses_variables(name)
    if len(fitting) > 1:
        raise EvaluationError(f"Several methods have a local function '{name}', and it is ambiguous here")
    only, kinds = fitting[0]
    if this is None and not only.method.is_static:
        raise _uses_variables(name)
    closures = [_closure(kind, known[kind]) for kind in kinds]
    return only, None if only.method.is_static else this, closures


def _plain(scope: Scope, name: str) -> list[Candidate]:
    """The functions that are methods of the types around the site; some take closures as their last parameters."""
    owners = scope.binder.user_types()
    return [one for owner in owners for one in candidates(scope.universe, owner) if _is_named(one, name)]


def _captured(scope: Scope, name: str) -> list[tuple[Candidate, Read]]:
    """The functions that are methods of closures that the frame has, each with what reads its closure."""
    return [
        (one, read)
        for read, kind in _closures(scope)
        for one in candidates(scope.universe, kind)
        if _is_named(one, name)
    ]


def _is_named(candidate: Candidate, name: str) -> bool:
    return re.fullmatch(rf"<([^<>]*)>g__{re.escape(name)}\|\d+(_\d+)?", candidate.method.name) is not None


def _closures(scope: Scope) -> list[tuple[Read, Type]]:
    """What reads the frame's closures, and their types; the innermost one of each."""
    variables, found = scope.binder.variables, dict[Type, Read]()
    for read, type_id in variables.closures(scope.env) if variables is not None else ():
        kind = scope.env.type_of(type_id)
        if kind is not None:
            found.setdefault(kind, read)
    return [(read, kind) for kind, read in found.items()]


def _closures_of(scope: Scope, candidate: Candidate) -> list[Type] | None:
    """The types of the closures that a function takes as its last parameters; None where one is not known."""
    from portablepdb.signatures import ByRefType

    found = list[Type]()
    for entry in candidate.method.signature.parameters:
        if not isinstance(entry, ByRefType) or candidate.module is None:
            continue
        kind = scope.universe.of_signature(candidate.module, entry.element, candidate.owner.arguments)
        if kind is None:
            return None
        if _CLOSURE.search(kind.name) is not None:
            found.append(kind)
    return found


def _closure(kind: Type, read: Read) -> Stored:
    """A closure of the frame, which no source names."""

    def captured(env: Environment) -> Code:
        if not kind.is_reference:
            raise unsupported("A local function that uses variables of its method")
        return Captured(kind, env.operand(read(env), kind))

    return Stored(kind, "", lambda env: env.operand(read(env)), lambda env: StoredPlace(kind, read), captured)


def _uses_variables(name: str) -> EvaluationError:
    """Of a local function whose variables the frame does not have."""
    return EvaluationError(
        f"The local function '{name}' uses variables of its method, which are not available in this frame"
    )
