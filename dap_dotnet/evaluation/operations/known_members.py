"""Members that need no look at the metadata: of arrays, strings, nullables, types and what queries make."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.operations import type_objects
from dap_dotnet.evaluation.operations.nullables import held
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.runtime.model import Value

Access = Callable[[Environment, Operand], Operand | None]
"""Reads a member of an operand; None where that turns out to have none."""


def _array_length(env: Environment, target: Operand) -> Operand:
    return Operand(types.I4, target.data.length)


def _array_rank(env: Environment, target: Operand) -> Operand:
    return Operand(types.I4, max(env.own_type(target).rank, 1))


def _string_length(env: Environment, target: Operand) -> Operand:
    data = target.data
    return Operand(types.I4, data.length if isinstance(data, Value) else utf16_length(data))


def _has_value(env: Environment, target: Operand) -> Operand:
    return types.boolean(target.data is not None)


def _held_value(env: Environment, target: Operand) -> Operand:
    if target.data is None:
        raise Thrown("System.InvalidOperationException", "Nullable object must have a value.")
    return Operand(target.type.element, target.data, held(env, target))


def _type_name(env: Environment, target: Operand) -> Operand:
    return Operand(types.STRING, type_objects.name(target.data))


def _type_full_name(env: Environment, target: Operand) -> Operand:
    return Operand(types.STRING, type_objects.full_name(env.universe, target.data))


NULLABLE: dict[str, Access] = {"HasValue": _has_value, "Value": _held_value}
KNOWN: dict[tuple[Kind, str], Access] = {
    (Kind.ARRAY, "Length"): _array_length,
    (Kind.ARRAY, "LongLength"): lambda env, target: Operand(types.I8, target.data.length),
    (Kind.ARRAY, "Rank"): _array_rank,
    (Kind.STRING, "Length"): _string_length,
    (Kind.PAIR, "Key"): lambda env, target: target.data[0],
    (Kind.PAIR, "Value"): lambda env, target: target.data[1],
    (Kind.SEQUENCE, "Key"): lambda env, target: target.data.key,
    (Kind.SEQUENCE, "Count"): lambda env, target: Operand(types.I4, len(target.data.groups)),
    (Kind.TYPE, "Name"): _type_name,
    (Kind.TYPE, "FullName"): _type_full_name,
    (Kind.TYPE, "Namespace"): lambda env, target: Operand(types.STRING, type_objects.namespace(target.data)),
}
