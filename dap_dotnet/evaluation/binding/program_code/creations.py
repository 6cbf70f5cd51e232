"""`new`, arrays and interpolated strings in code."""

from __future__ import annotations

from itertools import product

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.assignments import store, typed
from dap_dotnet.evaluation.binding.program_code.calls import constructed, on_value
from dap_dotnet.evaluation.binding.program_code.conversions import common, implicit
from dap_dotnet.evaluation.binding.program_code.element_names import declared
from dap_dotnet.evaluation.binding.program_code.evaluated_once import once
from dap_dotnet.evaluation.binding.program_code.indexing import element
from dap_dotnet.evaluation.binding.program_code.members import member
from dap_dotnet.evaluation.binding.program_code.scope import Scope, constant_of
from dap_dotnet.evaluation.bound_tree import Captured, Code, Items, Operation, Steps, Zero
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.code_places import is_variable, refusal
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type


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
    kept = declared(scope, scope.declare(kind), node.type)
    steps: list[Code] = [Operation(kind, "Assign", (kept, made))]
    for entry in entries:
        steps.append(fill_entry(scope, kept, entry))
    return Steps(kind, (), (*steps, kept))


def fill_entry(scope: Scope, made: Code, entry: syntax.Entry) -> Code:
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
        inner = once(scope, target, before)
        before += [fill_entry(scope, inner, one) for one in entry.value.entries]
        return Steps(types.VOID, (), (*before, Zero(types.VOID)))
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
        return Items(_array_type(scope, kind, node.rank), lengths, has_lengths=True)
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
    array = _array_type(scope, kind, node.rank)
    return Items(array, items) if node.rank == 1 else _of_dimensions(scope, array, shape, items)


def _array_type(scope: Scope, element_type: Type, rank: int) -> Type:
    return scope.universe.array(element_type, rank) if rank > 1 else scope.universe.array(element_type)


def _of_dimensions(scope: Scope, array: Type, shape: tuple[int, ...], items: tuple[Code, ...]) -> Code:
    """A new array of several dimensions with its items, of which the last index runs fastest."""

    def number(value: int) -> Code:
        return Captured(types.I4, Operand(types.I4, value), is_constant=True)

    kept = scope.declare(array)
    steps: list[Code] = [Operation(array, "Assign", (kept, Items(array, tuple(map(number, shape)), has_lengths=True)))]
    for indices, item in zip(product(*map(range, shape)), items, strict=True):
        place = element(scope, kept, [number(index) for index in indices], is_target=True)
        steps.append(Operation(item.type, "Assign", (place, item)))
    return Steps(array, (), (*steps, kept))


def bind_default(scope: Scope, node: syntax.Default, wanted: Type | None = None) -> Code:
    """`default(T)`, and `default`, whose type is that of what it is converted to."""
    kind = scope.binder.type(node.type) if node.type is not None else wanted
    return Zero(kind if kind is not None else types.DEFAULT)
