"""`new`, arrays and interpolated strings in code."""

from __future__ import annotations

from dap_dotnet.evaluation.binding.program_code.arguments import Arguments
from dap_dotnet.evaluation.binding.program_code.assignments import store, typed
from dap_dotnet.evaluation.binding.program_code.calls import constructed, on_value
from dap_dotnet.evaluation.binding.program_code.conversions import common, implicit
from dap_dotnet.evaluation.binding.program_code.indexing import element
from dap_dotnet.evaluation.binding.program_code.members import member
from dap_dotnet.evaluation.binding.program_code.scope import Scope, constant_of, unsupported
from dap_dotnet.evaluation.operations.program_code import Code, Items, Operation, Steps, Zero
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type


def bind_new(scope: Scope, node: syntax.New, wanted: Type | None = None) -> Code:
    """`new T(…) { … }`. CS8754."""
    kind = scope.binder.type(node.type) if node.type is not None else wanted
    if kind is None:
        raise Diagnostic("CS8754")
    entries = node.initializer.entries if node.initializer is not None else ()
    initialised = frozenset(entry.name for entry in entries if isinstance(entry, syntax.MemberEntry))
    made = constructed(scope, kind, Arguments(scope, node.arguments, ()), initialised)
    if not entries:
        return made
    kept = scope.declare(kind)
    steps: list[Code] = [Operation(kind, "Assign", (kept, made))]
    for entry in entries:
        steps.append(fill_entry(scope, kept, entry))
    return Steps(kind, (), (*steps, kept))


def fill_entry(scope: Scope, made: Code, entry: syntax.Entry) -> Code:
    """What an entry of an initializer does to a new object."""
    if isinstance(entry, syntax.ElementEntry):
        arguments = Arguments(scope, [syntax.Argument(value) for value in entry.values], ())
        return on_value(scope, made, "Add", arguments)
    if isinstance(entry.value, syntax.Initializer):
        raise unsupported("An initializer inside of another one")
    if isinstance(entry, syntax.IndexEntry):
        indices = [scope.code(argument.value) for argument in entry.arguments]
        target = element(scope, made, indices, is_target=made.type.kind is Kind.ARRAY)
    else:
        found = member(scope, made, entry.name)
        if found is None:
            raise Diagnostic("CS1061", made.type.name, entry.name)
        target = found
    return store(scope, target, typed(scope, entry.value, target.type), initialises=True)


def bind_new_array(scope: Scope, node: syntax.NewArray) -> Code:
    """`new T[n]`, `new[] { … }` of one dimension."""
    if node.rank != 1:
        raise unsupported("A new array of several dimensions")
    kind = scope.binder.type(node.element) if node.element is not None else None
    if node.items is None:
        assert kind is not None
        lengths = tuple(implicit(scope, scope.code(length), types.I4) for length in node.lengths)
        known = [constant_of(length) for length in lengths]
        if any(one is not None and one.data < 0 for one in known):
            raise Diagnostic("CS0248")
        return Items(scope.universe.array(kind), lengths, has_lengths=True)
    for length in node.lengths:
        size = constant_of(scope.code(length))
        if size is None:
            raise Diagnostic("CS0150")
        if size.data != len(node.items):
            raise Diagnostic("CS0847", size.data)
    if kind is not None:
        element_type = kind
        return Items(scope.universe.array(kind), tuple(typed(scope, item, element_type) for item in node.items))
    codes = [scope.code(item) for item in node.items]
    kind = common(scope, codes) if codes else None
    if kind is None:
        raise Diagnostic("CS0826")
    return Items(scope.universe.array(kind), tuple(implicit(scope, code, kind) for code in codes))


def bind_default(scope: Scope, node: syntax.Default, wanted: Type | None = None) -> Code:
    """`default(T)`, and `default`, whose type is that of what it is converted to."""
    kind = scope.binder.type(node.type) if node.type is not None else wanted
    return Zero(kind if kind is not None else types.DEFAULT)
