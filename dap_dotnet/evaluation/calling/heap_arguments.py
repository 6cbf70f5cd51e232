"""Values that a call needs on the heap of the program: boxes, computed decimals, and what a run would lose.

A parameter that is an object needs a box. ICorDebugEval makes none with a content, and the handle of a value that is
not on the heap (a local, a field, a computed number) passed in its place would be taken for a reference. So the
program makes the boxes: ``Tuple.Create`` takes the values as they are, all in one call, and its ``ITuple`` gives each
as an object. Such a box is as good for a parameter of the value type, and as `this`: the runtime opens it.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment, content_of
from dap_dotnet.evaluation.operations.framework_methods import framework_method, framework_type
from dap_dotnet.evaluation.operations.operand_values import MadeBox, NotPassedError, held_operand
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.runtime.model import ElementType, Value


class Call(Protocol):
    """`program_calls.call`, without `keeps`."""

    def __call__(
        self, env: Environment, method: ExactMethod, arguments: Sequence[Operand], what: str, *, has_this: bool = False
    ) -> Value:
        """See `program_calls.call`."""
        ...


_MOST_ELEMENTS = 7
_NATIVE = {types.I: types.I8, types.U: types.U8}
_UNBOXED_NUMBERS = types.PRIMITIVES.keys() - {ElementType.OBJECT, ElementType.STRING}
"""As `this` the runtime takes them in a box only (ArgumentOutOfRangeException: Enum value was out of legal range)."""
_LOST_BY_A_RUN = frozenset({Kind.STRUCT, Kind.NULLABLE})


def put_on_heap(
    env: Environment, call: Call, operands: list[Operand], parameters: Sequence[Type | None], *, has_this: bool
) -> None:
    """Change the operands of a call, so that each has the form that the call takes.

    Raises `EvaluationError` for values that cannot be boxed.
    """
    for operand in operands:
        if isinstance(operand.data, MadeBox):
            inner = env.operand(content_of(operand.data))
            operand.type, operand.data, operand.value = inner.type, inner.data, inner.value
    moved = _to_move(operands, parameters, has_this=has_this)
    _box(env, call, [operand for operand in moved if not _is_computed(operand)])
    for operand in moved:
        if _is_computed(operand):
            operand.data = operand.value = _made(env, call, operand)


def check_nullables(operands: list[Operand], parameters: Sequence[Type | None], *, has_this: bool) -> None:
    """Before anything runs: raise `NotPassedError` for a nullable that the call could not take.

    It takes only those that the program itself has: a box, or the value alone, has no flag as a nullable has one. And
    they must still be there when it begins: nothing else may run before.
    """
    nullables = [
        (operand, parameter)
        for operand, parameter in zip(operands, parameters, strict=True)
        if parameter is not None and parameter.kind is Kind.NULLABLE
    ]
    if not nullables:
        return
    runs = _runs_first(operands, _to_move(operands, parameters, has_this=has_this)) or any(
        isinstance(operand.data, MadeBox | tuple) for operand in operands
    )
    for operand, parameter in nullables:
        if runs or operand.type is not parameter or operand.value is None or operand.value.handle is None:
            raise NotPassedError(f"An argument cannot be passed: a '{parameter.name}' is not an object of the program")


def _to_move(operands: list[Operand], parameters: Sequence[Type | None], *, has_this: bool) -> list[Operand]:
    moved = [
        operand
        for operand, parameter in zip(operands, parameters, strict=True)
        if _is_computed(operand) or (operand.type.is_value_type and parameter is not None and parameter.is_reference)
    ]
    runs = _runs_first(operands, moved)
    for operand in operands if runs else []:
        is_lost = (operand.type.kind in _LOST_BY_A_RUN and operand.place is None) or operand.type is types.DECIMAL
        if is_lost and _has_handle(operand) and not any(operand is other for other in moved):
            moved.append(operand)
    moves_this = has_this and operands[0].type.is_value_type and operands[0].place is None
    moves_this = moves_this and (runs or not _has_handle(operands[0]) or operands[0].type.code in _UNBOXED_NUMBERS)
    if moves_this and not any(operands[0] is other for other in moved):
        moved.insert(0, operands[0])
    return moved


def _runs_first(operands: Sequence[Operand], moved: Sequence[Operand]) -> bool:
    """Whether the program runs before the call: it makes boxes of what is moved, and strings."""
    return bool(moved) or any(operand.type is types.STRING and not _has_handle(operand) for operand in operands)


def _has_handle(operand: Operand) -> bool:
    value = operand.program_value
    return value is not None and value.handle is not None


def _is_computed(operand: Operand) -> bool:
    """Whether a number is of a type of which no value can be made from outside."""
    if _has_handle(operand) or operand.data is None:
        return False
    return operand.type in _NATIVE or (operand.type is types.DECIMAL and isinstance(operand.data, Decimal))


def _box(env: Environment, call: Call, operands: list[Operand]) -> None:
    """Replace values by objects that hold them."""
    for start in range(0, len(operands), _MOST_ELEMENTS):
        part = operands[start : start + _MOST_ELEMENTS]
        kinds = tuple(_boxable(env, operand) for operand in part)
        made = framework_type(env, f"System.Tuple`{len(part)}", kinds)
        factory = framework_method(env, "System.Tuple", "Create", len(part))
        create = ExactMethod(factory.owner, factory.token, kinds)
        item = framework_method(env, made, "System.Runtime.CompilerServices.ITuple.get_Item", 1)
        for operand in part:
            if operand.type.kind is Kind.NULLABLE:
                given = held_operand(operand)
                operand.type, operand.data, operand.value = given.type, given.data, given.value
        held = call(env, create, part, "Tuple.Create")
        holder = Operand(item.owner, held, held)
        for number, operand in enumerate(part):
            position = Operand(types.I4, number)
            operand.data = operand.value = call(env, item, [holder, position], "ITuple.Item", has_this=True)
            operand.type = types.OBJECT


def _boxable(env: Environment, operand: Operand) -> Type:
    """The type that a value is given to the program as."""
    if operand.type.kind in (Kind.POINTER, Kind.TUPLE):
        raise EvaluationError(f"A value of type '{operand.type.name}' cannot be passed as an object")
    if is_stack_only(env.universe, operand.type):
        raise EvaluationError(f"A '{operand.type.name}' cannot be stored: it can live only on a method's stack")
    value = operand.program_value
    if value is not None and value.error is not None:
        raise EvaluationError(f"An argument cannot be passed: {value.error}")
    return operand.type.element if operand.type.kind is Kind.NULLABLE else operand.type


def _made(env: Environment, call: Call, operand: Operand) -> Value:
    """A computed decimal, nint or nuint, by the program."""
    if operand.type is types.DECIMAL:
        return _decimal(env, call, operand.data)
    wide = _NATIVE[operand.type]
    convert = framework_method(env, operand.type, "op_Explicit", 1, (wide,))
    return call(env, convert, [Operand(wide, operand.data)], operand.type.name)


def _decimal(env: Environment, call: Call, number: Decimal) -> Value:
    """A computed decimal, with its scale: parsed by the program, as no value of a struct can be made from outside."""
    provider = env.universe.named("System.IFormatProvider")
    invariant = framework_method(env, "System.Globalization.CultureInfo", "get_InvariantCulture", 0)
    parse = framework_method(env, "System.Decimal", "Parse", 2, (types.STRING, provider))
    culture = call(env, invariant, [], "CultureInfo.InvariantCulture")
    arguments = [Operand(types.STRING, format(number, "f")), Operand(provider or types.OBJECT, culture, culture)]
    return call(env, parse, arguments, "decimal.Parse")
