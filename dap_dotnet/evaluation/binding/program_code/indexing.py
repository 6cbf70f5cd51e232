"""`target[indices]` in code: of arrays, strings, and by indexers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.calls import on_value
from dap_dotnet.evaluation.binding.program_code.conversions import converts, implicit
from dap_dotnet.evaluation.binding.program_code.element_names import names_of, with_result_names
from dap_dotnet.evaluation.binding.program_code.evaluated_once import kept_value, once
from dap_dotnet.evaluation.binding.program_code.late import dynamic, late, may_be_more
from dap_dotnet.evaluation.binding.program_code.members import checked_type, is_base, member
from dap_dotnet.evaluation.binding.program_code.operators import binary
from dap_dotnet.evaluation.binding.program_code.pointers import pointed
from dap_dotnet.evaluation.binding.program_code.scope import Scope, named, stand_in, unsupported
from dap_dotnet.evaluation.bound_tree import (
    Captured,
    Code,
    DynamicMember,
    Invoked,
    Operation,
    Steps,
    TypedOperation,
    is_late,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.operations.dynamic_members import EXPANDO
from dap_dotnet.evaluation.operations.indexing import repeated_length
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.types import members

INDEX = "System.Index"


def bind_index(scope: Scope, node: syntax.Index, target: Code) -> Code:
    """An element of `target`, for its value. CS0021."""
    if any(argument.modifier in ("ref", "out") for argument in node.arguments):
        raise Diagnostic("CS1615", 1, node.arguments[0].modifier)
    names = [argument.name for argument in node.arguments]
    first, *others = [argument.value for argument in node.arguments]
    if isinstance(first, syntax.Unary) and first.operator == "^" and not others:
        if any(names):
            raise Diagnostic("CS8428")
        return _from_end(scope, target, scope.operand(first))
    return element(scope, target, [scope.code(one) for one in (first, *others)], names)


def _from_end(scope: Scope, target: Code, distance: Code) -> Code:
    """`target[^distance]`, which asks for the length first."""
    before: list[Code] = []
    kept = once(scope, target, before) if target.type.is_value_type else kept_value(scope, target, before)
    length = count_of(scope, kept)
    if length is None:
        raise Diagnostic("CS0021", target.type.name)
    found = element(scope, kept, [binary(scope, "-", length, implicit(scope, distance, types.I4))])
    return Steps(found.type, (), (*before, found)) if before else found


def element(
    scope: Scope, target: Code, indices: list[Code], names: Sequence[str | None] = (), *, is_target: bool = False
) -> Code:
    """An element by its indices, with the `names` of an indexer's parameters; `is_target`: of an array, to be assigned.

    Raises `EvaluationError`: CS0021, CS0022, CS1742.
    """
    if any(names) and target.type.kind in (Kind.ARRAY, Kind.POINTER):
        raise Diagnostic("CS1742")
    if target.type.kind is Kind.ARRAY and (len(indices) > 1 or indices[0].type.full_name != INDEX):
        if len(indices) != max(target.type.rank, 1):
            raise Diagnostic("CS0022", target.type.rank)
        numbers = tuple(_array_index(scope, index) for index in indices)
        item = Operation(target.type.element, "ArrayAccess" if is_target else "ArrayIndex", (target, *numbers))
        return named(scope, item, names_of(scope, target))
    if target.type.kind is Kind.POINTER:
        return pointed(scope, target, *indices)
    if is_late(target) or any(map(is_late, indices)):
        return _late_element(scope, target, indices)
    if may_be_more(scope, target) and not any(names) and not has_indexer(scope, target, indices):
        return _late_element(scope, dynamic(scope, target, is_behind=True), indices)
    if len(indices) == 1 and indices[0].type.full_name == INDEX and not has_indexer(scope, target, indices):
        return _at(scope, target, indices[0])
    repeated = _repeated_type(scope, target.type) if len(indices) == 1 else None
    if repeated is not None:
        return Operation(repeated, "InlineElement", (target, implicit(scope, indices[0], types.I4)))
    getter, given = indexer(scope, target, indices, names)
    kind = getter.return_type(scope.universe)
    if kind is None:
        raise Diagnostic("CS0021", target.type.name)
    exact = ExactMethod(getter.owner, MethodToken(getter.method.token))
    return with_result_names(scope, Invoked(checked_type(scope, kind), exact, target, given, not is_base(target)))


_WIDE_INDICES = (types.U4, types.I8, types.U8)


def _array_index(scope: Scope, index: Code) -> Code:
    """A number of any of the types that arrays take (C# specification 12.8.12.2), as an int."""
    for kind in _WIDE_INDICES if not converts(scope, index, types.I4) else ():
        if converts(scope, index, kind):
            return TypedOperation(types.I4, "ConvertChecked", implicit(scope, index, kind), types.I4)
    return implicit(scope, index, types.I4)


def count_of(scope: Scope, target: Code) -> Code | None:
    """How many elements something has; None where it does not say that."""
    inline = repeated_length(scope.universe, target.type) if target.type.kind is Kind.STRUCT else None
    if inline:
        return Captured(types.I4, Operand(types.I4, inline), is_constant=True)
    return member(scope, target, "Length") or member(scope, target, "Count")


def _repeated_type(scope: Scope, kind: Type) -> Type | None:
    """The type of the elements of an inline array or a fixed buffer, its only field; None for other types."""
    if kind.kind is not Kind.STRUCT or not repeated_length(scope.universe, kind):
        return None
    definition, module = scope.universe.definition_of(kind), scope.universe.module_of(kind)
    field = members(module, definition[1] if definition is not None else None).fields[0]
    assert module is not None
    assert module.metadata is not None
    signature = module.metadata.field(field.token).signature
    return scope.universe.of_signature(module, signature, kind.arguments)


def expando_element(scope: Scope, code: DynamicMember) -> Code:
    """A member of an ExpandoObject by the interface that changes it."""
    kind = scope.universe.named("System.Collections.Generic.IDictionary`2", (types.STRING, types.OBJECT))
    if kind is None or code.target.type.full_name != EXPANDO:
        raise Diagnostic("CS0131")
    name = Captured(types.STRING, Operand(types.STRING, code.name), is_constant=True)
    return element(scope, implicit(scope, code.target, kind), [name])


def _at(scope: Scope, target: Code, index: Code) -> Code:
    """An element by a System.Index, of what has a length and an indexer by numbers (C# specification 12.8.12.4)."""
    before: list[Code] = []
    kept, place = kept_value(scope, target, before), kept_value(scope, index, before)
    length = count_of(scope, kept)
    if length is None:
        raise Diagnostic("CS0021", target.type.name)
    offset = on_value(scope, place, "GetOffset", Arguments.of_codes(scope, (length,)))
    made = element(scope, kept, [offset])
    return Steps(made.type, (), (*before, made))


def _late_element(scope: Scope, target: Code, indices: list[Code]) -> Code:
    """An element of what the actual type is."""

    def bind(inner: Scope, given: Sequence[Code]) -> Code:
        if given[0].type is types.NULL:
            raise null_reference("the indexed value")
        return element(inner, given[0], list(given[1:]))

    return late(scope, (target, *indices), bind)


def indexer(
    scope: Scope, target: Code, indices: list[Code], names: Sequence[str | None] = ()
) -> tuple[Candidate, tuple[Code, ...]]:
    """The getter of the indexer that fits, and its arguments. CS0021, CS1503 and the like."""
    from portablepdb.signatures import ByRefType

    given = Arguments.of_codes(scope, indices, names)
    chosen = _chosen(scope, target, list(given.given.operands), names)
    if chosen is not None:
        if isinstance(chosen.candidate.method.signature.return_type, ByRefType) and not scope.is_live:
            raise unsupported("An indexer that gives a reference")
        return chosen.candidate, given.passed(chosen)
    declared = list(chain.from_iterable(_indexers(scope.universe, target.type)))
    if not declared:
        raise Diagnostic("CS0021", target.type.name)
    raise why_no_overload(scope.universe, declared, given.given, f"{target.type.name}.this")


def has_indexer(scope: Scope, target: Code, indices: list[Code]) -> bool:
    """Whether an indexer takes these."""
    return _chosen(scope, target, [stand_in(index) for index in indices]) is not None


def _chosen(scope: Scope, target: Code, indices: list[Operand], names: Sequence[str | None] = ()) -> Chosen | None:
    given = Given(indices, names)
    fitting = (choose(scope.universe, getters, given) for getters in _indexers(scope.universe, target.type) if getters)
    return next((one for one in fitting if one is not None), None)


def _indexers(universe: Universe, start: Type) -> Iterator[list[Candidate]]:
    """The getters of the indexers of a type, and those of each of its bases, without those of interfaces alone."""
    for declaring in bases_of(universe, start):
        yield [
            one
            for one in candidates(universe, declaring)
            if one.is_indexer and not one.method.is_static and "." not in one.method.name
        ]
