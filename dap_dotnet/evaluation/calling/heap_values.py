"""Objects of the program made of what an expression computed: strings, boxes, Type objects, delegates."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.calling.heap_arguments import put_on_heap as put_arguments_on_heap
from dap_dotnet.evaluation.calling.program_calls import (
    call,
    caller_of,
    give_place,
    make_string,
    result_operand,
    run_with,
    running,
    type_id_of,
)
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import fill, with_items
from dap_dotnet.evaluation.operations.dispatch import parameter_types
from dap_dotnet.evaluation.operations.framework_methods import framework_method
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.operations.reflected_calls import method_object
from dap_dotnet.evaluation.operations.storing import store_new
from dap_dotnet.evaluation.operations.type_objects import type_object
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.runtime.model import Value

_NOT_BY_THE_RUNTIME = frozenset({Kind.STRUCT, Kind.NULLABLE, Kind.ENUM})
"""Element types of which ICorDebugEval2 makes no arrays."""


def construct(env: Environment, kind: Type, constructor: ExactMethod | None, arguments: Sequence[Operand]) -> Operand:
    """See `environment.MethodRunner.construct`."""
    what = f"new {kind.name}"
    caller = caller_of(env, what)
    type_id = type_id_of(env, kind, what)
    if constructor is None:
        made = running(env, lambda: caller.new_object(type_id, None, ()))
    else:
        token = constructor.token
        kinds = parameter_types(env, constructor)
        made = run_with(env, arguments, kinds, lambda values: caller.new_object(type_id, token, values))
    return env.operand(made, kind)


def new_array(env: Environment, element: Type, *lengths: int) -> Operand:
    """See `environment.MethodRunner.new_array`."""
    what = f"new {element.name}[{',' * (len(lengths) - 1)}]"
    caller = caller_of(env, what)
    type_id = env.universe.id_of(env.program, element)
    of_system = env.universe.named("System.Type")
    if len(lengths) > 1:
        create = framework_method(env, "System.Array", "CreateInstance", 2, (of_system, env.universe.array(types.I4)))
        made = _created(env, create, element, _lengths_array(env, lengths), what)
        return env.operand(made, env.universe.array(element, len(lengths)))
    if type_id is None or element.kind in _NOT_BY_THE_RUNTIME or element is types.DECIMAL:
        create = framework_method(env, "System.Array", "CreateInstance", 2, (of_system, types.I4))
        made = _created(env, create, element, Operand(types.I4, lengths[0]), what)
    else:
        known = type_id
        made = running(env, lambda: caller.new_array(known, lengths[0]))
    return env.operand(made, env.universe.array(element))


def _created(env: Environment, create: ExactMethod, element: Type, lengths: Operand, what: str) -> Value:
    """What Array.CreateInstance makes."""
    of = type_object(env, element)
    return call(env, create, [of, lengths], what)


def _lengths_array(env: Environment, lengths: Sequence[int]) -> Operand:
    made = new_array(env, types.I4, len(lengths))
    fill(env, made, [Operand(types.I4, length) for length in lengths])
    return made


def put_on_heap(env: Environment, operand: Operand) -> None:
    """See `environment.MethodRunner.put_on_heap`."""
    if operand.type.kind in (Kind.STRUCT, Kind.NULLABLE):
        give_place(env, operand)
    if operand.data is None or not (operand.type.is_reference or operand.type.kind is Kind.TUPLE):
        return
    if operand.type is types.ANONYMOUS:
        raise calls_forbidden("The constructor of an anonymous object")
    if operand.type.kind is Kind.TUPLE:
        _make_tuple(env, operand)
        return
    if operand.type.kind is Kind.TYPE:
        made = type_object(env, operand.data)
        operand.type, operand.data, operand.value = made.type, made.data, made.value
    elif isinstance(operand.data, MadeBox):
        kind = operand.type
        put_arguments_on_heap(env, call, [operand], [types.OBJECT], has_this=False)
        operand.type = kind
    elif operand.program_value is None or operand.program_value.handle is None:
        if operand.program_value is not None and operand.program_value.error is not None:
            raise EvaluationError(f"A value cannot be passed as an object: {operand.program_value.error}")
        caller = caller_of(env, "A new string")
        kind, operand.type = operand.type, types.STRING
        make_string(env, caller, operand)
        operand.type = kind


_MOST_ITEMS = 7


def _make_tuple(env: Environment, operand: Operand) -> None:
    """A ValueTuple in a box, whose fields are then stored."""
    items: tuple[Operand, ...] = operand.data
    if not 0 < len(items) <= _MOST_ITEMS:
        raise EvaluationError(f"A tuple of {len(items)} elements cannot be created here: evaluate its elements")
    for item in items:
        for part in [item] if item.type.kind is Kind.TUPLE else with_items(item):
            put_on_heap(env, part)
    kinds = tuple(types.OBJECT if item.type.kind is Kind.NULL else item.type for item in items)
    wanted = env.universe.named(f"System.ValueTuple`{len(items)}", kinds)
    if wanted is None:
        raise EvaluationError("A tuple cannot be created here: the program has not loaded System.ValueTuple")
    made = construct(env, wanted, None, [])
    assert made.program_value is not None
    store_new(env, made.program_value, wanted, Operand(wanted, items))
    operand.type, operand.data, operand.value = wanted, made.data, made.value


def group_delegate(env: Environment, delegate: Type, exact: ExactMethod, target: Operand | None) -> Operand:
    """A delegate of a method itself; `target` None for a static one. Raises `EvaluationError`."""
    held = target if target is not None else Operand(types.OBJECT, None)
    kind = type_object(env, delegate)
    method = method_object(env, exact)
    info = env.universe.named("System.Reflection.MethodInfo")
    create = framework_method(
        env, "System.Delegate", "CreateDelegate", 3, (env.universe.named("System.Type"), types.OBJECT, info)
    )
    made = result_operand(env, call(env, create, [kind, held, method], "Delegate.CreateDelegate"), delegate)
    return Operand(delegate, made.data, made.value)
