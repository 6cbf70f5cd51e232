"""Binding of operators: `&&`, `||`, `??`, `?:` and all the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.binding.assignment_targets import bind_target
from dap_dotnet.evaluation.binding.binary_operators import binary_apply
from dap_dotnet.evaluation.binding.bound import Bound, Run, constant, passing, placed_step
from dap_dotnet.evaluation.binding.branch_types import Branches
from dap_dotnet.evaluation.binding.extension_members import (
    NO_OPERATOR,
    Operators,
    deciding,
    extension_operators,
)
from dap_dotnet.evaluation.binding.index_values import bind_from_end
from dap_dotnet.evaluation.binding.logical import LOGICAL, logical_step
from dap_dotnet.evaluation.binding.method_groups import bind_argument
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import common_type, natural_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.anonymous_objects import is_anonymous
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.nullables import held
from dap_dotnet.evaluation.operations.operators import (
    Apply,
    Flags,
    UnaryApply,
    binary_operation,
    unary_operation,
)
from dap_dotnet.evaluation.operations.outside_operators import call_operator
from dap_dotnet.evaluation.operations.pointers import element_of, pointed
from dap_dotnet.evaluation.operations.truth import may_decide, truth
from dap_dotnet.evaluation.operations.user_defined import user_unary_operator
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.delegate_types import is_delegate
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.tuple_names import is_tuple
from dap_dotnet.runtime.model import Value

_OF_DELEGATES = frozenset({"+", "-", "==", "!=", "??"})
Step = Callable[[Environment, Operand], Operand]


def bind_binary(binder: NameBinder, node: syntax.Binary) -> Bound:
    """A chain of binary operators. Its left spine is a loop, so that long chains are as good as short ones."""
    spine: list[syntax.Binary] = []
    leftmost: syntax.Node = node
    while isinstance(leftmost, syntax.Binary):
        spine.append(leftmost)
        leftmost = leftmost.left
    result = _operand(binder, spine[-1].operator, leftmost)
    first, steps = result.run, list[Step]()
    for one in reversed(spine):
        with passing(one.at):
            right = _operand(binder, one.operator, one.right)
            step, kind = _step(binder, one, result, right)
        if one.at.start != node.at.start:  # behind parentheses that the whole begins with
            step = placed_step(step, one.at)
        folded = _folded(binder, one.operator, step, result, right) if kind is not None else None
        if folded is not None:
            result, steps, first = folded, [], folded.run
            continue
        steps.append(step)
        result = Bound(_chain(first, tuple(steps)), kind)
    return result


def _operand(binder: NameBinder, operator: str, node: syntax.Node) -> Bound:
    """An operand, which for some operators may be the name of a method: it is combined with a delegate. CS1525."""
    if isinstance(node, syntax.Throw) and not node.is_placed:
        with passing(node.at):
            raise Diagnostic("CS1525", "throw")
    takes_groups = operator in _OF_DELEGATES and isinstance(node, syntax.Name | syntax.Member)
    return bind_argument(binder, node) if takes_groups else binder.expression(node)


def _chain(first: Run, steps: tuple[Step, ...]) -> Run:
    if len(steps) == 1:
        only = steps[0]
        return lambda env: only(env, first(env))

    def run(env: Environment) -> Operand:
        operand = first(env)
        for step in steps:
            operand = step(env, operand)
        return operand

    return run


def _step(binder: NameBinder, node: syntax.Binary, left: Bound, right: Bound) -> tuple[Step, Type | None]:
    operator = node.operator
    if operator in LOGICAL:
        return logical_step(binder, operator, left, right)
    if operator == "??":
        coalesced = _coalesced_type(binder, left, right)
        branches = Branches(binder, (node.right,), (right,))
        return _coalesce(right, coalesced, branches, is_dynamic=left.is_dynamic), coalesced
    is_constant = left.constant is not None and right.constant is not None
    has_default = types.DEFAULT in (left.type, right.type)
    flags = Flags(_constant(left), _constant(right), binder.checked or (is_constant and not binder.unchecked))
    kind: Type | None = None
    outside = extension_operators(binder.env, binder.lookup, operator)
    if left.type is not None and right.type is not None and not has_default:
        known = binary_operation(binder.universe, operator, left.type, right.type, flags)
        kind = known.type if known is not None else None
        if known is None and not (outside or _may_define(left.type) or _may_define(right.type)):
            raise no_operator(operator, left.type, right.type)
    return _BinaryStep(operator, right.run, flags, outside).apply, kind


def _constant(bound: Bound) -> Any:
    known = bound.constant
    return known.data if known is not None and known.type.kind is Kind.NUMBER else None


def _may_define(kind: Type) -> bool:
    """Whether a type may have user-defined operators, or be seen more exactly at run time."""
    return kind.kind in (Kind.STRUCT, Kind.CLASS, Kind.TUPLE, Kind.NULLABLE)


def _folded(binder: NameBinder, operator: str, step: Step, left: Bound, right: Bound) -> Bound | None:
    """A constant of two constants: it is computed now, and converts as constants do."""
    if left.constant is None or right.constant is None:
        return None
    operand = left.constant
    if operator == "%" and right.constant.data == -1 and operand.data in _LEAST.get(operand.type, ()):
        return constant(Operand(operand.type, 0))  # an exception at run time only
    return constant(_of_constants(lambda: step(binder.env, operand), operand, right.constant))


_LEAST = {types.I4: (-(1 << 31),), types.I8: (-(1 << 63),)}


def _of_constants(compute: Callable[[], Operand], *operands: Operand | None) -> Operand:
    """What the compiler computes itself. CS0220, CS0463, CS0020."""
    try:
        return compute()
    except Thrown as error:
        if error.type_name == "System.DivideByZeroException":
            raise Diagnostic("CS0020") from None
        is_decimal = any(one is not None and one.type is types.DECIMAL for one in operands)
        raise Diagnostic("CS0463" if is_decimal else "CS0220") from None


class _BinaryStep:
    """One operator, bound to the types that its operands last had."""

    __slots__ = ("_apply", "_flags", "_left", "_operator", "_outside", "_right", "_run")

    def __init__(self, operator: str, run: Run, flags: Flags, outside: Operators) -> None:
        """`outside`: extension operators, for operands that have no operator of their own."""
        self._operator = operator
        self._outside = outside
        self._run = run
        self._flags = flags
        self._left: Type | None = None
        self._right: Type | None = None
        self._apply: Apply | None = None

    def apply(self, env: Environment, left: Operand) -> Operand:
        if isinstance(left.data, Value) or left.value is not None:
            env.live.append(left)
            try:
                right = self._run(env)
            finally:
                env.live.pop()
        else:
            right = self._run(env)
        if left.type is self._left and right.type is self._right and self._apply is not None:
            return self._apply(env, left, right)
        return self._bound(env, left, right)(env, left, right)

    def _bound(self, env: Environment, left: Operand, right: Operand) -> Apply:
        apply = binary_apply(env, self._operator, left, right, self._flags)
        if self._outside:
            apply = _or_outside(apply, self._outside)
        self._left, self._right, self._apply = left.type, right.type, apply
        return apply


def _or_outside(apply: Apply, outside: Operators) -> Apply:
    def run(env: Environment, left: Operand, right: Operand) -> Operand:
        try:
            return apply(env, left, right)
        except EvaluationError as error:
            made = call_operator(env, outside, [left, right]) if error.compiler_code in NO_OPERATOR else None
            if made is None:
                raise
            return made

    return run


# operators that evaluate only what they need


def _coalesce(right: Bound, kind: Type | None, branches: Branches, *, is_dynamic: bool) -> Step:
    run = right.run

    def apply(env: Environment, operand: Operand) -> Operand:
        if operand.type.is_value_type and operand.type.kind is not Kind.NULLABLE:
            if is_dynamic:
                return operand
            raise no_operator("??", operand.type, right.type or operand.type)
        if operand.data is None:
            other = run(env)
            if other.type is types.DEFAULT and kind is None:
                return cast(env, other, operand.type)
            if kind is not None and other.type is not kind:
                made = convert_implicitly(env, other, kind, right.constant)
                made.names = made.names or operand.names
                return made
            if other.type is types.TUPLE and operand.names and not other.names:
                return Operand(other.type, other.data, None, operand.names)
            if operand.type.kind is Kind.NULLABLE and other.type.kind is Kind.NUMBER:
                element = operand.type.element
                if implicitly_converts(env.universe, other.type, element, right.constant):
                    return cast(env, other, element)
            return other
        if kind is operand.type:
            return operand
        if operand.type.kind is Kind.NULLABLE and (right.type is None or right.type.kind is not Kind.NULLABLE):
            value = held(env, operand) if isinstance(operand.data, Value) or operand.value is not None else None
            operand = Operand(operand.type.element, operand.data, value, operand.names)
        if kind is not None and operand.type is not kind:
            return convert_implicitly(env, operand, kind)
        return operand if kind is not None else branches.converted(env, operand)

    return apply


_NOT_COMPARED = frozenset({Kind.LAMBDA, Kind.SEQUENCE, Kind.TUPLE, Kind.PAIR, Kind.TYPE, Kind.NULL, Kind.VOID})


def _coalesced_type(binder: NameBinder, left: Bound, right: Bound) -> Type | None:
    """The type of `left ?? right` (C# specification 12.15); None where it is known when they are. CS0019."""
    kind, other, universe = left.type, right.type, binder.universe
    if kind is None or other is None or kind.kind in _NOT_COMPARED or other.kind in _NOT_COMPARED:
        return None
    is_nullable = kind.kind is Kind.NULLABLE
    if kind.is_value_type and not is_nullable:
        raise no_operator("??", kind, other)
    ways = [(other, kind, kind, right.constant), (kind, other, other, None)]
    if is_nullable:
        inner = kind.element
        ways = [(other, inner, inner, right.constant), *ways[:1], (inner, other, other, None)]
    for source, target, result, known in ways:
        if (
            implicitly_converts(universe, source, target, known)
            or conversion_operator(universe, source, target, constant=known) is not None
        ):
            return result
    raise no_operator("??", kind, other)


def bind_conditional(binder: NameBinder, node: syntax.Conditional) -> Bound:
    """`c ? a : b`: both sides convert to the type of the other where one of them does."""
    condition = binder.expression(node.condition)
    when_true, when_false = binder.expression(node.when_true), binder.expression(node.when_false)
    if isinstance(node.when_true, syntax.Throw) and isinstance(node.when_false, syntax.Throw):
        raise Diagnostic("CS0173", "<throw expression>", "<throw expression>")
    if condition.type is not None and not may_decide(condition.type):
        raise Diagnostic("CS0029", condition.type.name, types.BOOL.name)
    if node.is_reference:
        for branch in (node.when_true, node.when_false):
            bind_target(binder, branch)
        if when_true.type is not None and when_false.type is not None and when_true.type is not when_false.type:
            with passing(node.when_false.at):
                raise Diagnostic("CS8327", when_true.type.name)
    target = _common_type(binder, when_true, when_false)
    is_user_defined = target is not None and common_type(binder.universe, (when_true, when_false)) is None
    test, first, second = condition.run, when_true.run, when_false.run
    outside = deciding(binder, condition.type)

    def run(env: Environment) -> Operand:
        number = 0 if truth(env, test(env), outside) else 1
        result = second(env) if number else first(env)
        if target is None:
            return branches.converted(env, result, number)
        if result.type is types.ANONYMOUS:
            return convert_implicitly(env, result, target)
        if result.type is target:
            return result
        constant = (when_false if number else when_true).constant
        return convert_implicitly(env, result, target, constant) if is_user_defined else cast(env, result, target)

    branches = Branches(binder, (node.when_true, node.when_false), (when_true, when_false))
    return Bound(run, target)


def _common_type(binder: NameBinder, first: Bound, second: Bound) -> Type | None:
    if first.type is None or second.type is None:
        return None
    universe = binder.universe
    found = natural_type(universe, (first, second))
    if found is not None:
        return found
    for one, other in ((first, second), (second, first)):
        if one.type is not None and other.type is not None and one.type.kind is Kind.NULL:
            return universe.nullable(other.type) if other.type is not types.ANONYMOUS else None
        if one.type is types.ANONYMOUS and other.type is not None and is_anonymous(other.type):
            return other.type
        if one.type is types.LAMBDA and other.type is not None and is_delegate(universe, other.type):
            return other.type
    if types.TUPLE in (first.type, second.type) and (is_tuple(first.type) or is_tuple(second.type)):
        return None  # their elements may convert
    raise Diagnostic("CS0173", first.type.name, second.type.name)


# unary


def bind_unary(binder: NameBinder, node: syntax.Unary) -> Bound:
    """+ - ~ !; the others have no place in an expression."""
    operator = node.operator
    if operator == "^":
        return bind_from_end(binder, node)
    if operator == "&":
        raise EvaluationError("Addresses are not taken in expressions")
    operand = _operand(binder, operator, node.operand)
    if operator == "*":
        run, kind = operand.run, element_of(operand.type) if operand.type is not None else None
        return Bound(lambda env: pointed(env, run(env)).read(env), kind)
    kind = None
    outside = extension_operators(binder.env, binder.lookup, operator, is_unary=True)
    if operand.type is not None:
        known = unary_operation(binder.universe, operator, operand.type, checked=binder.checked)
        kind = known[0] if known is not None else None
        if known is None and not (outside or _may_define(operand.type)):
            raise no_operator(operator, operand.type)
    is_constant = operand.constant is not None and not (outside and kind is None)
    step = _UnaryStep(operator, operand.run, binder.checked or (is_constant and not binder.unchecked), outside)
    if is_constant:
        return constant(_of_constants(lambda: step.run(binder.env), operand.constant))
    return Bound(step.run, kind)


class _UnaryStep:
    """One prefix operator, bound to the type that its operand last had."""

    __slots__ = ("_apply", "_checked", "_operator", "_outside", "_run", "_type")

    def __init__(self, operator: str, run: Run, checked: bool, outside: Operators) -> None:
        self._outside = outside
        self._operator = operator
        self._run = run
        self._checked = checked
        self._type: Type | None = None
        self._apply: UnaryApply | None = None

    def run(self, env: Environment) -> Operand:
        operand = self._run(env)
        if operand.type is not self._type or self._apply is None:
            found = unary_operation(env.universe, self._operator, operand.type, checked=self._checked)
            if found is None:
                own = user_unary_operator(env, self._operator, operand.type, checked=self._checked)
                if own is not None:
                    return own(env, [operand])
                made = call_operator(env, self._outside, [operand]) if self._outside else None
                if made is None:
                    raise no_operator(self._operator, operand.type)
                return made
            self._type, self._apply = operand.type, found[1]
        return self._apply(env, operand)
