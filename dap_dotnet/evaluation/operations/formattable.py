"""Interpolated strings as a FormattableString (C# specification 12.8.3): its format, and what its holes have."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, InterpolatedText, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken

_FACTORY = "System.Runtime.CompilerServices.FormattableStringFactory"


def make_formattable(env: Environment, operand: Operand, target: Type) -> Operand:
    """The FormattableString of an interpolated string. Raises as `MethodRunner.run`."""
    text = operand.data
    assert isinstance(text, InterpolatedText)
    factory = env.universe.named(_FACTORY)
    for candidate in candidates(env.universe, factory) if factory is not None else []:
        if candidate.method.name == "Create":
            method = ExactMethod(candidate.owner, MethodToken(candidate.method.token))
            holes = env.runner.array_of(env, types.OBJECT, text.holes)
            made = env.runner.run(env, method, None, [Operand(types.STRING, text.pattern), holes])
            return Operand(target, made.data, made.value)
    raise EvaluationError(f"The program's framework has no {_FACTORY}")
