"""What the source says of types, where metadata alone shows it; and the type that several branches have in common."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import ancestors
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.types import members

_KNOWN = {
    (Kind.ARRAY, "Length"): types.I4,
    (Kind.ARRAY, "LongLength"): types.I8,
    (Kind.ARRAY, "Rank"): types.I4,
    (Kind.STRING, "Length"): types.I4,
    (Kind.NULLABLE, "HasValue"): types.BOOL,
}


def member_type(universe: Universe, start: Type | None, name: str) -> Type | None:
    """The type of a field or property; None where only the value can show it."""
    if start is None:
        return None
    known = _KNOWN.get((start.kind, name))
    if known is not None:
        return known
    if start.kind is Kind.NULLABLE:
        return start.element if name == "Value" else None
    if start.kind not in (Kind.CLASS, Kind.STRUCT):
        return None
    return universe.derived(("type of a member", start, name), lambda: _declared_type(universe, start, name))


def _declared_type(universe: Universe, start: Type, name: str) -> Type | None:
    definition = universe.definition_of(start)
    if definition is None:
        return None
    for owner in ancestors(universe, definition, start.arguments):
        definition = universe.definition_of(owner)
        module = universe.modules.get(definition[0]) if definition is not None else None
        if definition is None or module is None or module.metadata is None:
            continue
        declared = members(module, definition[1])
        field = declared.field(name)
        if field is not None:
            return universe.of_signature(module, module.metadata.field(field.token).signature, owner.arguments)
        for found in declared.properties:
            if found.name == name and not found.parameter_count:
                result = module.metadata.method(found.getter).signature.return_type
                return universe.of_signature(module, result, owner.arguments)
    return None


def is_named_as_its_type(node: syntax.Node, bound: Bound) -> bool:
    """Whether a value may stand for its type too (C# specification 12.8.7.2): a property `Color` of type Color."""
    kind = bound.type
    return isinstance(node, syntax.Name) and kind is not None and kind.name.rpartition(".")[2] == node.name


def common_type(universe: Universe, branches: Sequence[Bound]) -> Type | None:
    """The type of one of the branches that all others convert to; None when there is none, or not all are known."""
    candidates = dict.fromkeys(branch.type for branch in branches if branch.type is not None)
    for takes_constants in (False, True):
        for candidate in candidates:
            if all(
                branch.type is not None
                and implicitly_converts(universe, branch.type, candidate, branch.constant if takes_constants else None)
                for branch in branches
            ):
                return candidate
    return None
