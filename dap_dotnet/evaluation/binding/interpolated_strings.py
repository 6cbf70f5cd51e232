"""Binding of interpolated strings."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.bound import Bound, Run, constant
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand


def bind_interpolated(binder: NameBinder, node: syntax.Interpolated) -> Bound:
    """Text with holes."""
    parts: list[str | tuple[Run, int, str]] = []
    for part in node.parts:
        if isinstance(part, str):
            parts.append(part)
        else:
            parts.append((binder.expression(part.value).run, part.alignment, part.format))
    if not any(not isinstance(part, str) for part in parts):
        return constant(Operand(types.STRING, "".join(part for part in parts if isinstance(part, str))))

    def run(env: Environment) -> Operand:
        text = ""
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            value, alignment, format_text = part
            shown = to_text(env, value(env), format_text)
            text += shown.rjust(alignment) if alignment >= 0 else shown.ljust(-alignment)
        return Operand(types.STRING, text)

    return Bound(run, types.STRING)
