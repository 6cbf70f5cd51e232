"""Whether what is changed is still there when it is read again: not where it is a part of a copy that is made anew.

A proxy (DebuggerTypeProxy) and its arrays are, and what a getter copies each time: C# assigns there, unseen.
"""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import Assignable, Stored
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.runtime.model import Value


def lasting(find: Callable[[Environment], Assignable]) -> Callable[[Environment], Assignable]:
    """As `find`, which is asked twice where code tells what is changed. Raises `EvaluationError` for a part of a copy.

    Where a setter runs, only reading again tells: it may reach through the copy to what that is made from.
    """

    def find_lasting(env: Environment) -> Assignable:
        first = find(env)
        if first.owner is None or env.way is None:
            return first
        second = find(env)
        if _is_one(first.owner, second.owner):
            return first
        if isinstance(first, Stored):
            raise _is_copy()
        return _BySetter(first, second)

    return find_lasting


class _BySetter(Assignable):
    """The same part of two copies, the first of which is changed."""

    def __init__(self, first: Assignable, second: Assignable) -> None:
        super().__init__(first.type)
        self._first, self._second = first, second

    @override
    def read(self, env: Environment) -> Operand:
        return self._first.read(env)

    @override
    def write(self, env: Environment, operand: Operand) -> None:
        """Raises `EvaluationError` where the other copy has not changed with it."""
        self._first.write(env, operand)
        before = len(env.live)
        changed = self._first.read(env)
        env.live.append(changed)
        try:
            other = self._second.read(env)
        finally:
            del env.live[before:]
        if not _is_one(changed, other):
            raise _is_copy()


def _is_one(one: Operand, other: Operand | None) -> bool:
    """Whether two operands are the same object, or equal values."""
    if other is None or not isinstance(one.data, Value) or not isinstance(other.data, Value):
        return other is not None and one.data == other.data
    if one.data.is_reference:
        return one.data.address != 0 and one.data.address == other.data.address
    return one.data.raw != b"" and one.data.raw == other.data.raw


def _is_copy() -> EvaluationError:
    return EvaluationError(
        "Nothing that lasts can be changed here: this is part of a copy, which is made anew each time that it is "
        "looked at. Change what it is made from, by an expression or below 'Raw View'"
    )
