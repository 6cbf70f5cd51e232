"""The default values of types, `default(T)` (C# specification 9.3)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type


def zero_of(wanted: Type) -> Any:
    """The data of a type's default value; None for structures too, which a place in the program is cleared for."""
    if wanted.kind is Kind.BOOL:
        return False
    if wanted.kind is Kind.NUMBER:
        return Decimal(0) if wanted.code is types.DECIMAL.code else 0.0 if wanted in (types.R4, types.R8) else 0
    return 0 if wanted.kind in (Kind.ENUM, Kind.POINTER) else None


def default_of(env: Environment, wanted: Type) -> Operand:
    """The default value of a type; that of a structure is made in the program. Raises `EvaluationError` without it."""
    if wanted.kind is Kind.STRUCT:
        return env.runner.construct(env, wanted, None, [])
    return Operand(wanted, zero_of(wanted))
