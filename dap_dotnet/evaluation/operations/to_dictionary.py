"""LINQ's ToDictionary with lambdas: a dictionary of the program, which it makes of an array of the pairs."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create, create_array
from dap_dotnet.evaluation.operations.dictionaries import DICTIONARY
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.sequences import (
    MOST_MADE,
    PAIR,
    Sequence,
    buffered,
    common_type,
    given_by,
    plain,
)
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type


def to_dictionary(env: Environment, source: Sequence, arguments: Many[Operand]) -> Operand | None:
    """ToDictionary(key) and (key, element). Raises `EvaluationError`, `CalleeThrew` for a key that comes twice."""
    made = [one.data for one in arguments if isinstance(one.data, Lambda) and one.data.count == 1]
    if len(made) != len(arguments) or not 0 < len(made) < 3:
        return None
    items = buffered(env, islice(source.elements(env), MOST_MADE + 1))
    if len(items) > MOST_MADE:
        raise EvaluationError(f"No dictionary of more than {MOST_MADE:,} elements is made here: take a part of them")
    columns = [[_kept(env, one.invoke(env, item)) for item in items] for one in made]
    keys, values = columns[0], columns[-1] if len(columns) > 1 else [_kept(env, item) for item in items]
    names = values[0].names if values else ()
    shown = [given_by(source, one) for one in (made[0], made[1] if len(made) > 1 else None)] if not items else []
    known = [kind for kind in shown if kind is not None]
    kinds = (known[0], known[1]) if len(known) > 1 else (common_type(env, keys), common_type(env, values))
    kind, pair = env.universe.named(DICTIONARY, kinds), env.universe.named(PAIR, kinds)
    if kind is None or pair is None:
        raise EvaluationError("The program has not loaded Dictionary<TKey, TValue>")
    pairs = [
        Operand(types.PAIR, (_converted(env, key, kinds[0]), _converted(env, value, kinds[1]), pair))
        for key, value in zip(keys, values, strict=True)
    ]
    dictionary = create(env, kind, Given([create_array(env, pair, pairs)]))
    dictionary.names = names if keys and not keys[0].names else ()
    return dictionary


def _kept(env: Environment, operand: Operand) -> Operand:
    """A key or value in flight; a tuple or anonymous object that the lambda has made is one of the program."""
    given = operand if operand.type is types.PAIR else plain(env, operand)
    kept = Operand(given.type, given.data, given.value, given.names)
    env.kept.append(kept)
    if kept.type.kind is Kind.TUPLE:
        env.runner.put_on_heap(env, kept)
    return kept


def _converted(env: Environment, operand: Operand, kind: Type) -> Operand:
    """As a value of the type, in flight."""
    if operand.type is kind or (operand.type is types.PAIR and operand.data[2] is kind):
        return operand
    made = convert_implicitly(env, plain(env, operand), kind)
    env.kept.append(made)
    return made
