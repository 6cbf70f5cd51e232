"""Strings in code: concatenated, and interpolated (C# specification 12.8.3) as strings and as a FormattableString."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.conversions import implicit
from dap_dotnet.evaluation.binding.scope import Scope, framework_method, framework_type, unsupported
from dap_dotnet.evaluation.bound_tree import Captured, Code, Hole, Invoked, Items, Text, characters, format_of
from dap_dotnet.evaluation.rules.conversions import implicit_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, WrittenText

_FORMATTABLE = "System.FormattableString"
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
    form = framework_method(scope.universe, types.STRING, "Format", types.STRING, objects)
    return Invoked(types.STRING, form, None, _format(scope, node))


def _text(scope: Scope, node: syntax.Interpolated) -> Text:
    return Text(types.STRING, tuple(
        part if isinstance(part, str) else Hole(scope.code(part.value), part.alignment, part.format)
        for part in node.parts
    ))  # fmt: skip


def bind_formattable(scope: Scope, node: syntax.Interpolated, kind: Type) -> Code:
    """`$"…"` as a FormattableString or IFormattable."""
    factory, made = framework_type(scope.universe, _FACTORY), framework_type(scope.universe, _FORMATTABLE)
    objects = scope.universe.array(types.OBJECT)
    create = framework_method(scope.universe, factory, "Create", types.STRING, objects)
    return implicit(scope, Invoked(made, create, None, _format(scope, node)), kind)


def _format(scope: Scope, node: syntax.Interpolated) -> tuple[Code, Code]:
    """The composite format, and the array of what is in its holes."""
    text = _text(scope, node)
    if any(isinstance(part, Hole) and {"{", "}"} & set(part.format) for part in text.parts):
        raise unsupported("A format with braces")
    pattern, holes = format_of(text)
    objects = tuple(implicit(scope, hole, types.OBJECT) for hole in holes)
    return characters(pattern), Items(scope.universe.array(types.OBJECT), objects)


def concatenated(scope: Scope, parts: tuple[Code, Code]) -> Code:
    """`a + b` where one is a string, and the other may be made one by a conversion of the program."""
    made = tuple(
        implicit(scope, part, types.STRING)
        if implicit_operator(scope.universe, part.type, types.STRING) is not None
        else part
        for part in parts
    )
    texts = all(part.type.kind in (Kind.STRING, Kind.NULL) for part in made)
    kind = types.STRING if texts else types.OBJECT
    concat = framework_method(scope.universe, types.STRING, "Concat", kind, kind)
    return Invoked(types.STRING, concat, None, tuple(implicit(scope, part, kind) for part in made))
