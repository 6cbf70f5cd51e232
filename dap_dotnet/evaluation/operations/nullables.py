"""What a nullable value holds."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.runtime.model import Value


def held(env: Environment, target: Operand) -> Value | None:
    """The program's value inside a nullable one; None for computed ones."""
    if isinstance(target.data, Value):
        return target.data
    return env.read_named(target.value, "value") if target.value is not None and target.value.handle else None
