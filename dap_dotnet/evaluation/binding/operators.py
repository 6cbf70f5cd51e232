"""Operators in code (C# specification 12.9 to 12.18), those of the program too, and what chooses: `&&`, `??`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.binding.conversions import (
    OPERATOR_NAMES,
    by_method,
    common,
    convert,
    converts,
    equal_if_there,
    implicit,
    is_there,
    item_of,
    lifted,
    same,
    written_items,
)
from dap_dotnet.evaluation.binding.members import extension_operator
from dap_dotnet.evaluation.binding.pointers import check_same_memory, of_pointers, pointed
from dap_dotnet.evaluation.binding.scope import Scope, constant_of
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.operators import (
    EQUALITY,
    ORDER,
    SHIFTS,
    Flags,
    Operation,
    binary_operation,
    unary_operation,
)
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.rules.conversions import implicit_operator, is_never
from dap_dotnet.evaluation.rules.overloads import DECLARING_OPERATORS, chosen_operator, no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import passing
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import SPANS, Kind, Operand, Type, is_tuple, tuple_length
from dap_dotnet.evaluation.types.declarations import is_delegate

_CHECKED = frozenset({"Add", "Subtract", "Multiply", "Negate"})


def bind_binary(scope: Scope, node: syntax.Binary) -> Code:
    """A chain of binary operators: its left spine is a loop."""
    spine: list[syntax.Binary] = []
    leftmost: syntax.Node = node
    while isinstance(leftmost, syntax.Binary):
        spine.append(leftmost)
        leftmost = leftmost.left
    is_first = isinstance(leftmost, syntax.Name) and spine[-1].operator in ("+", "-")
    result = scope.code_or_source(leftmost) if is_first else scope.code(leftmost)
    for one in reversed(spine):
        with passing(one.at):
            result = made = _bind_operator(scope, one, result)
        scope.places[made] = one.at
    return made


def _bind_operator(scope: Scope, node: syntax.Binary, left: Code | bound.FunctionSource) -> Code:
    """The operator of a node, whose left side is bound already."""
    is_equality = node.operator in EQUALITY
    if isinstance(node.right, syntax.Throw) and node.operator != "??":
        with passing(node.right.at):
            raise Diagnostic("CS1525", "throw")
    if isinstance(left, bound.FunctionSource):
        right = scope.code(node.right)
        return binary(scope, node.operator, scope.function(left, right.type), right)
    is_to_delegate = is_delegate(scope.universe, left.type)
    wanted: Type | None = left.type if is_equality else None
    if node.operator == "??":
        wanted = left.type.stripped
    if not is_to_delegate and not isinstance(node.right, syntax.Name | syntax.Lambda):
        return binary(scope, node.operator, left, scope.code(node.right, wanted))
    value = scope.code_or_source(node.right, wanted)
    if not isinstance(value, Code) and not is_to_delegate:
        raise Diagnostic(
            "CS0019", node.operator, left.type.name, "method group" if value.is_group else "lambda expression"
        )
    return binary(scope, node.operator, left, value if isinstance(value, Code) else scope.function(value, left.type))


def binary(scope: Scope, operator: str, left: Code, right: Code) -> Code:
    """An operator on two values; of two constants the constant. CS0019, CS0020, CS0034, CS0220, CS8384."""
    if types.VOID in (left.type, right.type):
        raise no_operator(operator, left.type, right.type)
    if operator in EQUALITY and _is_of_elements(left) and _is_of_elements(right):
        before: list[Code] = []
        tested = _compared(scope, operator, _taken(scope, left, before), _taken(scope, right, before))
        return bound.in_steps(before, tested)
    if types.DEFAULT in (left.type, right.type) and operator != "??":
        other = right.type if left.type is types.DEFAULT else left.type
        if operator not in EQUALITY or left.type is right.type:
            raise no_operator(operator, left.type, right.type)
        left, right = implicit(scope, left, other), implicit(scope, right, other)
    if operator in ("&&", "||"):
        return logical(scope, operator, left, right)
    if operator == "??":
        return coalesced(scope, left, right)
    if Kind.POINTER in (left.type.kind, right.type.kind):
        return of_pointers(scope, operator, left, right)
    if operator in EQUALITY and left.type.full_name in SPANS:
        check_same_memory(left, right)
    if bound.is_late(left) or bound.is_late(right):
        return scope.late((left, right), lambda inner, given: binary(inner, operator, *given))
    own = user_operator(scope, operator, left, right)
    if own is not None:
        return own
    first, second = constant_of(left), constant_of(right)
    are_checked = scope.checked if first is None or second is None else not scope.unchecked
    found = binary_operation(
        scope.universe, operator, left.type, right.type, Flags(_number(first), _number(second), are_checked)
    )
    if found is not None and not _are_never_same(scope, operator, left, right):
        folded = _folded(scope, operator, found, first, second) if first is not None and second is not None else None
        return folded or _predefined(scope, operator, left, right, found)
    made = (
        _of_delegates(scope, operator, left, right)
        or _of_converted(scope, operator, left, right)
        or extension_operator(scope, operator, left, right)
    )
    if made is None:
        raise no_operator(operator, left.type, right.type)
    return made


def _folded(scope: Scope, operator: str, operation: Operation, first: Operand, second: Operand) -> Code | None:
    """What the compiler computes itself of two constants; None where it does not."""
    kind = operation.type
    if kind.kind not in _CONSTANT or (
        kind is types.STRING and not {first.type.kind, second.type.kind} <= {Kind.STRING, Kind.NULL}
    ):
        return None
    if operator == "%" and second.data == -1 and first.data in _LEAST.get(first.type, ()):
        return bound.Captured(kind, Operand(kind, 0), is_constant=True)  # an exception at run time only
    computed = of_constants(lambda: operation.apply(scope.env, first, second), first, second)
    return bound.Captured(kind, computed, is_constant=True)


_CONSTANT = frozenset({Kind.NUMBER, Kind.BOOL, Kind.ENUM, Kind.STRING})
_LEAST = {types.I4: (-(1 << 31),), types.I8: (-(1 << 63),)}


def of_constants(compute: Callable[[], Operand], *operands: Operand) -> Operand:
    """What the compiler computes itself. CS0220, CS0463, CS0020."""
    try:
        return compute()
    except Thrown as error:
        if error.type_name == "System.DivideByZeroException":
            raise Diagnostic("CS0020") from None
        is_decimal = any(one.type is types.DECIMAL for one in operands)
        raise Diagnostic("CS0463" if is_decimal else "CS0220") from None


def _are_never_same(scope: Scope, operator: str, left: Code, right: Code) -> bool:
    """Whether two references are compared of which one cannot be the other."""
    if operator not in EQUALITY or not (left.type.is_reference and right.type.is_reference):
        return False
    if Kind.NULL in (left.type.kind, right.type.kind):
        return False
    return is_never(scope.universe, left.type, right.type) or is_never(scope.universe, right.type, left.type)


def _of_delegates(scope: Scope, operator: str, left: Code, right: Code) -> Code | None:
    """`+` and `-` of delegates (C# specification 12.10.5, 12.10.6); None for others."""
    if operator not in ("+", "-"):
        return None
    kind = next((code.type for code in (left, right) if is_delegate(scope.universe, code.type)), None)
    plain = scope.universe.named("System.Delegate")
    if kind is None or plain is None or not (converts(scope, left, kind) and converts(scope, right, kind)):
        return None
    exact = scope.framework_method(plain, "Combine" if operator == "+" else "Remove", plain, plain)
    operands = tuple(implicit(scope, implicit(scope, code, kind), plain) for code in (left, right))
    return bound.TypedOperation(kind, "Convert", bound.Invoked(plain, exact, None, operands), kind)


_PREDEFINED = (types.I4, types.U4, types.I8, types.U8, types.R4, types.R8, types.DECIMAL, types.BOOL, types.STRING)


def _of_converted(scope: Scope, operator: str, left: Code, right: Code) -> Code | None:
    """The predefined operator for what conversions of the program make of the operands (12.4.5); None: no such one."""
    if not any(code.type.stripped.kind in (Kind.CLASS, Kind.STRUCT) for code in (left, right)):
        return None
    is_lifted = Kind.NULLABLE in (left.type.kind, right.type.kind)
    for plain in _PREDEFINED:
        if is_lifted and plain is types.STRING:
            continue
        first = scope.universe.nullable(plain) if is_lifted else plain
        second = first
        if operator in SHIFTS:
            second = scope.universe.nullable(types.I4) if is_lifted else types.I4
        found = binary_operation(scope.universe, operator, first, second, Flags(checked=scope.checked))
        if found is not None and converts(scope, left, first) and converts(scope, right, second):
            operands = implicit(scope, left, first), implicit(scope, right, second)
            return _predefined(scope, operator, *operands, found)
    return None


def _number(constant: Operand | None) -> Any:
    return constant.data if constant is not None and constant.type.kind is Kind.NUMBER else None


def _predefined(scope: Scope, operator: str, left: Code, right: Code, operation: Operation) -> Code:
    if operator == "+" and types.STRING in (left.type, right.type):
        return concatenated(scope, (left, right))
    kinds = {left.type.kind, right.type.kind}
    if operator in EQUALITY and kinds <= {Kind.STRING, Kind.NULL} and Kind.NULL not in kinds:
        name = "op_Equality" if operator == "==" else "op_Inequality"
        exact = scope.framework_method(types.STRING, name, types.STRING, types.STRING)
        return bound.Invoked(types.BOOL, exact, None, (left, right))
    if Kind.NULLABLE not in kinds and operator in EQUALITY and (left.type.is_reference and right.type.is_reference):
        return same(operator, left, right)
    if Kind.NULL in kinds and Kind.PARAMETER in kinds and operator in EQUALITY:
        return same(operator, left, right)
    if Kind.NULL in kinds:
        other = left.type if right.type.kind is Kind.NULL else right.type
        if other.kind is not Kind.NULLABLE:
            if other.kind not in (Kind.NUMBER, Kind.BOOL, Kind.ENUM):
                raise no_operator(operator, left.type, right.type)
            wide = scope.universe.nullable(other)
            left, right = (code if code.type is not other else convert(scope, code, wide) for code in (left, right))
            other = wide
        left, right = (bound.Zero(other) if code.type.kind is Kind.NULL else code for code in (left, right))
        return bound.Operation(operation.type, OPERATOR_NAMES[operator], (left, right))
    return _of_values(scope, operator, left, right, operation)


def _of_values(scope: Scope, operator: str, left: Code, right: Code, operation: Operation) -> Code:
    """Numbers, enums and bools, which the program's operators take as one type, or both as nullables of it."""
    result, kinds = operation.type, operation.operands
    assert kinds is not None
    is_lifted = Kind.NULLABLE in (left.type.kind, right.type.kind)
    wide = [scope.universe.nullable(kind) if is_lifted else kind for kind in kinds]
    pairs = zip((left, right), wide, strict=True)
    codes = [code if code.type is kind else convert(scope, code, kind) for code, kind in pairs]
    name = OPERATOR_NAMES[operator]
    is_checked = scope.checked and name in _CHECKED and kinds[0].code in numeric.BITS
    made_type = result if result.stripped is types.BOOL else wide[0]
    made = bound.Operation(made_type, name + "Checked" if is_checked else name, tuple(codes))
    return made if made.type is result else bound.converted(made, result)


def bind_unary(scope: Scope, node: syntax.Unary) -> Code:
    """+ - ~ !. CS0023."""
    if node.operator == "&":
        raise EvaluationError("Addresses are not taken in expressions")
    operand = scope.code(node.operand)
    return pointed(scope, operand) if node.operator == "*" else unary(scope, node.operator, operand)


def unary(scope: Scope, operator: str, operand: Code) -> Code:
    """A prefix operator; of a constant the constant."""
    if bound.is_late(operand):
        return scope.late((operand,), lambda inner, given: unary(inner, operator, *given))
    own = user_operator(scope, operator, operand)
    if own is not None:
        return own
    known = constant_of(operand)
    are_checked = scope.checked if known is None else not scope.unchecked
    found = unary_operation(scope.universe, operator, operand.type, checked=are_checked)
    if found is None:
        for kind in _PREDEFINED if operand.type.stripped.kind in (Kind.CLASS, Kind.STRUCT) else ():
            wanted = scope.universe.nullable(kind) if operand.type.kind is Kind.NULLABLE else kind
            if unary_operation(scope.universe, operator, wanted, checked=False) and converts(scope, operand, wanted):
                return unary(scope, operator, implicit(scope, operand, wanted))
        from_outside = extension_operator(scope, operator, operand)
        if from_outside is not None:
            return from_outside
        raise no_operator(operator, operand.type)
    result, apply = found
    if known is not None:
        return bound.Captured(result, of_constants(lambda: apply(scope.env, known), known), is_constant=True)
    if operator == "!":
        return bound.Operation(result, "Not", (operand,))
    if operator == "+":
        return convert(scope, operand, result)
    plain = result.stripped
    if plain.kind is Kind.ENUM:
        assert plain.underlying is not None
        wide = numeric.unary_type("~", plain.underlying.code)
        number = types.PRIMITIVES[wide] if wide is not None else plain.underlying
        number = scope.universe.nullable(number) if result.kind is Kind.NULLABLE else number
        inner = bound.Operation(number, "OnesComplement", (convert(scope, operand, number),))
        return bound.converted(inner, result)
    name = "OnesComplement" if operator == "~" else "NegateChecked" if scope.checked else "Negate"
    return bound.Operation(result, name, (convert(scope, operand, result),))


def concatenated(scope: Scope, parts: tuple[Code, Code]) -> Code:
    """`a + b` where one is a string, and the other may be made one by a conversion of the program."""
    made = [
        part
        if implicit_operator(scope.universe, part.type, types.STRING) is None
        else implicit(scope, part, types.STRING)
        for part in parts
    ]
    texts = all(part.type.kind in (Kind.STRING, Kind.NULL) for part in made)
    kind = types.STRING if texts else types.OBJECT
    concat = scope.framework_method(types.STRING, "Concat", kind, kind)
    return bound.Invoked(types.STRING, concat, None, tuple(implicit(scope, part, kind) for part in made))


def truth(scope: Scope, code: Code) -> Code:
    """A condition: a bool, or what the operator `true` makes one. CS0029."""
    decided = _decided(scope, "true", code) if not converts(scope, code, types.BOOL) else None
    return implicit(scope, decided or code, types.BOOL)


def _decided(scope: Scope, operator: str, code: Code) -> Code | None:
    """What the operator `true` or `false` says of a value; None where there is none."""
    own = chosen_operator(scope.universe, operator, [code.type])
    return by_method(scope, own, code) if own is not None else extension_operator(scope, operator, code)


def user_operator(scope: Scope, operator: str, *operands: Code) -> Code | None:
    """A user-defined operator, lifted where operands are nullable (C# specification 12.4.8); None: no such one."""
    kinds, constants = [code.type for code in operands], [constant_of(code) for code in operands]
    if not any(kind.stripped.kind in DECLARING_OPERATORS for kind in kinds):
        return None
    own = chosen_operator(scope.universe, operator, kinds, constants, checked=scope.checked)
    if own is not None:
        return by_method(scope, own, *operands)
    plain = chosen_operator(scope.universe, operator, kinds, constants, checked=scope.checked, is_lifted=True)
    return _by_lifted(scope, operator, plain, operands) if plain is not None else None


def _by_lifted(scope: Scope, operator: str, chosen: Chosen, operands: Sequence[Code]) -> Code:
    """Null gives null, false in comparisons of order; two nulls are equal."""
    before, values, are_there = list[Code](), list[Code](), list[Code]()
    for code, parameter in zip(operands, chosen.candidate.parameter_types(scope.universe), strict=True):
        assert parameter is not None
        given = code if code.type.kind is not Kind.NULL else bound.Zero(scope.universe.nullable(parameter))
        kept = value = scope.kept_value(given, before)
        if kept.type.kind is Kind.NULLABLE:
            are_there.append(is_there(kept))
            value = bound.held(kept)
        values.append(value)
    call: Code = by_method(scope, chosen, *values)
    otherwise: Code
    if operator in EQUALITY:
        return bound.in_steps(before, equal_if_there(operator, are_there, call))
    if operator in ORDER:
        otherwise = bound.boolean(False)
    else:
        kind = scope.universe.nullable(call.type)
        call, otherwise = bound.converted(call, kind), bound.Zero(kind)
    decided = bound.Operation(call.type, "Condition", (bound.all_of(*are_there), call, otherwise))
    return bound.in_steps(before, decided)


def logical(scope: Scope, operator: str, left: Code, right: Code) -> Code:
    """`&&` and `||`; of types with operators of their own by `&` or `|`, and `true` or `false` (12.14.3). CS0019."""
    name, own_name, test_name = ("AndAlso", "&", "false") if operator == "&&" else ("OrElse", "|", "true")
    if converts(scope, left, types.BOOL) and converts(scope, right, types.BOOL):
        return bound.Operation(types.BOOL, name, (truth(scope, left), truth(scope, right)))
    own = user_operator(scope, own_name, left, right) or extension_operator(scope, own_name, left, right)
    kind = own.type if own is not None else left.type
    kept = scope.declare(kind)
    decided = _decided(scope, test_name, kept)
    joined = user_operator(scope, own_name, kept, right) or extension_operator(scope, own_name, kept, right)
    if decided is None or joined is None:
        raise no_operator(operator, left.type, right.type)
    given = bound.assigned(kept, implicit(scope, left, kind))
    chosen = bound.Operation(kind, "Condition", (truth(scope, decided), kept, implicit(scope, joined, kind)))
    return bound.Steps(kind, (), (given, chosen))


def conditional(scope: Scope, test: Code, first: Code, second: Code, wanted: Type | None = None) -> Code:
    """A choice between two values, of the type that they have in common, else of the `wanted` one."""
    kind = common(scope, (first, second)) or wanted
    if kind is None:
        raise Diagnostic("CS0173", first.type.name, second.type.name)
    return bound.Operation(kind, "Condition", (test, implicit(scope, first, kind), implicit(scope, second, kind)))


def coalesced(scope: Scope, left: Code, right: Code) -> Code:
    """The value of the left side, or of the right one where that is null. CS0019."""
    if left.type.kind is Kind.NULLABLE and converts(scope, right, left.type.element):
        kind = left.type.element
        return bound.Operation(kind, "Coalesce", (left, implicit(scope, right, kind)))
    if left.type.kind is Kind.NULLABLE and not converts(scope, right, left.type):
        if not converts(
            scope, bound.held(left), right.type
        ):  # only what the left side holds may convert to the right one
            raise no_operator("??", left.type, right.type)
        return lifted(scope, left, right.type, lambda value: implicit(scope, value, right.type), right)
    may_be_null = left.type.is_reference or left.type.kind in (Kind.NULLABLE, Kind.PARAMETER)
    if may_be_null and left.type.kind is not Kind.NULL:
        if converts(scope, right, left.type):
            return bound.Operation(left.type, "Coalesce", (left, implicit(scope, right, left.type)))
        if left.type.is_reference and converts(scope, left, right.type):
            return bound.Operation(right.type, "Coalesce", (implicit(scope, left, right.type), right))
    raise no_operator("??", left.type, right.type)


# == and != of tuples (C# specification 12.12.11): element by element, all of them evaluated before

Taken = Union[Code, "list[Taken]"]
"""A value that can be had many times, or those of the elements of a literal."""


def _is_of_elements(code: Code) -> bool:
    return isinstance(code, bound.TupleLiteral) or is_tuple(code.type.stripped)


def _taken(scope: Scope, code: Code | bound.FunctionSource, before: list[Code]) -> Taken:
    if not isinstance(code, Code):
        raise Diagnostic("CS8917")
    items = written_items(code)
    return [_taken(scope, item, before) for item in items] if items is not None else scope.kept_value(code, before)


def _compared(scope: Scope, operator: str, left: Taken, right: Taken) -> Code:
    nullables = [
        one
        for one in (left, right)
        if isinstance(one, Code) and one.type.kind is Kind.NULLABLE and is_tuple(one.type.element)
    ]
    if nullables and not any(isinstance(one, Code) and one.type.kind is Kind.NULL for one in (left, right)):
        return _of_nullables(scope, operator, (left, right), nullables)
    first, second = _elements(scope, left), _elements(scope, right)
    if first is None or second is None:
        if not isinstance(left, Code) or not isinstance(right, Code):
            raise Diagnostic("CS0019", operator, _shown(left), _shown(right))
        return implicit(scope, binary(scope, operator, left, right), types.BOOL)
    if len(first) != len(second):
        raise Diagnostic("CS8384", operator)
    tests = [_compared(scope, operator, one, other) for one, other in zip(first, second, strict=True)]
    return bound.all_of(*tests, name="AndAlso" if operator == "==" else "OrElse")


def _of_nullables(scope: Scope, operator: str, pair: tuple[Taken, Taken], nullables: list[Code]) -> Code:
    """Two without a value are equal; one without is not."""
    kept, before = list[Taken](), list[Code]()
    for one in pair:
        kept.append(scope.kept_value(bound.held(one), before) if isinstance(one, Code) and one in nullables else one)
    inner = bound.in_steps(before, _compared(scope, operator, kept[0], kept[1]))
    return equal_if_there(operator, [is_there(one) for one in nullables], inner)


def _elements(scope: Scope, value: Taken) -> Sequence[Taken] | None:
    """The elements of a tuple; None for other values."""
    if isinstance(value, list):
        return value
    if isinstance(value, Code) and is_tuple(value.type):
        return [item_of(scope, value, number) for number in range(1, tuple_length(value.type) + 1)]
    return None


def _shown(value: Taken) -> str:
    return value.type.name if isinstance(value, Code) else "tuple"
