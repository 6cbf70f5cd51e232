"""Values made of others in code: tuples, `with`, anonymous objects, collection expressions, indices and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.assignments import typed
from dap_dotnet.evaluation.binding.program_code.calls import constructed, on_value
from dap_dotnet.evaluation.binding.program_code.conversions import explicit, implicit, thrown, tuple_of
from dap_dotnet.evaluation.binding.program_code.creations import fill_entry
from dap_dotnet.evaluation.binding.program_code.element_names import declared, names_of
from dap_dotnet.evaluation.binding.program_code.evaluated_once import kept_value
from dap_dotnet.evaluation.binding.program_code.indexing import INDEX
from dap_dotnet.evaluation.binding.program_code.members import member, methods
from dap_dotnet.evaluation.binding.program_code.operators import binary
from dap_dotnet.evaluation.binding.program_code.scope import Scope, named, unsupported
from dap_dotnet.evaluation.bound_tree import (
    AnonymousObject,
    ArrayPart,
    Captured,
    Code,
    Invoked,
    Items,
    Made,
    Operation,
    Steps,
    TupleLiteral,
    Variable,
)
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.anonymous_objects import anonymous_type, is_anonymous
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.collection_types import ARRAYS, LIST, LISTS, SPANS, element_of
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.tuple_names import is_tuple
from dap_dotnet.runtime.model import MethodToken

_UNTYPED = frozenset({Kind.NULL, Kind.DEFAULT, Kind.TUPLE})
_CLONE = "<Clone>$"
RANGE = "System.Range"


def bind_with(scope: Scope, node: syntax.With) -> Code:
    """`operand with { … }`. CS8858."""
    source = scope.code(node.operand)
    made = source
    if source.type.kind is not Kind.STRUCT:
        if is_anonymous(source.type):
            return _with_anonymous(scope, node, source)
        clones = methods(scope, source.type, _CLONE)
        if not clones:
            raise Diagnostic("CS8858", source.type.name)
        result = clones[0].return_type(scope.universe) or source.type
        exact = ExactMethod(clones[0].owner, MethodToken(clones[0].method.token))
        made = explicit(scope, Invoked(result, exact, source, ()), source.type)
    kept = declared(scope, scope.declare(source.type), None, source)
    entries = [fill_entry(scope, kept, entry) for entry in node.initializer.entries]
    return Steps(kept.type, (), (Operation(kept.type, "Assign", (kept, made)), *entries, kept))


def _with_anonymous(scope: Scope, node: syntax.With, source: Code) -> Code:
    """A new anonymous object, with the values of another one but for some."""
    before: list[Code] = []
    kept = kept_value(scope, source, before)
    values = dict[str, Code]()
    for entry in node.initializer.entries:
        if not isinstance(entry, syntax.MemberEntry) or isinstance(entry.value, syntax.Initializer):
            raise Diagnostic("CS0747")
        old = member(scope, kept, entry.name)
        if old is None:
            raise Diagnostic("CS1061", kept.type.name, entry.name)
        values[entry.name] = kept_value(scope, typed(scope, entry.value, old.type), before)
    (constructor,) = [one for one in candidates(scope.universe, kept.type) if one.method.name == ".ctor"]
    items = list[Code]()
    for name in constructor.method.parameters.values():
        item = values.get(name) or member(scope, kept, name)
        assert item is not None
        items.append(item)
    made = Made(kept.type, ExactMethod(kept.type, MethodToken(constructor.method.token)), tuple(items))
    return Steps(made.type, (), (*before, made))


def bind_anonymous(scope: Scope, node: syntax.Anonymous) -> Code:
    """`new { a, name = b }`, of the type that the compiler made for the same members."""
    items = tuple(scope.code(item) for item in node.items)
    kinds = tuple(item.type for item in items)
    kind = anonymous_type(scope.env, node.names, kinds)
    for candidate in candidates(scope.universe, kind) if kind is not None else ():
        if kind is not None and candidate.method.name == ".ctor":
            return Made(kind, ExactMethod(kind, MethodToken(candidate.method.token)), items)
    return _own_anonymous(scope, node.names, items)


def _own_anonymous(scope: Scope, names: tuple[str, ...], items: tuple[Code, ...]) -> Code:
    """An anonymous object that only the expression has: the program has no type for it, and gets none."""
    objects = tuple(implicit(scope, one, types.OBJECT) if one.type.kind is Kind.NULL else one for one in items)
    kind = tuple_names.tuple_type(scope.universe, [one.type for one in objects])
    if kind is None:
        raise EvaluationError("The program has no anonymous type of these members")
    inner = (names_of(scope, one) or (None,) * tuple_names.count(one.type) for one in objects)
    return named(scope, AnonymousObject(kind, names, objects), tuple(chain(names, *inner)))


def bind_collection(scope: Scope, node: syntax.Collection, kind: Type) -> Code:
    """`[a, ..b]` of a type. CS9174."""
    element, universe = element_of(kind), scope.universe
    if element is None:
        raise Diagnostic("CS9174", kind.name)
    if not any(item.is_spread for item in node.items):
        return collection_of(scope, kind, tuple(typed(scope, item.value, element) for item in node.items))
    listed = universe.named(LIST, (element,))
    if listed is None:
        raise Diagnostic("CS9174", kind.name)
    kept = scope.declare(listed)
    steps: list[Code] = [Operation(listed, "Assign", (kept, constructed(scope, listed, Arguments.of_codes(scope, ()))))]
    for item in node.items:
        value = scope.code(item.value) if item.is_spread else typed(scope, item.value, element)
        name = "AddRange" if item.is_spread else "Add"
        steps.append(on_value(scope, kept, name, Arguments.of_codes(scope, (value,))))
    if kind.kind is Kind.ARRAY:
        last = on_value(scope, kept, "ToArray", Arguments.of_codes(scope, ()))
    elif kind.full_name in SPANS:
        array = on_value(scope, kept, "ToArray", Arguments.of_codes(scope, ()))
        last = implicit(scope, array, kind)
    elif kind.full_name in ARRAYS | LISTS:
        last = implicit(scope, kept, kind)
    else:
        last = constructed(scope, kind, Arguments.of_codes(scope, (kept,)))
    return Steps(kind, (), (*steps, last))


def collection_of(scope: Scope, kind: Type, items: tuple[Code, ...]) -> Code:
    """A collection of a type with elements, which are of the type that it takes. CS9174."""
    element = element_of(kind)
    assert element is not None
    array = Items(scope.universe.array(element), items)
    if kind.kind is Kind.ARRAY or kind.full_name in ARRAYS | SPANS:
        return implicit(scope, array, kind)
    made = scope.universe.named(LIST, (element,)) if kind.full_name in LISTS else kind
    if made is None:
        raise Diagnostic("CS9174", kind.name)
    return implicit(scope, constructed(scope, made, Arguments.of_codes(scope, (array,))), kind)


def index_value(scope: Scope, value: Code, *, from_end: bool) -> Code:
    """A System.Index."""
    number = implicit(scope, value, types.I4)
    flag = Captured(types.BOOL, types.boolean(from_end), is_constant=True)
    return constructed(scope, _named_type(scope, INDEX), Arguments.of_codes(scope, (number, flag)))


def bind_range(scope: Scope, node: syntax.Range) -> Code:
    """`a..b` as a System.Range."""
    ends = []
    for end, is_last in ((node.start, False), (node.end, True)):
        if end is None:
            ends.append(index_value(scope, _zero(), from_end=is_last))
            continue
        ends.append(_as_index(scope, end))
    return constructed(scope, _named_type(scope, RANGE), Arguments.of_codes(scope, tuple(ends)))


def _as_index(scope: Scope, node: syntax.Node) -> Code:
    value = scope.code(node)
    return value if value.type.full_name == INDEX else index_value(scope, value, from_end=False)


def bind_part(scope: Scope, target: Code, part: syntax.Range | Code) -> Code:
    """`target[a..b]`: of arrays, strings, and what has a length and Slice. `part` may be a System.Range."""
    if target.type.kind is Kind.ARRAY and not scope.is_live:
        return _sub_array(scope, target, part if isinstance(part, Code) else bind_range(scope, part))
    kept = scope.declare(target.type)
    length = member(scope, kept, "Length") or member(scope, kept, "Count")
    if length is None:
        raise Diagnostic("CS0021", target.type.name)
    total = scope.declare(types.I4)
    first, end = scope.declare(types.I4), scope.declare(types.I4)
    before: list[Code] = [
        Operation(kept.type, "Assign", (kept, target)),
        Operation(types.I4, "Assign", (total, length)),
    ]
    if isinstance(part, Code):
        whole = kept_value(scope, part, before)
        ends = [_offset(scope, member(scope, whole, name), total) for name in ("Start", "End")]
    else:
        ends = [_position(scope, part.start, total, _zero()), _position(scope, part.end, total, total)]
    before += [Operation(types.I4, "Assign", (place, code)) for place, code in zip((first, end), ends, strict=True)]
    taken = slice_of(scope, kept, first, end)
    return Steps(taken.type, (), (*before, taken))


def slice_of(scope: Scope, target: Code, first: Code, end: Code) -> Code:
    """The part of a sequence from one position up to another."""
    if target.type.kind is Kind.ARRAY:

        def lowered() -> Code:
            positions = (index_value(scope, first, from_end=False), index_value(scope, end, from_end=False))
            made = constructed(scope, _named_type(scope, RANGE), Arguments.of_codes(scope, positions))
            return _sub_array(scope, target, made)

        return ArrayPart(target.type, target, first, end, lowered) if scope.is_live else lowered()
    name = "Substring" if target.type is types.STRING else "Slice"
    return on_value(scope, target, name, Arguments.of_codes(scope, (first, binary(scope, "-", end, first))))


def _sub_array(scope: Scope, target: Code, part_range: Code) -> Code:
    helpers = _named_type(scope, "System.Runtime.CompilerServices.RuntimeHelpers")
    found = [one for one in candidates(scope.universe, helpers) if one.method.name == "GetSubArray"]
    if not found:
        raise unsupported("A range of an array")
    exact = ExactMethod(helpers, MethodToken(found[0].method.token), (target.type.element,))
    return Invoked(target.type, exact, None, (target, part_range))


def _position(scope: Scope, node: syntax.Node | None, total: Variable, otherwise: Code) -> Code:
    if node is None:
        return otherwise
    if isinstance(node, syntax.Unary) and node.operator == "^":
        return binary(scope, "-", total, implicit(scope, scope.operand(node), types.I4))
    value = scope.code(node)
    return _offset(scope, value, total) if value.type.full_name == INDEX else implicit(scope, value, types.I4)


def _offset(scope: Scope, index: Code | None, total: Code) -> Code:
    """The number that a System.Index is of so many elements."""
    assert index is not None
    return on_value(scope, index, "GetOffset", Arguments.of_codes(scope, (total,)))


def bind_throw(scope: Scope, node: syntax.Throw) -> Code:
    """`throw value`, of the type of whatever else there may be in its place. CS0155."""
    if not node.is_placed:
        raise Diagnostic("CS8115")
    return thrown(scope, scope.code(node.operand), types.NULL)


def bind_tuple(scope: Scope, node: syntax.Tuple, wanted: Type | None = None) -> Code:
    """`(a, b)`; elements without a type of their own have that of the `wanted` type's."""
    plain = wanted.element if wanted is not None and wanted.kind is Kind.NULLABLE else wanted
    targets: Sequence[Type | None] = (None,) * len(node.items)
    if plain is not None and is_tuple(plain) and tuple_names.length(plain) == len(node.items):
        targets = tuple_names.elements(plain)
    parts = [scope.source(item) or scope.code(item, target) for item, target in zip(node.items, targets, strict=True)]
    items = tuple(part for part in parts if isinstance(part, Code))
    kinds = tuple(item.type for item in items)
    if len(items) < len(parts) or any(kind.kind in _UNTYPED for kind in kinds):
        return TupleLiteral(types.TUPLE, tuple(parts))
    natural = tuple_names.tuple_type(scope.universe, kinds)
    if natural is None:
        raise unsupported("A tuple of these elements")
    inner = (names_of(scope, item) or (None,) * tuple_names.count(item.type) for item in items)
    names = chain(node.names or (None,) * len(items), *inner)
    return named(scope, tuple_of(scope, natural, items), tuple(names))


def _zero() -> Code:
    return Captured(types.I4, Operand(types.I4, 0), is_constant=True)


def _named_type(scope: Scope, name: str) -> Type:
    found = scope.universe.named(name)
    if found is None:
        raise EvaluationError(f"The program's framework has no {name}")
    return found
