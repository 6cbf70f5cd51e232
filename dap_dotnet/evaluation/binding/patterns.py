"""Binding of patterns: `is` and switch expressions."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.binding.bound import Bound, Run, passing, placed_step
from dap_dotnet.evaluation.binding.branch_types import Branches
from dap_dotnet.evaluation.binding.deconstruction import taken_apart
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.pattern_checks import Arms, check_constant, check_possible, refuse_variables
from dap_dotnet.evaluation.binding.static_types import common_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast, is_instance
from dap_dotnet.evaluation.operations.index_values import IndexValue
from dap_dotnet.evaluation.operations.indexing import read_index
from dap_dotnet.evaluation.operations.member_access import MemberReader, unbox
from dap_dotnet.evaluation.operations.operators import Flags, Operation, binary_operation
from dap_dotnet.evaluation.operations.ranges import read_range
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import pattern_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Place
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.tuple_names import is_tuple, length
from dap_dotnet.runtime.model import Value

Test = Callable[[Environment, Operand], bool]


def bind_is(binder: NameBinder, node: pattern_tree.IsPattern) -> Bound:
    """`operand is pattern`."""
    operand = binder.expression(node.operand)
    run, test = _kept(operand.run), bind_pattern(binder, node.pattern, _known(operand), is_tested=True)
    return Bound(lambda env: boolean(test(env, run(env))), types.BOOL)


def _kept(run: Run) -> Run:
    """The tested value in flight: a property in a pattern may run the program before the next part is tested."""

    def keep(env: Environment) -> Operand:
        operand = run(env)
        if isinstance(operand.data, Value):
            env.kept.append(operand)
        return operand

    return keep


def bind_switch(binder: NameBinder, node: pattern_tree.Switch) -> Bound:
    """`operand switch { … }`."""
    operand = binder.expression(node.operand)
    run, known = _kept(operand.run), _known(operand)
    arms = []

    def meaning(part: syntax.Node) -> Operand | Type | None:
        entity = binder.entity(part)
        return entity if isinstance(entity, Type) else getattr(entity, "constant", None)

    taken = Arms(binder, known, meaning)
    results: list[Bound] = []
    for arm in node.arms:
        test = bind_pattern(binder, arm.pattern, known)
        taken.add(arm.pattern, has_guard=arm.guard is not None)
        guard = binder.expression(arm.guard).run if arm.guard is not None else None
        results.append(binder.expression(arm.result))
        arms.append((test, guard, results[-1].run))
    branches = Branches(binder, [arm.result for arm in node.arms], results)
    target = common_type(binder.universe, results)

    def select(env: Environment) -> Operand:
        operand = run(env)
        for number, (test, guard, result) in enumerate(arms):
            if test(env, operand) and (guard is None or guard(env).data is True):
                found = result(env)
                if target is None:
                    return branches.converted(env, found, number)
                return found if found.type is target else cast(env, found, target)
        raise Thrown("System.Runtime.CompilerServices.SwitchExpressionException", "no arm matches the value")

    return Bound(select, target)


def _known(operand: Bound) -> Type | None:
    return operand.type if not operand.is_dynamic else None


def bind_pattern(
    binder: NameBinder, pattern: pattern_tree.Pattern, known: Type | None = None, *, is_tested: bool = False
) -> Test:
    """What tests an operand, whose type is `known` where it is.

    `is_tested`: it is all that stands behind `is`, where `not` may declare variables.
    """
    with passing(pattern.at):
        return placed_step(_bound(binder, pattern, known, is_tested=is_tested), pattern.at)


def _bound(binder: NameBinder, pattern: pattern_tree.Pattern, known: Type | None, *, is_tested: bool) -> Test:
    if isinstance(pattern, pattern_tree.DiscardPattern):
        return lambda env, operand: True
    if isinstance(pattern, pattern_tree.NotPattern):
        inner = bind_pattern(binder, pattern.pattern, known, is_tested=is_tested)
        if not is_tested:
            refuse_variables(pattern)
        return lambda env, operand: not inner(env, operand)
    if isinstance(pattern, pattern_tree.JunctionPattern):
        left = bind_pattern(binder, pattern.left, known)
        right = bind_pattern(binder, pattern.right, known if not pattern.is_and else None)
        if pattern.is_and:
            return lambda env, operand: left(env, operand) and right(env, operand)
        refuse_variables(pattern)
        return lambda env, operand: left(env, operand) or right(env, operand)
    if isinstance(pattern, pattern_tree.RelationalPattern):
        return _comparison(binder, pattern.operator, pattern.value)
    if isinstance(pattern, pattern_tree.TypePattern):
        return _type_pattern(binder, pattern, known, is_tested=is_tested)
    if isinstance(pattern, pattern_tree.RecursivePattern):
        return _recursive(binder, pattern)
    if isinstance(pattern, pattern_tree.ListPattern):
        return _list(binder, pattern, known)
    if isinstance(pattern, pattern_tree.ConstantPattern):
        return _constant_or_type(binder, pattern, known, is_tested=is_tested)
    raise EvaluationError("A slice (..) can be used only in a list pattern")


def _constant_or_type(
    binder: NameBinder, pattern: pattern_tree.ConstantPattern, known: Type | None, *, is_tested: bool
) -> Test:
    try:
        found = binder.entity(pattern.value)
    except EvaluationError as error:
        name = pattern.value.name if isinstance(pattern.value, syntax.Name) else None
        is_unknown = is_tested and error.compiler_code == "CS0103"
        raise Diagnostic("CS0246", name) if name and is_unknown else error from None
    if isinstance(found, Type):
        wanted = found
        if not is_tested:  # else it is a warning only
            check_possible(binder, known, wanted, pattern.value.at)
        return lambda env, operand: is_instance(env, operand, wanted)
    if not isinstance(found, Bound):
        raise Diagnostic("CS0246", found.name)
    if found.type is types.DEFAULT:
        raise Diagnostic("CS8505")
    if found.constant is None:
        raise Diagnostic("CS9135")
    check_constant(binder, known, found.constant, pattern.value.at)
    return _comparison(binder, "==", pattern.value)


def _comparison(binder: NameBinder, operator: str, value: syntax.Node) -> Test:
    """The operand, a box opened, against a constant: of its own type only, as patterns compare."""
    constant = binder.expression(value).constant
    if constant is None:
        raise Diagnostic("CS9135")
    wanted, at = constant, value.at
    number = wanted.data if wanted.type.kind is Kind.NUMBER else None
    bound: dict[Type, Operation] = {}

    def test(env: Environment, operand: Operand) -> bool:
        if wanted.data is None or operand.data is None:
            return operator == "==" and wanted.data is None and operand.data is None
        was_object = operand.type.kind is Kind.CLASS
        opened = unbox(env, operand)
        if opened.type.kind is Kind.NULLABLE:
            opened = Operand(opened.type.element, opened.data)
        if was_object and opened.type is not wanted.type:
            return False  # a box of another type never equals, whatever the numbers
        known = bound.get(opened.type)
        if known is None:
            if not was_object and not implicitly_converts(env.universe, wanted.type, opened.type, wanted):
                with passing(at):
                    raise Diagnostic("CS0029", wanted.type.name, opened.type.name)
            known = binary_operation(env.universe, operator, opened.type, wanted.type, Flags(None, number))
            if known is None:
                raise no_operator(operator, opened.type, wanted.type)
            bound[opened.type] = known
        if wanted.data != wanted.data and operator == "==":
            return bool(opened.data != opened.data)  # NaN is NaN, as Equals has it
        return bool(known.apply(env, opened, wanted).data)

    return test


def _type_pattern(
    binder: NameBinder, pattern: pattern_tree.TypePattern, known: Type | None, *, is_tested: bool
) -> Test:
    wanted, name = pattern.type, pattern.name
    if name is not None and name != "_":
        binder.declared.add(name)
    keep = name if name != "_" else None
    if wanted is None:

        def any_value(env: Environment, operand: Operand) -> bool:
            if keep is not None:
                env.slots[keep] = operand
            return True

        return any_value
    target = binder.type(wanted)
    if name is not None or not is_tested:  # else it is a warning only
        check_possible(binder, known, target, wanted.at)
    renaming = binder.renaming(wanted, target)

    def test(env: Environment, operand: Operand) -> bool:
        if not is_instance(env, operand, target):
            return False
        if keep is not None:
            env.slots[keep] = renaming(cast(env, operand, target))
        return True

    return test


def _no_part(env: Environment, target: Operand, name: str) -> Diagnostic:
    """Of a member that a property pattern names."""
    return Diagnostic("CS0117", target.type.name, name)


def _items_of_object(env: Environment, opened: Operand) -> list[Operand]:
    """What a positional pattern finds in an object (C# specification 11.2.5): the elements of tuples alone."""
    if is_tuple(opened.type):
        return taken_apart(env, opened, length(opened.type))
    own = env.own_type(opened)
    if not own.full_name.startswith(_TUPLE_CLASS):
        return []
    if len(own.arguments) > _MOST_OF_CLASS:
        raise EvaluationError(
            "A System.Tuple of more than seven elements cannot be deconstructed here: use its members"
        )
    return [MemberReader(f"Item{number + 1}").read(env, opened) for number in range(len(own.arguments))]


_TUPLE_CLASS, _MOST_OF_CLASS = "System.Tuple`", 7


def _recursive(binder: NameBinder, pattern: pattern_tree.RecursivePattern) -> Test:
    target = binder.type(pattern.type) if pattern.type is not None else None
    renaming = binder.renaming(pattern.type, target)
    parts: list[tuple[list[MemberReader], Test, Place]] = []
    positional = [bind_pattern(binder, item) for item in pattern.positional or ()]
    for part in pattern.properties:
        readers = [MemberReader(step) for step in part.path]
        parts.append((readers, bind_pattern(binder, part.pattern), part.at))
    keep = pattern.name
    if keep is not None:
        binder.declared.add(keep)

    def test(env: Environment, operand: Operand) -> bool:
        if operand.data is None or (target is not None and not is_instance(env, operand, target)):
            return False
        if target is not None:
            operand = renaming(cast(env, operand, target))
        if operand.type.kind is Kind.NULLABLE:
            operand = MemberReader("Value").read(env, operand)
        env.kept.append(operand)
        if positional:
            opened = unbox(env, operand)
            if operand.type is types.OBJECT:
                given = _items_of_object(env, opened)
                if len(given) != len(positional):
                    return False
                items = given
            else:
                items = taken_apart(env, opened, len(positional), pattern.positional_names)
            env.kept.extend(items)
            if not all(test_item(env, item) for test_item, item in zip(positional, items, strict=True)):
                return False
        for path, inner, at in parts:
            value = operand
            for step in path:
                if value.data is None:
                    return False
                if value.type.kind is Kind.NULLABLE:
                    value = MemberReader("Value").read(env, value)
                with passing(at):
                    value = step.read(env, value, _no_part)
            if not inner(env, value):
                return False
        if keep is not None:
            env.slots[keep] = operand
        return True

    return test


def _at(position: int) -> IndexValue:
    return IndexValue(Operand(types.I4, position))


def _element_of(known: Type | None) -> Type | None:
    """Of what a list pattern looks into, where it is sure."""
    if known is None:
        return None
    if known.kind is Kind.STRING:
        return types.CHAR
    if known.kind is Kind.ARRAY:
        return known.element
    return known.arguments[0] if known.full_name == _LIST else None


_LIST = "System.Collections.Generic.List`1"


def _list(binder: NameBinder, pattern: pattern_tree.ListPattern, known: Type | None) -> Test:
    slices = [index for index, item in enumerate(pattern.items) if isinstance(item, pattern_tree.SlicePattern)]
    if len(slices) > 1:
        raise Diagnostic("CS8980")
    split = slices[0] if slices else len(pattern.items)
    element = _element_of(known)
    head = [bind_pattern(binder, item, element) for item in pattern.items[:split]]
    tail = [bind_pattern(binder, item, element) for item in pattern.items[split + 1 :]]
    sliced = pattern.items[split] if slices else None
    part = sliced.pattern if isinstance(sliced, pattern_tree.SlicePattern) else None
    test_part = bind_pattern(binder, part) if part is not None else None
    length_of = MemberReader("Length"), MemberReader("Count")

    def test(env: Environment, operand: Operand) -> bool:
        if operand.data is None:
            return False
        is_counted = operand.type.kind not in (Kind.ARRAY, Kind.STRING)
        length = length_of[is_counted].read(env, operand).data
        if length < len(head) + len(tail) or (not slices and length != len(head)):
            return False
        positions = [*enumerate(head), *enumerate(tail, length - len(tail))]
        env.kept.append(operand)
        if not all(item(env, read_index(env, operand, [_at(position)])) for position, item in positions):
            return False
        return test_part is None or test_part(env, read_range(env, operand, _at(len(head)), _at(length - len(tail))))

    return test
