"""What a query gives as an object of the program: an array, or a Lookup where its elements are groups."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import Captured, Code, Function, FunctionSource, Operation, Variable
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.enumerating import run_enumerable
from dap_dotnet.evaluation.operations.ordering import key_of
from dap_dotnet.evaluation.operations.sequences import (
    MOST_MADE,
    Sequence,
    buffered,
    common_type,
    plain,
    to_array,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import DelegateSignature


def in_program(env: Environment, sequence: Sequence) -> Operand:
    """All that a query gives: an array, a Lookup of groups, or a Grouping where it is a group itself.

    Raises `EvaluationError` for too many elements, or of different types.
    """
    if sequence.key is not None and next(sequence.elements(env), None) is not None:
        lookup = _lookup(env, [sequence])
        env.kept.append(lookup)
        return run_enumerable(env, "First", [lookup])
    if sequence.element is not None and sequence.by_key is None:
        return to_array(env, sequence)
    items = buffered(env, islice(sequence.elements(env), MOST_MADE + 1))
    if items and _are_groups(env, items):
        return _lookup(env, [item.data for item in items])
    made = Sequence(lambda env: iter(items), sequence)
    return to_array(env, made)


def _are_groups(env: Environment, items: Many[Operand]) -> bool:
    """Whether all elements are groups, each with a key of its own."""
    keys = [item.data.key for item in items if isinstance(item.data, Sequence) and item.data.key is not None]
    return len(keys) == len(items) and len({key_of(env, key) for key in keys}) == len(keys)


def _lookup(env: Environment, groups: Many[Sequence]) -> Operand:
    """A Lookup<TKey, TElement>, whose groups come in the order of GroupBy's."""
    keys, items = list[Operand](), list[Operand]()
    for group in groups:
        assert group.key is not None
        key = plain(env, group.key)
        env.kept.append(key)
        for item in group.elements(env):
            kept = plain(env, item)
            env.kept.append(kept)
            keys.append(key)
            items.append(kept)
            if len(items) > MOST_MADE:
                raise EvaluationError(f"The groups have more than {MOST_MADE:,} elements: take some of them")
    element = groups[0].element
    arrays = []
    for kind, column in ((common_type(env, keys), keys), (element or common_type(env, items), items)):
        arrays.append(create_array(env, kind, column))
        env.kept.append(arrays[-1])
    numbers = run_enumerable(env, "Range", [Operand(types.I4, 0), Operand(types.I4, len(items))])
    env.kept.append(numbers)
    return run_enumerable(env, "ToLookup", [numbers, *(Operand(types.LAMBDA, _ElementOf(array)) for array in arrays)])


class _ElementOf(FunctionSource):
    """A function that gives the element of an array for its number."""

    def __init__(self, array: Operand) -> None:
        self._array = array

    def takes(self, count: int) -> bool:
        """See `FunctionSource`."""
        return count == 1

    def written_types(self) -> Many[Type | None]:
        """See `FunctionSource`."""
        return (types.I4,)

    def result_type(self, parameters: Many[Type]) -> Type | None:
        """See `FunctionSource`."""
        return self._array.type.element

    def fits(self, signature: DelegateSignature) -> bool:
        """See `FunctionSource`."""
        return signature.parameters == (types.I4,) and signature.result is self._array.type.element

    def code(self, delegate: Type, signature: DelegateSignature) -> Code:
        """See `FunctionSource`."""
        assert self._array.type.kind is Kind.ARRAY
        number = Variable(types.I4, "number")
        found = Operation(self._array.type.element, "ArrayIndex", (Captured(self._array.type, self._array), number))
        return Function(delegate, (number,), found)
