"""What a call is made on and its arguments, in the form in which methods of the program take them."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.program_code import source_of
from dap_dotnet.evaluation.operations.queries import METHOD_NAMES, as_array
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand

MADE = frozenset({types.TYPE, types.ANONYMOUS})
"""The types of operands that only the expression has, of which methods of the program take objects."""


def without_queries(
    env: Environment, target: Operand | None, arguments: list[Operand]
) -> tuple[Operand | None, list[Operand]]:
    """A call's target and arguments, with arrays of the program for queries."""
    if not any(one.type.kind is Kind.SEQUENCE for one in (*arguments, *([target] if target is not None else []))):
        return target, arguments
    before = len(env.live)
    env.live.extend(arguments if target is None else [target, *arguments])
    try:
        for number in range(before, len(env.live)):
            env.live[number] = as_array(env, env.live[number])
        made = env.live[before:]
    finally:
        del env.live[before:]
    env.kept.extend(made)
    return (None, made) if target is None else (made[0], made[1:])


def prepare(env: Environment, target: Operand | None, arguments: list[Operand]) -> None:
    """Let the program load what the lambdas among the arguments need, before their types are asked for."""
    before = len(env.live)
    env.live.extend(arguments if target is None else [target, *arguments])
    try:
        for argument in arguments:
            source = source_of(argument)
            if source is not None:
                source.prepare()
    finally:
        del env.live[before:]


def is_query(target: Operand | None, arguments: list[Operand], name: str) -> bool:
    """Whether the adapter itself goes through a sequence: with a lambda, or over what another query gives.

    Also where the elements are tuples with names, which no result of the program has.
    """
    if target is not None and (target.type.kind is Kind.SEQUENCE or (target.names and name in METHOD_NAMES)):
        return True
    return any(argument.type.kind in (Kind.LAMBDA, Kind.SEQUENCE) for argument in arguments)


def with_objects(
    env: Environment, target: Operand | None, arguments: list[Operand]
) -> tuple[Operand | None, list[Operand]]:
    """A call's target and arguments, with objects of the program for what `typeof` gave, and for anonymous ones."""
    before = len(env.live)
    passed = [Operand(argument.type, argument.data, argument.value, argument.names) for argument in arguments]
    env.live.extend(passed if target is None else [target, *passed])
    try:
        for argument in passed:
            if argument.type in MADE:
                env.runner.put_on_heap(env, argument)
    finally:
        del env.live[before:]
    return target, passed
