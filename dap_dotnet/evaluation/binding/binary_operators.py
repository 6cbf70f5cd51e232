"""What a binary operator does to operands of certain types: predefined, user-defined, of delegates and of tuples."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.calling.delegates import combined
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.member_access import MemberReader
from dap_dotnet.evaluation.operations.operators import EQUALITY, Apply, Flags, binary_operation
from dap_dotnet.evaluation.operations.type_objects import types_equal
from dap_dotnet.evaluation.operations.user_defined import OperatorRun, plain_values, user_operator
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean
from dap_dotnet.evaluation.types.delegate_types import is_delegate
from dap_dotnet.evaluation.types.tuple_names import is_tuple
from dap_dotnet.evaluation.types.tuple_names import length as tuple_length


def binary_apply(env: Environment, operator: str, left: Operand, right: Operand, flags: Flags) -> Apply:
    """The predefined operator, unless the types define one of their own; element by element for tuples."""
    if Kind.DEFAULT in (left.type.kind, right.type.kind):
        return _with_default(operator, left.type, right.type, flags)
    if types.TUPLE in (left.type, right.type) and any(_may_take_tuples(one.type) for one in (left, right)):
        return lambda env, a, b: _with_tuples(env, operator, a, b, flags)
    if operator in EQUALITY and (types.TUPLE in (left.type, right.type) or _are_tuples(left.type, right.type)):
        return lambda env, a, b: _tuples_equal(env, operator, a, b, flags)
    if operator in EQUALITY and types.ANONYMOUS in (left.type, right.type):
        return lambda env, a, b: _with_tuples(env, operator, a, b, flags)
    if operator in EQUALITY and (left.type is types.TYPE) is not (right.type is types.TYPE):
        return lambda env, a, b: types_equal(env, a, b, wanted=operator == "==")
    delegates = _delegate_type(env, left.type, right.type) if operator in ("+", "-") else None
    if delegates is not None:
        return lambda env, a, b: _combined(env, operator, delegates, a, b)
    if operator in EQUALITY and types.LAMBDA in (left.type, right.type):
        kind = _delegate_type(env, left.type, right.type)
        compare = user_operator(env, operator, kind, kind) if kind is not None else None
        if kind is None or compare is None:
            raise no_operator(operator, left.type, right.type)
        return lambda env, a, b: _both_as(env, kind, compare, a, b)
    found = binary_operation(env.universe, operator, left.type, right.type, flags)
    both_null = Kind.NULL in (left.type.kind, right.type.kind) and operator in EQUALITY
    if found is not None and (both_null or not (_defines(left.type) or _defines(right.type))):
        return found.apply
    predefined = found.apply if found is not None else None
    if operator == "+" and Kind.STRING in (left.type.kind, right.type.kind) and predefined is not None:
        predefined = _joining(env, predefined, left.type, right.type)
    constants = [
        Operand(one.type, data) if data is not None and one.type.kind is Kind.NUMBER else None
        for one, data in ((left, flags.left), (right, flags.right))
    ]
    own = user_operator(env, operator, left.type, right.type, constants, checked=flags.checked)

    def apply(env: Environment, a: Operand, b: Operand) -> Operand:
        if predefined is not None and operator in EQUALITY and (a.data is None or b.data is None):
            return predefined(env, a, b)
        if own is not None:
            return own(env, [a, b])
        if predefined is not None:
            return predefined(env, a, b)
        converted = _converted(env, operator, a, b, flags)
        if converted is not None:
            return converted
        raise no_operator(operator, a.type, b.type)

    return apply


def _with_default(operator: str, left: Type, right: Type, flags: Flags) -> Apply:
    """With the default value of the type of the other operand. CS8310, CS8315."""
    if operator not in EQUALITY or left is right:
        raise no_operator(operator, left, right)
    kind = right if left is types.DEFAULT else left

    def compare(env: Environment, operands: Sequence[Operand]) -> Operand:
        first, second = operands
        return binary_apply(env, operator, first, second, flags)(env, first, second)

    return lambda env, a, b: _both_as(env, kind, compare, a, b)


def _joining(env: Environment, join: Apply, left: Type, right: Type) -> Apply:
    """`join`, of a string and what a conversion of the program makes one, which C# prefers to `ToString`."""
    if all(conversion_operator(env.universe, kind, types.STRING) is None for kind in (left, right)):
        return join
    return lambda env, a, b: _both_as(env, types.STRING, lambda env, both: join(env, *both), a, b)


def _may_take_tuples(kind: Type) -> bool:
    """Whether a type's own operators may take what a tuple converts to."""
    return _defines(kind) and not is_tuple(kind)


def _with_tuples(env: Environment, operator: str, left: Operand, right: Operand, flags: Flags) -> Operand:
    """With tuples and anonymous objects of the program for those that the expression made."""
    before = len(env.live)
    try:
        env.live += [Operand(one.type, one.data, one.value, one.names) for one in (left, right)]
        for made in env.live[before:]:
            if made.type.kind is Kind.TUPLE:
                env.runner.put_on_heap(env, made)
        first, second = env.live[before:]
        return binary_apply(env, operator, first, second, flags)(env, first, second)
    finally:
        del env.live[before:]


def _delegate_type(env: Environment, left: Type, right: Type) -> Type | None:
    """The type of delegate that `+` and `-` combine; None where neither side is one, or the other cannot become one."""
    for one, other in ((left, right), (right, left)):
        if is_delegate(env.universe, one):
            return one if other is one or other.kind in (Kind.NULL, Kind.LAMBDA) else None
    return None


def _combined(env: Environment, operator: str, kind: Type, left: Operand, right: Operand) -> Operand:
    return _both_as(env, kind, lambda env, both: combined(env, operator, kind, *both), left, right)


def _both_as(env: Environment, kind: Type, run: OperatorRun, left: Operand, right: Operand) -> Operand:
    """What an operator makes of two operands of a type, or of what is converted to it."""
    before = len(env.live)
    try:
        env.live += [left, right]
        for number in (before, before + 1):
            env.live[number] = convert_implicitly(env, env.live[number], kind)
        return run(env, env.live[before:])
    finally:
        del env.live[before:]


def _defines(kind: Type) -> bool:
    """Whether a type may define operators of its own, lifted ones included."""
    inner = kind.element if kind.kind is Kind.NULLABLE else kind
    return inner.kind in (Kind.STRUCT, Kind.CLASS) and inner is not types.OBJECT


def _converted(env: Environment, operator: str, left: Operand, right: Operand, flags: Flags) -> Operand | None:
    """A predefined operator over what user-defined implicit conversions make of the operands; None: no such one."""
    for first in plain_values(env, left) or [left]:
        for second in plain_values(env, right) or [right]:
            found = binary_operation(env.universe, operator, first.type, second.type, flags)
            if found is not None and (first is not left or second is not right):
                return found.apply(env, first, second)
    return None


def _are_tuples(*kinds: Type) -> bool:
    """Whether all are tuples of the program, or nullable ones."""
    return all(is_tuple(kind.element if kind.kind is Kind.NULLABLE else kind) for kind in kinds)


def _tuples_equal(env: Environment, operator: str, left: Operand, right: Operand, flags: Flags) -> Operand:
    if left.data is None or right.data is None:
        return boolean((left.data is None and right.data is None) is (operator == "=="))
    left, right = (
        MemberReader("Value").read(env, one) if one.type.kind is Kind.NULLABLE else one for one in (left, right)
    )
    first, second = tuple_items(env, left), tuple_items(env, right)
    if len(first) != len(second):
        raise Diagnostic("CS8384", operator)
    plain = Flags(checked=flags.checked)
    equal = all(binary_apply(env, "==", a, b, plain)(env, a, b).data for a, b in zip(first, second, strict=True))
    return boolean(equal is (operator == "=="))


def tuple_items(env: Environment, operand: Operand) -> tuple[Operand, ...]:
    """The elements of a tuple, one that the expression made or a ValueTuple of the program."""
    if operand.type.kind is Kind.TUPLE:
        items: tuple[Operand, ...] = operand.data
        return items
    if is_tuple(operand.type):
        count = tuple_length(operand.type)
        return tuple(MemberReader(f"Item{number}").read(env, operand) for number in range(1, count + 1))
    raise no_operator("==", operand.type, types.TUPLE)
