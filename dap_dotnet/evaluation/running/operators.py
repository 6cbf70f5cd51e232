"""Operators and conversions on operands, as closures. Which one applies, the binder has decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation import bound_tree as nodes
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment, utf16_length
from dap_dotnet.evaluation.numeric import FLOATS
from dap_dotnet.evaluation.operations import operand_values
from dap_dotnet.evaluation.operations.framework import call_framework
from dap_dotnet.evaluation.operations.known_members import array_element, repeated_element
from dap_dotnet.evaluation.operations.operators import Apply, Flags, binary_operation, same_reference, unary_operation
from dap_dotnet.evaluation.operations.placed import pointed, size_of
from dap_dotnet.evaluation.operations.text import to_text
from dap_dotnet.evaluation.rules.inference import takes_delegates
from dap_dotnet.evaluation.rules.variables import CHOSEN, INLINE_ELEMENT
from dap_dotnet.evaluation.running.members import passed
from dap_dotnet.evaluation.running.steps import NOTHING, Closures, Run, in_order
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean

_BINARY = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "Modulo": "%", "And": "&", "Or": "|",
    "ExclusiveOr": "^", "LeftShift": "<<", "RightShift": ">>", "Equal": "==", "NotEqual": "!=", "LessThan": "<",
    "LessThanOrEqual": "<=", "GreaterThan": ">", "GreaterThanOrEqual": ">=", "UnsignedRightShift": ">>>",
}  # fmt: skip
_ADDRESS_BITS = (1 << 64) - 1
_UNARY = {"Not": "!", "Negate": "-", "OnesComplement": "~"}


def operation(code: nodes.Operation, closures: Closures) -> Run:
    """An operator, or another form that has only operands."""
    special = _SPECIAL.get(code.name)
    if special is not None:
        return special(code, closures)
    compute = _OF_OPERANDS.get(code.name)
    if compute is not None:
        operands = in_order([closures.of(one) for one in code.operands])
        return lambda env: compute(env, code, *operands(env))
    name, checked = code.name.removesuffix("Checked"), code.name.endswith("Checked")
    if len(code.operands) == 1:
        return _unary(code, _UNARY[name], closures, checked=checked)
    return _same(code, closures, expected=name == "Equal") if _is_null_test(code) else _chain(code, closures)


def _is_null_test(code: nodes.Operation) -> bool:
    """Whether a nullable is compared with null."""
    return code.name in ("Equal", "NotEqual") and any(
        isinstance(operand, nodes.Zero) and operand.type.kind is Kind.NULLABLE for operand in code.operands
    )


def _chain(code: nodes.Operation, closures: Closures) -> Run:
    """A chain of binary operators, however long: its left spine is a loop."""
    parts: list[tuple[Run, Apply]] = []
    leftmost: nodes.Code = code
    while (
        isinstance(leftmost, nodes.Operation)
        and leftmost.name.removesuffix("Checked") in _BINARY
        and not _is_null_test(leftmost)
    ):
        left, right = leftmost.operands
        operator, checked = _BINARY[leftmost.name.removesuffix("Checked")], leftmost.name.endswith("Checked")
        found = binary_operation(closures.universe, operator, left.type, right.type, Flags(checked=checked))
        assert found is not None, (leftmost.name, left.type, right.type)
        parts.append((closures.of(right), found.apply))
        leftmost = left
    first = closures.of(leftmost)
    parts.reverse()

    def run(env: Environment) -> Operand:
        result = first(env)
        for second, apply in parts:
            other = second(env)
            result = apply(env, result, other)
        return result

    return run


def _unary(code: nodes.Operation, operator: str, closures: Closures, *, checked: bool) -> Run:
    (operand,) = code.operands
    found = unary_operation(closures.universe, operator, operand.type, checked=checked)
    assert found is not None, (operator, operand.type)
    run, apply = closures.of(operand), found[1]
    return lambda env: apply(env, run(env))


def _logical(code: nodes.Operation, closures: Closures, *, decide: Callable[[Iterator[bool]], bool]) -> Run:
    tests = _spine(code, closures)
    return lambda env: boolean(decide(bool(one(env).data) for one in tests))


def _spine(code: nodes.Operation, closures: Closures) -> list[Run]:
    """The operands of a chain of the same operator, however long it is."""
    operands: list[nodes.Code] = []
    left: nodes.Code = code
    while isinstance(left, nodes.Operation) and left.name == code.name:
        left, right = left.operands
        operands.append(right)
    return [closures.of(one) for one in (left, *reversed(operands))]


def _condition(code: nodes.Operation, closures: Closures) -> Run:
    test, first, *others = map(closures.of, code.operands)
    second = others[0] if others else lambda env: NOTHING
    return lambda env: first(env) if test(env).data else second(env)


def _coalesce(code: nodes.Operation, closures: Closures) -> Run:
    left, right = map(closures.of, code.operands)
    is_opened = code.operands[0].type.kind is Kind.NULLABLE and code.type.kind is not Kind.NULLABLE

    def run(env: Environment) -> Operand:
        operand = left(env)
        if operand.data is None:
            return right(env)
        return operand_values.held_operand(operand) if is_opened else operand

    return run


def _same(code: nodes.Operation, closures: Closures, *, expected: bool) -> Run:
    left, right = code.operands
    if isinstance(left, nodes.Zero) or isinstance(right, nodes.Zero):
        tested = closures.of(right if isinstance(left, nodes.Zero) else left)
        return lambda env: boolean((tested(env).data is None) is expected)
    operands = in_order([closures.of(one) for one in code.operands])

    def run(env: Environment) -> Operand:
        first, second = operands(env)
        if Kind.SEQUENCE in (first.type.kind, second.type.kind):
            first, second = _object(env, first), _object(env, second)
        return boolean(same_reference(env, first, second) is expected)

    return run


def _object(env: Environment, operand: Operand) -> Operand:
    """A query as LINQ's own object; other operands as they are."""
    return passed(env, operand) if operand.type.kind is Kind.SEQUENCE else operand


_SPECIAL: dict[str, Callable[[nodes.Operation, Closures], Run]] = {
    "AndAlso": partial(_logical, decide=all),
    "OrElse": partial(_logical, decide=any),
    "Condition": _condition,
    CHOSEN: _condition,
    "IfThen": _condition,
    "IfThenElse": _condition,
    "Coalesce": _coalesce,
    "ReferenceEqual": partial(_same, expected=True),
    "ReferenceNotEqual": partial(_same, expected=False),
}


# of operands alone


def _length(env: Environment, code: nodes.Operation, array: Operand) -> Operand:
    if array.data is None:
        raise null_reference("the target of '.Length'")
    return Operand(types.I4, array.data.length)


def _offset(env: Environment, code: nodes.Operation, pointer: Operand, count: Operand) -> Operand:
    """A pointer that is so many elements behind another."""
    return Operand(code.type, (pointer.data + count.data * _size(env, code.type.element)) & _ADDRESS_BITS)


def _distance(env: Environment, code: nodes.Operation, first: Operand, second: Operand) -> Operand:
    """How many elements are between two pointers."""
    return Operand(types.I8, int((first.data - second.data) / _size(env, code.operands[0].type.element)))


def _size(env: Environment, element: Type) -> int:
    return size_of(env, element, env.universe.id_of(env.program, element))


_OF_OPERANDS: dict[str, Callable[..., Operand]] = {
    "ArrayIndex": lambda env, _, array, *indices: array_element(env, array, indices),
    "ArrayAccess": lambda env, _, array, *indices: array_element(env, array, indices),
    INLINE_ELEMENT: lambda env, _, whole, index: repeated_element(env, whole, index),
    "ArrayLength": _length,
    "Pointed": lambda env, code, pointer, *index: pointed(env, pointer, code.type, *index).read(env),
    "PointerOffset": _offset,
    "PointerDistance": _distance,
}
"""Each gets the environment, the node and what its operands have."""


def typed_operation(code: nodes.TypedOperation, closures: Closures) -> Run:
    """Conversions, type tests and `throw` in place of a value."""
    operand, wanted = closures.of(code.operand), code.wanted
    if code.name == "TypeIs":
        return lambda env: boolean(operand_values.is_instance(env, _object(env, operand(env)), wanted))
    if code.name == "TypeAs":
        return lambda env: _as(env, _object(env, operand(env)), wanted)
    if code.name == "Throw":
        return lambda env: _throw(env, operand(env))
    checked, source = code.name == "ConvertChecked", code.operand.type
    inner = wanted.stripped
    is_left = source is wanted or (source.code in FLOATS and inner.code not in FLOATS)  # that depends on the runtime
    convert = operand_values.number_converter(source, inner, checked=checked) if not is_left else None
    if convert is not None:
        return lambda env: Operand(wanted, convert(operand(env).data))

    def run(env: Environment) -> Operand:
        given = operand(env)
        is_object = given.type.kind is Kind.LAMBDA and takes_delegates(wanted)
        if is_object or (given.type.kind is Kind.SEQUENCE and not _is_sequence(wanted)):
            given = passed(env, given)
        if given.type.kind in (Kind.LAMBDA, Kind.SEQUENCE, Kind.PAIR):
            return given
        return operand_values.cast(env, given, wanted, checked=checked)

    return run


def _is_sequence(kind: Type) -> bool:
    """Whether a type is one that LINQ's methods take, or object."""
    sequences = ("System.Collections.Generic.IEnumerable", "System.Collections.IEnumerable", "System.Linq.")
    return kind is types.OBJECT or kind.full_name.startswith(sequences)


def _as(env: Environment, operand: Operand, wanted: Type) -> Operand:
    return (
        operand_values.cast(env, operand, wanted)
        if operand_values.is_instance(env, operand, wanted)
        else Operand(wanted, None)
    )


def _throw(env: Environment, thrown: Operand) -> NoReturn:
    """Nothing is thrown in the program: the evaluation ends with the type and the message of the exception."""
    if thrown.data is None:
        raise null_reference("the exception to throw")
    message = env.text(call_framework(env, thrown, "System.Exception", "get_Message"))
    raise Thrown(env.own_type(thrown).full_name.partition("`")[0], str(message))


def zero(code: nodes.Zero, closures: Closures) -> Run:
    """The default value of a type."""
    if code.type is types.VOID:
        return lambda env: NOTHING
    if code.type is types.NULL:
        return lambda env: types.NULL_OPERAND
    return lambda env: operand_values.default_of(env, code.type)


def text(code: nodes.Text, closures: Closures) -> Run:
    """An interpolated string."""
    parts = [
        part if isinstance(part, str) else (closures.of(part.code), part.alignment, part.format) for part in code.parts
    ]

    def run(env: Environment) -> Operand:
        made = ""
        for part in parts:
            if isinstance(part, str):
                made += part
                continue
            value, alignment, form = part
            shown = to_text(env, value(env), form)
            padding = " " * (abs(alignment) - utf16_length(shown))
            made += padding + shown if alignment >= 0 else shown + padding
        return Operand(types.STRING, made)

    return run
