"""`target[…]` in code: elements of arrays, strings and pointers, indexers, indices from the end, and ranges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.calls import call, new, on_type
from dap_dotnet.evaluation.binding.conversions import converts, implicit
from dap_dotnet.evaluation.binding.members import declared_type, member
from dap_dotnet.evaluation.binding.operators import binary
from dap_dotnet.evaluation.binding.pointers import pointed
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.known_members import repeated_length
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overload_errors import why_no_overload
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declarations import Candidate, bases_of, candidates, declared_members
from dap_dotnet.evaluation.types.universe import Universe

_INDEX, _RANGE = "System.Index", "System.Range"
_HELPERS = "System.Runtime.CompilerServices.RuntimeHelpers"


def bind_index(scope: Scope, node: syntax.Index) -> Code:
    """`target[…]`, for its value. CS0021, CS1615, CS8428."""
    target, names = scope.code(node.target), [argument.name for argument in node.arguments]
    if any(argument.modifier in ("ref", "out") for argument in node.arguments):
        raise Diagnostic("CS1615", 1, node.arguments[0].modifier)
    first, *others = [argument.value for argument in node.arguments]
    is_from_end = isinstance(first, syntax.Unary) and first.operator == "^"
    if others or not (is_from_end or isinstance(first, syntax.Range)):
        codes = [scope.code(one) for one in (first, *others)]
        if len(codes) == 1 and codes[0].type.full_name == _RANGE and not any(names):
            return _by_indexer(scope, target, codes, names) or _part(scope, target, codes[0])
        return element(scope, target, codes, names)
    if target.type.kind not in (Kind.ARRAY, Kind.STRING):
        made = _by_indexer(scope, target, [scope.code(first)], names)
        if made is not None:
            return made
    if isinstance(first, syntax.Range):
        return _part(scope, target, first)
    if any(names):
        raise Diagnostic("CS8428")
    assert isinstance(first, syntax.Unary)
    return _from_end(scope, target, scope.operand(first))


def _from_end(scope: Scope, target: Code, distance: Code) -> Code:
    """`target[^distance]`, which asks for the length first."""
    before: list[Code] = []
    kept = scope.once(target, before) if target.type.is_value_type else scope.kept_value(target, before)
    position = binary(scope, "-", _length(scope, kept), implicit(scope, distance, types.I4))
    return bound.in_steps(before, element(scope, kept, [position]))


def element(
    scope: Scope, target: Code, indices: list[Code], names: Sequence[str | None] = (), *, is_target: bool = False
) -> Code:
    """An element by its indices, with the `names` of an indexer's parameters; `is_target`: of an array, to be assigned.

    Raises `EvaluationError`: CS0021, CS0022, CS1742, CS1503 and the like.
    """
    if any(names) and target.type.kind in (Kind.ARRAY, Kind.POINTER):
        raise Diagnostic("CS1742")
    is_index = len(indices) == 1 and indices[0].type.full_name == _INDEX
    if target.type.kind is Kind.ARRAY and not is_index:
        if len(indices) != max(target.type.rank, 1):
            raise Diagnostic("CS0022", target.type.rank)
        numbers = tuple(_array_index(scope, index) for index in indices)
        item = bound.Operation(target.type.element, "ArrayAccess" if is_target else "ArrayIndex", (target, *numbers))
        return scope.named(item, scope.names_of(target))
    if target.type.kind is Kind.POINTER:
        return pointed(scope, target, *indices)
    if bound.is_late(target) or any(map(bound.is_late, indices)):
        return _late_element(scope, target, indices, names)
    repeated = _repeated_type(scope, target.type) if len(indices) == 1 and not is_index else None
    if repeated is not None:
        return bound.Operation(repeated, "InlineElement", (target, implicit(scope, indices[0], types.I4)))
    made = _by_indexer(scope, target, indices, names)
    if made is not None:
        return made
    if scope.may_have(target, "Item") and not any(names):
        return _late_element(scope, scope.dynamic(target, is_behind=True), indices)
    if is_index:
        return _at(scope, target, indices[0])
    declared = list(chain.from_iterable(_indexers(scope.universe, target.type)))
    if not declared:
        raise Diagnostic("CS0021", target.type.name)
    given = Arguments.of_codes(scope, indices, names).given
    raise why_no_overload(scope.universe, declared, given, f"{target.type.name}.this")


def _by_indexer(scope: Scope, target: Code, indices: list[Code], names: Sequence[str | None]) -> Code | None:
    """By the indexer that takes the indices; None where none does."""
    arguments = Arguments.of_codes(scope, indices, names)
    chosen = _chosen(scope, target, arguments)
    if chosen is None:
        return None
    kind, passed = chosen.candidate.return_type(scope.universe), arguments.passed(chosen)
    if kind is None:
        raise Diagnostic("CS0021", target.type.name)
    return scope.with_result_names(
        bound.Invoked(kind, chosen.candidate.exact, target, passed, not bound.is_base(target))
    )


def has_indexer(scope: Scope, target: Code, indices: list[Code]) -> bool:
    """Whether an indexer takes the indices."""
    return _chosen(scope, target, Arguments.of_codes(scope, indices)) is not None


def _chosen(scope: Scope, target: Code, arguments: Arguments) -> Chosen | None:
    given = Given(arguments.given.operands, arguments.given.names)
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


_WIDE_INDICES = (types.U4, types.I8, types.U8)


def _array_index(scope: Scope, index: Code) -> Code:
    """A number of any of the types that arrays take (C# specification 12.8.12.2), as an int."""
    if index.type is types.I4:
        return index
    for kind in _WIDE_INDICES if not converts(scope, index, types.I4) else ():
        if converts(scope, index, kind):
            return bound.TypedOperation(types.I4, "ConvertChecked", implicit(scope, index, kind), types.I4)
    return implicit(scope, index, types.I4)


def _length(scope: Scope, target: Code) -> Code:
    """How many elements something has. CS0021 where it does not say that."""
    inline = repeated_length(scope.universe, target.type) if target.type.kind is Kind.STRUCT else None
    length = bound.integer(inline) if inline else member(scope, target, "Length") or member(scope, target, "Count")
    if length is None:
        raise Diagnostic("CS0021", target.type.name)
    return length


def _repeated_type(scope: Scope, kind: Type) -> Type | None:
    """The type of the elements of an inline array or a fixed buffer, its only field; None for other types."""
    if kind.kind is not Kind.STRUCT or not repeated_length(scope.universe, kind):
        return None
    return declared_type(scope, kind, declared_members(scope.universe, kind).fields[0])


def _at(scope: Scope, target: Code, index: Code) -> Code:
    """An element by a System.Index, of what has a length and an indexer by numbers (C# specification 12.8.12.4)."""
    before: list[Code] = []
    kept, place = scope.kept_value(target, before), scope.kept_value(index, before)
    return bound.in_steps(before, element(scope, kept, [call(scope, place, "GetOffset", _length(scope, kept))]))


def _late_element(scope: Scope, target: Code, indices: list[Code], names: Sequence[str | None] = ()) -> Code:
    """An element of what the actual type is."""
    return scope.late(
        (target, *indices),
        lambda inner, given: element(inner, given[0], list(given[1:]), names),
        used="the indexed value",
    )


# indices and ranges


def index_value(scope: Scope, value: Code, *, from_end: bool) -> Code:
    """A System.Index."""
    return new(scope, scope.framework_type(_INDEX), implicit(scope, value, types.I4), bound.boolean(from_end))


def bind_range(scope: Scope, node: syntax.Range) -> Code:
    """`a..b` as a System.Range."""
    ends = []
    for end, is_last in ((node.start, False), (node.end, True)):
        value = scope.code(end) if end is not None else bound.integer(0)
        is_index = value.type.full_name == _INDEX
        ends.append(value if is_index else index_value(scope, value, from_end=is_last and end is None))
    return new(scope, scope.framework_type(_RANGE), *ends)


def _part(scope: Scope, target: Code, part: syntax.Range | Code) -> Code:
    """`target[a..b]`: of arrays, strings, and what has a length and Slice. `part` may be a System.Range."""
    kept = scope.declare(target.type)
    length = _length(scope, kept)
    total, first, end = (scope.declare(types.I4) for _ in range(3))
    before: list[Code] = [bound.assigned(kept, target), bound.assigned(total, length)]
    if isinstance(part, Code):
        whole = scope.kept_value(part, before)
        ends = [_offset(scope, member(scope, whole, name), total) for name in ("Start", "End")]
    else:
        ends = [_position(scope, part.start, total, bound.integer(0)), _position(scope, part.end, total, total)]
    before += [bound.assigned(place, code) for place, code in zip((first, end), ends, strict=True)]
    return bound.in_steps(before, slice_of(scope, kept, first, end))


def slice_of(scope: Scope, target: Code, first: Code, end: Code) -> Code:
    """The part of a sequence from one position up to another."""
    if target.type.kind is not Kind.ARRAY:
        name = "Substring" if target.type is types.STRING else "Slice"
        return call(scope, target, name, first, binary(scope, "-", end, first))

    def lowered() -> Code:
        ends = (index_value(scope, one, from_end=False) for one in (first, end))
        given = Arguments.of_codes(scope, (target, new(scope, scope.framework_type(_RANGE), *ends)))
        return on_type(scope, scope.framework_type(_HELPERS), "GetSubArray", given)

    return bound.ArrayPart(target.type, target, first, end, lowered)


def _position(scope: Scope, node: syntax.Node | None, total: bound.Variable, otherwise: Code) -> Code:
    if node is None:
        return otherwise
    if isinstance(node, syntax.Unary) and node.operator == "^":
        return binary(scope, "-", total, implicit(scope, scope.operand(node), types.I4))
    value = scope.code(node)
    return _offset(scope, value, total) if value.type.full_name == _INDEX else implicit(scope, value, types.I4)


def _offset(scope: Scope, index: Code | None, total: Code) -> Code:
    """The number that a System.Index is of so many elements."""
    assert index is not None
    return call(scope, index, "GetOffset", total)
