"""Equality and order of operands as the default comparers of .NET have them."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import call_framework
from dap_dotnet.evaluation.operations.linq.sequences import plain
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, is_tuple
from dap_dotnet.evaluation.types.declarations import ancestors_of, bases_of, candidates
from dap_dotnet.runtime.model import Value

_BY_VALUE = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM})
MOST_CALLS = 2_000
"""Comparisons that the program's own code makes, in one evaluation."""


def key_of(env: Environment, operand: Operand) -> Hashable:
    """What is equal for operands that EqualityComparer<T>.Default takes for equal.

    Where a type has an Equals of its own, that decides, with the type's GetHashCode. Raises `EvaluationError` where
    they need the program, and it may not run.
    """
    kind, data = operand.type, operand.data
    if data is None:
        return None
    inner = kind.element if kind.kind is Kind.NULLABLE else kind
    if inner.kind in _BY_VALUE and not isinstance(data, Value):
        return "NaN" if isinstance(data, float) and math.isnan(data) else data
    if kind.kind is Kind.STRING:
        return env.text(operand)
    if kind.kind is Kind.TYPE:
        return id(data)  # types are interned
    if kind.kind is Kind.TUPLE:
        return tuple(key_of(env, item) for item in data)
    if is_tuple(kind):
        assert isinstance(data, Value)
        parts = (env.read_named(data, f"Item{number}") for number in range(1, len(kind.arguments) + 1))
        return tuple(key_of(env, env.operand(*part)) for part in zip(parts, kind.arguments, strict=True))
    if isinstance(data, Value) and data.is_reference and not data.is_boxed and not _has_own_equality(env, operand):
        if env.keyed_at not in (None, env.calls):
            raise EvaluationError(
                f"Objects of type '{kind.name}' are told apart by their addresses, which may change when the program "
                "runs in between: compare one of their members, or take ToList() of what runs it first"
            )
        env.keyed_at = env.calls
        return data.address
    return _OwnKey(env, operand)


def _count_comparison(env: Environment) -> None:
    """The program's code is to compare two values. Raises `EvaluationError` for too many."""
    env.comparisons += 1
    if env.comparisons > MOST_CALLS:
        raise EvaluationError(
            f"More than {MOST_CALLS:,} comparisons would have to run in the program: take fewer elements, or compare "
            "them by a number or a text"
        )


class _OwnKey:
    """A key that the code of its type compares."""

    __slots__ = ("_env", "_hash", "_operand")

    def __init__(self, env: Environment, operand: Operand) -> None:
        self._env = env
        self._operand = Operand(operand.type, operand.data, operand.value)
        self._hash = int(self._called("GetHashCode").data)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OwnKey) and self._hash == other._hash and bool(
            self._called("Equals", other._operand).data
        )  # fmt: skip

    def _called(self, name: str, *given: Operand) -> Operand:
        env = self._env
        _count_comparison(env)
        target = plain(env, self._operand)
        equatable = _interface(env, env.own_type(target), "System.IEquatable`1") if name == "Equals" else None
        return call_framework(env, target, equatable or types.OBJECT, name, given)


def _has_own_equality(env: Environment, operand: Operand) -> bool:
    for owner in bases_of(env.universe, env.own_type(operand)):
        if owner is types.OBJECT:
            return False
        if any(one.method.name == "Equals" for one in candidates(env.universe, owner)):
            return True
    return False


def compare(env: Environment, left: Operand, right: Operand, own: Operand | None = None) -> int:
    """As Comparer<T>.Default does: below, at or above 0. Null comes first, NaN before all numbers.

    Numbers are compared here, all else by CompareTo in the program. `own` is an IComparer<T> to ask instead.
    """
    if own is not None and own.data is not None:
        return _called(env, own, own.type, "Compare", left, right)
    if left.data is None or right.data is None:
        return (left.data is not None) - (right.data is not None)
    kinds = {_plain_kind(left), _plain_kind(right)}
    if kinds <= _BY_VALUE and not isinstance(left.data, Value) and not isinstance(right.data, Value):
        return _numbers(left.data, right.data)
    if kinds == {Kind.TUPLE}:
        pairs = zip(left.data, right.data, strict=True)
        return next((order for pair in pairs if (order := compare(env, *pair))), 0)
    target = plain(env, left)
    kind = env.own_type(target)
    comparable = _interface(env, kind, "System.IComparable`1")
    comparable = comparable or _implemented(env, kind, "System.IComparable")
    if comparable is None:
        raise EvaluationError(f"Values of type '{target.type.name}' cannot be compared: they have no CompareTo")
    return _called(env, target, comparable, "CompareTo", right)


def _called(env: Environment, target: Operand, interface: Type, name: str, *given: Operand) -> int:
    _count_comparison(env)
    return int(call_framework(env, target, interface, name, given).data)


def _implemented(env: Environment, kind: Type, name: str) -> Type | None:
    """The interface of a name that a type implements; None where it does not."""
    return next((one for one in ancestors_of(env.universe, kind) if one.full_name == name), None)


def _interface(env: Environment, kind: Type, name: str) -> Type | None:
    """The interface of a name for values of the type itself; None where it does not implement that."""
    found = (one for one in ancestors_of(env.universe, kind) if one.full_name == name)
    return next((one for one in found if one.arguments == (kind,)), None)


def _plain_kind(operand: Operand) -> Kind:
    return operand.type.element.kind if operand.type.kind is Kind.NULLABLE else operand.type.kind


def _numbers(left: Any, right: Any) -> int:
    left_nan, right_nan = (isinstance(one, float) and math.isnan(one) for one in (left, right))
    if left_nan or right_nan:
        return int(right_nan) - int(left_nan)
    return int(left > right) - int(left < right)
