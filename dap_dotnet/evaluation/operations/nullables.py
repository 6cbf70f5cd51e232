"""What a nullable value holds."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.runtime.model import Value


def held(env: Environment, target: Operand) -> Value | None:
    """The program's value inside a nullable one; None for computed ones."""
    if isinstance(target.data, Value):
        return target.data
    if target.value is None or not target.value.handle:
        return None
    own = env.type_of(target.value.type)
    is_itself = own is not None and own.kind is not Kind.NULLABLE  # what `?.` has made nullable
    return target.value if is_itself else env.read_named(target.value, "value")
