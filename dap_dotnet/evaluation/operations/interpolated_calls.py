"""Interpolated strings for handlers of the framework (C# specification 12.8.3): what is made of them with a provider.

A handler is a `ref struct`, which no call into the program makes. What the framework does with its own ones, a
composite format does as well: the same texts come of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import InterpolatedText, Operand, Type
from dap_dotnet.evaluation.types.inheritance import is_subtype

_PROVIDER = "System.IFormatProvider"
_BUILDER = "System.Text.StringBuilder"


def formatted_call(
    env: Environment, target: Operand | None, owner: Type, name: str, arguments: Sequence[Operand]
) -> Operand | None:
    """`string.Create(provider, $"…")`, `builder.Append(provider, $"…")` and `AppendLine`; None for other calls."""
    if len(arguments) != 2 or not isinstance(arguments[1].data, InterpolatedText):
        return None
    provider, text = arguments
    wanted = env.universe.named(_PROVIDER)
    if wanted is None or (provider.data is not None and not is_subtype(env.universe, provider.type, wanted)):
        return None
    is_text = target is None and owner is types.STRING and name == "Create"
    is_built = target is not None and owner.full_name == _BUILDER and name in ("Append", "AppendLine")
    if not is_text and not is_built:
        return None
    before = len(env.live)
    env.live.extend([provider] if target is None else [target, provider])
    try:
        items = env.runner.array_of(env, types.OBJECT, text.data.holes)
        env.live.append(items)
        given = Given([Operand(wanted, provider.data, provider.value), Operand(types.STRING, text.data.pattern), items])
        if target is None:
            return call_method(env, None, types.STRING, "Format", given)
        made = call_method(env, target, owner, "AppendFormat", given)
        return made if name == "Append" else call_method(env, target, owner, "AppendLine", Given(()))
    finally:
        del env.live[before:]
