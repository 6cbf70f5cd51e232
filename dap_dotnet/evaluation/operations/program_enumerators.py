"""Sequences that only the program's own code enumerates: all at once, or one element after the other.

A query that may stop early (`First`, `Take`) pulls one element after the other, as C# does: the sequence may have no
end, or do something for each element. Others get an array, which is far faster.
"""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.enumerating import first_items
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken

MOST_PULLED = 2_000
"""How many elements are pulled one by one at most: the program runs for each."""
_SEQUENCE, _ENUMERATOR = "System.Collections.Generic.IEnumerable`1", "System.Collections.Generic.IEnumerator`1"


def pulled(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """The elements one by one. What is left before the end is disposed of by `dispose`."""
    enumerator = _run(env, _SEQUENCE, (element,), "GetEnumerator", operand)
    env.kept.append(enumerator)
    env.enumerators.append(enumerator)
    for _ in range(MOST_PULLED):
        env.step()
        if not _run(env, "System.Collections.IEnumerator", (), "MoveNext", enumerator).data:
            if any(one is enumerator for one in env.enumerators):
                env.enumerators = [one for one in env.enumerators if one is not enumerator]
                _dispose(env, enumerator)
            return
        yield _run(env, _ENUMERATOR, (element,), "get_Current", enumerator)
    raise EvaluationError(
        f"The elements of '{env.own_type(operand).name}' are had one by one from the program here, and the first "
        f"{MOST_PULLED:,} did not suffice: put a part of them into an array first, as in Take(100000).ToArray()"
    )


def gathered(env: Environment, operand: Operand, most: int) -> Operand:
    """An array with all elements; one more than `most` where there are more."""
    return first_items(env, operand, most + 1)


def dispose(env: Environment, opened: int, result: Operand) -> None:
    """Dispose of the enumerators after the first `opened`: the query that pulled from them has its result."""
    left = env.enumerators[opened:]
    del env.enumerators[opened:]
    env.live.append(result)
    try:
        for enumerator in left:
            _dispose(env, enumerator)
    finally:
        env.live.pop()


def _dispose(env: Environment, enumerator: Operand) -> None:
    _run(env, "System.IDisposable", (), "Dispose", enumerator)


def _run(env: Environment, interface: str, arguments: tuple[Type, ...], name: str, target: Operand) -> Operand:
    owner = env.universe.named(interface, arguments)
    for candidate in candidates(env.universe, owner) if owner is not None else ():
        if candidate.method.name == name:
            exact = ExactMethod(candidate.owner, MethodToken(candidate.method.token))
            return env.runner.run(env, exact, Operand(candidate.owner, target.data, target.value), [])
    raise EvaluationError(f"The program's framework has no {interface}.{name}")
