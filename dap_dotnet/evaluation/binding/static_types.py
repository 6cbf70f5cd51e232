"""What the source says of types, where metadata alone shows it; and the type that several branches have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import ancestors, bases_of
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


def check_not_null(node: syntax.Node, owner: Bound) -> None:
    """The literals null and default have no members. CS0023, CS8716."""
    if owner.type is types.DEFAULT:
        raise Diagnostic("CS8716")
    if isinstance(node, syntax.Literal) and owner.constant is not None and owner.constant.type.kind is Kind.NULL:
        raise Diagnostic("CS0023", ".", "<null>")


def skipped_type(
    universe: Universe,
    receiver: Type | None,
    node: syntax.Node,
    type_arguments: Callable[[syntax.Member], tuple[Type, ...]],
) -> Type | None:
    """What `?.Name(…)` would give of a receiver that is null: the methods of the name give one type all, or None.

    `type_arguments` gives those that are written.
    """
    if receiver is None or not isinstance(node, syntax.Call) or not isinstance(node.target, syntax.Member):
        return None
    if not isinstance(node.target.target, syntax.Receiver):
        return None
    given = type_arguments(node.target)
    found = [
        one.return_type(universe, given) if one.method.signature.generic_count == len(given) else None
        for owner in bases_of(universe, receiver)
        for one in candidates(universe, owner)
        if one.method.name == node.target.name and not one.method.is_static
    ]
    kind = found[0] if found and all(one is found[0] for one in found) else None
    return kind if kind is not types.VOID else None


def base_getter(universe: Universe, start: Type | None, name: str) -> ExactMethod | None:
    """The getter that `base.name` calls, whatever overrides it; None where it is no property of an instance."""
    for owner in bases_of(universe, start) if start is not None else ():
        definition = universe.definition_of(owner)
        declared = members(universe.module_of(owner), definition[1] if definition is not None else None)
        if declared.field(name) is not None:
            return None
        for found in declared.properties:
            if found.name == name and not found.parameter_count and not found.is_static:
                return ExactMethod(owner, found.getter)
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


def natural_type(universe: Universe, branches: Sequence[Bound]) -> Type | None:
    """As `common_type`, and by user-defined conversions between the types of two (C# specification 12.18)."""
    found = common_type(universe, branches)
    if found is not None:
        return found
    known = list(dict.fromkeys(branch.type for branch in branches if branch.type is not None))
    if len(known) != len({id(branch.type) for branch in branches}):
        return None
    for target in known:
        others = [(branch, branch.type) for branch in branches if branch.type is not None and branch.type is not target]
        if all(_converts(universe, kind, target, branch.constant) for branch, kind in others) and not any(
            _converts(universe, target, kind, None) for _, kind in others
        ):
            return target
    return None


def _converts(universe: Universe, source: Type, target: Type, constant: Operand | None) -> bool:
    return (
        implicitly_converts(universe, source, target, constant)
        or conversion_operator(universe, source, target, constant=constant) is not None
    )


def as_branch(env: Environment, result: Operand, others: Sequence[Type | None]) -> Operand:
    """The result of a branch, as the wider of the types that the other branches are known to have. CS8716."""
    if result.type is types.DEFAULT:
        known = next((other for other in others if other not in (None, types.DEFAULT)), None)
        if known is None:
            raise Diagnostic("CS8716")
        result = cast(env, result, known)
    for other in others:
        is_number = other is not None and other.kind in (Kind.NUMBER, Kind.NULLABLE)
        if other is not None and is_number and implicitly_converts(env.universe, result.type, other):
            result = cast(env, result, other)
    return result
