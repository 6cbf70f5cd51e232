"""Running code of the program for an expression: the one place where the engine asks for it.

A parameter that is an object needs a box. ICorDebugEval makes none with a content, and the handle of a value that is
not on the heap (a local, a field, a computed number) passed in its place would be taken for a reference. So the
program makes the boxes: ``Tuple.Create`` takes the values as they are, all in one call, and its ``ITuple`` gives each
as an object. Such a box is as good for a parameter of the value type, and as `this`: the runtime opens it.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from decimal import Decimal

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.caller import Caller, ControlLostError
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment, content_of
from dap_dotnet.evaluation.operations.assignables import check_fits, store_new
from dap_dotnet.evaluation.operations.framework import framework_method, framework_type
from dap_dotnet.evaluation.operations.member_access import parameter_types
from dap_dotnet.evaluation.operations.operand_values import (
    MadeBox,
    NotLoadedError,
    NotPassedError,
    held_operand,
    number_conversion,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import is_stack_only
from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.typenames import full_name

_CANON = "System.__Canon"


def call(
    env: Environment,
    method: ExactMethod,
    arguments: Sequence[Operand],
    what: str,
    *,
    has_this: bool = False,
) -> Value:
    """Call a method, `this` first among the arguments (`has_this`).

    Raises `EvaluationError`.
    """
    definition = env.universe.definition_of(method.owner)
    caller = caller_of(env, what)
    if definition is None:
        raise EvaluationError(f"{what} cannot be called: its type has no metadata")
    ids = [type_id_of(env, argument, what) for argument in (*method.owner.arguments, *method.type_arguments)]
    return run_with(
        env,
        arguments,
        parameter_types(env, method),
        lambda values: caller.call(definition[0], method.token, ids, values),
        this_type=method.owner if has_this else None,
    )


def caller_of(env: Environment, what: str) -> Caller:
    """Who runs the program's code. Raises `EvaluationError` where nobody may."""
    if env.caller is None:
        raise calls_forbidden(what)
    return env.caller


def type_id_of(env: Environment, kind: Type, what: str) -> TypeId:
    """The exact runtime type that a call needs. Raises `EvaluationError` where the program has not loaded it."""
    type_id = env.universe.id_of(env.program, kind)
    if type_id is None:
        raise NotLoadedError(f"{what} cannot be called: the program has not loaded the type '{kind.name}'")
    return type_id


def run_with(
    env: Environment,
    arguments: Sequence[Operand],
    parameters: Sequence[Type | None],
    run: Callable[[list[Value]], Value],
    *,
    this_type: Type | None = None,
) -> Value:
    """Let the program run with arguments, in the form that their parameters take. See `call`.

    `this_type`: the type whose method runs on the first argument, for which `parameters` has none.
    """
    caller, has_this = caller_of(env, "It"), this_type is not None
    is_last, env.is_last_call = env.is_last_call, False
    slots = [None, *parameters] if has_this else list(parameters)
    made = [_prepared(operand, parameter) for operand, parameter in zip(arguments, slots, strict=True)]
    for operand in made:
        give_place(env, operand)
    check_nullables(made, slots, has_this=has_this)
    for operand in made:
        if isinstance(operand.data, tuple) and operand.type.kind in (Kind.STRUCT, Kind.TUPLE):
            kind = types.ANONYMOUS if operand.type is types.ANONYMOUS else types.TUPLE
            whole = Operand(kind, operand.data, None, operand.names)
            env.runner.put_on_heap(env, whole)
            operand.type, operand.data, operand.value = whole.type, whole.data, whole.value
    put_arguments_on_heap(env, made, slots, has_this=has_this)
    for operand in made:
        make_string(env, caller, operand)
    values = [env.to_value(operand) for operand in made]
    if this_type is not None and this_type.is_value_type:  # else the runtime boxes what it is given
        check_fits(env, values[0], this_type, f"A method of '{this_type.name}' cannot be called")
    for value, parameter in zip(values[has_this:], parameters, strict=True):
        check_fits(env, value, parameter, "An argument cannot be passed")
    if is_last:
        env.roots.forget()
    return running(env, lambda: run(values))


def give_place(env: Environment, operand: Operand) -> None:
    """Give a structure that is known by its bytes or parts alone, as an element of a span, a place in the program."""
    value, kind = operand.program_value, operand.type
    if kind.kind is Kind.NULLABLE and isinstance(operand.data, Value):
        kind = kind.element
    if kind.kind is not Kind.STRUCT or value is None or value.handle is not None or value.is_null:
        return
    if value.is_boxed or not (value.raw or value.parts):
        return
    env.roots.note_parts(value)
    place = env.runner.construct(env, kind, None, [])
    store_new(env, place.data, kind, Operand(kind, value, value))
    filled = structs.replace(place.data, raw=value.raw)  # those of the place are from before
    env.roots.note(filled)
    operand.data, operand.value = filled, filled if operand.type is kind else None


def _prepared(operand: Operand, parameter: Type | None) -> Operand:
    """An argument in the form of its parameter. A copy: it is changed when the program runs."""
    if parameter is not None and parameter is not operand.type and parameter.kind in (Kind.NUMBER, Kind.ENUM):
        converted = number_conversion(operand.type, parameter, operand.data)
        if converted is not None:
            return converted
    if parameter is not None and parameter.is_reference and operand.type.kind is Kind.NULLABLE:
        return Operand(parameter, None) if operand.data is None else held_operand(operand)
    names = operand.names if operand.type is types.ANONYMOUS else ()
    return Operand(operand.type, operand.data, operand.value, names, operand.place)


def make_string(env: Environment, caller: Caller, operand: Operand) -> None:
    """Give a string operand that was computed an object of the program; others stay."""
    if operand.data is None or not (operand.type.kind is Kind.STRING or isinstance(operand.data, str)):
        return
    if operand.value is not None and operand.value.handle is not None:
        return
    text = env.text(operand) or ""
    made = running(env, lambda: caller.new_string(text))
    operand.data = operand.value = made


def running(env: Environment, action: Callable[[], Value]) -> Value:
    """Let the program run, with the values that are still needed carried over it."""
    env.go_on()
    env.program_runs()
    env.roots.before_run()
    try:
        made = action()
    except ControlLostError:
        # The runtime's library would wait for the loop that cannot be stopped: what is remembered stays so.
        env.roots.lose_control()
        raise
    finally:
        env.roots.after_run()
    if made.handle is not None:
        env.roots.note(made)
    return made


def load_assembly(env: Environment, name: str) -> None:
    """Let the program load an assembly of its framework."""
    load = framework_method(env, "System.Reflection.Assembly", "Load", 1, (types.STRING,))
    call(env, load, [Operand(types.STRING, name)], "Assembly.Load")


def load_image(env: Environment, image: bytes) -> None:
    """Let the program load an assembly of these bytes."""
    decode = framework_method(env, "System.Convert", "FromBase64String", 1, (types.STRING,))
    content = env.universe.array(types.U1)
    load = framework_method(env, "System.Reflection.Assembly", "Load", 1, (content,))
    text = Operand(types.STRING, base64.b64encode(image).decode())
    made = call(env, decode, [text], "Convert.FromBase64String")
    call(env, load, [Operand(content, made, made)], "Assembly.Load")


def result_operand(env: Environment, value: Value, declared: Type | None) -> Operand:
    """The result of a call."""
    if value.element_type is ElementType.VOID:
        return Operand(types.VOID, None)
    return env.operand(_exactly(env, value, declared), declared)


def _exactly(env: Environment, value: Value, declared: Type | None) -> Value:
    """A structure with the type that the method gives.

    In code that several instantiations share, the runtime knows it as `KeyValuePair<int, __Canon>` only.
    """
    if value.type is None or declared is None or value.element_type is not ElementType.VALUETYPE:
        return value
    if not _is_shared(env, value.type):
        return value
    for kind in (declared, declared.stripped):
        known = env.universe.id_of(env.program, kind)
        if known is None or known == value.type:
            continue
        exact, seen = env.debuggee.type_info(known), env.debuggee.type_info(value.type)
        if exact.token is not None and (exact.module, exact.token) == (seen.module, seen.token):
            return structs.replace(value, type=known)
    return value


def _is_shared(env: Environment, kind: TypeId) -> bool:
    """Whether a type has the runtime's stand-in for all reference types among its arguments, at whatever depth."""
    for argument in env.debuggee.type_info(kind).arguments:
        if full_name(env.program, env.debuggee.type_info(argument)) == _CANON or _is_shared(env, argument):
            return True
    return False


_MOST_ELEMENTS = 7
_UNBOXED_NUMBERS = types.PRIMITIVES.keys() - {ElementType.OBJECT, ElementType.STRING}
"""As `this` the runtime takes them in a box only (ArgumentOutOfRangeException: Enum value was out of legal range)."""
_LOST_BY_A_RUN = frozenset({Kind.STRUCT, Kind.NULLABLE})


def put_arguments_on_heap(
    env: Environment, operands: list[Operand], parameters: Sequence[Type | None], *, has_this: bool
) -> None:
    """Change the operands of a call, so that each has the form that the call takes.

    Raises `EvaluationError` for values that cannot be boxed.
    """
    for operand in operands:
        if isinstance(operand.data, MadeBox):
            inner = env.operand(content_of(operand.data))
            operand.type, operand.data, operand.value = inner.type, inner.data, inner.value
    moved = _to_move(operands, parameters, has_this=has_this)
    _box(env, [operand for operand in moved if not _is_computed(operand)])
    for operand in moved:
        if _is_computed(operand):
            operand.data = operand.value = _computed(env, operand)


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
    return operand.type in (types.I, types.U) or (operand.type is types.DECIMAL and isinstance(operand.data, Decimal))


def _box(env: Environment, operands: list[Operand]) -> None:
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
    return operand.type.stripped


def _computed(env: Environment, operand: Operand) -> Value:
    """A computed decimal, nint or nuint, in a new box."""
    caller, type_id = caller_of(env, "It"), type_id_of(env, operand.type, "It")
    box = running(env, lambda: caller.new_object(type_id, None, ()))
    store_new(env, box, operand.type, operand)
    return box
