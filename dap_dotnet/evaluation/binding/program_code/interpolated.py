"""Interpolated strings in code (C# specification 12.8.3): as strings, and as a FormattableString."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.conversions import implicit
from dap_dotnet.evaluation.binding.program_code.operators import method
from dap_dotnet.evaluation.binding.program_code.scope import Scope, unsupported
from dap_dotnet.evaluation.bound_tree import Captured, Code, Hole, Invoked, Items, Text, characters, format_of
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, WrittenText

_FACTORY = "System.Runtime.CompilerServices.FormattableStringFactory"


def written(code: Code) -> Operand:
    """An interpolated string as an argument, which has `code` where it becomes a string."""
    text = WrittenText()
    text.has_holes = not isinstance(code, Captured)
    return Operand(types.STRING, text)


def bind_interpolated(scope: Scope, node: syntax.Interpolated) -> Code:
    """`$"…"`, by string.Format."""
    if not any(isinstance(part, syntax.Hole) for part in node.parts):
        whole = "".join(part for part in node.parts if isinstance(part, str))
        return characters(whole)
    if scope.moves is None:
        return _text(scope, node)
    objects = scope.universe.array(types.OBJECT)
    form = method(scope, types.STRING, "Format", types.STRING, objects)
    return Invoked(types.STRING, form, None, _format(scope, node))


def _text(scope: Scope, node: syntax.Interpolated) -> Text:
    return Text(types.STRING, tuple(
        part if isinstance(part, str) else Hole(scope.code(part.value), part.alignment, part.format)
        for part in node.parts
    ))  # fmt: skip


def bind_formattable(scope: Scope, node: syntax.Interpolated, kind: Type) -> Code:
    """`$"…"` as a FormattableString or IFormattable."""
    factory = scope.universe.named(_FACTORY)
    if factory is None:
        raise unsupported(f"A value of type '{kind.name}'")
    objects, made = scope.universe.array(types.OBJECT), scope.universe.named("System.FormattableString")
    create = method(scope, factory, "Create", types.STRING, objects)
    return implicit(scope, Invoked(made or kind, create, None, _format(scope, node)), kind)


def _format(scope: Scope, node: syntax.Interpolated) -> tuple[Code, Code]:
    """The composite format, and the array of what is in its holes."""
    text = _text(scope, node)
    if any(isinstance(part, Hole) and {"{", "}"} & set(part.format) for part in text.parts):
        raise unsupported("A format with braces")
    pattern, holes = format_of(text)
    objects = tuple(implicit(scope, hole, types.OBJECT) for hole in holes)
    return characters(pattern), Items(scope.universe.array(types.OBJECT), objects)
