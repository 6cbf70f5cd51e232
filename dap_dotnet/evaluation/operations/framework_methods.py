"""Methods of the framework that operations need themselves: named with their signatures, no overload is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declarations import candidates
from dap_dotnet.runtime.model import MethodToken


def framework_type(env: Environment, name: str, arguments: tuple[Type, ...] = ()) -> Type:
    """A type of the framework. Raises `EvaluationError` where the program has none of the name."""
    kind = env.universe.named(name, arguments)
    if kind is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return kind


def framework_method(
    env: Environment,
    owner: Type | str,
    name: str,
    count: int,
    parameters: Sequence[Type | None] | None = None,
    *,
    type_arguments: tuple[Type, ...] = (),
) -> ExactMethod:
    """A method that a type itself declares, by its name and the number of its parameters; their types tell overloads
    apart. `type_arguments`: the method's own, where they are needed. Raises `EvaluationError`.
    """
    kind = framework_type(env, owner) if isinstance(owner, str) else owner
    for candidate in candidates(env.universe, kind):
        if candidate.method.name != name or len(candidate.method.signature.parameters) != count:
            continue
        if type_arguments and candidate.method.signature.generic_count != len(type_arguments):
            continue
        if parameters is None or candidate.parameter_types(env.universe, type_arguments) == list(parameters):
            return ExactMethod(kind, MethodToken(candidate.method.token), type_arguments)
    raise EvaluationError(f"The program's framework has no {kind.full_name or kind.name}.{name}")


def call_framework(
    env: Environment,
    target: Operand | None,
    owner: Type | str,
    name: str,
    arguments: Sequence[Operand] = (),
    *,
    parameters: Sequence[Type | None] | None = None,
) -> Operand:
    """The result of such a method, of `target` or (None) a static one; virtual ones are dispatched.

    The arguments fit the parameters. Raises `EvaluationError`, and as `MethodRunner.run`.
    """
    method = framework_method(env, owner, name, len(arguments), parameters)
    return env.runner.run(env, method, target, arguments)
