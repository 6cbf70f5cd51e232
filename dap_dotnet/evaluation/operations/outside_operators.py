"""Operators that a type is given from outside (C# 14), once those in force are known."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.overloads import choose, run_chosen
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.evaluation.types.declared_methods import Candidate


def call_operator(env: Environment, found: Sequence[Candidate], operands: list[Operand]) -> Operand | None:
    """What an extension operator makes of operands that have none of their own; None where none takes them."""
    chosen = choose(env.universe, found, Given(operands)) if found else None
    return run_chosen(env, chosen, None) if chosen is not None else None
