"""What a nullable value holds, and what is made one."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Operand
from dap_dotnet.runtime.model import Value


def held(env: Environment, target: Operand) -> Value | None:
    """The program's value inside a nullable one; None for computed ones."""
    if isinstance(target.data, Value):
        return target.data
    if target.value is None or not target.value.handle:
        return None
    return env.read_named(target.value, "value")


def held_operand(operand: Operand) -> Operand:
    """What a nullable that is not null holds, without the place where it is kept."""
    data = operand.data
    return Operand(operand.type.element, data, data if isinstance(data, Value) else None, operand.names)
