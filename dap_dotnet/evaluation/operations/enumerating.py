"""What an object enumerates, by the program's own code: the first items, in an array of the program."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.chosen_calls import run_chosen
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import ancestors

_GENERIC = "System.Collections.Generic.IEnumerable`1"
_LINQ, _ENUMERABLE = "System.Linq", "System.Linq.Enumerable"


def first_items(env: Environment, target: Operand, most: int) -> Operand:
    """An array with the first items that an object enumerates, at most so many. The program runs for it.

    Raises `EvaluationError`, also for what the program's code threw.
    """
    element = _element_of(env, env.own_type(target))
    before = len(env.live)
    env.live.append(target)
    try:
        owner = _enumerable(env)
        if element is None:
            element = types.OBJECT
            env.live.append(_run(env, owner, "Cast", [env.live[-1]], element))
        env.live.append(_run(env, owner, "Take", [env.live[-1], Operand(types.I4, most)], element))
        return _run(env, owner, "ToArray", [env.live[-1]], element)
    finally:
        del env.live[before:]


def run_enumerable(env: Environment, name: str, arguments: Sequence[Operand]) -> Operand:
    """A method of System.Linq.Enumerable, whatever the program has loaded; the arguments are in flight."""
    return _run(env, _enumerable(env), name, arguments)


def _element_of(env: Environment, kind: Type) -> Type | None:
    """The type argument of IEnumerable<T>; None for what implements only the other one."""
    definition = env.universe.definition_of(kind)
    found = ancestors(env.universe, definition, kind.arguments) if definition is not None else []
    return next((one.arguments[0] for one in found if one.full_name == _GENERIC and one.arguments), None)


def _enumerable(env: Environment) -> Type:
    """System.Linq.Enumerable; its assembly is loaded where the program has not done so."""
    found = env.universe.named(_ENUMERABLE)
    if found is None:
        assembly = env.universe.named("System.Reflection.Assembly")
        if assembly is not None:
            _run(env, assembly, "Load", [Operand(types.STRING, _LINQ)])
            found = env.universe.named(_ENUMERABLE)
    if found is None:
        raise EvaluationError("The program has no System.Linq, which enumerates it here")
    return found


def _run(
    env: Environment, owner: Type, name: str, arguments: Sequence[Operand], element: Type | None = None
) -> Operand:
    given = Given(arguments, (), (element,) if element is not None else ())
    chosen = choose(env.universe, [one for one in candidates(env.universe, owner) if one.method.name == name], given)
    if chosen is None:
        raise EvaluationError(f"The program has no {owner.name}.{name} that takes it")
    return run_chosen(env, chosen, None)
