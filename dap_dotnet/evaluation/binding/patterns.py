"""Patterns in code: types, constants, comparisons, what `and`, `or` and `not` make of them, `is` and `switch`."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.arguments import Arguments
from dap_dotnet.evaluation.binding.assignments import parts
from dap_dotnet.evaluation.binding.calls import new, on_type
from dap_dotnet.evaluation.binding.conversions import as_object, common, explicit, implicit, is_there, may_be, thrown
from dap_dotnet.evaluation.binding.indexing import element, has_indexer, index_value, slice_of
from dap_dotnet.evaluation.binding.members import member
from dap_dotnet.evaluation.binding.operators import binary, truth
from dap_dotnet.evaluation.binding.scope import Scope, constant_of, unsupported
from dap_dotnet.evaluation.binding.type_lookup import Namespace
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.member_access import method_of
from dap_dotnet.evaluation.rules.conversions import implicitly_converts, not_assignable
from dap_dotnet.evaluation.rules.pattern_coverage import Arms
from dap_dotnet.evaluation.syntax import statement_tree as patterns
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Node, Place, passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, Kind, Operand, Type, is_tuple
from dap_dotnet.evaluation.types.declarations import is_stack_only, methods_named

_TUPLE = "System.Runtime.CompilerServices.ITuple"
_WITH_INDEXERS = frozenset({Kind.CLASS, Kind.STRUCT})
_COMPARED = frozenset({Kind.NUMBER, Kind.BOOL, Kind.STRING, Kind.ENUM})


def bind_is(scope: Scope, node: patterns.IsPattern) -> Code:
    """`operand is pattern`."""
    operand = scope.code(node.operand)
    kept, before = kept_operand(scope, operand)
    tested = _type_test(scope, kept, node.pattern) or fits(scope, kept, node.pattern, is_tested=True)
    return bound.in_steps(before, tested)


def _type_test(scope: Scope, value: Code, pattern: patterns.Pattern) -> Code | None:
    """`value is T`, which is no pattern: false where no value can be one; None for others."""
    if isinstance(pattern, patterns.TypePattern) and pattern.type is not None and pattern.name is None:
        return _is(scope, value, scope.binder.type(pattern.type))
    if not isinstance(pattern, patterns.ConstantPattern):
        return None
    try:
        entity = scope.entity(pattern.value)
        if isinstance(pattern.value, syntax.Name) and isinstance(entity, Code) and constant_of(entity) is None:
            entity = scope.binder.type_or_namespace(pattern.value) or entity  # a type with the name of a member
    except Diagnostic as error:
        if error.compiler_code == "CS0103" and isinstance(pattern.value, syntax.Name):
            with passing(pattern.value.at):
                raise Diagnostic("CS0246", pattern.value.name) from None
        raise
    return _is(scope, value, entity) if isinstance(entity, Type) else None


def kept_operand(scope: Scope, operand: Code) -> tuple[Code, list[Code]]:
    """A value that a pattern may have many times, and what evaluates it before."""
    if isinstance(operand, bound.Variable | bound.Captured | bound.Stored):
        return operand, []
    kept = scope.declare(operand.type, value=operand)
    return kept, [bound.assigned(kept, operand)]


def fits(scope: Scope, value: Code, pattern: patterns.Pattern, *, is_tested: bool = False) -> Code:
    """Whether a value, which can be had many times, fits a pattern.

    `is_tested`: it is all that stands behind `is`, where `not` may declare variables.
    """
    with passing(pattern.at):
        return _test(scope, value, pattern, is_tested=is_tested)


def _test(scope: Scope, value: Code, pattern: patterns.Pattern, *, is_tested: bool) -> Code:
    if isinstance(pattern, patterns.NotPattern):
        if not is_tested:
            _refuse_variables(pattern)
        return bound.negated(fits(scope, value, pattern.pattern, is_tested=is_tested))
    if isinstance(pattern, patterns.JunctionPattern):
        if not pattern.is_and:
            _refuse_variables(pattern)
        first = fits(scope, value, pattern.left)
        narrowed = _narrowed(scope, pattern.left) if pattern.is_and else None
        if narrowed is not None and narrowed is not value.type:
            kept = scope.declare(narrowed)
            return bound.all_of(
                first, _assigned(kept, _seen_as(scope, value, narrowed)), fits(scope, kept, pattern.right)
            )
        second = fits(scope, value, pattern.right)
        return bound.Operation(types.BOOL, "AndAlso" if pattern.is_and else "OrElse", (first, second))
    if isinstance(pattern, patterns.RelationalPattern):
        return _compared(scope, pattern.operator, as_object(value), scope.code(pattern.value))
    if isinstance(pattern, patterns.ConstantPattern):
        return _constant(scope, as_object(value), pattern)
    if isinstance(pattern, patterns.TypePattern):
        return _type(scope, value, pattern)
    if isinstance(pattern, patterns.RecursivePattern):
        return _properties(scope, value, pattern)
    if isinstance(pattern, patterns.ListPattern):
        return _list(scope, value, pattern)
    raise unsupported("A pattern of this form")


def _narrowed(scope: Scope, pattern: patterns.Pattern) -> Type | None:
    """The type of what has fitted a pattern, where that says it (C# specification 11.2)."""
    if isinstance(pattern, patterns.JunctionPattern) and pattern.is_and:
        return _narrowed(scope, pattern.right) or _narrowed(scope, pattern.left)
    if isinstance(pattern, patterns.TypePattern | patterns.RecursivePattern):
        return scope.binder.type(pattern.type) if pattern.type is not None else None
    if isinstance(pattern, patterns.ConstantPattern):
        known = _meaning(scope, pattern.value)
        kind = known.type if isinstance(known, Operand) else known
        return kind if kind is not types.NULL else None
    return None


def _constant(scope: Scope, value: Code, pattern: patterns.ConstantPattern) -> Code:
    entity = scope.entity(pattern.value)
    if isinstance(entity, Type):
        _check_possible(scope, value.type, entity, pattern.value.at)
        return _is(scope, value, entity)
    if isinstance(entity, Namespace):
        raise Diagnostic("CS0103", entity.name)
    constant = constant_of(entity)
    if constant is None:
        raise Diagnostic("CS8505" if entity.type is types.DEFAULT else "CS9135")
    _check_constant(scope, value.type, constant, pattern.value.at)
    if constant.type is types.STRING and value.type.full_name in SPANS and value.type.element is types.CHAR:
        return _same_characters(scope, value, entity)
    if isinstance(constant.data, float) and constant.data != constant.data:
        plain = explicit(scope, value, constant.type)
        different = binary(scope, "!=", plain, plain)
        return different if value.type is constant.type else bound.all_of(_is(scope, value, constant.type), different)
    return _compared(scope, "==", value, entity)


def _same_characters(scope: Scope, span: Code, text: Code) -> Code:
    """Whether a span has the characters of a string (C# 11)."""
    wanted = scope.framework_type("System.ReadOnlySpan`1", (types.CHAR,))
    given = Arguments.of_codes(scope, (implicit(scope, span, wanted), implicit(scope, text, wanted)))
    return on_type(scope, scope.framework_type("System.MemoryExtensions"), "SequenceEqual", given)


def _compared(scope: Scope, operator: str, value: Code, constant: Code) -> Code:
    if constant.type.kind is Kind.NULL:
        if value.type.is_value_type and value.type.kind is not Kind.NULLABLE:
            raise not_assignable(constant.type, value.type)
        return is_there(value) if operator == "!=" else bound.negated(is_there(value))
    if value.type.is_reference and not (value.type is types.STRING and constant.type is types.STRING):
        is_of_type = _is(scope, value, constant.type)
        inner = binary(scope, operator, explicit(scope, value, constant.type), constant)
        return bound.all_of(is_of_type, inner)
    plain = value.type.stripped
    if constant.type is types.STRING and plain.full_name in SPANS and plain.arguments == (types.CHAR,):
        return binary(scope, operator, new(scope, types.STRING, value), constant)
    return binary(scope, operator, value, implicit(scope, constant, plain))


def _is(scope: Scope, value: Code, kind: Type) -> Code:
    if value.type is types.NULL:
        raise unsupported("A test of null")
    if is_stack_only(scope.universe, value.type) and kind.is_reference:
        return bound.boolean(False)
    return bound.TypedOperation(types.BOOL, "TypeIs", value, kind)


def _type(scope: Scope, value: Code, pattern: patterns.TypePattern) -> Code:
    if pattern.type is None:
        kind = value.type
        tested: Code = bound.boolean(True)
    else:
        kind = scope.binder.type(pattern.type)
        _check_possible(scope, value.type, kind, pattern.type.at)
        tested = _is(scope, value, kind)
    return _named(scope, value, kind, tested, pattern)


def _named(
    scope: Scope, value: Code, kind: Type, tested: Code, pattern: patterns.TypePattern | patterns.RecursivePattern
) -> Code:
    """With the variable that the pattern declares, which gets the value where it fits."""
    if pattern.name is None or pattern.name == "_":
        return tested
    made = scope.declare(kind, pattern.name, pattern.type, value)
    return bound.all_of(tested, _assigned(made, _seen_as(scope, value, kind)))


def _seen_as(scope: Scope, value: Code, kind: Type) -> Code:
    """A value that is of a type, as one; of a type parameter it may be of any."""
    return value if value.type is kind else explicit(scope, as_object(value), kind)


def _properties(scope: Scope, value: Code, pattern: patterns.RecursivePattern) -> Code:
    """`T { A: …, B.C: … } name`."""
    kind = scope.binder.type(pattern.type) if pattern.type is not None else value.type
    plain = kind.stripped
    tested: Code = (
        _is(scope, value, kind)
        if pattern.type is not None
        else is_there(value)
        if not value.type.is_value_type or value.type.kind is Kind.NULLABLE
        else bound.boolean(True)
    )
    inner = scope.declare(plain, written=pattern.type, value=value)
    tested = bound.all_of(tested, _assigned(inner, _seen_as(scope, value, plain)))
    is_any = plain is types.OBJECT or plain.full_name == _TUPLE
    if pattern.positional is not None and is_any and not methods_named(scope.universe, plain, "Deconstruct"):
        tested = _items(scope, inner, pattern, tested)
    elif pattern.positional is not None:
        before: list[Code] = []
        if is_tuple(plain):
            _check_elements(scope.names_of(value), pattern.positional_names)
        found_parts = parts(scope, inner, len(pattern.positional), before)
        _check_parameters(scope, before, pattern.positional_names)
        if before:
            tested = bound.all_of(tested, bound.Steps(types.BOOL, (), (*before, bound.boolean(True))))
        for item, one in zip(found_parts, pattern.positional, strict=True):
            tested = bound.all_of(tested, *_kept_test(scope, item, one))
    for part in pattern.properties:
        found: Code = inner
        for number, name in enumerate(part.path):
            read = member(scope, found, name)
            if read is None:
                with passing(part.at):
                    raise Diagnostic("CS0117", found.type.name, name)
            if number < len(part.path) - 1 and (read.type.is_reference or read.type.kind is Kind.NULLABLE):
                step = scope.declare(read.type)
                tested = bound.all_of(tested, _assigned(step, read), is_there(step))
                read = explicit(scope, step, step.type.element) if step.type.kind is Kind.NULLABLE else step
            found = read
        tested = bound.all_of(tested, *_kept_test(scope, found, part.pattern))
    return _named(scope, inner, plain, tested, pattern)


def _items(scope: Scope, value: Code, pattern: patterns.RecursivePattern, tested: Code) -> Code:
    """Positional patterns of what may be any tuple: by ITuple (C# specification 11.2.5)."""
    kind, positional = scope.framework_type(_TUPLE), pattern.positional or ()
    if any(pattern.positional_names):
        raise Diagnostic("CS8516", next(filter(None, pattern.positional_names)), 1)
    items = scope.declare(kind)
    length = member(scope, items, "Length")
    assert length is not None
    more = [_is(scope, value, kind), _assigned(items, explicit(scope, value, kind))]
    more.append(binary(scope, "==", length, bound.integer(len(positional))))
    for number, one in enumerate(positional):
        more += _kept_test(scope, element(scope, items, [bound.integer(number)]), one)
    return bound.all_of(tested, *more)


def _check_elements(own: Sequence[str | None], names: Sequence[str | None]) -> None:
    for number, name in enumerate(names):
        known = own[number] if number < len(own) else None
        if name not in (None, known, f"Item{number + 1}"):
            raise Diagnostic("CS8516", name, number + 1)


def _check_parameters(scope: Scope, before: Sequence[Code], names: Sequence[str | None]) -> None:
    call = before[-1] if before else None
    if not isinstance(call, bound.Invoked):
        return
    parameters = method_of(scope.env, call.method).parameters
    for number, name in enumerate(names, 1):
        if name not in (None, parameters.get(number)):
            raise Diagnostic("CS8517", name, parameters.get(number))


def _list(scope: Scope, value: Code, pattern: patterns.ListPattern) -> Code:
    """`[a, .., b]`. CS8985."""
    length = member(scope, value, "Length") or member(scope, value, "Count")
    if length is None:
        raise Diagnostic("CS8985", value.type.name)
    tested: Code = bound.boolean(True)
    if value.type.is_reference:
        tested = is_there(value)
    total, items = scope.declare(types.I4), pattern.items
    if sum(isinstance(one, patterns.SlicePattern) for one in items) > 1:
        raise Diagnostic("CS8980")
    at = next((number for number, one in enumerate(items) if isinstance(one, patterns.SlicePattern)), None)
    least = len(items) - (at is not None)
    more = [_assigned(total, length), binary(scope, "==" if at is None else ">=", total, bound.integer(least))]
    for number, one in enumerate(items):
        from_end = len(items) - number
        if isinstance(one, patterns.SlicePattern):
            if one.pattern is not None:
                end = binary(scope, "-", total, bound.integer(from_end - 1))
                more += _kept_test(scope, slice_of(scope, value, bound.integer(number), end), one.pattern)
            continue
        is_behind = at is not None and number > at
        if one == patterns.TypePattern(None, None):
            continue
        distance = bound.integer(from_end if is_behind else number)
        place = index_value(scope, distance, from_end=is_behind) if value.type.kind in _WITH_INDEXERS else distance
        if place is distance or not has_indexer(scope, value, [place]):
            place = binary(scope, "-", total, distance) if is_behind else distance
        more += _kept_test(scope, element(scope, value, [place]), one)
    return bound.all_of(tested, *more)


def _kept_test(scope: Scope, value: Code, pattern: patterns.Pattern) -> list[Code]:
    kept = scope.declare(value.type, value=value)
    return [_assigned(kept, value), fits(scope, kept, pattern)]


def _assigned(kept: bound.Variable, value: Code) -> Code:
    """Keeps a value, and is true."""
    return bound.Steps(types.BOOL, (), (bound.assigned(kept, value), bound.boolean(True)))


def _check_possible(scope: Scope, known: Type, target: Type, at: Place) -> None:
    """CS8121 where no value of the operand's type is of the pattern's."""
    if Kind.POINTER in (known.kind, target.kind):
        return
    if not may_be(scope, known, target) and not scope.binder.is_generic():
        with passing(at):
            raise Diagnostic("CS8121", known.name, target.name)


def _check_constant(scope: Scope, known: Type, constant: Operand, at: Place) -> None:
    """CS0029, CS0031 and CS0266 where a constant does not convert to the operand's type."""
    inner = known.stripped
    is_object = inner.kind in (Kind.CLASS, Kind.ARRAY)
    if constant.type.kind not in _COMPARED or not (is_object or inner.kind in _COMPARED):
        return
    if not implicitly_converts(scope.universe, constant.type, inner, constant) and not scope.binder.is_generic():
        with passing(at):
            raise not_assignable(constant.type, inner, constant.data)


def _refuse_variables(pattern: patterns.Pattern) -> None:
    """Raises where a pattern declares a variable that would not be known to be set. CS8780."""
    for part in syntax.parts_of(pattern):
        if isinstance(part, patterns.TypePattern | patterns.RecursivePattern) and part.name not in (None, "_"):
            raise Diagnostic("CS8780")


def bind_switch(scope: Scope, node: patterns.Switch, wanted: Type | None = None) -> Code:
    """`operand switch { arms }`; where no arm fits, the program throws as C# makes it. CS8506.

    Of the `wanted` type where the arms have none in common.
    """
    kept, before = kept_operand(scope, scope.code(node.operand))
    taken = Arms(scope.universe, kept.type, lambda part: _meaning(scope, part), scope.binder.type)
    tests, results = list[Code](), list[Code]()
    for arm in node.arms:
        tested = fits(scope, kept, arm.pattern)
        taken.add(arm.pattern, has_guard=arm.guard is not None)
        if arm.guard is not None:
            tested = bound.all_of(tested, truth(scope, scope.code(arm.guard)))
        tests.append(tested)
        results.append(scope.code(arm.result, wanted))
    kind = common(scope, results) or wanted
    if kind is None:
        raise Diagnostic("CS8506")
    exception = scope.framework_type("System.Runtime.CompilerServices.SwitchExpressionException")
    made: Code = thrown(scope, new(scope, exception, implicit(scope, kept, types.OBJECT)), kind)
    for tested, result in zip(reversed(tests), reversed(results), strict=True):
        known = constant_of(tested)
        if known is not None:
            made = implicit(scope, result, kind) if known.data else made
            continue
        made = bound.Operation(kind, "Condition", (tested, implicit(scope, result, kind), made))
    return bound.in_steps(before, made)


def _meaning(scope: Scope, node: Node) -> Operand | Type | None:
    """The type or the constant that a node is."""
    entity = scope.entity(node)
    if isinstance(entity, Type):
        return entity
    return constant_of(entity) if isinstance(entity, Code) else None
