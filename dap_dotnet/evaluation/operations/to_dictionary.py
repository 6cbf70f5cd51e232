"""LINQ's ToDictionary with lambdas: a dictionary of the program, which adds the pairs itself."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.creation import create
from dap_dotnet.evaluation.operations.dictionaries import DICTIONARY
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.sequences import Sequence, buffered, common_type, given_by, plain
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand

MOST_ADDED = 1_000
"""How many pairs are added: the program runs for each."""


def to_dictionary(env: Environment, source: Sequence, arguments: Many[Operand]) -> Operand | None:
    """ToDictionary(key) and (key, element). Raises `EvaluationError`, `CalleeThrew` for a key that comes twice."""
    made = [one.data for one in arguments if isinstance(one.data, Lambda) and one.data.count == 1]
    if len(made) != len(arguments) or not 0 < len(made) < 3:
        return None
    items = [plain(env, item) for item in buffered(env, islice(source.elements(env), MOST_ADDED + 1))]
    if len(items) > MOST_ADDED:
        raise EvaluationError(f"No dictionary of more than {MOST_ADDED:,} elements is made here: take a part of them")
    columns = [[_kept(env, one.invoke(env, item)) for item in items] for one in made]
    keys, values = columns[0], columns[-1] if len(columns) > 1 else [_kept(env, item) for item in items]
    names = values[0].names if values else ()
    shown = [given_by(source, one) for one in (made[0], made[1] if len(made) > 1 else None)] if not items else []
    kinds = [kind for kind in shown if kind is not None]
    given = (kinds[0], kinds[1]) if len(kinds) > 1 else (common_type(env, keys), common_type(env, values))
    kind = env.universe.named(DICTIONARY, given)
    if kind is None:
        raise EvaluationError("The program has not loaded Dictionary<TKey, TValue>")
    dictionary = create(env, kind, Given([]))
    env.kept.append(dictionary)
    for key, value in zip(keys, values, strict=True):
        call_method(env, dictionary, kind, "Add", Given([key, value]))
    dictionary.names = names if keys and not keys[0].names else ()
    return dictionary


def _kept(env: Environment, operand: Operand) -> Operand:
    """A key or value in flight; a tuple that the lambda has made is one of the program."""
    kept = Operand(operand.type, operand.data, operand.value, operand.names)
    env.kept.append(kept)
    if kept.type.kind is Kind.TUPLE:
        env.runner.put_on_heap(env, kept)
    return kept
