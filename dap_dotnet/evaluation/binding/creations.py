"""New values in code: `new`, arrays, tuples, `with`, anonymous objects, collections, and interpolated strings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, product

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.assignments import store
from dap_dotnet.evaluation.binding.calls import call, constructed, new, on_value
from dap_dotnet.evaluation.binding.conversions import common, explicit, implicit, tuple_of, tuple_type, typed
from dap_dotnet.evaluation.binding.indexing import element
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, unsupported
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.calling.anonymous_types import anonymous_type, is_anonymous
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.variables import is_variable, refusal
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ARRAYS, LIST, LISTS, SPANS, Kind, Type, element_of, is_tuple
from dap_dotnet.evaluation.types.declarations import constructors, methods_named

_UNTYPED = frozenset({Kind.NULL, Kind.DEFAULT, Kind.TUPLE})
_CLONE = "<Clone>$"


def bind_new(scope: Scope, node: syntax.New, wanted: Type | None = None) -> Code:
    """`new T(…) { … }`. CS8754."""
    if node.type is None and wanted is not None and wanted.kind is Kind.NULLABLE:
        return implicit(scope, bind_new(scope, node, wanted.element), wanted)
    kind = scope.binder.type(node.type) if node.type is not None else wanted
    if kind is None:
        raise Diagnostic("CS8754")
    entries = node.initializer.entries if node.initializer is not None else ()
    initialised = frozenset(entry.name for entry in entries if isinstance(entry, syntax.MemberEntry))
    made = constructed(scope, kind, Arguments(scope, node.arguments, ()), initialised)
    if not entries:
        return made
    kept = scope.declare(kind, written=node.type)
    return bound.Steps(kind, (), (bound.assigned(kept, made), *(_fill(scope, kept, entry) for entry in entries), kept))


def _fill(scope: Scope, made: Code, entry: syntax.Entry) -> Code:
    """What an entry of an initializer does to a new object. CS0117, CS1918."""
    with passing(entry.at):
        return _filled(scope, made, entry)


def _filled(scope: Scope, made: Code, entry: syntax.Entry) -> Code:
    if isinstance(entry, syntax.ElementEntry):
        arguments = Arguments(scope, [syntax.Argument(value) for value in entry.values], ())
        return on_value(scope, made, "Add", arguments)
    before: list[Code] = []
    if isinstance(entry, syntax.IndexEntry):
        indices = [scope.code(argument.value) for argument in entry.arguments]
        names = [argument.name for argument in entry.arguments]
        target = element(scope, made, indices, names, is_target=made.type.kind is Kind.ARRAY)
    else:
        found = member(scope, made, entry.name)
        if found is None:
            raise Diagnostic("CS0117", made.type.name, entry.name)
        target = found
    if isinstance(entry.value, syntax.Initializer):
        if target.type.is_value_type and not is_variable(scope.universe, target):
            raise Diagnostic("CS1918", entry.name if isinstance(entry, syntax.MemberEntry) else "this")
        inner = scope.once(target, before)
        before += [_fill(scope, inner, one) for one in entry.value.entries]
        return bound.block(*before)
    refused = refusal(scope.universe, target)
    if refused is not None:
        raise refused
    return store(scope, target, typed(scope, entry.value, target.type), initialises=True)


def bind_new_array(scope: Scope, node: syntax.NewArray) -> Code:
    """`new T[n]`, `new T[n, m]`, `new[] { … }`. CS0150, CS0248, CS0826, CS0847."""
    kind = scope.binder.type(node.element) if node.element is not None else None
    if node.items is None:
        assert kind is not None
        if not node.lengths:
            raise Diagnostic("CS1586")
        lengths = tuple(implicit(scope, scope.code(length), types.I4) for length in node.lengths)
        known = [constant_of(length) for length in lengths]
        if any(one is not None and one.data < 0 for one in known):
            raise Diagnostic("CS0248")
        return bound.Items(scope.universe.array(kind, node.rank), lengths, has_lengths=True)
    shape = node.shape or (len(node.items),)
    for length, wanted in zip(node.lengths, shape, strict=False):
        size = constant_of(scope.code(length))
        if size is None:
            raise Diagnostic("CS0150")
        if size.data != wanted:
            raise Diagnostic("CS0847", size.data)
    if kind is None:
        codes = [scope.code(item) for item in node.items]
        kind = common(scope, codes) if codes else None
        if kind is None:
            raise Diagnostic("CS0826")
        items = tuple(implicit(scope, code, kind) for code in codes)
    else:
        items = tuple(typed(scope, item, kind) for item in node.items)
    array = scope.universe.array(kind, node.rank)
    return bound.Items(array, items) if node.rank == 1 else _of_dimensions(scope, array, shape, items)


def _of_dimensions(scope: Scope, array: Type, shape: tuple[int, ...], items: tuple[Code, ...]) -> Code:
    """A new array of several dimensions with its items, of which the last index runs fastest."""
    kept = scope.declare(array)
    steps: list[Code] = [bound.assigned(kept, bound.Items(array, tuple(map(bound.integer, shape)), has_lengths=True))]
    for indices, item in zip(product(*map(range, shape)), items, strict=True):
        steps.append(
            bound.assigned(element(scope, kept, [bound.integer(index) for index in indices], is_target=True), item)
        )
    return bound.Steps(array, (), (*steps, kept))


def bind_default(scope: Scope, node: syntax.Default, wanted: Type | None = None) -> Code:
    """`default(T)`, and `default`, whose type is that of what it is converted to."""
    kind = scope.binder.type(node.type) if node.type is not None else wanted
    return bound.Zero(kind if kind is not None else types.DEFAULT)


def bind_with(scope: Scope, node: syntax.With) -> Code:
    """`operand with { … }`. CS8858."""
    source = scope.code(node.operand)
    made = source
    if source.type.kind is not Kind.STRUCT:
        if is_anonymous(source.type):
            return _with_anonymous(scope, node, source)
        clones = methods_named(scope.universe, source.type, _CLONE)
        if not clones:
            raise Diagnostic("CS8858", source.type.name)
        result = clones[0].return_type(scope.universe) or source.type
        made = explicit(scope, bound.Invoked(result, clones[0].exact, source, ()), source.type)
    kept = scope.declare(source.type, value=source)
    entries = [_fill(scope, kept, entry) for entry in node.initializer.entries]
    return bound.Steps(kept.type, (), (bound.assigned(kept, made), *entries, kept))


def _with_anonymous(scope: Scope, node: syntax.With, source: Code) -> Code:
    """A new anonymous object, with the values of another one but for some."""
    before: list[Code] = []
    kept = scope.kept_value(source, before)
    values = dict[str, Code]()
    for entry in node.initializer.entries:
        if not isinstance(entry, syntax.MemberEntry) or isinstance(entry.value, syntax.Initializer):
            raise Diagnostic("CS0747")
        old = member(scope, kept, entry.name)
        if old is None:
            raise Diagnostic("CS1061", kept.type.name, entry.name)
        values[entry.name] = scope.kept_value(typed(scope, entry.value, old.type), before)
    (constructor,) = constructors(scope.universe, kept.type)
    items = list[Code]()
    for name in constructor.method.parameters.values():
        item = values.get(name) or member(scope, kept, name)
        assert item is not None
        items.append(item)
    return bound.Steps(kept.type, (), (*before, bound.Made(kept.type, constructor.exact, tuple(items))))


def bind_anonymous(scope: Scope, node: syntax.Anonymous) -> Code:
    """`new { a, name = b }`, of the type that the compiler made for the same members."""
    items = tuple(scope.code(item) for item in node.items)
    kind = anonymous_type(scope.env, node.names, tuple(item.type for item in items))
    if kind is None:
        return _own_anonymous(scope, node.names, items)
    return bound.Made(kind, constructors(scope.universe, kind)[0].exact, items)


def _own_anonymous(scope: Scope, names: tuple[str, ...], items: tuple[Code, ...]) -> Code:
    """An anonymous object that only the expression has: the program has no type for it, and gets none."""
    objects = tuple(implicit(scope, one, types.OBJECT) if one.type.kind is Kind.NULL else one for one in items)
    kind = tuple_type(scope, [one.type for one in objects])
    inner = map(scope.all_names, objects)
    return scope.named(bound.AnonymousObject(kind, names, objects), tuple(chain(names, *inner)))


def bind_collection(scope: Scope, node: syntax.Collection, kind: Type) -> Code:
    """`[a, ..b]` of a type. CS9174."""
    element = element_of(kind)
    if element is None:
        raise Diagnostic("CS9174", kind.name)
    if not any(item.is_spread for item in node.items):
        return collection_of(scope, kind, tuple(typed(scope, item.value, element) for item in node.items))
    listed = scope.framework_type(LIST, (element,))
    kept = scope.declare(listed)
    steps: list[Code] = [bound.assigned(kept, new(scope, listed))]
    for item in node.items:
        value = scope.code(item.value) if item.is_spread else typed(scope, item.value, element)
        steps.append(call(scope, kept, "AddRange" if item.is_spread else "Add", value))
    return bound.Steps(kind, (), (*steps, _collected(scope, kind, call(scope, kept, "ToArray"))))


def collection_of(scope: Scope, kind: Type, items: tuple[Code, ...]) -> Code:
    """A collection of a type with elements, which are of the type that it takes. CS9174."""
    element = element_of(kind)
    assert element is not None
    return _collected(scope, kind, bound.Items(scope.universe.array(element), items))


def _collected(scope: Scope, kind: Type, array: Code) -> Code:
    if kind.kind is Kind.ARRAY or kind.full_name in ARRAYS | SPANS:
        return implicit(scope, array, kind)
    made = scope.framework_type(LIST, (array.type.element,)) if kind.full_name in LISTS else kind
    return implicit(scope, new(scope, made, array), kind)


def bind_tuple(scope: Scope, node: syntax.Tuple, wanted: Type | None = None) -> Code:
    """`(a, b)`; elements without a type of their own have that of the `wanted` type's."""
    plain = wanted.stripped if wanted is not None else None
    targets: Sequence[Type | None] = (None,) * len(node.items)
    if plain is not None and is_tuple(plain) and types.tuple_length(plain) == len(node.items):
        targets = types.tuple_elements(plain)
    parts = [scope.code_or_source(item, target) for item, target in zip(node.items, targets, strict=True)]
    items = tuple(part for part in parts if isinstance(part, Code))
    kinds = tuple(item.type for item in items)
    if len(items) < len(parts) or any(kind.kind in _UNTYPED for kind in kinds):
        return bound.TupleLiteral(types.TUPLE, tuple(parts))
    names = chain(node.names or (None,) * len(items), *map(scope.all_names, items))
    return scope.named(tuple_of(scope, tuple_type(scope, kinds), items), tuple(names))


_FORMATTABLE = "System.FormattableString"
_FACTORY = "System.Runtime.CompilerServices.FormattableStringFactory"


def bind_interpolated(scope: Scope, node: syntax.Interpolated) -> Code:
    """`$"…"`, by string.Format."""
    if not any(isinstance(part, syntax.Hole) for part in node.parts):
        whole = "".join(part for part in node.parts if isinstance(part, str))
        return bound.characters(whole)
    return _text(scope, node)


def _text(scope: Scope, node: syntax.Interpolated) -> bound.Text:
    return bound.Text(types.STRING, tuple(
        part if isinstance(part, str) else bound.Hole(scope.code(part.value), part.alignment, part.format)
        for part in node.parts
    ))  # fmt: skip


def bind_formattable(scope: Scope, node: syntax.Interpolated, kind: Type) -> Code:
    """`$"…"` as a FormattableString or IFormattable."""
    factory, made = scope.framework_type(_FACTORY), scope.framework_type(_FORMATTABLE)
    objects = scope.universe.array(types.OBJECT)
    create = scope.framework_method(factory, "Create", types.STRING, objects)
    return implicit(scope, bound.Invoked(made, create, None, _format(scope, node)), kind)


def _format(scope: Scope, node: syntax.Interpolated) -> tuple[Code, Code]:
    """The composite format, and the array of what is in its holes."""
    text = _text(scope, node)
    if any(isinstance(part, bound.Hole) and {"{", "}"} & set(part.format) for part in text.parts):
        raise unsupported("A format with braces")
    pattern, holes = bound.format_of(text)
    objects = tuple(implicit(scope, hole, types.OBJECT) for hole in holes)
    return bound.characters(pattern), bound.Items(scope.universe.array(types.OBJECT), objects)
