"""Sequences that only the program's own code enumerates: all at once, or one element after the other.

A query that may stop early (`First`, `Take`) pulls one element after the other, as C# does: the sequence may have no
end, or do something for each element. Others get an array, which is far faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework_methods import call_framework, framework_method, framework_type
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.inheritance import is_subtype, sequence_element

MOST_PULLED = 2_000
"""How many elements are pulled one by one at most: the program runs for each."""
_SEQUENCE, _ENUMERATOR = "System.Collections.Generic.IEnumerable`1", "System.Collections.Generic.IEnumerator`1"
_LINQ, _ENUMERABLE = "System.Linq", "System.Linq.Enumerable"


def pulled(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """The elements one by one. What is left before the end is disposed of by `dispose`."""
    enumerator = _run(env, _SEQUENCE, (element,), "GetEnumerator", operand)
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


def dispose(env: Environment, opened: int) -> None:
    """Dispose of the enumerators after the first `opened`: the query that pulled from them has its result."""
    left = env.enumerators[opened:]
    del env.enumerators[opened:]
    for enumerator in left:
        _dispose(env, enumerator)


def _dispose(env: Environment, enumerator: Operand) -> None:
    _run(env, "System.IDisposable", (), "Dispose", enumerator)


def _run(env: Environment, interface: str, arguments: tuple[Type, ...], name: str, target: Operand) -> Operand:
    owner = framework_type(env, interface, arguments)
    return call_framework(env, Operand(owner, target.data, target.value), owner, name)


def first_items(env: Environment, target: Operand, most: int, element: Type | None = None) -> Operand:
    """An array with the first items that an object enumerates, at most so many. The program runs for it.

    `element`: it is enumerated as an IEnumerable of these; None: as the one that it is, or as one of objects. Raises
    `EvaluationError`, also for what the program's code threw.
    """
    own = sequence_element(env.universe, env.own_type(target))
    kind = element or own or types.OBJECT
    if not enumerates(env, target, kind):
        untyped = Operand(framework_type(env, "System.Collections.IEnumerable"), target.data, target.value)
        target = run_enumerable(env, "Cast", [untyped], (kind,))
    taken = run_enumerable(env, "Take", [enumerable(env, target, kind), Operand(types.I4, most)], (kind,))
    return run_enumerable(env, "ToArray", [enumerable(env, taken, kind)], (kind,))


def enumerates(env: Environment, operand: Operand, element: Type) -> bool:
    """Whether an object is an IEnumerable<element>: one of int is none of object."""
    own = sequence_element(env.universe, env.own_type(operand))
    return own is not None and (own is element or (own.is_reference and is_subtype(env.universe, own, element)))


def enumerable(env: Environment, operand: Operand, element: Type) -> Operand:
    """An object as an IEnumerable<element>, which it is."""
    return Operand(framework_type(env, _SEQUENCE, (element,)), operand.data, operand.value)


def run_enumerable(
    env: Environment, name: str, arguments: Sequence[Operand], type_arguments: tuple[Type, ...] = ()
) -> Operand:
    """A method of System.Linq.Enumerable, whatever the program has loaded: the one with parameters of these types."""
    owner = env.universe.named(_ENUMERABLE)
    if owner is None:
        call_framework(
            env, None, "System.Reflection.Assembly", "Load", [Operand(types.STRING, _LINQ)], parameters=[types.STRING]
        )
        owner = framework_type(env, _ENUMERABLE)
    kinds = [one.type for one in arguments]
    method = framework_method(env, owner, name, len(kinds), kinds, type_arguments=type_arguments)
    return env.runner.run(env, method, None, arguments)
