"""Binding of interpolated strings."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.bound import Bound, Run, constant
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import InterpolatedText, Operand


def bind_interpolated(binder: NameBinder, node: syntax.Interpolated, *, is_target_typed: bool = False) -> Bound:
    """Text with holes. `is_target_typed`: its target may take a FormattableString, so what the holes have is kept."""
    parts: list[str | tuple[Run, int, str]] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            parts.append((binder.expression(part.value).run, part.alignment, part.format))
    has_holes = any(not isinstance(part, str) for part in parts)
    if not has_holes and not is_target_typed:
        return constant(Operand(types.STRING, "".join(part for part in parts if isinstance(part, str))))
    pattern = _pattern(node)

    def run(env: Environment) -> Operand:
        text, holes = "", list[Operand]()
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            value, alignment, format_text = part
            operand = value(env)
            if is_target_typed:
                holes.append(operand)
                env.kept.append(operand)
            shown = to_text(env, operand, format_text)
            padding = " " * (abs(alignment) - utf16_length(shown))
            text += padding + shown if alignment >= 0 else shown + padding
        if not is_target_typed:
            return Operand(types.STRING, text)
        made = InterpolatedText(text)
        made.pattern, made.holes = pattern, holes
        return Operand(types.STRING, made)

    return Bound(run, types.STRING)


def _pattern(node: syntax.Interpolated) -> str:
    """The composite format that the compiler makes of it."""
    made, number = "", 0
    for part in node.parts:
        if isinstance(part, str):
            made += part.replace("{", "{{").replace("}", "}}")
            continue
        alignment = f",{part.alignment}" if part.alignment else ""
        made += f"{{{number}{alignment}{':' + part.format if part.format else ''}}}"
        number += 1
    return made
