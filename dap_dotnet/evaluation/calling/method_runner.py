"""Running methods: what only reads is interpreted, the rest is called in the program."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.calling.program_calls import (
    call,
    caller_of,
    give_place,
    make_string,
    put_arguments_on_heap,
    result_operand,
    run_with,
    running,
    type_id_of,
)
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.assignables import store_new
from dap_dotnet.evaluation.operations.creation import fill, method_object, run_reflected, with_items
from dap_dotnet.evaluation.operations.framework import framework_method, type_object
from dap_dotnet.evaluation.operations.member_access import (
    dispatch,
    is_by_reference,
    method_of,
    parameter_types,
    shown_name,
)
from dap_dotnet.evaluation.operations.operand_values import MadeBox, NotPassedError
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import declared_method
from dap_dotnet.runtime.model import Value
from dap_dotnet.symbols.modules import CacheSlot


class ProgramMethodRunner:
    """Implements `environment.MethodRunner`. Has no state: one serves all evaluations (`METHOD_RUNNER`)."""

    def run(
        self,
        env: Environment,
        method: ExactMethod,
        target: Operand | None,
        arguments: Sequence[Operand],
        *,
        is_virtual: bool = True,
    ) -> Operand:
        """See `environment.MethodRunner`: by interpretation, else by a call, which `env.caller` must allow.

        A method that could not be interpreted time after time is called at once.
        """
        # Many expressions name no method: the interpreter is loaded with the first one that does.
        from dap_dotnet.evaluation.interpreter.code import NotInterpretable
        from dap_dotnet.evaluation.interpreter.interpretation import interpret_call

        reached = dispatch(env, method, target) if target is not None else method
        if is_virtual:
            method = reached
        module = env.universe.module_of(method.owner) if env.caller is not None and method == reached else None
        failures = module.cached(_FAILURES) if module is not None else {}
        failed = failures.get(method, 0)
        if failed < _FAILURES_IN_A_ROW or (failed - _FAILURES_IN_A_ROW + 1) % (_PASSED_OVER + 1) == 0:
            with suppress(NotInterpretable):
                result = interpret_call(env, method, target, arguments)
                failures.pop(method, None)
                return result
        failures[method] = failed + 1
        if method != reached:
            name = method_of(env, method).name.removeprefix("get_")
            raise EvaluationError(
                f"base.{name} is overridden, and does more than can be followed here; the runtime calls only the "
                "override"
            )
        return _called(env, method, target, arguments)

    def reference(
        self, env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
    ) -> tuple[Value, bool]:
        """See `environment.MethodRunner`."""
        from dap_dotnet.evaluation.interpreter.interpretation import only_reads

        reached = dispatch(env, method, target) if target is not None else method
        return _value(env, reached, target, arguments)[0], only_reads(env, reached, target, arguments)

    def construct(
        self, env: Environment, kind: Type, constructor: ExactMethod | None, arguments: Sequence[Operand]
    ) -> Operand:
        """See `environment.MethodRunner`."""
        what = f"new {kind.name}"
        caller = caller_of(env, what)
        type_id = type_id_of(env, kind, what)
        if constructor is None:
            return env.operand(running(env, lambda: caller.new_object(type_id, None, ())), kind)
        token, kinds = constructor.token, parameter_types(env, constructor)
        try:
            made = run_with(env, arguments, kinds, lambda values: caller.new_object(type_id, token, values))
        except NotPassedError:
            return run_reflected(env, constructor, None, arguments)[0]
        return env.operand(made, kind)

    def new_array(self, env: Environment, element: Type, *lengths: int) -> Operand:
        """See `environment.MethodRunner`."""
        what = f"new {element.name}[{',' * (len(lengths) - 1)}]"
        caller = caller_of(env, what)
        kind, type_id = env.universe.array(element, len(lengths)), env.universe.id_of(env.program, element)
        is_made_by_runtime = element.kind not in _NOT_BY_THE_RUNTIME and element is not types.DECIMAL
        if len(lengths) == 1 and type_id is not None and is_made_by_runtime:
            known = type_id
            return env.operand(running(env, lambda: caller.new_array(known, lengths[0])), kind)
        given = Operand(types.I4, lengths[0])
        if len(lengths) > 1:
            given = self.new_array(env, types.I4, len(lengths))
            fill(env, given, [Operand(types.I4, length) for length in lengths])
        parameters = (env.universe.named("System.Type"), given.type)
        create = framework_method(env, "System.Array", "CreateInstance", 2, parameters)
        return env.operand(call(env, create, [type_object(env, element), given], what), kind)

    def delegate(self, env: Environment, kind: Type, method: ExactMethod, target: Operand | None) -> Operand:
        """See `environment.MethodRunner`."""
        given = [type_object(env, kind), target or Operand(types.OBJECT, None), method_object(env, method)]
        parameters = (given[0].type, types.OBJECT, env.universe.named("System.Reflection.MethodInfo"))
        create = framework_method(env, "System.Delegate", "CreateDelegate", 3, parameters)
        made = result_operand(env, call(env, create, given, "Delegate.CreateDelegate"), kind)
        return Operand(kind, made.data, made.value)

    def put_on_heap(self, env: Environment, operand: Operand) -> None:
        """See `environment.MethodRunner`."""
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
            put_arguments_on_heap(env, [operand], [types.OBJECT], has_this=False)
            operand.type = kind
        elif operand.program_value is None or operand.program_value.handle is None:
            if operand.program_value is not None and operand.program_value.error is not None:
                raise EvaluationError(f"A value cannot be passed as an object: {operand.program_value.error}")
            caller = caller_of(env, "A new string")
            kind, operand.type = operand.type, types.STRING
            make_string(env, caller, operand)
            operand.type = kind


_NOT_BY_THE_RUNTIME = frozenset({Kind.STRUCT, Kind.NULLABLE, Kind.ENUM})
"""Element types of which ICorDebugEval2 makes no arrays."""
METHOD_RUNNER = ProgramMethodRunner()


_FAILURES_IN_A_ROW = 3
"""How often a method is interpreted in vain before it is called at once, where it may as well be called."""
_PASSED_OVER = 30
"""Calls from one attempt to the next then."""
_FAILURES: CacheSlot[dict[ExactMethod, int]] = CacheSlot("methods that were interpreted in vain", lambda _: {})


def _called(env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]) -> Operand:
    try:
        return result_operand(env, *_value(env, method, target, arguments))
    except NotPassedError:
        if target is not None and dispatch(env, method, target) != method:
            raise  # a call through `base`: reflection would call the override
        if target is not None and target.type.is_value_type:
            raise  # reflection would call it on a copy
        return run_reflected(env, method, target, arguments)[0]


def _value(
    env: Environment, method: ExactMethod, target: Operand | None, arguments: Sequence[Operand]
) -> tuple[Value, Type | None]:
    """What a method gives, and the type that it is declared to give."""
    from dap_dotnet.evaluation.calling.endless_calls import is_endless

    own = method_of(env, method)
    name = shown_name(method.owner, own.name)
    caller_of(env, name)
    if is_endless(env, method, target, arguments):
        raise EvaluationError(f"{name} calls itself endlessly: a stack overflow would end the program")
    passed = arguments if target is None else [target, *arguments]
    value = call(env, method, passed, name, has_this=target is not None)
    kind = declared_method(env.universe, method).return_type(env.universe, method.type_arguments)
    if value.is_null and kind is not None and kind.is_value_type and is_by_reference(own.signature.return_type):
        raise Thrown("System.NullReferenceException", f"the reference that {name} gives is null")
    return value, kind


_MOST_ITEMS = 7


def _make_tuple(env: Environment, operand: Operand) -> None:
    """A ValueTuple in a box, whose fields are then stored."""
    items: tuple[Operand, ...] = operand.data
    if not 0 < len(items) <= _MOST_ITEMS:
        raise EvaluationError(f"A tuple of {len(items)} elements cannot be created here: evaluate its elements")
    for item in items:
        for part in [item] if item.type.kind is Kind.TUPLE else with_items(item):
            env.runner.put_on_heap(env, part)
    kinds = tuple(types.OBJECT if item.type.kind is Kind.NULL else item.type for item in items)
    wanted = env.universe.named(f"System.ValueTuple`{len(items)}", kinds)
    if wanted is None:
        raise EvaluationError("A tuple cannot be created here: the program has not loaded System.ValueTuple")
    made = env.runner.construct(env, wanted, None, [])
    assert made.program_value is not None
    store_new(env, made.program_value, wanted, Operand(wanted, items))
    operand.type, operand.data, operand.value = wanted, made.data, made.value
