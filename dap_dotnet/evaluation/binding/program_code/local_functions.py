"""Calls of the program's own local functions, with the closures that the compiler lets them have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.local_functions import closures_of, local_functions, uses_variables
from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Captured, Code, Invoked, Stored
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Stored as StoredPlace
from dap_dotnet.evaluation.rules.applicable import Chosen, in_order
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.runtime.model import Value

Read = Callable[[Environment], Value]


def local_function_call(scope: Scope, name: str, arguments: Arguments, this: Code | None) -> Code | None:
    """The call; None where no local function has the name.

    Raises `EvaluationError` where the frame does not have the variables that the function uses.
    """
    meant = local_functions(scope.binder, name)
    if meant.captured:
        only, read = meant.captured[0]
        kind = scope.env.type_of(read(scope.env).type)
        if kind is None:
            raise uses_variables(name)
        return _called(scope, name, only, arguments, target=_closure(scope, kind, read))
    if not meant.plain:
        return None
    fitting = [
        (one, kinds)
        for one in meant.plain
        if (kinds := closures_of(scope.env, one)) is not None and all(kind in meant.closures for kind in kinds)
    ]
    if not fitting:
        raise uses_variables(name)
    if len(fitting) > 1:
        raise EvaluationError(f"Several methods have a local function '{name}', and it is ambiguous here")
    only, kinds = fitting[0]
    if this is None and not only.method.is_static:
        raise uses_variables(name)
    closures = tuple(_closure(scope, kind, meant.closures[kind]) for kind in kinds)
    target = None if only.method.is_static else this
    return _called(scope, name, only, arguments, target=target, closures=closures)


def local_function_group(scope: Scope, name: str, this: Code | None) -> tuple[Type, Code | None, str] | None:
    """(its type, what it is called on, its own name) of a local function as a delegate's method; None: there is none.

    Raises `EvaluationError` where a delegate cannot have what the function uses.
    """
    meant = local_functions(scope.binder, name)
    if meant.captured:
        only, read = meant.captured[0]
        kind = scope.env.type_of(read(scope.env).type)
        return (only.owner, _closure(scope, kind, read), only.method.name) if kind is not None else None
    if not meant.plain:
        return None
    only = meant.plain[0]
    if len(meant.plain) > 1 or closures_of(scope.env, only) or (this is None and not only.method.is_static):
        raise uses_variables(name)
    return only.owner, None if only.method.is_static else this, only.method.name


def _closure(scope: Scope, kind: Type, read: Read) -> Stored:
    """A closure of the frame, which no source names."""

    def captured() -> Code:
        if not kind.is_reference:
            raise unsupported("A local function that uses variables of its method")
        return Captured(kind, scope.env.operand(read(scope.env), kind))

    return Stored(kind, "", lambda env: env.operand(read(env)), lambda env: StoredPlace(kind, read), captured)


def _called(
    scope: Scope,
    name: str,
    only: Candidate,
    arguments: Arguments,
    *,
    target: Code | None,
    closures: Sequence[Code] = (),
) -> Code:
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
    return _invoked(scope, chosen, target, arguments)


def _invoked(scope: Scope, chosen: Chosen, target: Code | None, arguments: Arguments) -> Code:
    kind = chosen.candidate.return_type(scope.universe, chosen.type_arguments)
    if kind is None:
        raise unsupported("A local function whose result's type is not loaded")
    return Invoked(kind, chosen.exact, target, arguments.passed(chosen))
