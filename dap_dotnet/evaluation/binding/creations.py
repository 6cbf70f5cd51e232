"""Binding of `new`, initializers, arrays and `with` (C# specification 12.8.17)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.binding.assignments import target_typed, written
from dap_dotnet.evaluation.binding.binary_operators import tuple_items
from dap_dotnet.evaluation.binding.bound import Bound, convert, passing, placed_step
from dap_dotnet.evaluation.binding.call_operands import MADE, with_objects
from dap_dotnet.evaluation.binding.collections import bind_passed
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import common_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.anonymous_objects import is_anonymous, natural_kind, prepare_types
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.assignables import Assignable, Stored, copied_to_heap
from dap_dotnet.evaluation.operations.call_site import CallSite
from dap_dotnet.evaluation.operations.creation import MOST_ITEMS, create, create_array
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.member_targets import member_target
from dap_dotnet.evaluation.operations.methods_by_name import call_method
from dap_dotnet.evaluation.operations.returned_references import indexed
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, calls_forbidden, null_reference
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.tuple_names import is_tuple

Fill = Callable[[Environment, Operand], None]
"""Does to a new object, which is in flight, what an entry of its initializer says."""
_CLONE = "<Clone>$"


def bind_new(binder: NameBinder, node: syntax.New) -> Bound:
    """`new T(…) { … }`."""
    if node.type is None:
        raise Diagnostic("CS8754")
    return bind_new_of(binder, node, binder.type(node.type))


def bind_new_of(binder: NameBinder, node: syntax.New, kind: Type) -> Bound:
    """`new(…) { … }` of a type that is known."""
    given, fills = _arguments(binder, node.arguments), _fills(binder, node.initializer)
    entries = node.initializer.entries if node.initializer is not None else ()
    initialised = frozenset(entry.name for entry in entries if isinstance(entry, syntax.MemberEntry))

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            made = create(env, kind, given(env), initialised)
            return _filled(env, made, fills)
        finally:
            del env.live[before:]

    return Bound(run, kind)


def _filled(env: Environment, made: Operand, fills: list[Fill]) -> Operand:
    if fills:
        made = Operand(made.type, made.data, made.value)
        env.live.append(made)
        for fill in fills:
            fill(env, made)
        if made.type.is_value_type:
            return env.operand(made.data, made.type)
    return made


def _arguments(binder: NameBinder, arguments: tuple[syntax.Argument, ...]) -> Callable[[Environment], Given]:
    """What evaluates arguments, which stay in flight."""
    if any(argument.modifier in ("ref", "out") for argument in arguments):
        raise EvaluationError("Constructors with ref or out arguments are not supported")
    bound = [bind_passed(binder, argument.value) for argument in arguments]
    names, constants = [argument.name for argument in arguments], [one.constant for one in bound]
    texts = [argument.text for argument in arguments]

    def given(env: Environment) -> Given:
        first = len(env.live)
        for one in bound:
            env.live.append(one.run(env))
        if any(operand.type in MADE for operand in env.live[first:]):
            env.live[first:] = with_objects(env, None, env.live[first:])[1]
        return Given(env.live[first:], names, (), constants, site=CallSite(env.context, texts))

    return given


def bind_new_array(binder: NameBinder, node: syntax.NewArray) -> Bound:
    """`new T[n]`, `new T[] { … }`, `new[] { … }`, and those of several dimensions."""
    element = binder.type(node.element) if node.element is not None else None
    items = None
    if node.items is not None:
        items = [binder.typed(item, element) if element else binder.expression(item) for item in node.items]
    lengths = [binder.expression(length) for length in node.lengths]
    element = element or common_type(binder.universe, items or ())
    element = None if element in (types.TUPLE, types.ANONYMOUS) else element
    renaming = binder.renaming(node.element, element)
    if not lengths and items is None:
        raise Diagnostic("CS1586")

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            sizes = _sizes(env, lengths, node.shape)
            if items is None:
                assert element is not None
                return renaming(env.runner.new_array(env, element, *sizes))
            for item in items:
                env.live.append(item.run(env))
            given = env.live[before:]
            kind = element or _common(env, given)
            return renaming(create_array(env, kind, given, [bound.constant for bound in items], sizes))
        finally:
            del env.live[before:]

    return Bound(run, binder.universe.array(element, node.rank) if element is not None else None)


def _sizes(env: Environment, lengths: list[Bound], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The lengths of an array's dimensions. CS0847 where its items are not as many as written."""
    written = tuple(_length(env, length) for length in lengths)
    if written and shape and written != shape:
        wrong = next(size for size, found in zip(written, shape, strict=True) if size != found)
        raise Diagnostic("CS0847", wrong)
    sizes = written or shape
    if math.prod(sizes) > MOST_ITEMS:
        raise EvaluationError(
            f"An array of {math.prod(sizes)} elements cannot be created here; the limit is {MOST_ITEMS}"
        )
    return sizes


def _length(env: Environment, length: Bound) -> int:
    with passing(length.at):
        return _size(length, length.run(env))


def _size(length: Bound, operand: Operand) -> int:
    if operand.type.kind is not Kind.NUMBER or not isinstance(operand.data, int):
        raise Diagnostic("CS0029", operand.type.name, types.I4.name)
    if operand.data < 0 and length.constant is not None:
        raise Diagnostic("CS0248")
    if operand.data < 0:
        raise Thrown("System.OverflowException", "Arithmetic operation resulted in an overflow.")
    if operand.data > MOST_ITEMS:
        raise EvaluationError(f"An array of {operand.data} elements cannot be created here; the limit is {MOST_ITEMS}")
    return operand.data


def _common(env: Environment, items: list[Operand]) -> Type:
    """The type of one of the items that all convert to. CS0826."""
    for item in items:
        prepare_types(env, item)
    kinds = [natural_kind(env, item) for item in items]
    if any(item.type.kind is Kind.TUPLE for item in items) and kinds[0] is not None and len(set(kinds)) == 1:
        return kinds[0]
    if types.ANONYMOUS in [item.type for item in items]:
        if None in kinds:
            raise calls_forbidden("An array of anonymous objects")
        raise Diagnostic("CS0826")
    for candidate in dict.fromkeys(item.type for item in items):
        if candidate.kind is not Kind.NULL and all(
            implicitly_converts(env.universe, item.type, candidate) for item in items
        ):
            return candidate
    raise Diagnostic("CS0826")


def bind_with(binder: NameBinder, node: syntax.With) -> Bound:
    """`x with { … }`: a copy of a record or a structure, changed."""
    operand, fills = binder.expression(node.operand), _fills(binder, node.initializer)
    changed = dict[str, Callable[[Type | None], Bound]]()
    for entry in node.initializer.entries:
        if isinstance(entry, syntax.MemberEntry) and not isinstance(entry.value, syntax.Initializer):
            changed[entry.name] = target_typed(binder, entry.value)

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            source = operand.run(env)
            if source.data is None:
                raise null_reference("the value before 'with'")
            env.live.append(source)
            if is_tuple(source.type) or source.type.kind is Kind.TUPLE:
                return _changed_tuple(env, source, changed)
            if is_anonymous(source.type):
                return _changed_anonymous(env, source, changed)
            return _filled(env, _copy(env, source), fills)
        finally:
            del env.live[before:]

    return Bound(run, operand.type)


Changes = dict[str, Callable[[Type | None], Bound]]
"""By the name of the member what gives its new value, for a type."""


def _changed_tuple(env: Environment, source: Operand, changed: Changes) -> Operand:
    """A tuple with other elements, which have their names or Item1, Item2… CS0117."""
    items = tuple_items(env, source)
    first = len(env.live)
    env.live.extend(items)
    for name, give in changed.items():
        own = source.names.index(name) if name in source.names else -1
        place = own if own >= 0 else int(name[4:]) - 1 if re.fullmatch(r"Item[1-9]\d{0,3}", name) else -1
        if not 0 <= place < len(items):
            raise Diagnostic("CS0117", source.type.name, name)
        made = _given(env, give(items[place].type), items[place].type)
        if isinstance(made.data, tuple) and made.type.kind is Kind.STRUCT:
            made = Operand(types.TUPLE, made.data)
        made.names = items[place].names
        env.live[first + place] = made
    return Operand(types.TUPLE, tuple(env.live[first : first + len(items)]), None, source.names)


def _changed_anonymous(env: Environment, source: Operand, changed: Changes) -> Operand:
    """An anonymous object with other values. CS0117."""
    constructor = next(one for one in candidates(env.universe, source.type) if one.method.name == ".ctor")
    names = constructor.method.parameters
    kinds = constructor.parameter_types(env.universe)
    unknown = next((name for name in changed if name not in names.values()), None)
    if unknown is not None:
        raise Diagnostic("CS0117", source.type.name, unknown)
    first = len(env.live)
    for number, kind in enumerate(kinds, 1):
        give = changed.get(names[number])
        made = MemberReader(names[number]).read(env, source) if give is None else _given(env, give(kind), kind)
        env.live.append(made)
    return create(env, source.type, Given(env.live[first:]))


def _given(env: Environment, bound: Bound, kind: Type | None) -> Operand:
    operand = bound.run(env)
    return operand if kind is None else convert(env, operand, kind, bound)


def _copy(env: Environment, source: Operand) -> Operand:
    if source.type.kind is Kind.STRUCT:
        held = copied_to_heap(env, source)
        return Operand(source.type, held, held)
    made = call_method(env, source, source.type, _CLONE, Given(()))
    if made is None:
        raise Diagnostic("CS8858", source.type.name)
    return Operand(source.type, made.data, made.value)


def _fills(binder: NameBinder, initializer: syntax.Initializer | None) -> list[Fill]:
    return [_placed(binder, entry) for entry in initializer.entries] if initializer is not None else []


def _placed(binder: NameBinder, entry: syntax.Entry) -> Fill:
    with passing(entry.at):
        return placed_step(_fill(binder, entry), entry.at)


def _fill(binder: NameBinder, entry: syntax.Entry) -> Fill:
    if isinstance(entry, syntax.ElementEntry):
        return _add(binder, entry)
    if isinstance(entry, syntax.IndexEntry):
        return _at_index(binder, entry)
    name = entry.name
    if isinstance(entry.value, syntax.Initializer):
        fills, reader = _fills(binder, entry.value), MemberReader(name)

        def nested(env: Environment, made: Operand) -> None:
            inner = reader.read(env, made)
            if inner.type.is_value_type:
                raise Diagnostic("CS1918", name)
            env.live.append(inner)
            for fill in fills:
                fill(env, inner)

        return nested
    give = _value(binder, entry.value)

    def assign(env: Environment, made: Operand) -> None:
        place = member_target(env, made, _kept(made), name, initialises=True)
        if place is None:
            raise Diagnostic("CS0117", env.own_type(made).name, name)
        give(env, place)

    return assign


def _kept(made: Operand) -> Stored | None:
    """Where a new structure is: in its box."""
    return Stored(made.type, lambda env: made.data) if made.type.is_value_type else None


def _value(binder: NameBinder, node: syntax.Node) -> Callable[[Environment, Assignable], None]:
    """What gives an assignable its value."""
    bind = target_typed(binder, node)
    return lambda env, left: _give(env, left, bind(left.type))


def _give(env: Environment, left: Assignable, bound: Bound) -> None:
    operand = bound.run(env)
    env.live.append(operand)
    written(env, left, operand if left.type is None else convert(env, operand, left.type, bound))


def _at_index(binder: NameBinder, entry: syntax.IndexEntry) -> Fill:
    if isinstance(entry.value, syntax.Initializer):
        raise EvaluationError("Initializers inside [index] = { … } are not supported")
    given, give = _arguments(binder, entry.arguments), _value(binder, entry.value)

    def assign(env: Environment, made: Operand) -> None:
        give(env, indexed(env, made, [IndexValue(operand) for operand in given(env).operands]))

    return assign


def _add(binder: NameBinder, entry: syntax.ElementEntry) -> Fill:
    given = _arguments(binder, tuple(syntax.Argument(value) for value in entry.values))

    def add(env: Environment, made: Operand) -> None:
        if call_method(env, made, made.type, "Add", given(env)) is None:
            raise Diagnostic("CS1061", made.type.name, "Add")

    return add
